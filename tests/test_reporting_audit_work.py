import pytest

from records import PUBLISHED
from reporting.audit import audit_rows
from reporting.audit_work import flop_rate
from reporting.published import read_published

STUDY = read_published(PUBLISHED)


def rows(claim, study=STUDY):
    """The rows of the audit that make a claim."""
    return [row for row in audit_rows(study, "li2026.yaml") if row["claim"] == f"audit_{claim}"]


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
