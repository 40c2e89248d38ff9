import json
from dataclasses import replace

import pytest

from records import PUBLISHED, ROOT
from reporting.audit import audit_rows, log_slope
from reporting.audit_work import flop_rate
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


def test_the_gpu_times_are_possible_with_the_imagenet_stem():
    assert [row["ours"] for row in rows("gpu_flop_imagenet_stem")] == pytest.approx([1.73, 1.89], abs=0.005)
    assert {row["verdict"] for row in rows("gpu_flop_imagenet_stem")} == {"confirmed"}


def test_only_a_time_that_winograds_algorithm_cannot_reach_is_excluded():
    resnet18, resnet50 = rows("gpu_flop_cifar_stem")
    assert (resnet18["ours"], resnet50["ours"]) == (pytest.approx(26.1, abs=0.05), pytest.approx(29.1, abs=0.05))
    assert (resnet18["verdict"], resnet50["verdict"]) == ("inconclusive", "not confirmed")
    assert "could bring it down to 6.77" in resnet18["reason"]  # 26.13 x (0.012 + 0.988 / 4), under the peak of 9.1
    assert "it would be 18.9" in resnet50["reason"]  # 29.07 x (0.534 + 0.466 / 4)
    assert "belong" not in resnet18["reason"]


def test_rates_say_how_and_for_which_network_the_work_was_counted():
    reasons = [row["reason"] for row in (*rows("gpu_flop_imagenet_stem"), *rows("cpu_flop"))]
    assert all("counted as direct convolution in fp32" in reason for reason in reasons)
    assert "a head of 1000 classes" in reasons[0] and "505058 parameters" in reasons[-1]


def test_the_cpu_times_imply_272_238_and_47_gflop_per_s():
    rates = [flop_rate(STUDY, name, "cpu", stem) / 1e9 for name, stem in
             [("simple_cnn", "only"), ("resnet18", "imagenet_stem"), ("resnet50", "imagenet_stem")]]  # fmt: skip
    assert rates == pytest.approx([272.5, 237.6, 46.7], abs=0.05)


def test_the_cpu_time_of_resnet50_does_not_follow_its_work():
    (row,) = rows("cpu_time_ratio")
    assert (row["ours"], row["stated"]) == (pytest.approx(11.74, abs=0.005), pytest.approx(2.31, abs=0.005))
    assert "its ratio of 40.6 would be 8" in row["reason"]  # 40.6 x 2.305 / 11.741 = 7.97
    assert row["verdict"] == "not confirmed"


def test_the_gpu_time_follows_the_work_of_the_large_models_only():
    assert [row["verdict"] for row in rows("gpu_time_ratio")] == ["confirmed", "not confirmed"]
    assert [row["ours"] for row in rows("gpu_time_ratio")] == pytest.approx([2.10, 1.10], abs=0.005)


def test_the_parameter_counts_are_those_of_1000_classes():
    assert [(row["stated"], row["verdict"]) for row in rows("parameters")] == [(11.7, "confirmed"), (25.6, "confirmed")]


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
