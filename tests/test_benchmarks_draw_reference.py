"""The figure of the README is drawn from the tables that we publish, which stay as they are."""

import re

from draw_reference import completed, draw

from configs import ROOT
from reporting.tables import RUN_COLUMNS, SPEEDUP_COLUMNS, read_table

TABLES = ROOT / "resources" / "reference" / "nvidia-h200" / "results" / "tables"


def words(svg):
    return re.findall(r"<text[^>]*>(.*?)</text>", svg.read_text(encoding="utf-8"))


def test_a_column_that_a_table_is_too_old_to_have_is_empty_in_the_copy(tmp_path):
    before = (TABLES / "runs.csv").read_bytes()
    copy = read_table(completed(TABLES / "runs.csv", RUN_COLUMNS, tmp_path), RUN_COLUMNS)
    assert copy["disturbed"].isna().all()
    assert copy["key"].notna().all()
    assert (TABLES / "runs.csv").read_bytes() == before


def test_numbers_are_those_of_the_table(tmp_path):
    (ours,) = read_table(completed(TABLES / "speedup.csv", SPEEDUP_COLUMNS, tmp_path), SPEEDUP_COLUMNS).query(
        "recipe == 'paper' and model == 'simple_cnn' and clock == 'train_s'"
    )["speedup"]
    assert f"{ours!r}," in (TABLES / "speedup.csv").read_text(encoding="utf-8")


def test_the_figure_of_the_readme_is_what_the_code_draws_today(tmp_path):
    draw(TABLES, tmp_path / "figures" / "speedup.png")
    kept = ROOT / "docs" / "figures" / "speedup_h200.svg"
    assert words(tmp_path / "figures" / "speedup.svg") == words(kept)
    assert "cpu / cuda" in words(kept)
    assert "docs/figures/speedup_h200.png" in (ROOT / "README.md").read_text(encoding="utf-8")
