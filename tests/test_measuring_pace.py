import numpy as np
import pytest
from scipy import stats

from measuring import pace
from measuring.pace import predict_mean

COMING = 100


def coverage(series, ahead=COMING, seen=12):
    """Share of series whose mean after the first values is within the interval."""
    found = [predict_mean(values[:seen], ahead) for values in series]
    means = [values[seen : seen + ahead].mean() for values in series]
    return np.mean([each.low <= mean <= each.high for each, mean in zip(found, means, strict=True)])


def white(count, seed=0):
    return 1 + 0.05 * np.random.default_rng(seed).standard_normal((count, 12 + COMING))


def test_constant_values_are_predicted_exactly():
    prediction = predict_mean([2.0] * 8, 50)
    assert (prediction.low, prediction.value, prediction.high) == (2.0, 2.0, 2.0)


def only(monkeypatch, *, white_share, walk):
    """Let one noise alone be possible."""
    monkeypatch.setattr(pace, "WHITE_SHARES", (white_share,))
    monkeypatch.setattr(pace, "PRIOR", np.array([1.0 - walk, walk]))


def flicker(count, length, seed=0):
    """Series of 1/f noise around 1, each a part of one sixteen times as long."""
    random = np.random.default_rng(seed)
    frequencies = np.fft.rfftfreq(16 * length)[1:]
    waves = random.standard_normal((2, count, len(frequencies))) / np.sqrt(frequencies)
    series = np.fft.irfft(np.pad(waves[0] + 1j * waves[1], ((0, 0), (1, 0))), axis=1)[:, :length]
    return 1 + 0.05 * series / series.std()


def test_the_interval_of_white_noise_is_the_textbook_one_when_only_white_noise_is_possible(monkeypatch):
    only(monkeypatch, white_share=1.0, walk=0.0)
    values = white(1)[0][:12]
    width = stats.t.ppf(0.975, 11) * values.std(ddof=1) * np.sqrt(1 / 12 + 1 / 50)
    prediction = predict_mean(values, 50)
    assert prediction.value == pytest.approx(values.mean())
    assert (prediction.low, prediction.high) == pytest.approx((values.mean() - width, values.mean() + width))


def test_a_random_walk_is_continued_from_its_last_value_when_only_it_is_possible(monkeypatch):
    only(monkeypatch, white_share=0.0, walk=1.0)
    assert predict_mean([1.0, 2.0, 1.0, 2.0, 3.0, 3.0], 10).value == pytest.approx(3.0, abs=0.3)


def test_one_over_f_noise_is_as_uneven_over_long_times_as_over_short_ones():
    of_neighbours = pace._covariances(pace._flicker, 15, 1.0)[:-1, :-1]
    halves = np.repeat([-1 / 8, 1 / 8], 8)  # the mean of eight values, from the mean of the eight before
    weights = -halves.cumsum()[:-1]  # the same as a sum of differences of neighbours
    assert weights @ of_neighbours @ weights == pytest.approx(of_neighbours[0, 0])


def test_one_over_f_noise_is_covered_by_an_interval_that_is_not_much_wider_than_its_errors():
    series = flicker(300, 64 + 576)
    found = [predict_mean(values[:64], 576) for values in series]
    means = [values[64:].mean() for values in series]
    assert np.mean([each.low <= mean <= each.high for each, mean in zip(found, means, strict=True)]) >= 0.9
    errors = [mean - each.value for each, mean in zip(found, means, strict=True)]
    assert np.median([each.high - each.low for each in found]) < 4.5 * np.std(errors)


def test_white_noise_is_covered():
    assert coverage(white(200)) >= 0.95


def test_noise_whose_means_wander_is_covered_where_independent_means_would_not_be():
    steps = np.random.default_rng(1).standard_normal((200, 100 + COMING))
    wandering = 1 + 0.01 * steps.cumsum(axis=1)
    assert coverage(wandering, seen=100) >= 0.85
    plain = [values[:100].mean() + 2 * values[:100].std() / 100**0.5 * np.array([-1, 1]) for values in wandering]
    means = wandering[:, 100:].mean(axis=1)
    assert np.mean([low <= mean <= high for (low, high), mean in zip(plain, means, strict=True)]) < 0.4


def test_the_interval_does_not_depend_on_the_unit():
    values = white(1)[0][:12]
    seconds, milliseconds = predict_mean(values, 20), predict_mean(1000 * values, 20)
    assert milliseconds.low == pytest.approx(1000 * seconds.low)
    assert milliseconds.high == pytest.approx(1000 * seconds.high)


def test_the_further_ahead_the_less_certain_since_the_memory_may_be_long():
    values = white(1)[0][:12]
    near, far = predict_mean(values, 12), predict_mean(values, 100)
    assert far.high - far.low > 1.15 * (near.high - near.low)
