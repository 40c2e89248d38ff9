import os
import tempfile

import pytest

from measuring import cores

for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # those of `make test` are not for the `make` that a test calls
    os.environ.pop(name, None)
for name in cores.BINDING:  # each test counts the CPUs anew, long after torch was imported
    os.environ.pop(name, None)


def pytest_ignore_collect(collection_path, config):
    """With `-m gpu` open no file without such tests: a GPU host need not have what the other ones import."""
    if config.option.markexpr != "gpu" or not collection_path.name.startswith("test_"):
        return None
    return "mark.gpu" not in collection_path.read_text(encoding="utf-8") or None


@pytest.fixture(autouse=True)
def the_cpus_of_this_test():
    """Forget which CPUs another test saw."""
    cores.affinity.cache_clear()


@pytest.fixture(autouse=True)
def a_machine_of_its_own(monkeypatch, tmp_path_factory):
    """Give a test its own folder for temporary files, so that it neither waits for a timed run nor stops one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("tmp")))


@pytest.fixture
def accelerator():
    """The first accelerator that runs a kernel; the test is skipped, visibly, without one."""
    torch = pytest.importorskip("torch")
    from measuring.devices import run_kernel

    device = torch.accelerator.current_accelerator()
    error = "torch knows none" if device is None else run_kernel(device)
    if error is not None:
        pytest.skip(f"no accelerator: {error}")
    before = {part: part.fp32_precision for part in parts_with_tf32(torch.backends)}
    yield device
    for part, precision in before.items():
        part.fp32_precision = precision


def parts_with_tf32(backends):
    """Where torch keeps its choice of TF32; a test that changes it must not change the next test."""
    return [backends, backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn]
