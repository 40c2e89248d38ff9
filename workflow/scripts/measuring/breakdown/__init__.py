"""Where the time of a training step goes: an instrumented pass of its own, never inside a timed run. Needs torch."""
