"""lineage.software: versions of what is loaded, and of nothing else."""

import platform
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

from lineage.software import loaded_versions


def test_python_is_always_named():
    assert loaded_versions(SimpleNamespace())["python"] == platform.python_version()


def test_only_loaded_packages_are_named(monkeypatch):
    for module in ("yaml", "scipy"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert not {"PyYAML", "scipy"} & set(loaded_versions(SimpleNamespace()))
    monkeypatch.setitem(sys.modules, "yaml", sys)
    assert loaded_versions(SimpleNamespace())["PyYAML"] == metadata.version("PyYAML")


def test_the_engine_is_the_package_that_the_job_comes_from():
    job = type("Job", (), {"__module__": "pytest.script"})()
    assert loaded_versions(job)["pytest"] == pytest.__version__
