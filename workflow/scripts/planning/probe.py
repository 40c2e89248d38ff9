"""Asks a separate process what torch finds here, so that planning itself never imports torch."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lineage.job import UserError
from measuring.cores import available_cpus, wanted_threads

SCRIPTS = Path(__file__).parents[1]
TIMEOUT_S = 120


def probe(models: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Return {"accelerators": [{"type", "name", "error"}], "model_errors": {name: sentence}}, or None without torch.

    Raises UserError when the probing process hangs or dies.
    """
    command = [sys.executable, "-m", "measuring.probe"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(models),
            cwd=SCRIPTS,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"torch did not answer within {TIMEOUT_S} s: name the devices under config.study.devices."
        ) from error
    if done.returncode != 0:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(
            f"probing torch failed with exit status {done.returncode} ({last_line}): repair the installation."
        )
    return json.loads(done.stdout.splitlines()[-1])


def check_models(found: dict[str, Any] | None) -> None:
    """Raise UserError for the first model that could not be built; without torch here, leave it to the runs."""
    for error in (found["model_errors"] if found else {}).values():
        raise UserError(error)


def choose_devices(config: dict[str, Any], found: dict[str, Any] | None) -> tuple[list[str], str]:
    """Return the names of the devices to run on and one line that says why.

    An explicit list is honoured literally. `auto` is the first CPU device and the first accelerator that ran a kernel.
    """
    listed = config["study"]["devices"]
    if listed != "auto":
        return listed, f"devices: {', '.join(listed)}, as listed in config.study.devices"
    if found is None:
        raise UserError(
            "config.study.devices is auto, but torch cannot be imported here to look: list the devices by name."
        )
    accelerators = found["accelerators"]
    working = next((each for each in accelerators if each["error"] is None), None)
    cpu = _first_device(config["devices"], "cpu", 0)
    if working is None:
        reason = "; ".join(f"{each['type']}: {each['error']}" for each in accelerators) or "torch sees no accelerator"
        return [cpu], f"devices: {cpu}; no accelerator that runs a kernel ({reason})"
    accelerator = _first_device(config["devices"], working["type"], 1)
    return [cpu, accelerator], f"devices: {cpu} and {accelerator} ({working['name']}, ran a kernel)"


def scarce_threads(devices: dict[str, dict[str, Any]], chosen: list[str], cores: int | None) -> list[str]:
    """Return a warning for each chosen device that asks for more threads than this machine or `cores` grant."""
    wanted = {name: wanted_threads(devices[name]["threads"]) for name in chosen}
    lines = {name: _scarcity(threads, cores) for name, threads in wanted.items()}
    return [
        f"config.devices.{name}.threads is {devices[name]['threads']}, but {line}, or its runs will be refused."
        for name, line in lines.items()
        if line is not None
    ]


def _scarcity(threads: int, cores: int | None) -> str | None:
    available = available_cpus()
    if threads > available:
        return f"this process may use {available} CPUs only: write {available} or less, or auto"
    if cores is not None and threads > cores:
        return f"--cores grants {cores} of the {available} CPUs here: use --cores {threads} or --cores all"
    return None


def _first_device(devices: dict[str, dict[str, Any]], device_type: str, gpus: int) -> str:
    for name, device in devices.items():
        if device["type"] == device_type and device["gpus"] == gpus:
            return name
    raise UserError(f"config.devices has no device of type {device_type} with gpus: {gpus}, which auto needs: add one.")
