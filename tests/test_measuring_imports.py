"""What the scripts that time something import, and what the import of torch must not change for them."""

import os
import subprocess
import sys

import pytest

from configs import ROOT

UNUSED = (
    "scipy.linalg",
    "scipy.special",
    "pandas",
    "matplotlib",
    "snakemake",
    "jsonschema",
    "yaml",
    "rocrate",
    "pooch",
)
"""What a run without a budget has no use for. torch._dynamo is not here: torch's own optimizers import it."""

SCRIPT = """
import runpy, sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock
import lineage.job, measuring.breakdown.settings, measuring.lease, measuring.settings

def work(**_):
    import torch
    from measuring.cores import wanted_threads
    print(wanted_threads("auto"))

lineage.job.tracked = lambda *_: nullcontext([])
measuring.lease.leased_gpu = lambda _: nullcontext(0.0)
for kind in (measuring.settings.RunSettings, measuring.breakdown.settings.BreakdownSettings):
    kind.from_json = MagicMock()
for name, function in (("measuring.run", "record_run"), ("measuring.breakdown.run", "record_breakdown")):
    sys.modules[name] = ModuleType(name)
    setattr(sys.modules[name], function, work)
job = MagicMock(threads=1, resources=SimpleNamespace(timing_slot=100))
job.wildcards.repeat = "1"
for name in ("data", "checksum"):
    setattr(job.input, name, name)
for name in ("record", "epochs", "steps"):
    setattr(job.output, name, name)
runpy.run_path(sys.argv[1], init_globals={"snakemake": job}, run_name="__main__")
"""


def output_of(code, *arguments, **environment):
    known = os.environ | {"PYTHONPATH": f"{ROOT}/workflow/scripts"} | environment
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=known).stdout


@pytest.mark.parametrize("script", ["train.py", "break_down.py"])
def test_auto_means_all_cores_where_the_threads_of_openmp_are_bound(script):
    """Importing torch binds the calling thread to one CPU then, which must not be taken for all that was granted."""
    path = ROOT / "workflow" / "scripts" / script
    assert output_of(SCRIPT, path, OMP_PROC_BIND="true") == output_of(SCRIPT, path, OMP_PROC_BIND="false")


@pytest.mark.parametrize("bound", [{"OMP_PROC_BIND": "close"}, {"OMP_PLACES": "cores"}, {"GOMP_CPU_AFFINITY": "0-63"}])
def test_cpus_are_not_counted_after_the_import_of_torch_may_have_hidden_them(bound):
    code = "import torch; from measuring.cores import physical_cores; print(physical_cores())"
    assert int(output_of(code, OMP_PROC_BIND="false")) >= 1
    with pytest.raises(subprocess.CalledProcessError) as failed:
        output_of(code, **bound)
    assert f"{next(iter(bound))} may have bound this process to one CPU" in failed.value.stderr


LOADER = """
import os
from dataclasses import replace
from measuring.cores import affinity
affinity()
import measuring.data as data
from runs import RECIPE, made_images

class Cpus(data.ImageDataset):
    def __getitems__(self, indices):
        return [len(os.sched_getaffinity(0)) for _ in indices]

data.ImageDataset = Cpus
recipe = replace(RECIPE, loader_workers=1)
counts = [data.train_batches(made_images(), recipe, 0), data.test_batches(made_images(), recipe)]
print(*({int(count) for batch in batches for count in batch} for batches in counts))
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system binds no process")
def test_loader_processes_have_all_cpus_where_the_threads_of_openmp_are_bound():
    path = f"{ROOT}/workflow/scripts:{ROOT}/tests"
    count = {len(os.sched_getaffinity(0))}
    assert output_of(LOADER, OMP_PROC_BIND="true", PYTHONPATH=path) == f"{count} {count}\n"


def test_a_run_imports_no_package_that_it_has_no_use_for():
    imported = output_of("import sys, measuring.run; print(*sys.modules)").split()
    assert not {name for name in UNUSED if name in imported}


def test_a_run_with_a_budget_has_loaded_what_its_projection_needs_before_it_trains():
    code = "import sys; from measuring.pace import load; load(); print(*sys.modules)"
    assert {"scipy.linalg", "scipy.special"} <= set(output_of(code).split())
