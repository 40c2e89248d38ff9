import pytest

from records import PUBLISHED
from reporting.audit import audit_rows, flop_rate, log_slope
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def rows(claim):
    return [row for row in audit_rows(STUDY, "li2026.yaml") if row["claim"] == f"audit_{claim}"]


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


def test_the_gpu_times_are_possible_with_the_imagenet_stem_only():
    assert [row["ours"] for row in rows("gpu_flop_imagenet_stem")] == pytest.approx([1.70, 1.85], abs=0.005)
    assert [row["ours"] for row in rows("gpu_flop_cifar_stem")] == pytest.approx([26.1, 29.0], abs=0.05)
    assert {row["verdict"] for row in rows("gpu_flop_imagenet_stem")} == {"confirmed"}
    assert {row["verdict"] for row in rows("gpu_flop_cifar_stem")} == {"not confirmed"}


def test_the_cpu_times_imply_275_234_and_45_gflop_per_s():
    rates = [flop_rate(STUDY, name, "cpu", stem) / 1e9 for name, stem in
             [("simple_cnn", "only"), ("resnet18", "imagenet_stem"), ("resnet50", "imagenet_stem")]]  # fmt: skip
    assert rates == pytest.approx([275.4, 234.3, 45.5], abs=0.05)


def test_the_cpu_time_of_resnet50_does_not_follow_its_work():
    (row,) = rows("cpu_time_ratio")
    assert (row["ours"], row["stated"]) == (pytest.approx(11.74, abs=0.005), pytest.approx(2.28, abs=0.005))
    assert row["verdict"] == "not confirmed"


def test_the_gpu_time_follows_the_work_of_the_large_models_only():
    assert [row["verdict"] for row in rows("gpu_time_ratio")] == ["confirmed", "not confirmed"]
    assert [row["ours"] for row in rows("gpu_time_ratio")] == pytest.approx([2.10, 1.10], abs=0.005)


def test_the_parameter_counts_are_those_of_1000_classes():
    assert [(row["stated"], row["verdict"]) for row in rows("parameters")] == [(11.7, "confirmed"), (25.6, "confirmed")]


def test_the_accuracy_fits_the_cifar_stem_and_not_the_imagenet_stem():
    assert rows("accuracy_imagenet_stem")[0]["verdict"] == "not confirmed"
    assert rows("accuracy_cifar_stem")[0]["verdict"] == "confirmed"
    assert "pretrained weights were not tried" in rows("accuracy_imagenet_stem")[0]["reason"]


def test_every_audit_row_names_its_evidence_and_reason():
    for row in audit_rows(STUDY, "li2026.yaml"):
        assert row["evidence"] == "li2026.yaml"
        assert row["kind"] == "audit"
        assert row["reason"].endswith(".")
