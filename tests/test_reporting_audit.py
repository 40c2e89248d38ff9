from dataclasses import replace

import pytest

from records import PUBLISHED
from reporting.audit import audit_rows, log_slope
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def rows(claim, study=STUDY):
    return [row for row in audit_rows(study, "li2026.yaml") if row["claim"] == f"audit_{claim}"]


def test_the_stated_ratios_follow_from_the_stated_times():
    assert [row["ours"] for row in rows("ratio")] == pytest.approx([1.98, 7.27, 40.6], abs=0.005)
    assert {row["verdict"] for row in rows("ratio")} == {"confirmed"}


def test_the_slope_from_end_to_end_is_sublinear():
    small, _, large = STUDY.models.values()
    assert log_slope(small, large) == pytest.approx(0.77, abs=0.005)
    assert rows("slope_end_to_end")[0]["verdict"] == "not confirmed"


def test_the_slopes_by_segments_are_0_41_and_2_20():
    assert [row["ours"] for row in rows("slope_segment")] == pytest.approx([0.41, 2.20], abs=0.005)
    assert [row["verdict"] for row in rows("slope_segment")] == ["not confirmed", "confirmed"]


def test_fifty_times_the_parameters_give_twenty_times_the_ratio():
    assert rows("parameter_factor")[0]["ours"] == pytest.approx(51.2)
    assert rows("ratio_factor")[0]["ours"] == pytest.approx(20.5, abs=0.05)


def test_the_parameter_counts_are_those_of_1000_classes():
    assert [(row["stated"], row["verdict"]) for row in rows("parameters")] == [(11.7, "confirmed"), (25.6, "confirmed")]


@pytest.mark.parametrize(
    ("claim", "model", "change", "verdicts"),
    [
        ("ratio", "resnet18", {"ratio": 7.4}, ["confirmed", "not confirmed", "confirmed"]),
        ("parameters", "resnet50", {"parameters": 23_500_000}, ["confirmed", "not confirmed"]),
        # resnet50's work is 2.305 times that of resnet18: 1.49 and 1.51 times as much, and as little, time
        ("cpu_time_ratio", "resnet50", {"cpu_s": 463.63 * 2.305 * 1.49}, ["confirmed"]),
        ("cpu_time_ratio", "resnet50", {"cpu_s": 463.63 * 2.305 * 1.51}, ["not confirmed"]),
        ("cpu_time_ratio", "resnet50", {"cpu_s": 463.63 * 2.305 / 1.49}, ["confirmed"]),
        ("cpu_time_ratio", "resnet50", {"cpu_s": 463.63 * 2.305 / 1.51}, ["not confirmed"]),
        # the study says 50 times the parameters: 52.4 and 52.6 times 0.5 million
        ("parameter_factor", "resnet50", {"parameters": 26_200_000}, ["confirmed"]),
        ("parameter_factor", "resnet50", {"parameters": 26_300_000}, ["not confirmed"]),
        ("ratio_factor", "resnet50", {"gpu_s": 5443.67 / 1.982066 / 20.9}, ["confirmed"]),
        ("ratio_factor", "resnet50", {"gpu_s": 5443.67 / 1.982066 / 21.1}, ["not confirmed"]),
        # 500,000 images of 220.3 MFLOP in 12.0 and 12.2 s: 9.18 and 9.03 TFLOP/s, the peak is 9.1
        ("gpu_flop_imagenet_stem", "resnet18", {"gpu_s": 12.0}, ["inconclusive", "confirmed"]),
        ("gpu_flop_imagenet_stem", "resnet18", {"gpu_s": 12.2}, ["confirmed", "confirmed"]),
        ("gpu_flop_imagenet_stem", "resnet18", {"gpu_s": 1.0}, ["not confirmed", "confirmed"]),
        ("slope_segment", "simple_cnn", {"parameters": 11_700_000}, ["not testable", "confirmed"]),
    ],
)
def test_an_edited_study_gets_other_verdicts(claim, model, change, verdicts):
    models = {**STUDY.models, model: replace(STUDY.models[model], **change)}
    assert [row["verdict"] for row in rows(claim, replace(STUDY, models=models))] == verdicts


def test_comments_on_times_follow_the_verdict():
    models = {**STUDY.models, "resnet50": replace(STUDY.models["resnet50"], cpu_s=1000.0)}
    (follows,) = rows("cpu_time_ratio", replace(STUDY, models=models))
    assert follows["reason"].endswith("time follows work.")
    assert "the loading of images, set the time of simple_cnn" in rows("gpu_time_ratio")[1]["reason"]


def test_a_necessary_condition_is_called_not_excluded():
    statements = [row["statement"] for row in (*rows("gpu_flop_imagenet_stem"), *rows("cpu_flop"))]
    assert all("is not excluded by the" in statement for statement in statements)


def test_every_audit_row_names_its_evidence_and_reason():
    for row in audit_rows(STUDY, "li2026.yaml"):
        assert row["evidence"].split(";")[0] == "li2026.yaml"
        assert row["kind"] == "audit"
        assert row["reason"].endswith(".")
