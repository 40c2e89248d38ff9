import sys

import pytest

from configs import ROOT
from turns import Contender, take_turns

LOG = """
import sys
sys.path.insert(0, {folder!r})
from turns import answer

def prepare():
    {first}
    count = iter(range(100))
    def turn():
        print("what a library prints")
        with open({log!r}, "a") as file:
            file.write({name!r})
        return {{"turn": next(count)}}
    return {{"ready": lambda: {{"name": {name!r}}}, "turn": turn}}

answer(prepare)
"""


@pytest.fixture
def contender(tmp_path):
    """A function that starts a contender, which writes its name to a log whenever it has a turn."""
    started = []

    def start(name, first="pass"):
        code = LOG.format(folder=str(ROOT / "benchmarks"), name=name, first=first, log=str(tmp_path / "log"))
        started.append(Contender(name, [sys.executable, "-c", code]))
        return started[-1]

    yield start
    for each in started:
        each.leave()


def test_contenders_take_turns_in_alternating_order_and_the_first_round_counts_for_nothing(contender, tmp_path):
    both = [contender("a"), contender("b")]
    assert [each.ready() for each in both] == [{"name": "a"}, {"name": "b"}]
    assert take_turns(both, 2) == {"a": [{"turn": 1}, {"turn": 2}], "b": [{"turn": 1}, {"turn": 2}]}
    assert (tmp_path / "log").read_text() == "baabba"


def test_a_missing_package_is_an_absent_contender(contender):
    assert contender("a", "import no_such_package").ready() == {"absent": "No module named 'no_such_package'"}


def test_a_contender_that_breaks_is_absent_too(contender):
    assert "ended with exit status 1" in contender("a", "1 / 0").ready()["absent"]


def test_a_contender_that_breaks_at_a_turn_has_no_further_ones_and_the_others_go_on(contender, tmp_path):
    both = [
        contender("a", "import itertools; range = lambda stop: itertools.islice(itertools.count(), 2)"),
        contender("b"),
    ]
    for each in both:
        each.ready()
    answers = take_turns(both, 3)
    assert "ended with exit status" in answers["a"][0]["absent"]
    assert answers["b"] == [{"turn": 1}, {"turn": 2}, {"turn": 3}]
    assert (tmp_path / "log").read_text() == "baabbab"
