"""The columns of every table, once, and how a table is read and written."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lineage.intact import require_intact
from lineage.job import UserError

IDENTITY = ("recipe", "model", "device", "key", "repeat")
STARTUP_PARTS = ("imports", "data_load", "self_test", "model_build", "compile", "capture")
KNOBS = (
    *("input_pipeline", "loader_workers", "memory_format", "fused_optimizer", "flush_denormals"),
    *("retain_host_memory", "compile", "graph", "precision"),
)

RUN_COLUMNS = (
    *("recipe", "model", "family", "device", "repeat", "key", "status", "status_reason", "mode", "device_type", "gpus"),
    *("device_name", "host", "parameters", "forward_flop_per_sample", "training_flop_per_sample", "epochs"),
    *("batch_size", "precision", "matmul_tf32", "convolution_tf32", "memory_format", "threads_requested"),
    *("threads_granted",),
    *("threads_effective", "steps_done", "steps_total", "images_done", "images_total", "elapsed_train_s", "train_s"),
    *("projected_train_s", "projected_train_low_s", "projected_train_high_s", "projection_half_width"),
    *("projection_batches", "projection_target_reached", "epoch_train_s", "images_per_s"),
    *("first_step_s", "first_epoch_extra_s", "steady_from_step", "instrument_s", "instrument_share"),
    *("windows", "disturbed_windows", "disturbed_share", "disturbed"),
    *("epoch_train_s_quiet", "peak_host_bytes", "peak_loader_bytes", "peak_device_bytes"),
    *("peak_device_reserved_bytes", "gpu_energy_j"),
    *("gpu_energy_reason", "cpu_energy_j", "cpu_energy_reason", "model_energy_j", "model_energy_basis"),
    *("cost", "currency", "cost_basis"),
    *("achieved_flop_per_s", "ceiling_flop_per_s", "ceiling_share", "ceiling_precision", "ceiling_bytes_per_s"),
    *(f"{part}_s" for part in STARTUP_PARTS),
    *("eval_s", "startup_s", "total_s", "train_loss", "test_loss", "test_accuracy", "seed", "dataset"),
    *("dataset_sha256", "code_sha256", "protocol_version", "python", "torch", "torchvision", "cuda", "cudnn"),
    *("started", "ended"),
    *("dataset_type", "optimizer", "learning_rate", "lr_step_size", "lr_gamma", "crop_padding", "horizontal_flip"),
    *("loader_workers", "input_pipeline", "fused_optimizer", "flush_denormals", "retain_host_memory"),
    *("compile", "graph", "inactive"),
    *("cpu_name", "physical_cores", "gpu_uuid", "driver", "numpy", "pillow", "onednn"),
    *("torch_build_sha256", "slurm_job_id", "shared"),
)
EPOCH_MEASURES = (
    *("epoch", "images", "steps", "learning_rate", "train_s", "event_train_s", "first_batch_s", "eval_s"),
    *("train_loss", "test_loss"),
    *("test_accuracy", "involuntary_switches", "cpu_share", "steal_share", "throttled_s", "pressure_s", "other_cpu_s"),
    *("gpu_sm_clock_mhz", "gpu_temperature_c", "gpu_throttle_reasons", "gpu_thermal_s", "gpu_other_processes"),
    *("cpu_frequency_mhz", "cpu_temperature_c"),
)
EPOCH_COLUMNS = (*IDENTITY, *EPOCH_MEASURES, "disturbed", "disturbed_reason")
SPEEDUP_COLUMNS = (
    *("recipe", "model", "family", "parameters", "training_flop_per_sample", "cpu_device", "cpu_threads"),
    *("cpu_role", "gpu_device", "cpu_name"),
    *("gpu_name", "host", "clock", "cpu_mode", "gpu_mode", "n_cpu", "n_gpu", "cpu_s", "gpu_s", "speedup"),
    *("speedup_low", "speedup_high", "speedup_bound_low", "speedup_bound_high", "speedup_quiet"),
    *("speedup_quiet_low", "speedup_quiet_high", "learning", "failures", "note"),
    *("cpu_cost", "gpu_cost", "currency", "cost_basis", "cpu_model_energy_j", "gpu_model_energy_j", "energy_basis"),
)
THREADS_COLUMNS = (
    *("recipe", "model", "devices", "default_device", "default_threads", "default_mode", "n_default", "default_s"),
    *("best_device", "best_threads", "best_mode", "n_best", "best_s", "ratio", "ratio_low", "ratio_high"),
    *("ratio_bound_low", "ratio_bound_high", "verdict", "reason", "note"),
)
PARITY_COLUMNS = (
    *("recipe", "model", "parameters", "cpu_device", "gpu_device", "n_cpu", "n_gpu", "cpu_test_accuracy"),
    *("gpu_test_accuracy", "difference", "difference_low", "difference_high", "equivalence_low", "equivalence_high"),
    *("margin", "verdict", "reason", "note"),
)
PARTS = ("data_wait", "copy", "forward", "backward", "optimizer", "other")
DEVICE_PARTS = PARTS[:-1]  # the device's events are around these alone
BREAKDOWN_COLUMNS = (
    *("recipe", "model", "device", "key", "status", "status_reason", "failed_repeats", "device_type", "gpus"),
    *("device_name", "host", "parameters", "batch_size", "n", "steps", "step_s", "synchronised_step_s"),
    *(f"{part}_s" for part in PARTS),
    *(f"{part}_share" for part in PARTS),
    *(f"{part}_device_s" for part in DEVICE_PARTS),
    *("copy_share_low", "copy_share_high", "compute_to_copy", "compute_to_copy_low", "compute_to_copy_high"),
    *("aten_ops", "kernels", "kernel_s", "memcpy_s", "launch_s", "launch_floor_s", "disturbed_passes"),
    *("disturbed_reason", "note"),
)
ABLATION_COLUMNS = (
    *("recipe", "model", "device", "status", "change", "inactive", "device_type", "device_name", "parameters", "mode"),
    *("n", "disturbed_runs", "step_ms", "step_ms_low", "step_ms_high", "step_ms_bound_low", "step_ms_bound_high"),
    *("gain", "gain_low", "gain_high", "gain_bound_low", "gain_bound_high", "kernels", "kernel_ms"),
    *("floor_ms", "ceiling_precision", "test_accuracy", "difference", "equivalence_low", "equivalence_high"),
    *("accuracy_verdict", "note"),
)
VALIDATION_COLUMNS = (
    *("kind", "recipe", "model", "device", "full_device", "host", "threads_effective", "repeat", "steps_done"),
    *("steps_total", "elapsed_train_s", "time_share", "projected_train_s", "projected_train_low_s"),
    *("projected_train_high_s", "half_width", "target_reached", "actual_train_s", "error", "covered"),
)
VALIDATION_SUMMARY_COLUMNS = (
    *("kind", "shortest_s", "n", "median_error", "largest_error", "within_3_percent", "coverage"),
    *("median_half_width", "median_time_share", "largest_time_share"),
)
REPLICATION_COLUMNS = (
    *("claim", "kind", "recipe", "model", "cpu_device", "gpu_device", "n", "statement", "stated", "ours"),
    *("ours_low", "ours_high", "unit", "verdict", "reason", "evidence"),
)

# Read as text whatever they look like: a key may be all digits, and a Python version reads as a number.
TEXT_COLUMNS = frozenset(
    (
        *("recipe", "model", "family", "device", "key", "status", "status_reason", "mode", "device_type"),
        *("device_name", "host", "precision", "matmul_tf32", "convolution_tf32", "threads_requested"),
        *("ceiling_precision", "dataset", "dataset_sha256", "code_sha256", "python", "torch", "torchvision", "cuda"),
        *("cudnn", "started", "ended", "cpu_device", "gpu_device", "cpu_name", "gpu_name", "clock", "cpu_mode"),
        *("gpu_mode", "note", "verdict", "claim", "kind", "statement", "stated", "unit", "reason", "evidence"),
        *("dataset_type", "optimizer", "horizontal_flip", "gpu_uuid", "driver", "numpy", "slurm_job_id", "learning"),
        *("pillow", "onednn", "torch_build_sha256"),
        *("failures", "cpu_threads", "cpu_role", "default_device", "default_threads", "default_mode"),
        *("best_device", "best_threads", "best_mode"),
        *("input_pipeline", "fused_optimizer", "flush_denormals", "retain_host_memory", "compile"),
        *("graph", "inactive", "failed_repeats", "projection_target_reached", "shared"),
        *("change", "accuracy_verdict", "full_device", "target_reached", "covered"),
        *("memory_format", "disturbed", "disturbed_reason", "gpu_throttle_reasons", "gpu_energy_reason"),
        *("cpu_energy_reason", "model_energy_basis", "currency", "cost_basis", "energy_basis"),
    )
)


def read_table(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read one of our CSV tables; an empty cell is NaN, whatever the column.

    Raises:
        UserError: the file is no table, a column is missing, or it was changed after it was made.
    """
    require_intact(path, "delete the file and run again")
    try:
        text = dict.fromkeys(TEXT_COLUMNS.intersection(columns), object)
        frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a CSV table ({error}): delete the file and run again.") from error
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise UserError(f"{path}: expected a column {missing[0]}, which is missing: delete the file and run again.")
    return frame.copy()  # in one piece: pandas warns of a table that it read as more than 100 pieces


def write_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], path: str | Path) -> None:
    """Write rows as CSV, numbers unrounded, what is absent or None as an empty cell."""
    frame = pd.DataFrame(list(rows), columns=list(columns), dtype=object)
    frame.to_csv(path, index=False, lineterminator="\n")


def known(values: Iterable[Any]) -> list[Any]:
    """The distinct values that are not empty, in order of appearance."""
    return list(dict.fromkeys(value for value in values if not pd.isna(value)))
