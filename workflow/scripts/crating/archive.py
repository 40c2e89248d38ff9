"""Command `python -m crating.archive`: one zip with results, configuration and code, that verifies elsewhere."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from crating.code import code_at, code_files
from crating.pack import write_zip
from lineage import left_out
from lineage.digest import files_below
from lineage.git import git_state
from lineage.job import UserError
from lineage.sidecar import SUFFIX, SidecarError, read_sidecar
from lineage.verify import verify
from planning.folder_lock import COMMAND, WORK, hold_folder, require_free

Files = dict[str, Path | bytes]

TOP = "gpu-training-speedup-results"  # the folder that the zip unpacks to
GUIDE = """\
Results of gpu-training-speedup, with the code and the configuration that made them.

Check every file against its sidecar with nothing but Python 3.11 or newer, here:

    cd workflow/scripts
    python3 -m lineage verify ../../results
    python3 -m lineage trace ../../results/figures/speedup.png

results/ro-crate-metadata.json describes all files and jobs (RO-Crate, Provenance Run Crate).
The code here is of {here}; the results were made by code of {used}.
code/ holds, as tar files, the commits among these that differ from the code here, where the repository has them.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Pack the results of the project in the current folder and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        hold_folder(COMMAND)
        require_free(WORK)
        print(archive(options.output, configs=options.config, data=options.data, unverified=options.unverified))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"No archive was written: {_failure(error, options.output)}.", file=sys.stderr)
        return 1
    return 0


def _failure(error: OSError, output: Path) -> str:
    name = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else output
    return f"{name if name.suffix == '.yaml' else output} cannot be used ({error.strerror or error})"


def archive(output: Path, *, configs: Iterable[Path], data: bool, unverified: bool) -> str:
    """Write the zip for the project in the current folder and return one sentence about it.

    `configs`: files that were laid over the default configuration; `data`: whether decoded images are packed;
    `unverified`: pack also what does not verify. The same files give the same bytes. Raises UserError.
    """
    folder, results = Path(), Path("results")
    _require_place(output, results)
    verdict = verify(results)
    if verdict.problems and not unverified:
        raise UserError(
            f"The results do not verify ({verdict.summary}; `make verify` names them): repair them, or pack them as "
            "they are with `make archive UNVERIFIED=yes`."
        )
    files = _project(folder, configs) | _results(results, data=data) | _explained(folder, results)
    write_zip(output, TOP, files)
    return f"{output}: {len(files)} files, {output.stat().st_size / 1e6:.1f} MB; {verdict.summary}."


def _results(results: Path, *, data: bool) -> Files:
    """Return the files of the results, and the list of those that are left out."""
    files: Files = {f"results/{path.relative_to(results).as_posix()}": path for path in files_below(results)}
    images = [] if data else [name for name in files if name.startswith("results/data/") and name.endswith(".npz")]
    missing = sorted({*left_out.read(results), *images})
    listed: Files = {f"results/{left_out.NAME}": "".join(f"{name}\n" for name in missing).encode()} if missing else {}
    return {name: content for name, content in files.items() if name not in images} | listed


def _project(folder: Path, configs: Iterable[Path]) -> Files:
    code: Files = dict(code_files(folder))
    for path in (path for path in configs if path.as_posix() not in code):
        name = f"config/{path.name}"
        if name in code:
            raise UserError(f"{path} would be a second {name} in the archive: give it a name of its own.")
        code[name] = path
    return code


def _require_place(output: Path, results: Path) -> None:
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UserError(f"{output} can be no zip file: name a file in a folder that exists, with ARCHIVE=...")
    if output.resolve().is_relative_to(results.resolve()):
        raise UserError(
            f"{output} lies inside the results, which it would change: choose another place with ARCHIVE=..."
        )


def _explained(folder: Path, results: Path) -> Files:
    """Return the guide, and the code of each commit that made results and is not what lies here."""
    states = [state for state in map(_made_by, sorted(results.rglob(f"*{SUFFIX}"))) if state]
    commits = {str(state["commit"]) for state in states if state.get("commit")}
    used = sorted({_words(state) for state in states}) or ["no commit that is known"]
    guide = GUIDE.format(here=_words(git_state(folder) or {}), used=", ".join(used))
    return {"ARCHIVE.md": guide.encode(), **code_at(folder, commits)}


def _made_by(sidecar: Path) -> dict[str, object] | None:
    try:
        git = read_sidecar(sidecar).git
    except SidecarError:  # packed as it is
        return None
    return dict(git) if git else None


def _words(state: dict[str, object] | dict[str, str | bool | None]) -> str:
    commit = state.get("commit")
    return f"commit {commit}{' with changes' if state.get('dirty') else ''}" if commit else "no commit that is known"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crating.archive", description=__doc__)
    parser.add_argument("output", type=Path, help="the zip file to write")
    parser.add_argument("--config", nargs="*", type=Path, default=[], help="files laid over config/config.yaml")
    parser.add_argument("--without-data", dest="data", action="store_false", help="leave decoded images out")
    parser.add_argument("--unverified", action="store_true", help="pack also results that do not verify")
    return parser


if __name__ == "__main__":
    sys.exit(main())
