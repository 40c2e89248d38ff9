"""One run: trains one model on one device with one recipe, times it and records it. Needs torch, not pandas."""
