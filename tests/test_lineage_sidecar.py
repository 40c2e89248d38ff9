"""lineage.sidecar: written as read, and refused where it is none."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lineage.digest import Fingerprint
from lineage.sidecar import Sidecar, SidecarError, read_sidecar, sealed, sidecar_path, write_sidecar
from lineage.source import Source

SIDECAR = Sidecar(
    file="a.csv",
    sha256="a" * 64,
    size=3,
    rule="collect",
    wildcards={"model": "resnet18"},
    params={"settings": "{}", "width": 3.4},
    inputs=(Fingerprint(file="b.json", sha256="b" * 64, size=5),),
    sources=(Source(name="npm", url="pkg:npm/b@1", files=(Fingerprint(file="b.tgz", sha256="e" * 64, size=7),)),),
    code_sha256="c" * 64,
    git={"commit": "d" * 40, "dirty": False},
    software={"python": "3.11.7"},
    host="node1",
    started="2026-08-19T10:00:00+00:00",
    ended="2026-08-19T10:00:05+00:00",
)


def written(tmp_path: Path, **changes: Any) -> Path:
    """Write the sidecar with these keys changed, or removed where the value is None."""
    write_sidecar(SIDECAR, tmp_path)
    path = sidecar_path(tmp_path / "a.csv")
    content = json.loads(path.read_text()) | changes
    del content["sidecar_sha256"]
    path.write_bytes(sealed({key: value for key, value in content.items() if value is not None}))
    return path


def test_a_sidecar_is_read_as_it_was_written(tmp_path):
    write_sidecar(SIDECAR, tmp_path)
    assert read_sidecar(tmp_path / "a.csv.prov.json") == SIDECAR


def test_a_sidecar_states_the_version_of_its_layout_first(tmp_path):
    write_sidecar(SIDECAR, tmp_path)
    assert (tmp_path / "a.csv.prov.json").read_text().startswith('{\n  "schema_version": 2,\n  "file": "a.csv",')


def test_params_that_json_does_not_know_are_written_in_a_stable_way(tmp_path):
    params = {"path": Path("a/b"), "names": {"y", "x"}}
    write_sidecar(Sidecar(**vars(SIDECAR) | {"params": params}), tmp_path)
    assert read_sidecar(tmp_path / "a.csv.prov.json").params == {"path": "a/b", "names": ["x", "y"]}


def test_a_change_of_any_byte_of_a_sidecar_is_found(tmp_path):
    write_sidecar(SIDECAR, tmp_path)
    path = tmp_path / "a.csv.prov.json"
    written = path.read_bytes()
    for position in range(len(written)):
        path.write_bytes(written[:position] + bytes([written[position] ^ 1]) + written[position + 1 :])
        with pytest.raises(SidecarError):
            read_sidecar(path)


@pytest.mark.parametrize("change", [b"\r\n", b"\n\n", b" \n"])
def test_another_end_of_line_or_a_blank_more_is_found(tmp_path, change):
    write_sidecar(SIDECAR, tmp_path)
    path = tmp_path / "a.csv.prov.json"
    path.write_bytes(path.read_bytes().replace(b"\n", change, 1))
    with pytest.raises(SidecarError, match="was changed after it was written"):
        read_sidecar(path)


def test_a_sidecar_of_the_earlier_layout_is_still_read(tmp_path):
    write_sidecar(SIDECAR, tmp_path)
    path = tmp_path / "a.csv.prov.json"
    content = json.loads(path.read_text()) | {"schema_version": 1}
    del content["sidecar_sha256"], content["sources"]
    path.write_text(json.dumps(content))
    assert read_sidecar(path) == replace(SIDECAR, schema_version=1, sources=())
    path.write_text(json.dumps(content | {"sources": []}))
    with pytest.raises(SidecarError, match="unknown key 'sources'"):
        read_sidecar(path)


def test_nothing_half_written_stays_behind(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_sidecar(SIDECAR, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema_version": 3}, "schema_version 2 or 1"),
        ({"rule": None}, "lacks 'rule'"),
        ({"ruel": "x"}, "unknown key 'ruel'"),
        ({"sha256": "xyz"}, "sha256: 'xyz'"),
        ({"size": -1}, "size: -1"),
        ({"size": True}, "size: True"),
        ({"file": 5}, "file: 5"),
        ({"inputs": {}}, "inputs"),
        ({"inputs": ["b"]}, "the file 'b'"),
        ({"sources": ["b"]}, "the source 'b'"),
        ({"sources": [{"name": "npm", "files": []}]}, "lacks 'url'"),
        ({"sources": [{"name": "npm", "url": None, "files": []}]}, "url: None"),
        ({"sources": [{"name": "npm", "url": "local", "files": [{"file": "b", "size": 1}]}]}, "lacks 'sha256'"),
        ({"inputs": [{"file": "b", "size": 1}]}, "lacks 'sha256'"),
        ({"ended": "yesterday"}, "ended: 'yesterday'"),
        ({"software": []}, "software"),
    ],
)
def test_a_sidecar_with_an_impossible_part_is_refused_with_the_reason(tmp_path, changes, reason):
    with pytest.raises(SidecarError, match=reason):
        read_sidecar(written(tmp_path, **changes))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"schema_version": 1}'])
def test_what_is_no_sidecar_is_refused(tmp_path, content):
    path = tmp_path / "a.prov.json"
    path.write_bytes(content)
    with pytest.raises(SidecarError):
        read_sidecar(path)
