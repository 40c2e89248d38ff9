"""measuring.graphs: one capture for each size of a batch, and replays of the right one."""

from contextlib import contextmanager

import pytest
import torch

from measuring.graphs import GraphedStep


class Recorder:
    """Stands in for torch.cuda: a graph remembers the calls of its capture and repeats them."""

    def __init__(self):
        self.open, self.pools, self.streams, self.replayed = None, [], [], []

    def graph_pool_handle(self):
        return object()

    def CUDAGraph(self):  # noqa: N802
        recorder = self

        class Graph:
            def __init__(self):
                self.calls = []

            def replay(self):
                recorder.replayed += self.calls

        return Graph()

    @contextmanager
    def graph(self, graph, *, pool, stream):
        self.pools.append(pool)
        self.streams.append(stream)
        self.open = graph
        yield
        self.open = None


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    for name in ("graph_pool_handle", "CUDAGraph", "graph"):
        monkeypatch.setattr(torch.cuda, name, getattr(recorder, name))
    return recorder


def test_each_different_size_is_captured_once_and_its_own_capture_replayed(recorder):
    captured = []

    def step(size):
        captured.append(size)
        recorder.open.calls.append(size)

    graphed = GraphedStep(step, [10, 10, 10, 5], stream="a stream")
    assert captured == [10, 5] and recorder.replayed == []
    for size in (10, 10, 5, 10):
        graphed(size)
    assert captured == [10, 5] and recorder.replayed == [10, 10, 5, 10]


def test_captures_share_their_memory_and_the_stream_of_the_warm_up(recorder):
    GraphedStep(lambda size: None, [10, 5], stream="a stream")
    assert len(recorder.pools) == 2 and len(set(recorder.pools)) == 1
    assert recorder.streams == ["a stream", "a stream"]


def test_a_size_that_was_not_captured_is_no_step(recorder):
    graphed = GraphedStep(lambda size: None, [10], stream="a stream")
    with pytest.raises(KeyError):
        graphed(5)


@pytest.mark.gpu
def test_a_replay_does_the_work_of_the_captured_step_again(accelerator):
    if accelerator.type != "cuda":
        pytest.skip("CUDA graphs need a cuda device")
    total, calls = torch.zeros(1, device=accelerator), []

    def step(size):
        calls.append(size)
        total.add_(size)

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step(0)  # a warm-up
    torch.cuda.current_stream().wait_stream(stream)
    graphed = GraphedStep(step, [10, 10, 5], stream)
    assert calls == [0, 10, 5]
    for size in (10, 5, 10):
        graphed(size)
    torch.cuda.synchronize()
    assert total.item() == 25 and calls == [0, 10, 5]
