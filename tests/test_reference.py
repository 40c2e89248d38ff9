"""The measurements that we publish are the ones that were made."""

import re

import pytest

from configs import ROOT
from lineage.left_out import read
from lineage.trace import trace
from lineage.verify import verify

PUBLISHED = sorted((ROOT / "resources" / "reference").glob("*/results"))


@pytest.mark.parametrize("results", PUBLISHED, ids=lambda path: path.parent.name)
def test_every_published_file_is_the_one_that_was_made_and_says_from_what(results):
    verdict = verify(results)
    assert verdict.problems == ()
    assert verdict.verified >= 10


@pytest.mark.parametrize("results", PUBLISHED, ids=lambda path: path.parent.name)
def test_nothing_is_left_out_but_the_images_and_what_names_a_path_of_the_machine(results):
    assert all(re.fullmatch(r"results/data/cifar10(/\w+)?\.(npz|sha256\.prov\.json)", name) for name in read(results))


@pytest.mark.parametrize("results", PUBLISHED, ids=lambda path: path.parent.name)
def test_a_published_figure_is_traced_to_its_own_records_and_not_to_those_of_the_reader(results, monkeypatch):
    monkeypatch.chdir(ROOT)
    for figure in (results / "figures").glob("*.png"):
        tree = trace(figure)
        assert tree.startswith(f"In {results.parent}:\n")
        assert "missing" not in tree and "changed" not in tree
        assert len(re.findall("results/(runs|breakdown)/", tree)) >= 2
