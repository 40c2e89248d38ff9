import numpy as np
import pytest

from measuring.projection import MIN_STEPS, Whole, Window, project, steady_from_step

TEN_EPOCHS = Whole(epochs=10, images_per_epoch=1000, batch_size=10)


def window(step_s, edge_s=0.0, images=10, first_batch_s=0.0):
    """An epoch of steps of ten images each, whose window is longer than its steps by `edge_s`."""
    return Window(
        step_s=step_s, step_images=[images] * len(step_s), train_s=sum(step_s) + edge_s, first_batch_s=first_batch_s
    )


def test_a_steady_run_is_projected_exactly_and_its_interval_is_a_point():
    projection = project([window([2.0] * 20)], TEN_EPOCHS)
    assert projection.projected_train_s == pytest.approx(2000.0)
    assert projection.projected_train_low_s == projection.projected_train_high_s == projection.projected_train_s
    assert projection.half_width == 0.0


def test_the_start_up_counts_as_spent_but_sets_no_pace():
    projection = project([window([50.0] * 5 + [1.0] * 45)], TEN_EPOCHS)
    assert projection.projected_train_s == pytest.approx(5 * 50 + 995 * 1.0)


def test_the_first_step_sets_no_pace_however_short_the_run():
    projection = project([window([50.0] + [1.0] * 9)], TEN_EPOCHS)
    assert projection.projected_train_s == pytest.approx(59.0 + 990.0)


def test_fewer_than_ten_steps_are_refused():
    with pytest.raises(ValueError, match="at least 10 steps, got 9"):
        project([window([1.0] * (MIN_STEPS - 1))], TEN_EPOCHS)


def test_a_smaller_last_step_sets_no_pace_and_counts_by_its_images():
    whole = Whole(epochs=2, images_per_epoch=105, batch_size=10)
    epoch = Window(step_s=[1.0] * 10 + [0.9], step_images=[10] * 10 + [5], train_s=10.9, first_batch_s=0.0)
    assert project([epoch], whole).projected_train_s == pytest.approx(10.9 + 10.5)


def test_an_epoch_of_fewer_images_than_a_batch_is_projected_by_its_images():
    whole = Whole(epochs=20, images_per_epoch=5, batch_size=10)
    epochs = [Window(step_s=[0.5], step_images=[5], train_s=0.5, first_batch_s=0.0)] * 10
    assert project(epochs, whole).projected_train_s == pytest.approx(10.0)


def test_what_each_epoch_costs_once_is_counted_for_the_missing_ones():
    epochs = [window([9.0] + [1.0] * 99), window([4.0] + [1.0] * 99, edge_s=1.0)]
    projection = project(epochs, TEN_EPOCHS)
    assert projection.epoch_cost_s == pytest.approx(4.0)  # 3 s of the first step and 1 s at the end
    assert projection.projected_train_s == pytest.approx(108 + 104 + 8 * (100 + 4))
    assert projection.projected_train_high_s - projection.projected_train_s == pytest.approx(8 * 4)


def test_more_epochs_narrow_their_cost_to_the_range_that_was_seen():
    epochs = [window([9.0] + [1.0] * 99), window([4.0] + [1.0] * 99), window([3.0] + [1.0] * 99)]
    projection = project(epochs, TEN_EPOCHS)
    assert projection.epoch_cost_s == pytest.approx(2.5)
    assert projection.projected_train_low_s == pytest.approx(projection.projected_train_s - 7 * 0.5)
    assert projection.projected_train_high_s == pytest.approx(projection.projected_train_s + 7 * 0.5)


def test_the_first_epoch_tells_the_cost_of_the_next_by_its_wait_for_a_batch_not_by_its_first_step():
    projection = project([window([9.0] + [1.0] * 49, first_batch_s=3.0)], TEN_EPOCHS)
    assert projection.epoch_cost_s == pytest.approx(2.0)
    assert projection.projected_train_low_s == pytest.approx(58 + 950)
    assert projection.projected_train_high_s == pytest.approx(58 + 950 + 9 * 4)


def test_an_unsteady_run_has_a_wider_interval_than_a_steady_one():
    random = np.random.default_rng(0)
    steady, unsteady = (1 + spread * random.standard_normal(400) for spread in (0.01, 0.1))
    assert project([window(unsteady)], TEN_EPOCHS).half_width > 5 * project([window(steady)], TEN_EPOCHS).half_width


def test_the_interval_never_ends_before_what_has_passed():
    random = np.random.default_rng(0)
    wild = np.exp(2 * random.standard_normal(40))
    projection = project([window(wild)], TEN_EPOCHS)
    assert projection.projected_train_low_s >= sum(wild)


@pytest.mark.parametrize(("steps", "batches", "batch_steps"), [(10, 9, 1), (128, 127, 1), (129, 64, 2), (300, 74, 4)])
def test_the_steps_are_cut_into_at_most_127_batches(steps, batches, batch_steps):
    projection = project([window([1.0] * steps)], TEN_EPOCHS)
    assert (projection.batches, projection.batch_steps) == (batches, batch_steps)


def test_batches_that_alternate_are_negatively_correlated():
    projection = project([window([1.0, *[1.0, 2.0] * 6])], TEN_EPOCHS)
    assert projection.lag1_autocorrelation == pytest.approx(-11 / 12)


def test_the_steady_state_is_named_by_the_number_of_its_first_step_over_all_epochs():
    epochs = [window([5.0] * 4), *[window([1.0] * 20) for _ in range(5)]]
    assert steady_from_step(epochs, 10) == 8  # steps 2 to 4 and 6 and 7 make the first five; 5 begins an epoch
    assert steady_from_step([window([1.0] * 20)], 10) == 2


def test_the_basis_says_whether_the_target_was_reached():
    projection = project([window([2.0] * 20)], TEN_EPOCHS)
    assert projection.basis(None)["target_reached"] is None
    assert projection.basis(0.03)["target_reached"] is True
    assert project([window([1.0] * 10 + [2.0] * 10)], TEN_EPOCHS).basis(0.03)["target_reached"] is False
