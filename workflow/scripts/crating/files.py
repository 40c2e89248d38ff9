"""Files of the crate, and files from outside of it that jobs have read."""

from pathlib import PurePosixPath

from crating.context import Context
from crating.graph import Reference
from crating.jobs import short_hash
from lineage.digest import Fingerprint
from lineage.sidecar import Sidecar
from lineage.source import LOCAL, Source

_FORMATS = {
    ".json": "application/json",
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".npz": "application/zip",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


def add_file(context: Context, made: Sidecar | Fingerprint) -> Reference:
    """Add a file of the results with its hash and size."""
    path = PurePosixPath(made.file).relative_to(context.results)
    return context.graph.add_file(
        path.as_posix(),
        name=path.as_posix(),
        sha256=made.sha256,
        contentSize=str(made.size),
        encodingFormat=_FORMATS.get(path.suffix, "text/plain"),
        exampleOfWork=context.parameters.of_file(made.file),
    )


def add_input(context: Context, known: Fingerprint) -> Reference:
    """Return the file that a job has read: one of the crate, or one that the crate does not hold with this content."""
    made = context.history.get(known.file)
    if made is not None and made.sha256 == known.sha256:
        return context.graph.file(PurePosixPath(known.file).relative_to(context.results).as_posix())
    return _add_outside(context, known, None)


def add_source(context: Context, source: Source) -> list[Reference]:
    """Add the files that came from outside of the workflow."""
    url = None if source.url == LOCAL else source.url
    return [_add_outside(context, known, url) for known in source.files]


def _add_outside(context: Context, known: Fingerprint, url: str | None) -> Reference:
    return context.graph.add(
        f"#outside-{short_hash([known.file, known.sha256, url])}",
        "CreativeWork",
        name=known.file,
        url=url,
        sha256=known.sha256,
        contentSize=str(known.size),
        exampleOfWork=context.parameters.of_file(known.file),
    )
