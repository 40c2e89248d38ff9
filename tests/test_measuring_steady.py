import numpy as np
import pytest

from measuring.steady import transient_steps


def noise(steps, spread=0.05, seed=0):
    return np.exp(spread * np.random.default_rng(seed).standard_normal(steps))


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_beginning_is_cut_where_it_ends(seed):
    steps = noise(400, seed=seed)
    steps[:30] *= 3.0
    assert 30 <= transient_steps(steps) <= 50


def test_a_beginning_that_fades_out_is_cut_where_it_drowns_in_the_noise():
    steps = noise(400) + 2.0 * np.exp(-np.arange(400) / 10)
    assert 30 <= transient_steps(steps) <= 60  # 2 exp(-3) = 0.1 is twice the noise of a step


@pytest.mark.parametrize("seed", range(5))
def test_a_few_slow_steps_later_on_are_no_start_up(seed):
    steps = noise(400, seed=seed)
    steps[[150, 151, 290]] *= 8.0
    assert transient_steps(steps) <= 20


def test_a_fast_beginning_is_no_start_up():
    steps = noise(400)
    steps[:40] *= 0.5
    assert transient_steps(steps) == 0


def test_at_most_a_fifth_is_cut():
    steps = noise(400)
    steps[:200] *= 3.0
    assert transient_steps(steps) <= 80


def test_few_steps_show_no_start_up():
    assert transient_steps([9.0, *[1.0] * 38]) == 0
    assert transient_steps([9.0, *[1.0] * 39]) == 5
