"""reporting.claims: the study's claims judged by our runs, as replication.csv states them."""

import pytest

from records import PARAMETERS, STUDY, Run, side, tables
from reporting.tables import REPLICATION_COLUMNS, read_table

STATED = {"simple_cnn": 2.0, "resnet18": 7.3, "resnet50": 40.6}
CLAIMS = ["ratio"] * 3 + ["growth", "superlinear"] + ["superlinear_segment"] * 2 + ["parity"] * 3
WITHOUT_SEGMENTS = [claim for claim in CLAIMS if claim != "superlinear_segment"]
UNTESTED = ["amdahl", "small_models_on_cpu", "transfer_share", "compute_to_communication"]


def judged(folder, runs):
    frame = read_table(tables(folder, runs) / "replication.csv", REPLICATION_COLUMNS)
    return frame[frame["kind"] == "claim"].reset_index(drop=True)


def study(ratios, repeats=5, **more):
    """Runs whose speed-ups are exactly `ratios`, with 1 % between processes."""
    return [
        Run(model=m, device=d, gpus=g, repeat=r, seconds=(1 if g else ratio) * 100 * (1 + 0.01 * r), **more)
        for m, ratio in ratios.items()
        for d, g in (("cpu", 0), ("cuda", 1))
        for r in range(1, repeats + 1)
    ]


def verdicts(frame, claim):
    return frame.loc[frame["claim"] == claim, "verdict"].tolist()


def test_every_claim_has_its_rows(tmp_path):
    assert judged(tmp_path, study(STATED))["claim"].tolist() == [*CLAIMS, *UNTESTED]


def test_the_studys_own_ratios_are_confirmed_and_are_not_superlinear(tmp_path):
    frame = judged(tmp_path, study(STATED))
    assert verdicts(frame, "ratio") == ["confirmed"] * 3
    assert verdicts(frame, "growth") == ["confirmed"]
    assert verdicts(frame, "superlinear") == ["not confirmed"]
    assert frame.loc[frame["claim"] == "growth", "ours"].item() == pytest.approx(3.65)
    assert "From simple_cnn to resnet18, the weakest step" in frame.loc[frame["claim"] == "growth", "reason"].item()
    assert verdicts(frame, "superlinear_segment") == ["not confirmed", "confirmed"]
    slopes = frame.loc[frame["claim"].str.startswith("superlinear"), "ours"]
    assert slopes.tolist() == pytest.approx([0.767, 0.412, 2.194], abs=0.001)  # as the audit has them, but for 2.20


def test_other_ratios_are_not_confirmed(tmp_path):
    frame = judged(tmp_path, study({"simple_cnn": 4, "resnet18": 3, "resnet50": 10}))
    assert verdicts(frame, "ratio") == ["not confirmed"] * 3
    assert verdicts(frame, "growth") == ["not confirmed"]


def test_a_ratio_names_our_machines_and_the_studys(tmp_path):
    assert judged(tmp_path, study(STATED))["reason"][0] == (
        "By both clocks the interval lies within the stated ratio +/- 25%; by total_s: "
        "1.91 (1.87 to 1.95). "  # 216 s / 113 s
        "Ours: NVIDIA H200 over Intel Xeon Platinum 8480C; the study: NVIDIA GeForce RTX 3050 over Intel Core "
        "i9-14900K."
    )


def test_clocks_that_disagree_on_a_ratio_are_inconclusive(tmp_path):
    frame = judged(tmp_path, study({**STATED, "resnet50": 32.0}))  # by total_s 3306 s / 113 s = 29.3, under 30.45
    assert verdicts(frame, "ratio") == ["confirmed", "confirmed", "inconclusive"]
    assert "by total_s, 29.3 (28.6 to 29.9), outside; the study does not state its clock" in frame["reason"][2]


CHANGED = [
    ("settings.dataset.type", "synthetic", "dataset (synthetic, the study: cifar10)"),
    ("images_total", 50_000, "images over all epochs (50000, the study: 500000)"),
    ("settings.recipe.epochs", 1, "epochs (1, the study: 10)"),
    ("settings.recipe.batch_size", 16, "batch_size (16, the study: 128)"),
    ("settings.recipe.optimizer", "sgd", "optimizer (sgd, the study: adam)"),
    ("settings.model.builder", "vit_b_16", "network (vit_b, the study: "),
    ("parameters", 12_345, "million parameters (0.0, the study: "),
]


@pytest.mark.parametrize(("field", "value", "words"), CHANGED)
def test_runs_of_another_experiment_test_no_claim(tmp_path, field, value, words):
    frame = judged(tmp_path, study(STATED, changes={field: value}))
    assert set(frame["verdict"]) == {"not testable"}
    assert frame["reason"][0].startswith("Not the study's experiment: it differs in ")
    assert all(words in reason for reason in frame["reason"][:8])


def test_a_stem_is_not_stated_and_does_not_count_as_other_experiment(tmp_path):
    changes = {"settings.model.arguments": {"num_classes": 1000, "stem": "cifar"}}
    assert verdicts(judged(tmp_path, study(STATED, changes=changes)), "ratio") == ["confirmed"] * 3


def test_runs_that_learned_nothing_support_no_claim(tmp_path):
    frame = judged(tmp_path, study(STATED, accuracy=0.1))
    assert verdicts(frame, "ratio") == ["inconclusive"] * 3
    assert "simple_cnn: cpu and cuda at chance: a test accuracy below 0.15" in frame["reason"][0]
    assert verdicts(frame, "growth") == verdicts(frame, "superlinear") == ["inconclusive"]
    assert verdicts(frame, "parity") == ["inconclusive"] * 3


def test_a_side_with_failed_runs_supports_no_claim(tmp_path):
    bad = [
        Run(model="resnet18", device="cuda", gpus=1, repeat=5 + r, status="diverged", changes={"train_s": None})
        for r in range(1, 36)
    ]
    frame = judged(tmp_path, [*study(STATED), *bad])
    assert verdicts(frame, "ratio") == ["confirmed", "inconclusive", "confirmed"]
    assert frame["reason"][1] == "resnet18: cuda without 35 diverged: a claim needs every planned run to end well."
    assert verdicts(frame, "growth") == verdicts(frame, "superlinear") == ["inconclusive"]
    assert verdicts(frame, "parity") == ["confirmed", "inconclusive", "confirmed"]


def test_estimates_have_no_interval_of_growth(tmp_path):
    frame = judged(tmp_path, study(STATED, mode="estimated", epochs_done=1))
    shown = frame[frame["claim"].isin(["growth", "superlinear", "superlinear_segment"])]
    assert shown["ours"].notna().all() and shown["ours_low"].isna().all()


def test_a_ratio_at_the_edge_of_the_tolerance_is_inconclusive(tmp_path):
    frame = judged(tmp_path, study({**STATED, "simple_cnn": 2.5}))
    assert verdicts(frame, "ratio")[0] == "inconclusive"


def test_a_power_law_with_exponent_above_one_is_superlinear(tmp_path):
    ratios = {name: (PARAMETERS[name] / 505_058) ** 1.2 for name in STUDY}
    frame = judged(tmp_path, study(ratios))
    row = frame[frame["claim"] == "superlinear"].iloc[0]
    assert (row["ours"], row["verdict"]) == (pytest.approx(1.2), "confirmed")
    assert verdicts(frame, "superlinear_segment") == ["confirmed"] * 2


def test_too_few_processes_show_the_value_and_claim_nothing(tmp_path):
    frame = judged(tmp_path, study(STATED, repeats=1))
    ratios = frame[frame["claim"] == "ratio"]
    assert ratios["ours"].tolist() == pytest.approx([2.0, 7.3, 40.6])
    assert set(ratios["verdict"]) == {"inconclusive"}
    assert set(ratios["reason"]) == {"n = 1: a claim needs 5 processes on each side."}


def test_a_row_says_how_many_processes_its_number_rests_on_at_the_least(tmp_path):
    runs = [run for run in study(STATED) if (run.model, run.device) != ("resnet50", "cuda") or run.repeat <= 3]
    frame = judged(tmp_path, runs)
    counts = {claim: frame.loc[frame["claim"] == claim, "n"].tolist() for claim in CLAIMS}
    assert counts == {
        "ratio": [5, 5, 3],
        "growth": [3],
        "superlinear": [3],
        "superlinear_segment": [5, 3],
        "parity": [5, 5, 3],
    }
    assert frame.loc[frame["claim"].isin(UNTESTED), "n"].isna().all()


def test_an_estimated_side_supports_no_claim(tmp_path):
    frame = judged(tmp_path, study(STATED, mode="estimated", epochs_done=1))
    assert verdicts(frame, "ratio") == ["inconclusive"] * 3
    assert "a claim needs measured runs" in frame["reason"][0]
    assert verdicts(frame, "parity") == ["not testable"] * 3


def test_without_a_gpu_the_comparing_claims_are_not_testable(tmp_path):
    frame = judged(tmp_path, [Run()])
    assert frame["claim"].tolist() == [*WITHOUT_SEGMENTS, *UNTESTED]
    assert set(frame["verdict"]) == {"not testable"}
    assert set(frame["reason"][:8]) == {
        "There is no GPU run in this study: add a device with gpus: 1 to study.devices and run again."
    }


def test_without_a_cpu_the_reason_says_so(tmp_path):
    frame = judged(tmp_path, [Run(device="cuda", gpus=1)])
    assert set(frame["reason"][:8]) == {
        "There is no CPU run in this study: add a device with gpus: 0 to study.devices and run again."
    }


def test_a_model_outside_the_study_is_named(tmp_path):
    frame = judged(tmp_path, study({"resnet18": 7.3, "resnet50": 40.6}))
    assert frame["reason"][0] == "simple_cnn is not among the models of this study."
    assert verdicts(frame, "growth") == ["inconclusive"]


def test_a_refused_pair_is_not_testable_with_its_reason(tmp_path):
    other = Run(device="cuda", gpus=1, changes={"machine.host": "node2"})
    frame = judged(tmp_path, [Run(), other])
    resnet18 = frame[(frame["claim"] == "ratio") & (frame["model"] == "resnet18")].iloc[0]
    assert resnet18["verdict"] == "not testable"
    assert "the runs differ in host" in resnet18["reason"]


def test_each_recipe_and_pair_of_devices_is_judged_by_itself(tmp_path):
    runs = [*side("cpu", 0, 1), *side("cuda", 1, 0.1), *side("other", 1, 0.2)]
    frame = judged(tmp_path, runs)
    assert frame["claim"].tolist() == [*CLAIMS, *CLAIMS, *UNTESTED]


def test_equal_accuracies_confirm_parity(tmp_path):
    assert verdicts(judged(tmp_path, [*side("cpu", 0, 1), *side("cuda", 1, 0.1)]), "parity") == ["confirmed"] * 3
