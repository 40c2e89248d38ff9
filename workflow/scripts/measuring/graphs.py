"""CUDA graphs: a step is recorded once and then launched as a whole."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

WARM_UP_STEPS = 3
"""Steps before a capture: compilation, choice of algorithms and the optimizer's state belong to none of its replays."""

Step = Callable[[int], None]


class GraphedStep:
    """A step that was captured for every batch size; called with a size, it replays that capture."""

    def __init__(self, step: Step, sizes: Sequence[int], stream: torch.cuda.Stream) -> None:
        """Capture `step` for each different size. The captures share their memory: only one is replayed at a time."""
        pool = torch.cuda.graph_pool_handle()
        self._graphs = {size: _capture(step, size, stream, pool) for size in dict.fromkeys(sizes)}

    def __call__(self, size: int) -> None:
        """Queue one step."""
        self._graphs[size].replay()


def _capture(step: Step, size: int, stream: torch.cuda.Stream, pool: Any) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool, stream=stream):
        step(size)
    return graph
