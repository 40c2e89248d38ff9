"""A hash of Python code that comments, docstrings, formatting and the Python version do not change."""

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

Sources = Mapping[Path, bytes]

_MEANINGLESS_FIELDS = {"type_comment", "type_ignores", "kind"}


def read_sources(folder: Path) -> dict[Path, bytes]:
    """Return the content of every Python file below the folder, hidden folders left out."""
    folder = folder.resolve()
    visible = (p for p in folder.rglob("*.py") if not any(x.startswith(".") for x in p.relative_to(folder).parts))
    return {path: path.read_bytes() for path in visible}


def code_hash(script: str | Path, sources: Sources | None = None) -> str:
    """Return the hash of a script and of all that it imports from its own folder, as 64 hexadecimal digits."""
    sources = read_sources(_import_root(_located(script))) if sources is None else sources
    return hash_files(import_closure(script, sources), sources)


def hash_files(paths: Iterable[str | Path], sources: Sources | None = None) -> str:
    """Return one hash over the syntax trees and module paths of these files, as 64 hexadecimal digits.

    The order of the files and the place of their top folder do not matter. Content is taken from `sources` where
    given, otherwise from disk. Raises SyntaxError naming the file that Python cannot parse.
    """
    pairs = []
    for path in {_located(path) for path in paths}:
        content = path.read_bytes() if sources is None else sources[path]
        name = path.relative_to(_import_root(path)).as_posix()
        pairs.append(f"{_tree_hash(content, str(path))}  {name}\n")
    return _sha256("".join(sorted(pairs)))


def import_closure(script: str | Path, sources: Sources | None = None) -> list[Path]:
    """Return the script and every module of its own folder that it imports, directly or through others, sorted.

    Packages' `__init__.py` and imports inside functions count; modules imported by computed names are not seen.
    """
    script = _located(script)
    root = _import_root(script)
    sources = read_sources(root) if sources is None else sources
    found, waiting = {script}, [script]
    while waiting:
        fresh = _imported_files(waiting.pop(), root, sources) - found
        found |= fresh
        waiting += fresh
    return sorted(found)


def _located(path: str | Path) -> Path:
    path = Path(path)
    return path.parent.resolve() / path.name


def _import_root(path: Path) -> Path:
    """Return the folder from which Python imports this file: the first one above it that is no package."""
    return next(folder for folder in path.parents if not (folder / "__init__.py").exists())


def _imported_files(path: Path, root: Path, sources: Sources) -> set[Path]:
    modules = _imported_modules(_parsed(sources[path], str(path)), path.relative_to(root).parent.parts)
    return {file for module in modules for file in _module_files(module, root, sources)}


def _imported_modules(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the dotted names that may be modules, split at the dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package[: len(package) - node.level + 1] if node.level else ()
            base = parent + tuple((node.module or "").split(".") if node.module else ())
            yield from ((*base, alias.name) for alias in node.names)


def _module_files(module: tuple[str, ...], root: Path, sources: Sources) -> Iterator[Path]:
    # The script's folder comes last on sys.path, so a standard module hides a sibling of its name.
    if module[0] in sys.stdlib_module_names:
        return
    if module[-1] == "*":  # may bring in whatever the package lists in __all__
        yield from (path for path in sources if path.parent == root.joinpath(*module[:-1]))
    for end in range(1, len(module) + 1):
        stem = root.joinpath(*module[:end])
        yield from (path for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")) if path in sources)


@cache
def _parsed(content: bytes, filename: str) -> ast.Module:
    return ast.parse(content, filename)


@cache
def _tree_hash(content: bytes, filename: str) -> str:
    return _sha256(tree_text(_parsed(content, filename)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def tree_text(node: object) -> str:
    """Return a syntax tree as text: class names and non-empty fields, scalars by type and ASCII representation."""
    if isinstance(node, ast.AST):
        fields = sorted((name, value) for name, value in _meaningful_fields(node))
        return f"{type(node).__name__}({','.join(f'{name}={value}' for name, value in fields)})"
    if isinstance(node, list):
        return f"[{','.join(map(tree_text, node))}]"
    return f"{type(node).__name__}:{node!a}"


def _meaningful_fields(node: ast.AST) -> Iterator[tuple[str, str]]:
    for name in node._fields:
        value = _normalised(getattr(node, name, None))
        empty = value is None or value == [] or (name == "format_spec" and not value.values)
        if name not in _MEANINGLESS_FIELDS and not empty:
            yield name, tree_text(value)


def _normalised(value: Any) -> Any:
    """Drop what does nothing (docstrings and other bare strings, `pass`) and join the pieces of formatted strings."""
    if isinstance(value, list):
        return [_normalised(item) for item in value if not _does_nothing(item)]
    if isinstance(value, ast.JoinedStr):
        return ast.JoinedStr(values=_joined_pieces(value))
    return value


def _does_nothing(node: object) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and _literal(node.value) is not None)


def _literal(node: object) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _joined_pieces(joined: ast.JoinedStr) -> list[ast.expr]:
    """Merge neighbouring literal pieces, which Python versions cut differently, and leave out empty ones."""
    pieces: list[ast.expr] = []
    for is_text, group in groupby(_flat_pieces(joined), lambda piece: _literal(piece) is not None):
        run = list(group)
        text = "".join(_literal(piece) or "" for piece in run)
        pieces += [ast.Constant(text)] * bool(text) if is_text else run
    return pieces


def _flat_pieces(joined: ast.JoinedStr) -> Iterator[ast.expr]:
    for piece in joined.values:
        yield from _flat_pieces(piece) if isinstance(piece, ast.JoinedStr) else [piece]
