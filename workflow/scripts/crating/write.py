"""Write the crate of a folder of results."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from crating.describe import About, describe
from crating.jobs import read_history
from lineage.digest import fingerprint


def write_crate(*, files: Iterable[str], about: str, workflow: str, crate: str, definition: str) -> None:
    """Write the description of these files, and of all that they were made from, to `crate`.

    `about`: the config section `crate` as JSON; `workflow`: the file that defines the workflow, of which a copy is
    written to `definition`, beside the crate. All names are relative to the current folder, the crate's folder is that
    of the results. Raises UserError where a file has no readable sidecar.
    """
    shutil.copyfile(workflow, definition)
    text = describe(
        history=read_history(files, Path()),
        definition=fingerprint(definition, Path()),
        about=About(**json.loads(about)),
        results=PurePosixPath(crate).parent.as_posix(),
        directory=Path(),
    )
    Path(crate).write_text(text, encoding="utf-8")
