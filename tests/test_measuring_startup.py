import time

import pytest

from measuring.startup import OWN_STATE, Startup, process_age_s


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


def test_a_clock_that_is_set_back_meanwhile_changes_no_time(monkeypatch):
    before = process_age_s()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    startup = Startup()
    startup.finish("imports")
    assert before <= startup.startup_s == startup.parts_s["imports"] < before + 600


def test_the_age_is_that_of_the_process(tmp_path, monkeypatch):
    counted = process_age_s()
    monkeypatch.setattr("measuring.startup.OWN_STATE", tmp_path / "none")  # as on a system without /proc
    assert process_age_s() == pytest.approx(counted, abs=2)  # the wall clock's boot time is rounded to a second


@pytest.mark.skipif(not OWN_STATE.exists(), reason="there is no /proc here")
def test_the_name_of_the_program_may_hold_anything(tmp_path, monkeypatch):
    name, rest = OWN_STATE.read_text().split(")", 1)
    (tmp_path / "stat").write_text(f"{name} 1 2) 3){rest}")
    expected = process_age_s()
    monkeypatch.setattr("measuring.startup.OWN_STATE", tmp_path / "stat")
    assert process_age_s() == pytest.approx(expected, abs=2)
