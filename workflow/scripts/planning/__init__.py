"""From the configuration to the list of runs: checked, resolved and named before any job starts."""
