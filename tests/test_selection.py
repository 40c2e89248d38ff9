"""Which test files are opened for a selection of tests."""

import os
import subprocess
import sys

import pytest

from configs import ROOT

ABSENT = "import sys\nsys.modules.update(dict.fromkeys({names}))\n"
REPORTING = ("pandas", "matplotlib", "rocrate", "pooch")
TESTING = ("rocrate_validator", "requests_cache", "hypothesis", "timm", "pytorch_lightning")


def collected(folder, absent, *options):
    """Let pytest collect tests where these packages are not installed."""
    (folder / "absent.py").write_text(ABSENT.format(names=absent))
    plugins = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "absent")
    command = [sys.executable, "-m", "pytest", "--quiet", *plugins, "--collect-only"]
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )


def test_the_tests_of_a_gpu_need_no_package_but_those_that_measure(tmp_path):
    done = collected(tmp_path, (*REPORTING, *TESTING), "-m", "gpu")
    assert done.returncode == 0, done.stdout[-3000:]
    marked = {path.name for path in ROOT.glob("tests/test_measuring_*.py") if "@pytest.mark.gpu" in path.read_text()}
    assert marked and {line.split("::")[0].split("/")[1] for line in done.stdout.splitlines() if "::" in line} == marked


@pytest.mark.parametrize("name", ["test_crating_write", "test_workflow_optional_tables", "test_workflow_smoke"])
def test_tests_beside_those_of_the_validator_are_found_without_it(tmp_path, name):
    done = collected(tmp_path, ("rocrate_validator", "requests_cache"), f"tests/{name}.py")
    assert done.returncode == 0, done.stdout[-3000:]
