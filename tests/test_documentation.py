"""What the documentation shows can be used as it stands."""

import copy
import re

import pytest
import yaml

from configs import DEFAULT, ROOT, merge
from planning.check import check_config
from planning.recipes import resolve_recipe

PAGES = ["README.md", "config/README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in ROOT.glob("docs/*.md"))]
EXAMPLES = [
    pytest.param(block, id=f"{page} {number}")
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    )
]


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_laid_over_the_default_configuration_is_accepted(example):
    config = merge(copy.deepcopy(DEFAULT), yaml.safe_load(example))
    check_config(config)
    for recipe in config["study"]["recipes"]:
        resolve_recipe(recipe, config["recipes"])


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_file_of_the_project_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#:\s]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
