"""Get a dataset, check it against published checksums and decode it. Uses numpy, pooch and Pillow, never torch."""
