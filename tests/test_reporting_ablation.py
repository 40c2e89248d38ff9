from dataclasses import asdict
from itertools import pairwise

import pytest

from breakdowns import Pass, breakdown_table
from configs import merged
from planning.recipes import resolve_recipe
from records import ACCELERATOR, STATISTICS, Run, tables
from reporting.ablation import ablation_rows
from reporting.statistics import StatisticsSettings
from reporting.tables import ABLATION_COLUMNS, BREAKDOWN_COLUMNS, RUN_COLUMNS, read_table

GPU = {"device": "cuda", "gpus": 1}
RESIDENT = {"settings.recipe.input_pipeline": "resident"}
NOT_HERE = {"active": False, "reason": "a device of type cpu has none"}
GAIN = ("gain", "gain_low", "gain_high", "gain_bound_low", "gain_bound_high")
STEP = ("step_ms", "step_ms_low", "step_ms_high", "step_ms_bound_low", "step_ms_bound_high")


def rows(folder, runs, passes=()):
    """Rows of ablation.csv, every column present."""
    made = tables(folder, runs)
    breakdown = breakdown_table(folder / "passes", list(passes))
    read = read_table(made / "runs.csv", RUN_COLUMNS), read_table(breakdown, BREAKDOWN_COLUMNS)
    found = list(ablation_rows(*read, StatisticsSettings(**STATISTICS)))
    assert {name for row in found for name in row} <= set(ABLATION_COLUMNS)
    return [{name: row.get(name) for name in ABLATION_COLUMNS} for row in found]


def repeats(recipe, seconds, **more):
    return [Run(recipe=recipe, seconds=s, repeat=r, **more) for r, s in enumerate(seconds, start=1)]


def values(row, names):
    return [row[name] for name in names]


def test_the_time_of_a_step_is_the_training_time_over_its_steps(tmp_path):
    (row,) = rows(tmp_path, [Run(seconds=39.1)])
    assert row["step_ms"] == pytest.approx(10)  # 39.1 s for 3910 steps
    assert (row["n"], row["step_ms_low"], row["note"]) == (1, None, "no interval: n = 1")


def test_a_recipe_is_compared_with_the_first_one_and_says_what_it_changes(tmp_path):
    runs = [*repeats("paper", [391, 400]), *repeats("resident", [39.1, 156.4], changes=RESIDENT)]
    first, second = rows(tmp_path, runs)
    assert second["change"] == "input_pipeline: resident" and first["change"] is None
    assert second["step_ms"] == pytest.approx(20)  # the geometric mean of 10 and 40
    assert second["gain"] == pytest.approx(5 * (400 / 391) ** 0.5)  # of 100 and of 102.3
    assert second["step_ms_low"] < 20 < second["step_ms_high"]
    assert second["gain_low"] < 5 < second["gain_high"]
    assert values(second, ("step_ms_bound_low", "gain_bound_low")) == [None, None]


def test_the_first_recipe_is_the_reference_and_not_compared_with_itself(tmp_path):
    (row,) = rows(tmp_path, [Run(repeat=r, seconds=100 + r, accuracy=0.7 + r / 1000) for r in range(1, 6)])
    assert values(row, GAIN) == [1, None, None, None, None]
    assert values(row, ("difference", "equivalence_low", "equivalence_high")) == [None, None, None]
    assert (row["test_accuracy"], row["accuracy_verdict"]) == (pytest.approx(0.703), "reference")


def test_no_other_recipe_takes_the_place_of_a_first_one_without_time(tmp_path):
    runs = [Run(status="missing"), Run(recipe="b", seconds=391), Run(recipe="c", seconds=39.1)]
    first, second, third = rows(tmp_path, runs)
    assert (first["status"], first["n"], first["note"]) == ("missing", 0, "no ok run on cpu with paper (1 missing)")
    assert [row["step_ms"] for row in (second, third)] == [pytest.approx(100), pytest.approx(10)]
    for row in (second, third):
        assert values(row, GAIN) == [None] * 5 and row["difference"] is None
        assert row["accuracy_verdict"].startswith("not run")
        assert row["note"].startswith("no ok run on cpu with paper (1 missing)")


def test_the_reference_is_the_first_recipe_of_the_study_for_every_model(tmp_path):
    runs = [Run(), Run(model="simple_cnn", status="oom"), Run(recipe="b"), Run(recipe="b", model="simple_cnn")]
    found = {(row["model"], row["recipe"]): row["gain"] for row in rows(tmp_path, runs)}
    assert found == {
        ("resnet18", "paper"): 1,
        ("resnet18", "b"): pytest.approx(1),
        ("simple_cnn", "paper"): None,
        ("simple_cnn", "b"): None,
    }


def test_an_estimated_recipe_has_bounds_and_no_interval(tmp_path):
    runs = [*repeats("paper", [391, 391]), *repeats("tuned", [39.1, 156.4], mode="estimated")]
    _, row = rows(tmp_path, runs)  # the records state 0.8 to 1.3 of each projection
    assert values(row, STEP) == [pytest.approx(20), None, None, pytest.approx(16), pytest.approx(26)]
    assert values(row, GAIN) == [pytest.approx(5), None, None, pytest.approx(100 / 26), pytest.approx(100 / 16)]
    assert row["note"] == "cpu with tuned estimated: bounds of the projections, no interval"


def test_an_estimated_reference_gives_a_gain_with_bounds_and_no_interval(tmp_path):
    runs = [*repeats("paper", [391, 391], mode="estimated"), *repeats("tuned", [39.1, 39.1])]
    first, row = rows(tmp_path, runs)
    assert values(first, GAIN) == [1, None, None, None, None]
    assert values(row, STEP) == [pytest.approx(10), pytest.approx(10), pytest.approx(10), None, None]
    assert values(row, GAIN) == [pytest.approx(10), None, None, pytest.approx(8), pytest.approx(13)]
    assert "cpu with paper estimated" in row["note"]


def test_measured_and_estimated_repeats_have_no_number_together(tmp_path):
    mixed = [Run(recipe="tuned", seconds=391), Run(recipe="tuned", repeat=2, seconds=391, mode="estimated")]
    _, row = rows(tmp_path, [Run(), *mixed])
    assert row["note"] == "refused: cpu with tuned has measured and estimated runs"
    assert values(row, (*STEP, *GAIN, "floor_ms", "test_accuracy", "difference")) == [None] * 13
    assert (row["mode"], row["n"], row["accuracy_verdict"]) == ("mixed", 2, "refused")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"software.torch": "2.11.0"}, "torch version (2.14.1, 2.11.0)"),
        ({"machine.host": "node2"}, "host (node1, node2)"),
        ({"code_sha256": "c" * 64}, "measuring code (aaaaaaaaaa..., cccccccccc...)"),
        ({"threads_effective": 1}, "threads_effective (2, 1)"),
        ({"machine.shared": True}, "sharing of the machine with other runs (False, True)"),
        ({"settings.recipe.batch_size": 64}, "batch_size (128, 64)"),
    ],
)
def test_a_recipe_whose_runs_are_unlike_those_of_the_first_is_not_compared(tmp_path, changes, words):
    _, row = rows(tmp_path, [Run(seconds=391), Run(recipe="tuned", seconds=391, changes=changes)])
    assert row["note"].startswith(f"refused: the runs differ in {words}")
    assert values(row, (*GAIN, "difference")) == [None] * 6 and row["accuracy_verdict"] == "refused"
    assert row["step_ms"] == pytest.approx(100)  # of its own


def test_another_gpu_is_refused(tmp_path):
    other = {"machine.accelerator": ACCELERATOR | {"name": "NVIDIA L4"}}
    _, row = rows(tmp_path, [Run(**GPU), Run(recipe="tuned", changes=other, **GPU)])
    assert row["note"].startswith("refused: the runs differ in device (NVIDIA H200, NVIDIA L4)")


def test_a_recipe_whose_own_repeats_are_unlike_has_no_number(tmp_path):
    runs = [Run(), Run(recipe="tuned"), Run(recipe="tuned", repeat=2, changes={"machine.host": "node2"})]
    _, row = rows(tmp_path, runs)
    assert row["note"] == "refused: the runs differ in host (node1, node2)"
    assert values(row, (*STEP, *GAIN)) == [None] * 10


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"settings.recipe.loader_workers": 4}, RESIDENT),
        ({}, {"numerics.precision": "bf16", "numerics.memory_format": "channels_last", "ceiling_precision": "bf16"}),
        *(({f"numerics.{tf32}": False}, {f"numerics.{tf32}": True}) for tf32 in ("matmul_tf32", "convolution_tf32")),
        ({"active": {"graph": NOT_HERE}}, {"active": {"compile": NOT_HERE}}),
    ],
)
def test_recipes_may_differ_in_their_knobs(tmp_path, first, second):
    _, row = rows(tmp_path, [Run(changes=first), Run(recipe="tuned", changes=second)])
    assert (row["gain"], row["note"]) == (pytest.approx(1), "no interval: n = 1")


def test_disturbed_runs_are_counted_in_the_note_of_what_they_concern(tmp_path):
    runs = [*repeats("paper", [391, 391]), *repeats("b", [39, 39]), Run(recipe="c", disturbed_epochs=3)]
    first, quiet, disturbed = rows(tmp_path / "a", [*runs, Run(recipe="c", repeat=2)])
    assert [row["disturbed_runs"] for row in (first, quiet, disturbed)] == [0, 0, 1]
    assert (quiet["note"], disturbed["note"]) == (None, "cpu with c disturbed: 1 of 2 runs")
    runs = [*repeats("paper", [391, 391], disturbed_epochs=3), *repeats("b", [39, 39])]
    assert [row["note"] for row in rows(tmp_path / "b", runs)] == ["cpu with paper disturbed: 2 of 2 runs"] * 2


def test_a_recipe_that_learns_as_the_first_one_is_equal_within_the_margin(tmp_path):
    def five(recipe, shift):
        return [Run(recipe=recipe, repeat=r, accuracy=0.7 + 0.001 * r + shift) for r in range(1, 6)]

    _, same, worse = rows(tmp_path, [*five("paper", 0), *five("tuned", 0.001), *five("bf16", -0.05)])
    assert (same["difference"], same["accuracy_verdict"]) == (pytest.approx(0.001), "equal")
    assert -0.01 < same["equivalence_low"] < 0.001 < same["equivalence_high"] < 0.01
    assert (worse["difference"], worse["accuracy_verdict"]) == (pytest.approx(-0.05), "different")


def test_few_or_estimated_runs_claim_nothing_about_accuracy(tmp_path):
    _, few, estimated = rows(
        tmp_path, [Run(), Run(recipe="few"), Run(recipe="estimated", mode="estimated", epochs_done=3)]
    )
    assert few["accuracy_verdict"] == "inconclusive"
    assert estimated["accuracy_verdict"].startswith("not run") and estimated["test_accuracy"] is None


def test_recipes_that_learn_nothing_or_lack_a_run_are_not_equal(tmp_path):
    chance = [*repeats("paper", [391] * 5, accuracy=0.1), *repeats("tuned", [39] * 5, accuracy=0.1)]
    _, row = rows(tmp_path / "a", chance)
    assert row["accuracy_verdict"] == "inconclusive" and "cpu with tuned at chance" in row["note"]
    failed = Run(recipe="tuned", repeat=6, status="diverged")
    _, row = rows(tmp_path / "b", [*repeats("paper", [391] * 5), *repeats("tuned", [39] * 5), failed])
    assert (row["accuracy_verdict"], row["note"]) == ("inconclusive", "cpu with tuned without 1 diverged")


def test_a_knob_that_does_not_work_is_named(tmp_path):
    (row,) = rows(tmp_path, [Run(changes={"active": {"graph": NOT_HERE}})])
    assert row["inactive"] == "graph: a device of type cpu has none"


def test_the_kernels_of_a_step_come_from_the_breakdown_of_the_same_recipe(tmp_path):
    runs = [Run(**GPU), Run(recipe="tuned", **GPU)]
    passes = [Pass(model="resnet18"), Pass(model="resnet18", recipe="tuned", changes={"kernel_s": 0.002})]
    first, second = rows(tmp_path, runs, passes)
    assert (first["kernels"], first["kernel_ms"], second["kernel_ms"]) == (50, pytest.approx(0.5), pytest.approx(2))


def test_all_recipes_have_the_floor_of_the_best_ceiling_of_their_device(tmp_path):
    runs = [Run(), Run(recipe="b", changes={"ceiling_flop_per_s": 2e12})]
    runs += [Run(recipe="b", model="simple_cnn", changes={"ceiling_flop_per_s": 5e12})]
    first, second, *_ = rows(tmp_path, [*runs, Run(model="simple_cnn")])
    assert first["floor_ms"] == second["floor_ms"] == pytest.approx(1000 * 500_000 / 3910 * 2e8 / 5e12)


def test_what_has_no_time_keeps_its_row_and_its_status(tmp_path):
    _, failed, fine = rows(tmp_path, [Run(seconds=391), Run(recipe="b", status="oom"), Run(recipe="c", seconds=391)])
    assert (failed["status"], failed["n"], failed["note"]) == ("oom", 0, "no ok run on cpu with b (1 oom)")
    assert (fine["step_ms"], fine["gain"]) == (pytest.approx(100), pytest.approx(1))


def test_each_step_of_the_study_of_the_knobs_turns_one_and_the_last_is_tuned():
    config = merged("ablation.yaml")
    recipes = [asdict(resolve_recipe(name, config["recipes"])) for name in config["study"]["recipes"]]
    turned = [
        [key for key in below if key != "name" and below[key] != above[key]] for below, above in pairwise(recipes)
    ]
    assert [knob for (knob,) in turned] == [  # (knob,): one each
        *("input_pipeline", "memory_format", "fused_optimizer", "flush_denormals", "retain_host_memory"),
        *("graph", "compile"),
    ]
    assert (recipes[0]["name"], recipes[-1]["name"]) == ("paper", "tuned")
    default = asdict(resolve_recipe("tuned", merged("config.yaml")["recipes"]))
    assert recipes[-1] == default | {"epochs": recipes[0]["epochs"]}


def test_kernels_that_were_counted_on_another_device_are_not_those_of_the_runs(tmp_path):
    other = Pass(model="resnet18", changes={"machine.accelerator": ACCELERATOR | {"name": "NVIDIA L4"}})
    (row,) = rows(tmp_path, [Run(**GPU)], [other])
    assert (row["device_name"], row["kernels"], row["kernel_ms"]) == ("NVIDIA H200", None, None)


def test_where_nobody_knows_whether_runs_were_disturbed_their_number_is_empty(tmp_path):
    runs = read_table(tables(tmp_path, [Run()]) / "runs.csv", RUN_COLUMNS).assign(disturbed=float("nan"))
    breakdown = read_table(breakdown_table(tmp_path, []), BREAKDOWN_COLUMNS)
    (row,) = ablation_rows(runs, breakdown, StatisticsSettings(**STATISTICS))
    assert (row["n"], row["disturbed_runs"]) == (1, None)


def test_a_number_of_loader_processes_is_a_whole_number_beside_a_missing_run_too(tmp_path):
    runs = [Run(), Run(recipe="workers", changes={"settings.recipe.loader_workers": 4})]
    _, row = rows(tmp_path, [*runs, Run(recipe="workers", repeat=2, status="missing")])
    assert row["change"] == "loader_workers: 4"


def test_the_note_says_which_interval_one_process_leaves_out(tmp_path):
    _, row = rows(tmp_path / "a", [Run(), *repeats("tuned", [39, 40])])
    assert row["step_ms_low"] < row["step_ms"] and row["gain_low"] is None
    assert row["note"] == "no interval of the gain: n = 1 of cpu with paper"
    _, row = rows(tmp_path / "b", [*repeats("paper", [391, 392], mode="estimated"), Run(recipe="tuned")])
    assert row["note"].endswith("cpu with paper estimated: bounds of the projections, no interval; no interval: n = 1")


def test_recipes_on_other_gpus_or_hosts_of_one_allocation_are_compared_with_a_remark(tmp_path):
    gpus = [{"machine.accelerator": ACCELERATOR | {"uuid": uuid}} for uuid in "ab"]
    _, row = rows(tmp_path / "a", [Run(changes=gpus[0], **GPU), Run(recipe="tuned", changes=gpus[1], **GPU)])
    assert (row["gain"], row["note"]) == (pytest.approx(1), "runs on 2 GPUs of one name; no interval: n = 1")
    allocation = {"machine.slurm_job_id": "7"}
    other = allocation | {"machine.host": "node2"}
    _, row = rows(tmp_path / "b", [Run(changes=allocation), Run(recipe="tuned", changes=other)])
    assert row["note"] == "hosts of one Slurm allocation: node1, node2; no interval: n = 1"
