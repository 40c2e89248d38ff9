"""lineage.code: what changes the hash of code, what does not, and which files count."""

import ast
from pathlib import Path

import pytest

from lineage.code import code_hash, hash_files, import_closure, read_sources, tree_text

SAMPLE = '''"""A module."""

import math
from dataclasses import dataclass

RATE = 0.1  # per step


@dataclass(frozen=True)
class Point:
    """A point."""

    x: float
    """across"""
    y: float = -1.5e3


def area(width, /, height: int = 2, *rest, scale=None, **more) -> float:
    """Return the area."""
    if (total := width * height) and not rest:
        total += sum([math.sqrt(n) for n in rest if n > 0]) or 1j
    match more:
        case {"a": None, **others}:
            return f"{total!r:>{width}.{height}f} of {{{scale}}}" f" {others['b']}" "é\\n"
        case [1, *_] | None:
            pass
    return {**more, "k": b"\\x00", None: ...}
'''

# Golden values: the same on every Python version from 3.11 on.
SAMPLE_HASH = "e3115d1cb12495c0ce57f02ad89edb519cdcb327a8384e2b91fa98a94992ac2c"
SAMPLE_TEXT = "Assign(targets=[Name(ctx=Store(),id=str:'x')],value=Constant(value=int:1))"


def hash_of(tmp_path: Path, text: str) -> str:
    file = tmp_path / "sample.py"
    file.write_text(text, encoding="utf-8")
    return hash_files([file])


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def closure_of(folder: Path, files: dict[str, str]) -> list[str]:
    closure = import_closure(tree(folder, files) / "job.py")
    return [path.relative_to(folder.resolve()).as_posix() for path in closure]


def test_the_tree_of_an_assignment_reads_as_written_here():
    assert tree_text(ast.parse("x = 1")) == f"Module(body=[{SAMPLE_TEXT}])"


def test_the_sample_has_the_same_hash_on_every_python_version(tmp_path):
    assert hash_of(tmp_path, SAMPLE) == SAMPLE_HASH


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # per step", ""),
        ("RATE = 0.1  # per step", "RATE = (\n    0.10\n)  # per epoch"),
        ('"""A module."""', ""),
        ('    """A point."""\n', ""),
        ('    """across"""\n', ""),
        ('    """Return the area."""\n', '    """Return it."""\n'),
        ("            pass\n", '            """nothing"""\n'),
        ('{"a": None', "{'a': None"),
        ("\n", "\r\n"),
        ("-1.5e3", "-1500.0"),
        ("import math\n", "import math\n\n\n"),
    ],
)
def test_comments_docstrings_and_formatting_keep_the_hash(tmp_path, old, new):
    assert old in SAMPLE
    changed = tmp_path / "sample.py"
    changed.write_bytes(SAMPLE.replace(old, new).encode())
    assert hash_files([changed]) == hash_of(tmp_path, SAMPLE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RATE = 0.1", "RATE = 0.2"),
        ("-1.5e3", "1.5e3"),
        ("-1.5e3", "-1500"),
        ("height: int = 2", "height: int = 3"),
        ("height: int = 2", "height: int"),
        ("height: int = 2", "height: float = 2"),
        ("width * height", "width + height"),
        ("total +=", "total -="),
        ("n > 0", "n >= 0"),
        ("width, /,", "width,"),
        ("scale=None", "scale=0"),
        ("frozen=True", "frozen=False"),
        ("import math", "import cmath as math"),
        ("!r", "!s"),
        (".{height}f", ".{height}e"),
        ('"k": b"', '"k": "'),
        ("{**more, ", "{more: 1, "),
        ('{"a": None,', '{"a": True,'),
        ("é", "e"),
    ],
)
def test_a_change_of_meaning_changes_the_hash(tmp_path, old, new):
    assert old in SAMPLE
    assert hash_of(tmp_path, SAMPLE) != hash_of(tmp_path, SAMPLE.replace(old, new))


def test_returning_nothing_and_returning_an_empty_formatted_string_differ(tmp_path):
    assert hash_of(tmp_path, "def f():\n    return f''") != hash_of(tmp_path, "def f():\n    return")


def test_a_pass_that_a_docstring_replaces_keeps_the_hash(tmp_path):
    assert hash_of(tmp_path, "class A(Exception): pass") == hash_of(tmp_path, "class A(Exception):\n    'Why.'")


def test_the_pieces_of_a_formatted_string_may_be_cut_anywhere():
    def joined(*texts: str) -> ast.JoinedStr:
        return ast.JoinedStr(values=[ast.Constant(text) for text in texts])

    whole = tree_text(ast.Expr(joined("a{b")))
    assert tree_text(ast.Expr(joined("a{", "", "b"))) == whole
    assert tree_text(ast.Expr(ast.JoinedStr(values=[joined("a"), joined("{b")]))) == whole
    assert tree_text(ast.Expr(joined("a{c"))) != whole


def test_an_empty_format_specification_is_none():
    assert tree_text(ast.parse("f'{x:}'")) == tree_text(ast.parse("f'{x}'"))


def test_fields_that_only_newer_versions_have_do_not_count_while_empty():
    function = ast.parse("def f(): return 1").body[0]
    before = tree_text(function)
    function._fields = (*(name for name in function._fields if name != "type_params"), "type_params")
    function.type_params = []
    assert tree_text(function) == before


def test_the_hash_does_not_depend_on_the_order_of_files_or_on_where_the_folder_lies(tmp_path):
    files = {"pack/__init__.py": "", "pack/a.py": "A = 1", "pack/b.py": "B = 2"}
    here, there = tree(tmp_path / "here", files), tree(tmp_path / "there" / "deep", files)
    names = ["pack/b.py", "pack/a.py"]
    assert hash_files([here / name for name in names]) == hash_files([there / name for name in reversed(names)])


def test_exchanging_the_content_of_two_files_changes_the_hash(tmp_path):
    one = tree(tmp_path / "1", {"pack/__init__.py": "", "pack/a.py": "X = 1", "pack/b.py": "X = 2"}) / "pack"
    two = tree(tmp_path / "2", {"pack/__init__.py": "", "pack/a.py": "X = 2", "pack/b.py": "X = 1"}) / "pack"
    assert hash_files(one.glob("*.py")) != hash_files(two.glob("*.py"))


def test_a_file_that_is_no_python_is_named(tmp_path):
    (tmp_path / "broken.py").write_text("def (")
    with pytest.raises(SyntaxError, match=r"broken\.py"):
        hash_files([tmp_path / "broken.py"])


def test_every_form_of_import_is_followed_and_unrelated_modules_are_not(tmp_path):
    files = {
        "job.py": "import one.a\nfrom two import b\nfrom three.c import x\ndef f():\n    import late\n    import os\n",
        "one/__init__.py": "",
        "one/a.py": "from . import d\nfrom .deep import e\n",
        "one/d.py": "",
        "one/deep/__init__.py": "from ..f import g\n",
        "one/deep/e.py": "",
        "one/f.py": "",
        "one/unrelated.py": "",
        "two/__init__.py": "",
        "two/b.py": "",
        "two/unrelated.py": "",
        "three/__init__.py": "",
        "three/c.py": "from four import *\n",
        "four/__init__.py": "__all__ = ['h']\n",
        "four/h.py": "",
        "late.py": "import job\n",
        "unrelated.py": "",
        "os.py": "",
    }
    expected = sorted(name for name in files if "unrelated" not in name and name != "os.py")
    assert closure_of(tmp_path, files) == expected


def test_a_name_imported_from_a_package_that_is_no_module_brings_in_the_package_alone(tmp_path):
    files = {"job.py": "from one import VALUE", "one/__init__.py": "VALUE = 1", "one/a.py": ""}
    assert closure_of(tmp_path, files) == ["job.py", "one/__init__.py"]


def test_the_code_hash_follows_an_imported_module_and_no_other(tmp_path):
    files = {"job.py": "import one.a", "one/__init__.py": "", "one/a.py": "A = 1", "one/b.py": "B = 1"}
    before = code_hash(tree(tmp_path, files) / "job.py")
    assert code_hash(tree(tmp_path, {"one/b.py": "B = 2"}) / "job.py") == before
    assert code_hash(tree(tmp_path, {"one/a.py": "A = 2"}) / "job.py") != before


def test_sources_read_earlier_are_hashed_as_they_were(tmp_path):
    script = tree(tmp_path, {"job.py": "import a", "a.py": "A = 1"}) / "job.py"
    sources, before = read_sources(tmp_path), code_hash(script)
    tree(tmp_path, {"a.py": "A = 2", "job.py": "import b"})
    assert code_hash(script, sources) == before != code_hash(script)


def test_hidden_folders_hold_no_sources(tmp_path):
    assert list(read_sources(tree(tmp_path, {".venv/a.py": "", "b.py": ""}))) == [tmp_path.resolve() / "b.py"]
