import pytest


@pytest.fixture
def accelerator():
    """The first accelerator that runs a kernel; the test is skipped, visibly, without one."""
    torch = pytest.importorskip("torch")
    from measuring.devices import run_kernel

    device = torch.accelerator.current_accelerator()
    error = "torch knows none" if device is None else run_kernel(device)
    if error is not None:
        pytest.skip(f"no accelerator: {error}")
    return device
