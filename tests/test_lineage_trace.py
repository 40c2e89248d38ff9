"""lineage.trace: the tree from a file to its sources."""

import re
import shutil
from pathlib import Path

import pytest

from lineage.digest import Fingerprint, fingerprint
from lineage.job import UserError
from lineage.sidecar import Sidecar, write_sidecar
from lineage.source import Source
from lineage.trace import trace


def make(name: str, rule: str, *inputs: str, sources: tuple[Source, ...] = ()) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(name)
    sidecar = Sidecar(
        **vars(known(name)),
        rule=rule,
        wildcards={},
        params={},
        inputs=tuple(map(known, inputs)),
        sources=sources,
        code_sha256="c" * 64,
        git=None,
        software={},
        host="node1",
        started="2026-08-19T10:00:00+00:00",
        ended="2026-08-19T10:00:05+00:00",
    )
    write_sidecar(sidecar, Path())


def known(name: str) -> Fingerprint:
    return fingerprint(name, Path())


def outline(name: str) -> list[str]:
    """Return the lines of the tree without hash, host and time."""
    text = re.sub(r"  [0-9a-f]{10}(?=  )|  node1|  2026\S+", "", trace(Path(name)))
    return [re.sub(r"(?<=[\w)]) {2,}", "  ", line).rstrip() for line in text.splitlines()]


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("facts.yaml").write_text("facts")
    make("data/d.npz", "decode", "facts.yaml")
    make("runs/1.json", "train_cpu", "data/d.npz")
    make("runs/2.json", "train_gpu", "data/d.npz")
    make("t.csv", "collect", "runs/1.json", "runs/2.json")
    make("f.png", "plot", "t.csv", "facts.yaml")


def test_each_line_says_file_hash_rule_host_and_end():
    assert trace(Path("data/d.npz")).splitlines() == [
        f"data/d.npz      {known('data/d.npz').sha256[:10]}  decode  node1  2026-08-19T10:00:05+00:00",
        f"└── facts.yaml  {known('facts.yaml').sha256[:10]}  source",
    ]


def test_the_tree_goes_back_to_the_sources_and_shows_nothing_twice():
    assert outline("f.png") == [
        "f.png  plot",
        "├── facts.yaml  source",
        "└── t.csv  collect",
        "    ├── runs/1.json  train_cpu",
        "    │   └── data/d.npz  decode",
        "    │       └── facts.yaml (see above)",
        "    └── runs/2.json  train_gpu",
        "        └── data/d.npz (see above)",
    ]


def test_data_say_what_served_them():
    files = (Fingerprint(file="a.tgz", sha256="1" * 64, size=1), Fingerprint(file="b", sha256="2" * 64, size=1))
    make("data/d.npz", "fetch", sources=(Source(name="author", url="https://host/a.tgz", files=files),))
    today = known("data/d.npz").sha256[:10]
    assert trace(Path("data/d.npz")).splitlines() == [
        f"data/d.npz                         {today}  fetch   node1  2026-08-19T10:00:05+00:00",
        "├── a.tgz from https://host/a.tgz  1111111111  source",
        "└── b from https://host/a.tgz      2222222222  source",
    ]


def test_a_file_shown_below_its_neighbour_is_referred_to():
    make("g.png", "plot", "data/d.npz", "facts.yaml")
    assert outline("g.png") == [
        "g.png  plot",
        "├── data/d.npz  decode",
        "│   └── facts.yaml  source",
        "└── facts.yaml (see above)",
    ]


def test_dozens_of_repeated_inputs_take_one_line():
    names = [f"runs/{number}.json" for number in range(1, 61)]
    for name in names:
        make(name, "train_cpu", "data/d.npz")
    make("t.csv", "collect", *names)
    make("u.csv", "collect", *names)
    make("v.csv", "judge", "t.csv", "u.csv")
    lines = outline("v.csv")
    assert lines[-2:] == ["└── u.csv  collect", "    └── 60 files (see above)"]
    assert len(lines) == 1 + 1 + 60 * 2 + 1 + 2


def test_a_changed_input_is_marked_wherever_it_was_used():
    old = known("data/d.npz").sha256[:10]
    Path("data/d.npz").write_text("other")
    assert outline("t.csv") == [
        "t.csv  collect",
        "├── runs/1.json  train_cpu",
        f"│   └── data/d.npz  decode  changed (was {old})",
        "│       └── facts.yaml  source",
        "└── runs/2.json  train_gpu",
        f"    └── data/d.npz (see above)  decode  changed (was {old})",
    ]


def test_a_changed_file_is_marked_at_the_root():
    Path("f.png").write_text("other")
    assert "changed (was " in trace(Path("f.png")).splitlines()[0]


def test_a_missing_input_is_marked():
    Path("runs/1.json").unlink()
    (line,) = [line for line in outline("t.csv") if "runs/1" in line]
    assert line == "├── runs/1.json  train_cpu  missing"


def test_an_input_from_outside_the_results_that_is_not_here_is_marked_as_such():
    Path("facts.yaml").unlink()
    assert outline("data/d.npz")[-1] == "└── facts.yaml  source  not here"


def test_an_input_that_was_left_out_is_marked_as_such():
    Path("data/d.npz").unlink()
    Path("runs/left_out.txt").write_text("data/d.npz\n")
    assert any(line.endswith("data/d.npz  decode  left out") for line in outline("runs/1.json"))


def test_what_is_not_here_is_said_once():
    Path("data/d.npz").unlink()
    Path("runs/left_out.txt").write_text("data/d.npz\n")
    make("runs/3.json", "train_cpu", "runs/1.json", "runs/2.json")
    assert outline("runs/3.json")[-1] == "    └── data/d.npz (see above)"


def test_a_copy_elsewhere_is_traced_with_its_own_files_and_not_with_those_of_the_current_folder(tmp_path):
    shutil.copytree(tmp_path, tmp_path / "copy" / "of it")
    here = trace(Path("f.png"))
    make("t.csv", "collect")
    Path("data/d.npz").write_text("other")
    there = trace(tmp_path / "copy" / "of it" / "f.png")
    assert there == f"In {tmp_path}/copy/of it:\n{here}"


def test_a_file_that_its_sidecar_calls_otherwise_is_one_sentence():
    Path("other.png").write_text("f.png")
    Path("other.png.prov.json").write_text(Path("f.png.prov.json").read_text())
    with pytest.raises(UserError, match=r"other.png.prov.json describes f.png, not .*other.png; put"):
        trace(Path("other.png"))


def test_an_unreadable_sidecar_is_marked_and_ends_its_branch():
    Path("data/d.npz.prov.json").write_text("{")
    assert any(re.search("data/d.npz +.*unreadable sidecar", line) for line in outline("t.csv"))


def test_a_file_and_its_sidecar_name_the_same_tree(tmp_path):
    assert trace(Path("f.png.prov.json")) == trace(tmp_path / "f.png")


def test_a_file_without_a_readable_sidecar_is_one_sentence():
    with pytest.raises(UserError, match=r"facts.yaml has no sidecar facts.yaml.prov.json beside it"):
        trace(Path("facts.yaml"))
    Path("f.png.prov.json").write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        trace(Path("f.png"))


def test_sidecars_that_name_each_other_end():
    Path("x").write_text("x")
    Path("y").write_text("y")
    make("x", "one", "y")
    make("y", "two", "x")
    make("x", "one", "y")
    assert outline("x") == ["x  one", "└── y  two", "    └── x (see above)"]
    Path("x").write_text("changed")
    assert len(outline("x")) == 3
