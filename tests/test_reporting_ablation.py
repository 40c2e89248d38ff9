from itertools import pairwise

import pytest

from breakdowns import Pass, breakdown_table
from configs import merged
from planning.recipes import resolve_recipe
from records import STATISTICS, Run, tables
from reporting.ablation import ablation_rows
from reporting.statistics import StatisticsSettings
from reporting.tables import BREAKDOWN_COLUMNS, RUN_COLUMNS, read_table

GPU = {"device": "cuda", "gpus": 1}
RESIDENT = {"settings.recipe.input_pipeline": "resident"}


def rows(folder, runs, passes=()):
    made = tables(folder, runs)
    breakdown = breakdown_table(folder / "passes", list(passes))
    settings = StatisticsSettings(**STATISTICS)
    return list(
        ablation_rows(read_table(made / "runs.csv", RUN_COLUMNS), read_table(breakdown, BREAKDOWN_COLUMNS), settings)
    )


def test_the_time_of_a_step_is_the_training_time_over_its_steps(tmp_path):
    (row,) = rows(tmp_path, [Run(seconds=39.1)])
    assert row["step_ms"] == pytest.approx(10)  # 39.1 s for 3910 steps
    assert (row["n"], row["step_ms_low"], row["note"]) == (1, None, "no interval: n = 1")


def test_a_recipe_is_compared_with_the_first_one_and_says_what_it_changes(tmp_path):
    runs = [Run(seconds=391, repeat=r) for r in (1, 2)]
    runs += [Run(recipe="resident", seconds=s, repeat=r, changes=RESIDENT) for r, s in ((1, 39.1), (2, 156.4))]
    first, second = rows(tmp_path, runs)
    assert (first["change"], first["gain"]) == (None, pytest.approx(1))
    assert second["change"] == "input_pipeline: resident"
    assert second["step_ms"] == pytest.approx(20)  # the geometric mean of 10 and 40
    assert second["gain"] == pytest.approx(5)  # of 100
    assert second["step_ms_low"] < 20 < second["step_ms_high"]
    assert second["gain_low"] < 5 < second["gain_high"]


def test_a_recipe_that_learns_as_the_first_one_is_equal_within_the_margin(tmp_path):
    def five(recipe, shift):
        return [Run(recipe=recipe, repeat=r, accuracy=0.7 + 0.001 * r + shift) for r in range(1, 6)]

    first, same, worse = rows(tmp_path, [*five("paper", 0), *five("tuned", 0.001), *five("bf16", -0.05)])
    assert first["difference"] == 0
    assert (same["difference"], same["accuracy_verdict"]) == (pytest.approx(0.001), "equal")
    assert -0.01 < same["equivalence_low"] < 0.001 < same["equivalence_high"] < 0.01
    assert (worse["difference"], worse["accuracy_verdict"]) == (pytest.approx(-0.05), "different")


def test_few_or_estimated_runs_claim_nothing_about_accuracy(tmp_path):
    first, few, estimated = rows(
        tmp_path, [Run(), Run(recipe="few"), Run(recipe="estimated", mode="estimated", epochs_done=3)]
    )
    assert first["accuracy_verdict"] == few["accuracy_verdict"] == "inconclusive"
    assert estimated["accuracy_verdict"].startswith("not run")


def test_a_knob_that_does_not_work_is_named(tmp_path):
    active = {"graph": {"active": False, "reason": "a device of type cpu has none"}}
    (row,) = rows(tmp_path, [Run(changes={"active": active})])
    assert row["inactive"] == "graph: a device of type cpu has none"


def test_the_kernels_of_a_step_come_from_the_breakdown_of_the_same_recipe(tmp_path):
    runs = [Run(**GPU), Run(recipe="tuned", **GPU)]
    passes = [Pass(model="resnet18"), Pass(model="resnet18", recipe="tuned", changes={"kernel_s": 0.002})]
    first, second = rows(tmp_path, runs, passes)
    assert (first["kernels"], first["kernel_ms"], second["kernel_ms"]) == (50, pytest.approx(0.5), pytest.approx(2))


def test_the_floor_is_the_larger_of_arithmetic_and_the_optimizers_bytes(tmp_path):
    # 500,000 images in 3910 steps of 2e8 FLOP each at 4e12 FLOP/s
    (row,) = rows(tmp_path / "a", [Run()])
    assert row["floor_ms"] == pytest.approx(1000 * 500_000 / 3910 * 2e8 / 4e12)
    # 28 bytes of each of 11,689,512 weights at 1e9 bytes/s take 327 ms
    (row,) = rows(tmp_path / "b", [Run(changes={"ceiling_bytes_per_s": 1e9})])
    assert row["floor_ms"] == pytest.approx(1000 * 28 * 11_689_512 / 1e9)
    (row,) = rows(tmp_path / "c", [Run(changes={"ceiling_bytes_per_s": None, "ceiling_flop_per_s": None})])
    assert row["floor_ms"] is None


def test_what_has_no_time_keeps_its_row_and_its_status(tmp_path):
    missing, failed, fine = rows(
        tmp_path,
        [Run(status="missing"), Run(recipe="b", status="oom"), Run(recipe="c", mode="estimated", seconds=391)],
    )
    assert (missing["status"], missing["n"], failed["status"], failed["note"]) == (
        "missing",
        0,
        "oom",
        "not counted: 1 oom",
    )
    assert (fine["step_ms"], fine["gain"]) == (pytest.approx(100), pytest.approx(1))
    assert fine["note"].startswith("estimated")


def test_the_study_of_the_knobs_turns_them_on_one_by_one_up_to_tuned():
    config = merged("ablation.yaml")
    recipes = [resolve_recipe(name, config["recipes"]) for name in config["study"]["recipes"]]
    knobs = ("input_pipeline", "memory_format", "fused_optimizer", "flush_denormals", "retain_host_memory")
    states = [tuple(getattr(recipe, knob) for knob in (*knobs, "graph", "compile")) for recipe in recipes]
    assert len(set(states)) == len(recipes) == 7
    assert recipes[0].name == "paper" and recipes[-1].name == "tuned"
    assert states[-1] == ("resident", "channels_last", True, True, True, "cuda_graph", "inductor_gpu")
    for values in zip(*states, strict=True):  # each knob is turned once
        assert sum(before != after for before, after in pairwise(values)) == 1
    assert len({recipe.epochs for recipe in recipes}) == 1
