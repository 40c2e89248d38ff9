import json
from dataclasses import replace

import pytest

from records import PUBLISHED, ROOT
from reporting.audit import audit_rows
from reporting.audit_accuracy import MODEL, accuracies
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def rows(claim, study=STUDY):
    """The rows of the audit that make a claim."""
    return [row for row in audit_rows(study, "li2026.yaml") if row["claim"] == f"audit_{claim}"]


def test_an_accuracy_far_beyond_the_archived_runs_is_not_theirs():
    (row,) = rows("accuracy_imagenet_stem")
    assert (row["ours"], row["verdict"]) == (pytest.approx(0.5955), "not confirmed")  # of 0.6226 and 0.5684
    assert "gave 0.568 to 0.623, n = 2" in row["reason"]
    assert "Pretrained weights were not tried" in row["reason"]


def test_runs_without_archived_records_decide_nothing():
    (row,) = rows("accuracy_cifar_stem")
    assert row["verdict"] == "inconclusive"
    assert "0.854 to 0.882, n = 2, but their records are not archived" in row["reason"]


def test_the_reference_accuracies_are_those_of_the_archived_records():
    for runs in STUDY.reference_accuracies["resnet50"].values():
        archived = [json.loads((ROOT / path).read_text()) for path in runs["records"]]
        assert [record["test_accuracy"] for record in archived] == runs["archived"]
        assert {record["model"] for record in archived} <= {"resnet50"}
    assert rows("accuracy_imagenet_stem")[0]["evidence"].count("nvidia-h200/results/runs") == 2


@pytest.mark.parametrize(
    ("archived", "verdict"),
    [
        ([0.84, 0.85], "confirmed"),
        ([0.854, 0.882], "inconclusive"),
        ([0.79, 0.80], "inconclusive"),
        ([0.70, 0.79], "not confirmed"),
        ([0.90, 0.91], "not confirmed"),
    ],
)
def test_an_accuracy_of_84_36_percent_is_within_near_or_far_from_the_runs(archived, verdict):
    runs = {"archived": archived, "records": [], "settings": "", "not_archived": []}
    study = replace(STUDY, reference_accuracies={"resnet50": {"imagenet_stem": runs}})
    assert rows("accuracy_imagenet_stem", study)[0]["verdict"] == verdict


def test_a_study_without_accuracy_has_no_row():
    models = STUDY.models | {MODEL: replace(STUDY.models[MODEL], gpu_test_accuracy=None)}
    assert list(accuracies(replace(STUDY, models=models))) == []
