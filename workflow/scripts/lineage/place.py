"""Where the files that sidecars name lie, also in a copy of the results elsewhere."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, kw_only=True)
class Place:
    """A folder of results and the name by which sidecars call it; what lies below it was moved or copied together."""

    name: str  # relative to the workflow's working directory; "." for that directory itself
    folder: Path

    def holds(self, recorded: str) -> bool:
        """Return whether a recorded name belongs to this folder."""
        return PurePosixPath(recorded).is_relative_to(self.name)

    def path(self, recorded: str) -> Path:
        """Return where the file of a recorded name lies, or would lie if it were here."""
        if self.holds(recorded):
            return self.folder / PurePosixPath(recorded).relative_to(self.name)
        return self.directory / recorded

    def recorded(self, path: Path) -> str:
        """Return the name of a path inside this folder, as sidecars spell it."""
        return (PurePosixPath(self.name) / path.relative_to(self.folder).as_posix()).as_posix()

    @property
    def directory(self) -> Path:
        """The workflow's working directory, or the folder that took its place."""
        directory = self.folder
        for _ in PurePosixPath(self.name).parts:
            directory = directory.parent
        return directory


def name_of_folder(recorded: str, path: Path, folder: Path) -> str | None:
    """Return what a sidecar that calls `path` by the name `recorded` calls `folder`, None where the two disagree."""
    below, parts = path.relative_to(folder).parts, PurePosixPath(recorded).parts
    depth = len(parts) - len(below)
    return PurePosixPath(*parts[:depth]).as_posix() if depth >= 0 and parts[depth:] == below else None


def place_of(recorded: str, path: Path) -> Place | None:
    """Return the outermost folder of results around `path`, None where it disagrees with the recorded name."""
    folder = path.absolute().parent
    for _ in PurePosixPath(recorded).parts[2:]:
        folder = folder.parent
    name = name_of_folder(recorded, path.absolute(), folder)
    return None if name is None else Place(name=name, folder=folder)
