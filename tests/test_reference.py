"""The measurements that we publish are the ones that were made."""

import hashlib
import json

import pytest

from configs import ROOT

SIDECARS = sorted((ROOT / "resources" / "reference").glob("*/results/**/*.prov.json"))
LEFT_OUT = {"results/data/cifar10.npz": "7748e3e471d9b2bd694315368687f086ace1a8a786debb265e9bdaeab54f9892"}


def machine_folder(sidecar):
    reference = ROOT / "resources" / "reference"
    return reference / sidecar.relative_to(reference).parts[0]


@pytest.mark.parametrize("sidecar", SIDECARS, ids=lambda path: str(path.relative_to(ROOT / "resources" / "reference")))
def test_a_published_file_and_its_inputs_have_the_recorded_hashes(sidecar):
    content = json.loads(sidecar.read_text())
    for file in [content, *content["inputs"]]:
        path = machine_folder(sidecar) / file["file"]
        if file["file"].startswith("results/"):  # the others are files of this project, at the recorded commit
            actual = LEFT_OUT.get(file["file"]) or hashlib.sha256(path.read_bytes()).hexdigest()
            assert actual == file["sha256"], file["file"]


def test_every_published_record_has_a_sidecar():
    records = (ROOT / "resources" / "reference").glob("*/results/runs/**/*.json")
    measured = [path for path in records if not path.name.endswith(".prov.json")]
    assert measured
    assert all(path.with_name(path.name + ".prov.json") in SIDECARS for path in measured)
