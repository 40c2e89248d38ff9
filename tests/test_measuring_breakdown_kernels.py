import torch

from measuring.breakdown.kernels import Kernels, count_kernels, count_ops, launch_cost_s, profile_kernels

CPU = torch.device("cpu")


def test_operators_are_counted_in_the_backward_pass_too():
    numbers = torch.ones(3, requires_grad=True)
    assert count_ops(lambda: numbers.detach().add_(1)) == 2
    assert count_ops(lambda: numbers.exp().sum().backward()) > count_ops(lambda: numbers.exp().sum())


def test_kernels_and_copies_of_a_trace_are_means_a_step():
    events = [
        {"cat": "kernel", "dur": 3.0},
        {"cat": "kernel", "dur": 5.0},
        {"cat": "gpu_memcpy", "dur": 10.0},
        {"cat": "cpu_op", "dur": 100.0},
        {"cat": "gpu_user_annotation", "dur": 100.0},
        {"ph": "M"},
    ]
    assert count_kernels(events, 2) == Kernels(kernels=1.0, kernel_s=4e-6, memcpy_s=5e-6)


def test_what_cannot_be_counted_is_none_with_a_reason():
    assert "saw no kernel" in count_kernels([{"cat": "cpu_op", "dur": 1.0}], 1).kernels_reason
    assert profile_kernels(lambda: None, CPU).kernels is None
    assert "type cpu" in profile_kernels(lambda: None, CPU).kernels_reason
    assert launch_cost_s(CPU) is None
