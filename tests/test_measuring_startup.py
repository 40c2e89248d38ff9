import time
from types import SimpleNamespace

import pytest

from measuring.startup import OWN_STATE, Startup, process_age_s


def test_the_parts_add_up_to_the_whole():
    startup = Startup()
    startup.finish("imports")
    startup.finish("data_load")
    assert startup.startup_s == pytest.approx(sum(startup.parts_s.values()))


def test_what_another_run_took_is_left_out_of_the_part_and_of_the_whole(monkeypatch):
    monkeypatch.setattr("measuring.startup.process_age_s", lambda: 5.0)
    monkeypatch.setattr("measuring.startup.time", SimpleNamespace(perf_counter=lambda: 100.0))
    plain, waiting = Startup(), Startup()
    waiting.leave_out(1.0)
    plain.finish("imports")
    waiting.finish("imports")
    assert (plain.startup_s, waiting.startup_s) == (5.0, 4.0)
    assert waiting.parts_s == {"imports": 4.0}


def test_a_clock_that_is_set_back_meanwhile_changes_no_time(monkeypatch):
    before = process_age_s()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    startup = Startup()
    startup.finish("imports")
    assert before <= startup.startup_s == startup.parts_s["imports"] < before + 600


def test_the_age_is_that_of_the_process(tmp_path, monkeypatch):
    before = process_age_s()
    with monkeypatch.context() as patch:
        patch.setattr("measuring.startup.OWN_STATE", tmp_path / "none")  # as on a system without /proc
        age = process_age_s()
    assert before - 2 <= age <= process_age_s() + 2  # the wall clock's boot time is rounded to a second


@pytest.mark.skipif(not OWN_STATE.exists(), reason="there is no /proc here")
def test_the_name_of_the_program_may_hold_anything(tmp_path, monkeypatch):
    name, rest = OWN_STATE.read_text().split(")", 1)
    (tmp_path / "stat").write_text(f"{name} 1 2) 3){rest}")
    before = process_age_s()
    with monkeypatch.context() as patch:
        patch.setattr("measuring.startup.OWN_STATE", tmp_path / "stat")
        age = process_age_s()
    assert before <= age <= process_age_s()
