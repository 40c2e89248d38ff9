from dataclasses import replace

from measuring.progress import Progress
from measuring.training import Epoch
from runs import SETTINGS, UNWATCHED, budget, with_device

EPOCH = Epoch(
    epoch=1,
    images=1000,
    steps=10,
    learning_rate=1e-3,
    train_s=10.0,
    event_train_s=9.5,
    eval_s=2.0,
    train_loss=1.5,
    test_loss=1.4,
    test_accuracy=0.456,
    first_batch_s=0.5,
    step_s=[1.0] * 10,
    step_images=[100] * 10,
    observation=UNWATCHED,
)


def lines(settings, *epochs):
    written, limit = [], budget(settings.device.budget_s, settings.recipe, 1000)
    progress = Progress(settings, 1, limit, written.append)
    for epoch in epochs:
        limit.epoch(epoch)
        progress.epoch(epoch)
    return written


def test_a_line_gives_epoch_loss_accuracy_rate_and_time_left():
    (line,) = lines(SETTINGS, EPOCH)
    assert line == "test simple_cnn cpu #1: epoch 1/3, loss 1.500, accuracy 45.6 %, 100 images/s, 0 min 24 s left"


def test_a_budget_bounds_the_time_left():
    (line,) = lines(with_device(budget_s=15.0), EPOCH)
    assert line.endswith("0 min 6 s left")  # 5 s of training and a fifth of that for evaluation


def test_a_budget_that_is_used_up_is_said():
    (line,) = lines(with_device(budget_s=9.0), replace(EPOCH, eval_s=None, test_accuracy=None))
    assert line.endswith("accuracy not evaluated, 100 images/s, budget of 9 s used up")
