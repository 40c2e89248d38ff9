import csv
import gzip
import itertools
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import psutil
import pytest
import torch
import yaml

from configs import ROOT
from lineage.job import UserError
from measuring import machine, run, threads
from measuring.accelerator import FIELDS
from measuring.ceilings import Ceilings
from measuring.measurement import Measurement
from measuring.refusal import RefusedError
from measuring.run import record_run
from measuring.threads import Threads
from measuring.timing import stopwatch_for
from measuring.work import count_work
from runs import RECIPE, SETTINGS, made_images, save_images, with_device

SCHEMA = yaml.safe_load((ROOT / "workflow/schemas/run.schema.yaml").read_text())


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A function that runs settings and returns the record, checked against its schema, and the folder."""
    ceilings = Ceilings(ceiling_flop_per_s=1e15, ceiling_bytes_per_s=1e9, ceiling_precision="fp32")
    monkeypatch.setattr(run, "measure_ceilings", lambda device, numerics: ceilings)
    save_images(made_images(), tmp_path)

    def record(settings=SETTINGS, granted=1, shared=False, lease_s=0.0):
        record_run(
            settings=settings,
            key="0123456789",
            code_sha256="0" * 64,
            repeat=2,
            threads_granted=granted,
            shared=shared,
            lease_s=lease_s,
            data=tmp_path / "made.npz",
            checksum=tmp_path / "made.sha256",
            record=tmp_path / "2.json",
            epochs=tmp_path / "2.csv",
            steps=tmp_path / "2.steps.csv.gz",
        )
        content = json.loads((tmp_path / "2.json").read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(content)
        return content, tmp_path

    return record


NO_BUDGET = {"budget_s": None, "target_half_width": None}


def rows(path: Path):
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    return list(csv.DictReader(text.splitlines()))


def test_a_measured_run_has_clocks_that_add_up(recorded):
    record, folder = recorded()
    epochs = rows(folder / "2.csv")
    assert (record["status"], record["mode"], record["seed"]) == ("ok", "measured", 3)
    assert record["train_s"] == pytest.approx(sum(float(row["train_s"]) for row in epochs))
    assert record["eval_s"] == pytest.approx(sum(float(row["eval_s"]) for row in epochs))
    assert record["total_s"] == pytest.approx(record["startup_s"] + record["train_s"] + record["eval_s"])
    assert record["startup_s"] == pytest.approx(sum(record["startup_parts_s"].values()))
    assert record["projected_train_s"] is record["projection"] is None
    assert record["test_accuracy"] == float(epochs[-1]["test_accuracy"])


@pytest.fixture
def computing_time(monkeypatch):
    """A stopwatch of the time that this thread computes: the system may stop it for any time between two readings."""
    monkeypatch.setattr(run, "stopwatch_for", lambda device: stopwatch_for(device, clock=time.thread_time))


def test_the_samples_of_all_steps_are_kept(recorded, computing_time):
    record, folder = recorded()
    steps = rows(folder / "2.steps.csv.gz")
    assert len(steps) == record["steps_done"] == record["steps_total"] == 33
    assert sum(float(row["step_s"]) for row in steps) == pytest.approx(record["train_s"], rel=0.05)
    assert [row["images"] for row in steps[:11]] == ["10"] * 10 + ["5"]


def test_the_settings_that_ran_are_the_settings_in_the_record(recorded):
    record, _ = recorded()
    assert record["settings"]["recipe"]["batch_size"] == 10
    assert record["settings"]["device"] == {"name": "cpu", "type": "cpu", "gpus": 0, "threads": 1} | NO_BUDGET
    assert record["threads_effective"] == 1
    assert record["parameters"] == 505_058


def test_what_a_tuned_run_asked_for_is_recorded_with_what_worked(recorded, capsys):
    recipe = replace(RECIPE, input_pipeline="resident", memory_format="channels_last", graph="cuda_graph")
    record, folder = recorded(replace(SETTINGS, recipe=recipe))
    reason = "a device of type cpu has none"
    on = {"active": True, "reason": None}
    assert record["active"] == {
        "input_pipeline": on,
        "memory_format": on,
        "graph": {"active": False, "reason": reason},
    }
    assert record["numerics"]["memory_format"] == "channels_last"
    assert f"goes on without graph: {reason}" in capsys.readouterr().err
    assert (record["mode"], len(rows(folder / "2.steps.csv.gz"))) == ("measured", 33)


def test_a_budget_gives_an_estimate_and_no_measured_time(recorded):
    record, folder = recorded(with_device(budget_s=1e-9))
    assert (record["mode"], record["steps_done"], record["steps_total"]) == ("estimated", 10, 33)
    assert record["train_s"] is record["total_s"] is record["test_accuracy"] is record["eval_s"] is None
    assert record["projected_train_low_s"] <= record["projected_train_s"] <= record["projected_train_high_s"]
    assert record["elapsed_train_s"] < record["projected_train_s"]
    assert record["projection"]["batches"] == 9 and record["projection"]["batch_steps"] == 1
    width = record["projected_train_high_s"] - record["projected_train_low_s"]
    assert record["projection"]["half_width"] == pytest.approx(width / 2 / record["projected_train_s"])
    assert record["projection"]["target_reached"] is None
    assert rows(folder / "2.csv")[0]["eval_s"] == ""


def test_the_first_costs_and_the_memory_of_a_run_are_recorded(recorded):
    record, folder = recorded()
    epoch_s = [float(row["train_s"]) for row in rows(folder / "2.csv")]
    assert record["first_epoch_extra_s"] == pytest.approx(epoch_s[0] - sum(epoch_s[1:]) / 2)
    assert record["first_step_s"] == pytest.approx(float(rows(folder / "2.steps.csv.gz")[0]["step_s"]), abs=1e-8)
    assert record["peak_host_bytes"] > 10**7 and record["peak_device_bytes"] is None


def test_the_instrument_states_its_own_cost_for_all_steps_outside_the_clock(recorded, monkeypatch):
    monkeypatch.setattr(run, "instrument_step_s", lambda new_stopwatch, budget: 2e-6)
    record, _ = recorded()
    assert record["instrument_s"] == pytest.approx(2e-6 * record["steps_done"])


def test_a_budgeted_run_has_no_extra_cost_of_a_first_epoch(recorded):
    record, _ = recorded(with_device(budget_s=1e-9))
    assert record["first_epoch_extra_s"] is None
    assert record["first_step_s"] > 0


def test_energy_that_was_not_measured_has_a_reason_and_no_number(recorded):
    record, _ = recorded()
    assert record["gpu_energy_j"] is record["cpu_energy_j"] is None
    assert record["gpu_energy_reason"] == "not measured: the run uses no GPU"
    assert record["cpu_energy_reason"].startswith("not measured: ")


def test_each_window_knows_its_surroundings_and_both_clocks(recorded, computing_time):
    _, folder = recorded()
    for row in rows(folder / "2.csv"):
        assert float(row["event_train_s"]) == pytest.approx(float(row["train_s"]), abs=1e-3)
        assert 0 < float(row["cpu_share"]) < 2 and int(row["involuntary_switches"]) >= 0
        assert row["gpu_sm_clock_mhz"] == row["gpu_throttle_reasons"] == ""


def test_the_memory_format_is_read_back_from_the_weights(recorded, monkeypatch):
    assert recorded()[0]["numerics"]["memory_format"] == "contiguous"
    build = run.build_model
    monkeypatch.setattr(run, "build_model", lambda model: build(model).to(memory_format=torch.channels_last))
    assert recorded()[0]["numerics"]["memory_format"] == "channels_last"


def test_the_memory_of_loader_processes_stands_beside_that_of_the_run(recorded):
    assert recorded()[0]["peak_loader_bytes"] is None
    record, _ = recorded(replace(SETTINGS, recipe=replace(RECIPE, loader_workers=1, epochs=1)))
    assert record["peak_loader_bytes"] > 10**7


def test_resident_images_have_no_loader_processes_whatever_else_this_process_has_started(recorded):
    subprocess.run([sys.executable, "-c", ""], check=True)  # as a compiler or nvidia-smi would be
    recipe = replace(RECIPE, input_pipeline="resident", loader_workers=1, epochs=1)
    assert recorded(replace(SETTINGS, recipe=recipe))[0]["peak_loader_bytes"] is None


def test_what_a_projection_needs_is_loaded_for_a_budget_alone_and_before_the_clock_starts(recorded, monkeypatch):
    done = []
    train = run._train
    monkeypatch.setattr(run, "load_prediction", lambda: done.append("loaded"))
    monkeypatch.setattr(run, "_train", lambda *arguments: (done.append("trained"), train(*arguments)))
    recorded()
    recorded(with_device(budget_s=0.001))
    assert done == ["trained", "loaded", "trained"]


@pytest.fixture
def low_ceiling(recorded, monkeypatch):
    slow = Ceilings(ceiling_flop_per_s=1e3, ceiling_bytes_per_s=1e9, ceiling_precision="fp32")
    monkeypatch.setattr(run, "measure_ceilings", lambda device, numerics: slow)


def test_a_low_ceiling_on_a_busy_cpu_costs_no_run(recorded, low_ceiling):
    record, _ = recorded()
    assert (record["status"], record["ceiling_flop_per_s"]) == ("ok", 1e3)


@pytest.mark.gpu
def test_a_run_above_the_ceiling_of_an_accelerator_is_refused(recorded, low_ceiling, accelerator):
    record, _ = recorded(with_device(type=accelerator.type, gpus=1))
    assert record["status"] == "refused"
    assert record["status_reason"].startswith("ceiling: ")
    assert record["train_s"] is None


@pytest.mark.parametrize(("ceiling_share", "status"), [(0.9, "ok"), (1.1, "refused")])
def test_only_what_no_algorithm_can_compute_is_refused(ceiling_share, status):
    """simple_cnn trained so fast that direct convolution would need more than six times the ceiling."""
    work = count_work(SETTINGS.model)
    assert work.training_flop_per_sample > 6 * work.fewest_flop_per_sample
    epoch = SimpleNamespace(step_images=[1000], train_s=1000 * work.fewest_flop_per_sample / (1e12 * ceiling_share))
    ceilings = Ceilings(ceiling_flop_per_s=1e12, ceiling_bytes_per_s=1e9, ceiling_precision="fp32")
    threads = Threads(threads_requested=1, threads_granted=1, threads_effective=1)
    measurement = Measurement(settings=SETTINGS, repeat=1, threads=threads, work=work, ceilings=ceilings)
    measurement.epochs.append(epoch)
    run._refuse_impossible(measurement)
    assert measurement.status == status


def test_a_wall_clock_that_runs_backwards_changes_no_duration(recorded, monkeypatch):
    hours = itertools.count(time.time() - 3600, -3600)
    monkeypatch.setattr(time, "time", lambda: next(hours))
    record, folder = recorded()
    assert 0 < record["train_s"] <= record["total_s"] < 3600
    assert 0 < record["startup_s"] < 3600 and min(record["startup_parts_s"].values()) >= 0
    assert all(0 < float(row["step_s"]) < 3600 for row in rows(folder / "2.steps.csv.gz"))


def test_a_stopwatch_that_fails_its_self_test_refuses_the_run(recorded, monkeypatch):
    def failing(device, new_stopwatch):
        raise RefusedError("self-test: the stopwatch read nonsense")

    monkeypatch.setattr(run, "open_device", lambda device_type: torch.device("meta"))
    monkeypatch.setattr(machine, "describe_accelerator", lambda device: dict.fromkeys(FIELDS) | {"name": "a fake"})
    monkeypatch.setattr(run, "self_test", failing)
    record, _ = recorded()
    assert (record["status"], record["status_reason"]) == ("refused", "self-test: the stopwatch read nonsense")
    assert set(record["startup_parts_s"]) == {"imports", "data_load"}


def test_a_cpu_run_has_no_self_test(recorded):
    assert set(recorded()[0]["startup_parts_s"]) == {"imports", "data_load", "model_build"}


def test_a_diverged_run_is_a_record_without_times_and_a_line_on_the_terminal(recorded, capsys):
    record, _ = recorded(replace(SETTINGS, recipe=replace(RECIPE, optimizer="sgd", learning_rate=1e30)))
    assert record["status"] == "diverged"
    assert "mean loss of epoch 1" in record["status_reason"]
    assert capsys.readouterr().err.endswith(f"test simple_cnn cpu #2: diverged, {record['status_reason']}\n")
    assert record["train_s"] is record["elapsed_train_s"] is None


@pytest.mark.parametrize(
    "message",
    [
        "[enforce fail] DefaultCPUAllocator: can't allocate memory",
        "CUDA error: out of memory",
        "CUBLAS_STATUS_ALLOC_FAILED",
    ],
)
def test_a_run_out_of_memory_is_a_record(recorded, monkeypatch, message):
    def full(settings):
        raise RuntimeError(message)

    monkeypatch.setattr(run, "build_model", full)
    record, _ = recorded()
    assert (record["status"], record["status_reason"]) == ("oom", message)


def test_a_ceiling_that_cannot_be_measured_costs_no_training(recorded, monkeypatch):
    def full(device, numerics):
        raise RuntimeError("CUBLAS_STATUS_ALLOC_FAILED")

    monkeypatch.setattr(run, "measure_ceilings", full)
    record, _ = recorded()
    assert (record["status"], record["ceiling_flop_per_s"]) == ("ok", None)
    assert record["train_s"] > 0


def test_loader_processes_without_shared_memory_are_one_sentence(recorded, monkeypatch):
    def bus_error(**settings):
        raise RuntimeError("DataLoader worker is killed by signal: Bus error. It is possible that ... shared memory.")

    monkeypatch.setattr(run, "train", bus_error)
    with pytest.raises(UserError, match=r"enlarge /dev/shm, or set config\.recipes\.test\.loader_workers to 0"):
        recorded()


def test_a_step_of_one_image_is_one_sentence_where_it_cannot_be_trained(recorded):
    batch_norm = replace(SETTINGS.model, builder="resnet18", arguments={"num_classes": 10})
    settings = replace(SETTINGS, model=batch_norm, recipe=replace(RECIPE, batch_size=13))  # 105 = 8 * 13 + 1
    with pytest.raises(UserError, match="batch_size is 13, which leaves a step of one image out of 105"):
        recorded(settings)


def test_data_that_changed_since_it_was_fetched_is_not_trained_on(recorded, tmp_path):
    (tmp_path / "made.sha256").write_text("")
    with (tmp_path / "made.sha256").open("w") as checksum:
        checksum.write("0" * 64 + "  train_images\n")
    with pytest.raises(UserError, match=r"train_images in .*made\.npz has SHA-256 .* expected 0000"):
        run.load_images(tmp_path / "made.npz", tmp_path / "made.sha256")


def test_too_few_threads_are_a_refused_record(recorded, monkeypatch):
    monkeypatch.setattr(threads, "available_cpus", lambda: 4)
    record, _ = recorded(with_device(threads=3), granted=1)
    assert record["status"] == "refused"
    assert "the scheduler granted 1" in record["status_reason"]
    assert record["mode"] is record["startup_s"] is record["steps_total"] is record["images_total"] is None


def test_an_error_of_the_program_is_no_record(recorded, monkeypatch, tmp_path):
    def broken(settings):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(run, "build_model", broken)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        recorded()
    assert not (tmp_path / "2.json").exists()


def test_a_missing_accelerator_is_one_sentence_and_no_record(recorded, tmp_path):
    with pytest.raises(UserError, match="device type 'xpu' was asked for, but no kernel runs on it here"):
        recorded(with_device(type="xpu"))
    assert not (tmp_path / "2.json").exists()


def test_a_head_with_too_few_classes_is_one_sentence(recorded):
    settings = replace(SETTINGS, model=replace(SETTINGS.model, arguments={"num_classes": 4}))
    with pytest.raises(UserError, match="num_classes is 4, but dataset made has 10 classes"):
        recorded(settings)


@pytest.mark.gpu
def test_a_gpu_run_names_its_gpu_and_its_arithmetic(recorded, accelerator):
    record, _ = recorded(with_device(type=accelerator.type, gpus=1))
    assert record["status"] == "ok"
    assert record["machine"]["accelerator"]["name"]
    if accelerator.type == "cuda":
        assert record["numerics"]["convolution_tf32"] in (True, None)
        assert record["machine"]["accelerator"]["uuid"]
        assert record["machine"]["accelerator"]["driver"]
        assert record["machine"]["accelerator"]["compute_capability"]
        assert record["peak_device_reserved_bytes"] >= record["peak_device_bytes"] > 0
    assert record["startup_parts_s"]["self_test"] > 0


@pytest.mark.gpu
def test_both_clocks_of_a_gpu_window_agree(recorded, accelerator):
    _, folder = recorded(with_device(type=accelerator.type, gpus=1))
    for row in rows(folder / "2.csv"):
        assert accelerator.type != "cuda" or float(row["gpu_sm_clock_mhz"]) > 0
        assert float(row["event_train_s"]) == pytest.approx(float(row["train_s"]), rel=0.05, abs=2e-3)


def test_what_leasing_a_gpu_took_is_not_part_of_the_start_up(recorded):
    startup_s = recorded(lease_s=1.0)[0]["startup_s"]
    assert startup_s < time.time() - psutil.Process().create_time() - 1


def test_a_run_says_which_gpus_it_was_let_see_and_whether_others_ran_beside_it(recorded, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-a")
    machine = recorded(shared=True)[0]["machine"]
    assert (machine["cuda_visible_devices"], machine["shared"]) == ("GPU-a", True)
