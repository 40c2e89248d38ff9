from measuring.breakdown.settings import BreakdownSettings
from runs import SETTINGS

BREAKDOWN = BreakdownSettings(run=SETTINGS, warm_up_steps=2, steps=3)


def test_settings_survive_their_json():
    assert BreakdownSettings.from_json(BREAKDOWN.to_json()) == BREAKDOWN
