"""Other ways to train the same network on the same images, each an adapter of ours that calls an installed package.

Each module has `prepare(setup)`, which returns a function that trains one epoch and says what it took. A package that
is not installed is reported as absent.
"""

NAMES = ("plain_0_workers", "plain_4_workers", "resident_eager", "reduce_overhead", "lightning", "timm")
