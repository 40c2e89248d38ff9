"""Tables, statistics, verdicts and figures from the records: seconds to re-run, and never torch."""
