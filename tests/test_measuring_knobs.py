import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from configs import ROOT
from measuring.knobs import Knobs
from runs import RECIPE

TUNED = replace(
    RECIPE,
    input_pipeline="resident",
    memory_format="channels_last",
    fused_optimizer=True,
    flush_denormals=True,
    compile="inductor",
    graph="cuda_graph",
)


def test_a_recipe_that_asks_for_nothing_has_no_knob():
    assert Knobs(RECIPE, torch.device("cpu")).describe() == {}


def test_what_a_cpu_has_not_is_left_out_with_a_reason():
    knobs = Knobs(TUNED, torch.device("cpu"))
    assert knobs.describe()["graph"] == {"active": False, "reason": "a device of type cpu has none"}
    assert knobs.active("flush_denormals") and knobs.active("fused_optimizer")
    assert not knobs.active("cudnn_benchmark")  # not asked for
    assert knobs.inactive() == "graph: a device of type cpu has none"


@pytest.mark.parametrize("name", ["mps", "xpu"])
def test_another_accelerator_has_no_cuda_graph(name):
    assert not Knobs(TUNED, torch.device(name)).active("graph")
    assert "the CPU computes nothing" in Knobs(TUNED, torch.device(name)).inactive()


def test_without_triton_nothing_is_compiled_for_a_cuda_device(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert Knobs(TUNED, torch.device("cuda")).describe()["compile"]["reason"] == "triton is not installed"


DENORMALS = """
import sys
from dataclasses import replace
import torch
from measuring.knobs import Knobs
from measuring.switches import set_switches
from runs import RECIPE
set_switches(Knobs(replace(RECIPE, flush_denormals=sys.argv[1] == "True"), torch.device("cpu")))
torch.set_num_threads(2)
print(int((torch.full((2**20,), 1e-30) * 1e-10).count_nonzero()))
"""


@pytest.mark.parametrize(("flush", "count"), [(True, 0), (False, 2**20)])
def test_denormals_are_flushed_in_every_thread(flush, count):
    path = f"{ROOT}/workflow/scripts:{ROOT}/tests"
    command = [sys.executable, "-c", DENORMALS, str(flush)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert int(result.stdout) == count
