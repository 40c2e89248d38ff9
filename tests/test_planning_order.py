from itertools import product

from planning.order import start_priority

RUNS = [f"{model}/{device}" for model, device in product(["a", "b", "c"], ["cpu", "cuda"])]


def order(seed):
    jobs = product(range(1, 4), RUNS)
    return sorted(jobs, key=lambda job: -start_priority(seed=seed, repeat=job[0], repeats=3, run=job[1]))


def test_all_runs_of_a_repeat_come_before_the_next_repeat():
    assert [repeat for repeat, _ in order(1)] == [1] * 6 + [2] * 6 + [3] * 6


def test_the_devices_are_interleaved_in_an_order_that_the_seed_decides():
    assert order(1) == order(1)
    assert order(1) != order(2)
    assert [run for repeat, run in order(1) if repeat == 1] != [run for repeat, run in order(1) if repeat == 2]
