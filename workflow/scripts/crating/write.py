"""Write the crate of a folder of results."""

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from crating.describe import About, describe
from crating.jobs import read_history
from lineage.digest import fingerprint
from lineage.sidecar import SUFFIX


def write_crate(*, files: Iterable[str], about: str, definition: str, crate: str) -> None:
    """Write the description of these files, and of all that they were made from, to `crate`.

    `files`: results, or sidecars of results; `about`: the config section `crate` as JSON; `definition`: the file that
    defines the workflow, in the crate's folder. All names are relative to the current folder, the crate's folder is
    that of the results. Raises UserError where a file has no readable sidecar.
    """
    text = describe(
        history=read_history((name.removesuffix(SUFFIX) for name in files), Path()),
        definition=fingerprint(definition, Path()),
        about=About(**json.loads(about)),
        results=PurePosixPath(crate).parent.as_posix(),
        directory=Path(),
    )
    Path(crate).write_text(text, encoding="utf-8")
