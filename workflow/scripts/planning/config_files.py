"""Reads configuration files before the workflow engine does, which names neither file nor line of a mistake.

`python -m planning.config_files OVERLAY...` prints, one a line, the overlays that hold anything: an empty one changes
nothing, and the engine would refuse it.
"""

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from lineage.job import UserError

MAX_VALUES = 100_000  # far above any study; aliases of aliases can stand for billions


class ConfigLoader(yaml.SafeLoader):
    """Reads plain YAML, and gives a line also where a text that looks like a date or a number is none."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of `node`; yaml.MarkedYAMLError if it has none."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, f"{error}", node.start_mark) from error


def check_config_file(path: Path) -> bool:
    """Return whether the file holds anything; UserError, with file and line, for what is no mapping in plain YAML."""
    loader = ConfigLoader(_text(path))
    try:
        node = loader.get_single_node()
        if node is None or node.tag == "tag:yaml.org,2002:null":
            return False
        _check_keys(path, node)
        loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        raise UserError(_syntax_sentence(path, error)) from None
    except RecursionError:
        raise UserError(f"{path} is nested too deeply: write it flat, as config/config.yaml is.") from None
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else "a single value"
        raise UserError(
            f"{_place(path, node.start_mark)} begins {kind}, expected keys such as `study:`: write keys as in "
            "config/config.yaml."
        )
    return True


def _text(path: Path) -> str:
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UserError(f"{path} is written in UTF-16, expected UTF-8: save it as UTF-8.") from None
        line = content[: error.start].count(b"\n") + 1
        raise UserError(
            f"{path}, line {line}: the byte 0x{content[error.start]:02x} is not UTF-8, perhaps a letter in Latin-1: "
            "save the file as UTF-8."
        ) from None
    for number, line_text in enumerate(text.splitlines(), 1):
        strange = yaml.reader.Reader.NON_PRINTABLE.search(line_text)
        if strange:
            raise UserError(f"{path}, line {number}: has the character {strange[0]!r}, expected text: remove it.")
    return text


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        close = difflib.get_close_matches(str(path), _files(path.parent), n=1)
        hint = f"; did you mean {close[0]}?" if close else f": name one that does{_such_as(path.parent)}."
        raise UserError(f"The configuration file {path} does not exist{hint}") from None
    except IsADirectoryError:
        raise UserError(f"{path} is a folder: name a configuration file{_such_as(path)}.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}): make it readable for you.") from None


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.glob("*.yaml"))


def _such_as(folder: Path) -> str:
    names = _files(folder)[:5]
    return f", such as {', '.join(names)}" if names else ""


def _check_keys(path: Path, root: yaml.Node) -> None:
    """Raise UserError for a key that stands twice in one mapping, a value inside itself, and endless aliases."""
    values, waiting = 0, [(root, frozenset[int]())]
    while waiting:
        node, above = waiting.pop()
        values += 1
        if id(node) in above or values > MAX_VALUES:
            raise UserError(f"{_place(path, node.start_mark)}: an alias repeats without end: write its values out.")
        if isinstance(node, yaml.MappingNode):
            _check_unique(path, node)
        inside = above | {id(node)}
        waiting.extend((child, inside) for child in reversed(_children(node)))


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [value for _, value in node.value]
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _check_unique(path: Path, mapping: yaml.MappingNode) -> None:
    first: dict[str, yaml.Mark] = {}
    for key, _ in mapping.value:
        name = str(key.value)
        if name in first:
            raise UserError(
                f"{_place(path, key.start_mark)}: the key `{name}` stands there for the second time, first in line "
                f"{first[name].line + 1}, and YAML would drop what stood first: join the two."
            )
        first[name] = key.start_mark


def _syntax_sentence(path: Path, error: yaml.MarkedYAMLError) -> str:
    mark, start = error.problem_mark, error.context_mark
    if mark is None:
        return f"{path} is not YAML ({error.problem}): correct it."
    if "\t" in _indentation(mark):
        return f"{_place(path, mark)}: a tab indents the line, YAML knows spaces only: replace the tab by spaces."
    context = f"{error.context} in line {start.line + 1}: " if error.context and start else ""
    return f"{_place(path, mark)}, column {mark.column + 1}: this is not YAML ({context}{error.problem}): correct it."


def _indentation(mark: yaml.Mark) -> str:
    lines = [*str(mark.buffer or "").splitlines(), ""]
    line = lines[min(mark.line, len(lines) - 1)]
    return line[: len(line) - len(line.lstrip())]


def _place(path: Path, mark: yaml.Mark) -> str:
    return f"{path}, line {mark.line + 1}"


def main(overlays: Sequence[str]) -> int:
    """Print the overlays that hold anything and return 0, or print what is wrong with one and return 1."""
    try:
        print(*(name for name in overlays if check_config_file(Path(name))), sep="\n")
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
