from pathlib import Path

import torch

from measuring import machine
from measuring.machine import cpu_name, describe_machine


def test_the_processor_is_named_as_the_system_names_it(monkeypatch):
    monkeypatch.setattr(
        machine, "read_text", lambda path: "processor : 0\nmodel name\t: Some CPU: 2 GHz\nmodel name: x\n"
    )
    assert cpu_name() == "Some CPU: 2 GHz"


def test_a_system_without_processor_list_falls_back_to_pythons_name(monkeypatch):
    monkeypatch.setattr(machine, "read_text", lambda path: None)
    monkeypatch.setattr(machine.platform, "processor", lambda: "arm")
    assert cpu_name() == "arm"
    monkeypatch.setattr(machine.platform, "processor", lambda: "")
    assert cpu_name() is None


def test_a_machine_without_accelerator_says_what_it_granted(monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    found = describe_machine(torch.device("cpu"))
    assert found["accelerator"] is None and found["slurm_job_id"] == "77"
    assert 1 <= found["physical_cores"] <= found["available_cpus"] <= found["logical_cpus"]
    assert Path("/proc").exists() is False or found["cpu_name"]
