import pytest

from measuring.startup import Startup


def test_the_parts_add_up_to_the_whole():
    startup = Startup()
    startup.finish("imports")
    startup.finish("data_load")
    assert startup.startup_s == pytest.approx(sum(startup.parts_s.values()))


def test_what_another_run_took_is_left_out_of_the_part_and_of_the_whole():
    plain, waiting = Startup(), Startup()
    waiting.leave_out(1.0)
    plain.finish("imports")
    waiting.finish("imports")
    assert plain.startup_s - waiting.startup_s == pytest.approx(1.0, abs=0.1)
    assert waiting.parts_s["imports"] == pytest.approx(waiting.startup_s)
