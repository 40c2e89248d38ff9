import pytest

from measuring.projection import MIN_STEPS, project


def test_a_steady_run_is_projected_exactly_and_its_bounds_meet():
    projection = project(step_s=[2.0] * 20, step_images=[10] * 20, elapsed_s=40.0, images_total=1000)
    assert projection.projected_train_s == 200.0
    assert projection.projected_train_low_s == projection.projected_train_high_s == 200.0


def test_the_first_tenth_counts_as_spent_but_sets_no_pace():
    projection = project(step_s=[50.0] + [1.0] * 9, step_images=[10] * 10, elapsed_s=59.0, images_total=200)
    assert projection.projected_train_s == 59.0 + 10 * 1.0


def test_the_bounds_are_the_fastest_and_the_slowest_tenth():
    paces = [9.0, 1.0, 2.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]  # seconds; the first is start-up
    projection = project(step_s=paces, step_images=[10] * 10, elapsed_s=27.0, images_total=200)
    assert projection.projected_train_low_s == 27.0 + 10 * 1.0
    assert projection.projected_train_s == 27.0 + 10 * 2.0
    assert projection.projected_train_high_s == 27.0 + 10 * 3.0


def test_fewer_than_ten_steps_are_refused():
    with pytest.raises(ValueError, match="at least 10 steps, got 9"):
        project(step_s=[1.0] * (MIN_STEPS - 1), step_images=[10] * 9, elapsed_s=9.0, images_total=200)


def test_what_is_missing_counts_by_images_since_the_last_step_of_an_epoch_is_smaller():
    projection = project(step_s=[1.0] * 9 + [0.1], step_images=[10] * 9 + [1], elapsed_s=9.1, images_total=182)
    assert projection.projected_train_s == pytest.approx(18.2)
