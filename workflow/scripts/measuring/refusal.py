"""Runs that would not measure what their settings say."""


class RefusedError(Exception):
    """The run does not take place; its record has the status `refused` and this reason."""
