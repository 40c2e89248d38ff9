from dataclasses import replace

import pytest

from records import PUBLISHED
from reporting.audit_accuracy import MODEL, accuracies
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def rows(stated, archived=(), others=()):
    """The row of a stem whose runs reached these accuracies."""
    models = STUDY.models | {MODEL: replace(STUDY.models[MODEL], gpu_test_accuracy=stated)}
    runs = {"archived": list(archived), "not_archived": list(others), "settings": "ours", "records": []}
    return list(accuracies(replace(STUDY, models=models, reference_accuracies={MODEL: {"imagenet_stem": runs}})))


@pytest.mark.parametrize(
    ("stated", "verdict"),
    [(0.69, "confirmed"), (0.74, "inconclusive"), (0.64, "inconclusive"), (0.84, "not confirmed")],
)
def test_an_accuracy_is_excluded_only_where_it_lies_far_beyond_our_runs(stated, verdict):
    (row,) = rows(stated, archived=[0.68, 0.70])
    assert row["verdict"] == verdict
    assert row["ours"] == pytest.approx(0.69)


def test_runs_whose_records_are_not_archived_decide_nothing():
    (row,) = rows(0.84, others=[0.57, 0.67])
    assert row["verdict"] == "inconclusive"
    assert "0.570 to 0.670, n = 2, but their records are not archived" in row["reason"]


def test_a_study_without_accuracy_has_no_row():
    assert rows(None, archived=[0.7]) == []
