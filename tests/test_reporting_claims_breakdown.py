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
    assert (row["verdict"], row["ours"]) == ("inconclusive", pytest.approx(0.35))
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
