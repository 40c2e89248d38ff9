import pytest

from breakdowns import PARTS_MS, Pass, five
from records import side, tables
from reporting.tables import REPLICATION_COLUMNS, read_table

RUNS = [*side("cpu", 0, 1), *side("cuda", 1, 0.3)]  # speed-ups grow from simple_cnn to resnet50
MODELS = ("simple_cnn", "resnet18", "resnet50")


def judged(folder, passes, claim, runs=RUNS):
    frame = read_table(tables(folder, runs, passes) / "replication.csv", REPLICATION_COLUMNS)
    return frame[frame["claim"] == claim].reset_index(drop=True)


def share_row(folder, passes):
    frame = judged(folder, passes, "transfer_share")
    assert len(frame) == 1
    return frame.iloc[0]


def with_copy(copy_ms, **more):
    """Five processes in which the copy takes `copy_ms` of 100 ms, and the forward pass what that leaves."""
    return five(parts_ms=PARTS_MS | {"copy": copy_ms, "forward": 50.0 - copy_ms}, **more)


def with_ratios(ratios, passes=five):
    """Processes of each model with a copy of 10 ms and `ratio` times as much computation."""
    return [
        one
        for model, ratio in zip(MODELS, ratios, strict=False)
        for one in passes(
            model=model, parts_ms=PARTS_MS | {"copy": 10.0, "forward": 10.0 * ratio - 20, "backward": 10.0}
        )
    ]


def test_a_copy_of_35_percent_of_the_step_confirms_the_transfer_claim(tmp_path):
    row = share_row(tmp_path, with_copy(35.0))
    assert (row["verdict"], row["ours"]) == ("confirmed", pytest.approx(0.35))
    assert (row["gpu_device"], row["stated"]) == ("cuda", "0.30-0.40")
    assert "waiting for the loader 10.0%" in row["reason"]


@pytest.mark.parametrize("copy_ms", [5.0, 45.0])
def test_a_copy_outside_of_30_to_40_percent_does_not(tmp_path, copy_ms):
    assert share_row(tmp_path, with_copy(copy_ms))["verdict"] == "not confirmed"


def test_an_interval_across_an_edge_decides_nothing(tmp_path):
    passes = [Pass(repeat=r, parts_ms=PARTS_MS | {"copy": 20.0 + 8 * r}) for r in range(1, 6)]
    row = share_row(tmp_path, passes)
    assert row["verdict"] == "inconclusive"
    assert "the interval lies across the stated band" in row["reason"]


def test_one_process_shows_its_share_and_claims_nothing(tmp_path):
    row = share_row(tmp_path, with_copy(35.0)[:1])
    assert (row["verdict"], row["ours"], row["n"]) == ("inconclusive", pytest.approx(0.35), 1)
    assert "synchronised after each part (2 steps)" in row["reason"]
    assert row["reason"].endswith("n = 1: a claim needs 5 processes.")


@pytest.mark.parametrize(
    ("passes", "reason"),
    [
        ([], "There is no GPU run in this study"),
        (five(model="resnet18"), "simple_cnn is not among the models"),
        ([Pass(status="oom")], "No breakdown of its step: oom."),
        ([Pass(changes={"settings.device.type": "cpu"})], "cuda is a CPU, and nothing is copied to it."),
    ],
)
def test_without_a_copy_to_a_gpu_the_claim_is_not_testable(tmp_path, passes, reason):
    row = share_row(tmp_path, passes)
    assert row["verdict"] == "not testable"
    assert row["reason"].startswith(reason)


def test_speedups_in_the_order_of_computation_over_copying_confirm_the_other_claim(tmp_path):
    frame = judged(tmp_path, with_ratios((3, 6, 12)), "compute_to_communication")
    assert frame["ours"].tolist() == pytest.approx([3, 6, 12])
    assert frame["model"].tolist() == list(MODELS)
    assert set(frame["verdict"]) == {"confirmed"}
    assert "in the same order: simple_cnn, resnet18, resnet50 (3 models)" in frame["reason"][0]


def test_another_order_does_not(tmp_path):
    frame = judged(tmp_path, with_ratios((12, 6, 3)), "compute_to_communication")
    assert set(frame["verdict"]) == {"not confirmed"}
    assert "resnet50, resnet18, simple_cnn, the speed-up simple_cnn, resnet18, resnet50" in frame["reason"][0]


def test_ratios_that_cannot_be_told_apart_decide_nothing(tmp_path):
    frame = judged(tmp_path, with_ratios((3, 6, 6)), "compute_to_communication")
    assert set(frame["verdict"]) == {"inconclusive"}
    assert frame["reason"][0].endswith("Some intervals overlap.")


def test_an_order_needs_three_models_and_five_processes(tmp_path):
    two = judged(tmp_path / "two", with_ratios((3, 6)), "compute_to_communication")
    assert two["ours"].tolist() == pytest.approx([3, 6])
    assert set(two["verdict"]) == {"not testable"}
    single = with_ratios((3, 6, 12), passes=lambda **more: [Pass(**more)])
    one = judged(tmp_path / "one", single, "compute_to_communication")
    assert set(one["verdict"]) == {"inconclusive"}
    assert one["reason"][0].endswith("n = 1: a claim needs 5 processes on each side.")


def test_estimated_runs_support_no_order(tmp_path):
    runs = [*side("cpu", 0, 1, mode="estimated", epochs_done=1), *side("cuda", 1, 0.3)]
    frame = judged(tmp_path, with_ratios((3, 6, 12)), "compute_to_communication", runs)
    assert set(frame["verdict"]) == {"inconclusive"}
    assert "a claim needs measured runs" in frame["reason"][0]


SYNTHETIC = {"settings.dataset.type": "synthetic"}


def changed_runs(changes, models=MODELS):
    """The runs of a study with changes in the records of some models."""
    both = (("cpu", 0, 1), ("cuda", 1, 0.3))
    others = tuple(model for model in MODELS if model not in models)
    return [run for one in both for run in (*side(*one, models=models, changes=changes), *side(*one, models=others))]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"settings.recipe.batch_size": 8}, "simple_cnn in batch_size (8, the study: 128)"),
        (SYNTHETIC, "simple_cnn in dataset (synthetic, the study: cifar10)"),
        ({"settings.model.builder": "vgg16"}, "simple_cnn in network (vgg, the study: simple_cnn)"),
        ({"settings.recipe.epochs": 1}, "simple_cnn in epochs (1, the study: 10)"),
    ],
)
def test_a_share_from_another_experiment_than_the_studys_is_not_testable(tmp_path, changes, words):
    runs = changed_runs(changes, ("simple_cnn",))
    (row,) = judged(tmp_path, with_copy(35.0), "transfer_share", runs).to_dict("records")
    assert row["verdict"] == "not testable"
    assert row["reason"] == f"Not the study's experiment: it differs for {words}."


def test_a_share_without_a_run_on_its_device_is_not_testable(tmp_path):
    runs = [*side("cpu", 0, 1), *side("cuda", 1, 0.3, status="oom")]
    (row,) = judged(tmp_path, with_copy(35.0), "transfer_share", runs).to_dict("records")
    assert row["verdict"] == "not testable"
    assert row["reason"].startswith("No run of simple_cnn on cuda ended well")


@pytest.mark.parametrize("status", ["oom", "missing"])
def test_a_planned_process_that_did_not_end_well_leaves_the_share_inconclusive(tmp_path, status):
    row = share_row(tmp_path, [*with_copy(35.0), Pass(repeat=6, status=status)])
    assert row["verdict"] == "inconclusive"
    assert row["reason"].endswith(f"simple_cnn: ok, {status}: a claim needs every planned process to end well.")


def test_a_step_that_was_not_taken_apart_says_why(tmp_path):
    whole = {"samples": [], "parts_reason": "not taken apart: the whole step is one graph"}
    row = share_row(tmp_path, five(changes=whole))
    assert row["verdict"] == "not testable"
    assert row["reason"] == "No breakdown of its step: not taken apart: the whole step is one graph."


def test_images_that_are_on_the_device_already_have_no_share(tmp_path):
    row = share_row(tmp_path, with_copy(0.0))
    assert row["verdict"] == "not testable"
    assert row["reason"] == "No step of simple_cnn copies anything to cuda: its images are there already."


def test_an_order_from_another_experiment_than_the_studys_is_not_testable(tmp_path):
    passes = with_ratios((3, 6, 12))
    (row,) = judged(tmp_path, passes, "compute_to_communication", changed_runs(SYNTHETIC, ("resnet18",))).to_dict(
        "records"
    )
    assert row["verdict"] == "not testable"
    assert "differs for resnet18 in dataset (synthetic, the study: cifar10)" in row["reason"]


def test_a_planned_process_that_did_not_end_well_leaves_the_order_inconclusive(tmp_path):
    passes = [*with_ratios((3, 6, 12)), Pass(model="resnet18", repeat=6, status="oom")]
    frame = judged(tmp_path, passes, "compute_to_communication")
    assert set(frame["verdict"]) == {"inconclusive"}
    assert frame["reason"][0].endswith("resnet18: ok, oom: a claim needs every planned process to end well.")


def test_a_model_that_is_not_of_the_study_has_no_part_in_the_order(tmp_path):
    others = five(model="resnet34", parts_ms=PARTS_MS | {"copy": 1.0})
    runs = [*side("cpu", 0, 1, (*MODELS, "resnet34")), *side("cuda", 1, 0.3, (*MODELS, "resnet34"))]
    frame = judged(tmp_path, [*with_ratios((3, 6, 12)), *others], "compute_to_communication", runs)
    assert frame["model"].tolist() == list(MODELS)
    assert set(frame["verdict"]) == {"confirmed"}


def test_a_share_of_processes_that_differ_is_not_testable(tmp_path):
    other = Pass(repeat=6, parts_ms=PARTS_MS | {"copy": 35.0, "forward": 15.0}, changes={"machine.host": "node2"})
    row = share_row(tmp_path, [*with_copy(35.0), other])
    assert row["verdict"] == "not testable"
    assert row["reason"] == "No breakdown of its step: refused: the processes differ in host (node1, node2)."
