"""Where data came from that no job of the workflow made."""

from dataclasses import dataclass

from lineage.digest import Fingerprint

LOCAL = "local"  # in place of an address that means nothing to others


@dataclass(frozen=True, kw_only=True)
class Source:
    """A place outside of the workflow that served a job, with the files as they came from there."""

    name: str  # as the configuration calls it
    url: str  # a public address, or `local`
    files: tuple[Fingerprint, ...]  # by their base names
