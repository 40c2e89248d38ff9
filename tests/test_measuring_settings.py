import json
from dataclasses import replace

from measuring.settings import RunSettings
from runs import SETTINGS


def test_settings_survive_their_json():
    assert RunSettings.from_json(SETTINGS.to_json()) == SETTINGS


def test_equal_settings_give_one_text_whatever_the_order_of_their_arguments():
    arguments = {"num_classes": 10, "stem": "cifar"}
    turned = dict(reversed(arguments.items()))
    first, second = (replace(SETTINGS, model=replace(SETTINGS.model, arguments=each)) for each in (arguments, turned))
    assert first.to_json() == second.to_json()
    assert "\n" not in first.to_json()


def test_a_changed_value_changes_the_text():
    changed = json.loads(replace(SETTINGS, seed=2).to_json())
    assert changed["seed"] == 2
    assert replace(SETTINGS, seed=2).to_json() != SETTINGS.to_json()
