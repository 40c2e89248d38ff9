"""Where each result file comes from: sidecars, code hashes, verification and tracing."""
