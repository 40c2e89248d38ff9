from dataclasses import replace

import torch

from measuring.measurement import Measurement, describe
from measuring.threads import Threads
from runs import RECIPE, SETTINGS

THREADS = Threads(threads_requested=1, threads_granted=2, threads_effective=None)


def measurement(**more):
    return Measurement(settings=replace(SETTINGS, recipe=replace(RECIPE, epochs=3)), repeat=2, threads=THREADS, **more)


def test_the_seed_is_that_of_the_repeat():
    assert measurement().seed == SETTINGS.seed + 2


def test_the_whole_recipe_counts_a_last_smaller_step_in_each_epoch():
    known = measurement(train_images=105)  # eleven steps of ten images
    assert (known.steps_total, known.images_total) == (33, 315)


def test_a_run_that_was_refused_has_a_record_without_times():
    found = describe(measurement(status="refused", status_reason="why"), torch.device("cpu"))
    assert (found["status"], found["status_reason"], found["mode"]) == ("refused", "why", None)
    clocks = ("train_s", "projected_train_s", "total_s", "startup_s", "elapsed_train_s", "instrument_s", "first_step_s")
    assert [found[name] for name in clocks] == [None] * len(clocks)
    assert found["steps_done"] == 0 and found["steps_total"] is None
    assert found["cpu_energy_reason"].startswith("not measured: ")
    assert "seed" not in found["settings"] and found["seed"] == SETTINGS.seed + 2
