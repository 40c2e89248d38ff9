import pytest

from records import Run, pairs_of
from reporting.obstacles import obstacle


def found(folder, *, cpu=None, gpu=None, second=None):
    """The obstacle of a pair with changes in the record of either side, and of a second GPU run."""
    runs = [Run(changes=cpu or {}), Run(device="cuda", gpus=1, changes=gpu or {})]
    runs += [Run(device="cuda", gpus=1, repeat=2, changes=second)] if second else []
    (pair,) = pairs_of(folder, runs)
    return obstacle(pair)


def test_like_runs_are_compared(tmp_path):
    assert found(tmp_path) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"software.torch": "2.11.0"}, "torch version (2.14.1, 2.11.0)"),
        ({"dataset_sha256": "c" * 64}, "dataset content (bbbbbbbbbb..., cccccccccc...)"),
        ({"machine.host": "node2"}, "host (node1, node2)"),
        ({"settings.recipe.loader_workers": 4}, "loader_workers (0, 4)"),
        ({"settings.recipe.learning_rate": 0.01}, "learning_rate (0.001, 0.01)"),
    ],
)
def test_runs_that_differ_on_the_two_sides_are_refused_with_both_values(tmp_path, changes, words):
    assert found(tmp_path, gpu=changes) == f"refused: the runs differ in {words}"


def test_sides_may_differ_in_threads_but_the_runs_of_one_side_may_not(tmp_path):
    assert found(tmp_path / "a", gpu={"threads_effective": 1}) is None
    words = found(tmp_path / "b", second={"threads_effective": 1})
    assert words == "refused: the runs differ in threads_effective (2, 1) of cuda"


def test_hosts_of_one_slurm_allocation_may_differ(tmp_path):
    allocation = {"machine.slurm_job_id": "7"}
    assert found(tmp_path, cpu=allocation, gpu=allocation | {"machine.host": "node2"}) is None


def test_what_one_side_cannot_know_is_no_difference(tmp_path):
    assert found(tmp_path, cpu={"software.cuda": None}) is None


def test_a_side_without_a_run_that_ended_well_is_named(tmp_path):
    (pair,) = pairs_of(tmp_path, [Run(status="oom", changes={"train_s": None}), Run(device="cuda", gpus=1)])
    assert obstacle(pair) == "no ok run on cpu (1 oom)"


BUILD = "PyTorch built with: - GCC 13.3 - CPU capability usage: AVX512 - {}Build settings: BLAS_INFO=mkl, {}"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"software.pillow": "11.0.0"}, "Pillow version (12.3.0, 11.0.0)"),
        ({"software.onednn": "3.10.2"}, "oneDNN version (1.0, 3.10.2)"),
    ],
)
def test_the_loaders_and_the_convolutions_libraries_are_software_too(tmp_path, changes, words):
    assert found(tmp_path, gpu=changes) == f"refused: the runs differ in {words}"


def test_torch_built_with_other_settings_is_other_software(tmp_path):
    cpu, gpu = ({"software.torch_build": BUILD.format("", flag)} for flag in ("USE_MKLDNN=ON", "USE_MKLDNN=OFF"))
    assert "refused: the runs differ in torch's build settings (" in found(tmp_path, cpu=cpu, gpu=gpu)


def test_a_hidden_gpu_changes_torchs_description_and_not_its_build(tmp_path):
    cpu, gpu = ({"software.torch_build": BUILD.format(seen, "USE_CUDA=1")} for seen in ("", "CuDNN 91.9 - "))
    assert found(tmp_path, cpu=cpu, gpu=gpu) is None


def graph_given_up(reason):
    return {"active": {"graph": {"active": False, "reason": reason}, "compile": {"active": True, "reason": None}}}


def test_a_side_whose_repeats_differ_in_the_knobs_that_work_is_refused(tmp_path):
    words = found(tmp_path, second=graph_given_up("the capture failed"))
    assert words == "refused: the runs differ in knobs that do not work (none, graph) of cuda"


def test_the_words_of_a_reason_are_no_difference_and_neither_are_the_knobs_of_the_other_side(tmp_path):
    one, other = (graph_given_up(f"no file /tmp/{name}") for name in "ab")
    assert found(tmp_path, gpu=one, second=other) is None


def test_a_reason_that_reads_like_a_list_of_knobs_names_no_other_knob(tmp_path):
    one, other = (graph_given_up(reason) for reason in ("capture failed; error: 700", "capture failed; code: 2"))
    assert found(tmp_path, gpu=one, second=other) is None
