"""Tables that not every study has: recipes side by side, and estimated times against measured ones."""

import csv
import json
import re
import shutil

import pytest

from crates import Outcome, filled_cache, validate
from lineage.sidecar import SUFFIX
from lineage.verify import verify
from workflow import copy_project, lineage, snakemake

TABLE, SUMMARY = "results/tables/estimate_validation.csv", "results/tables/estimate_validation_summary.csv"
ABLATION = {"results/tables/ablation.csv", "results/figures/ablation.png", "results/figures/ablation.svg"}
BOTH = {  # a study with several recipes, and with a device that has a budget beside the same without
    "study": {"models": ["simple_cnn"], "devices": ["cpu", "cpu_budgeted"], "recipes": ["smoke", "child"]},
    "devices": {
        "cpu_budgeted": {"type": "cpu", "gpus": 0, "threads": "auto", "budget_s": 0.001, "target_half_width": None}
    },
    "recipes": {"child": {"extends": "smoke", "memory_format": "channels_last"}},
    "breakdown": {"warm_up_steps": 0, "steps": 1},
}
NEITHER = {"study": {"models": ["simple_cnn"], "devices": ["cpu"]}, "breakdown": BOTH["breakdown"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = copy_project(tmp_path_factory.mktemp("optional") / "project")
    assert_done(snakemake(folder, overlay=BOTH))
    return folder


@pytest.fixture(scope="module")
def validated(finished, tmp_path_factory):
    """The same study after its estimates were validated, and what that said."""
    folder = tmp_path_factory.mktemp("validated") / "project"
    shutil.copytree(finished, folder, symlinks=True)
    said = assert_done(snakemake(folder, "--", TABLE, overlay=BOTH))
    assert jobs(folder, BOTH) == {"crate", "all"}
    assert_done(snakemake(folder, overlay=BOTH))
    return folder, said


@pytest.fixture
def copied(validated, tmp_path):
    """A copy that a test may damage."""
    shutil.copytree(validated[0], tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


def assert_done(done):
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def jobs(folder, overlay):
    return set(re.findall(r"^(?:local)?rule (\w+):", assert_done(snakemake(folder, "-n", overlay=overlay)), re.M))


def rows(folder, table):
    return list(csv.DictReader((folder / table).read_text().splitlines()))


def entities(folder):
    graph = json.loads((folder / "results/ro-crate-metadata.json").read_text())["@graph"]
    return {entity["@id"]: entity for entity in graph}


def described(folder):
    return {f"results/{part['@id']}" for part in entities(folder)["./"]["hasPart"]}


def made(folder):
    """Every file of the results that a job made, but the description itself."""
    paths = (path.relative_to(folder).as_posix() for path in folder.glob(f"results/**/*{SUFFIX}"))
    return {path.removesuffix(SUFFIX) for path in paths} - {"results/ro-crate-metadata.json"}


def test_a_study_of_several_recipes_has_them_side_by_side(finished):
    found = {(row["recipe"], row["device"]): row["change"] for row in rows(finished, "results/tables/ablation.csv")}
    assert found["child", "cpu"] == "memory_format: channels_last" and found["smoke", "cpu"] == ""
    assert ABLATION < described(finished) == made(finished)
    assert lineage(finished, "verify", "results").returncode == 0
    assert jobs(finished, BOTH) == set()


def test_the_report_shows_the_recipes_side_by_side(finished, tmp_path):
    assert_done(snakemake(finished, "--report", str(tmp_path / "report.html"), overlay=BOTH))
    page = (tmp_path / "report.html").read_text()
    assert "ablation.csv" in page and "ablation.png" in page


def test_estimates_are_held_against_measured_times_with_their_lineage(validated):
    folder, said = validated
    kinds = [(row["kind"], row["steps_done"]) for row in rows(folder, TABLE)]
    assert kinds == [("same process", "10")] * 2 + [("other process", "10")] * 2
    assert "same process, runs of 0 s or more: n = 2" in said
    assert json.loads((folder / f"{TABLE}{SUFFIX}").read_text())["rule"] == "validate_estimates"
    assert "Nothing to be done" in assert_done(snakemake(folder, "-n", "--", TABLE, overlay=BOTH))


def test_the_crate_describes_these_tables_with_their_jobs_and_is_valid(validated, tmp_path):
    folder, _ = validated
    assert ABLATION | {TABLE, SUMMARY} < described(folder) == made(folder)
    known = entities(folder)
    (validation,) = [
        entity
        for entity in known.values()
        if entity.get("name") == "validate_estimates" and entity["@type"] == "CreateAction"
    ]
    assert {f"results/{each['@id']}" for each in validation["result"]} == {TABLE, SUMMARY}
    records = {f"results/{each['@id']}" for each in validation["object"] if each["@id"].startswith("runs/")}
    assert records == {path for path in made(folder) if path.startswith("results/runs/")}
    sidecar = json.loads((folder / f"{TABLE}{SUFFIX}").read_text())
    assert known["tables/estimate_validation.csv"]["sha256"] == sidecar["sha256"]
    cache = filled_cache(tmp_path / "cache")
    assert validate(folder / "results", cache) == Outcome(issues=[], checks=85, passed=85, skipped=0)
    assert jobs(folder, BOTH) == set()


def test_a_study_that_has_neither_keeps_the_estimates_and_everything_verifies(copied):
    assert not {"train_cpu", "breakdown_cpu", "validate_estimates"} & jobs(copied, NEITHER)
    before = (copied / TABLE).read_bytes()
    assert_done(snakemake(copied, overlay=NEITHER))
    assert (copied / TABLE).read_bytes() == before
    assert {row["recipe"] for row in rows(copied, "results/tables/ablation.csv")} == {"smoke"}
    assert ABLATION | {TABLE, SUMMARY} < described(copied)
    assert lineage(copied, "verify", "results").returncode == 0
    assert jobs(copied, NEITHER) == set()


def files(folder):
    """Every file of the results that is verified."""
    paths = (path for path in sorted(folder.glob("results/**/*")) if path.is_file() and path.name != ".gitkeep")
    return [path for path in paths if path.relative_to(folder).parts[1] != "logs"]


def problems(folder):
    return "\n".join(verify(folder / "results").problems)


def test_one_flipped_byte_in_any_file_or_input_is_found(copied):
    assert problems(copied) == ""
    outside = [copied / "workflow/schemas/run.schema.yaml", copied / "resources/published/li2026.yaml"]
    for path in files(copied) + outside:
        content, name = path.read_bytes(), path.relative_to(copied).as_posix()
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
        assert name in problems(copied), name
        path.write_bytes(content)
    assert problems(copied) == ""


def test_any_file_that_is_missing_is_found_also_together_with_its_sidecar(copied):
    for name in sorted(made(copied)):
        path, sidecar = copied / name, copied / f"{name}{SUFFIX}"
        content, origin = path.read_bytes(), sidecar.read_bytes()
        for gone in ([path], [sidecar], [path, sidecar]):
            for each in gone:
                each.unlink()
            assert name in problems(copied), gone
            path.write_bytes(content)
            sidecar.write_bytes(origin)
    assert problems(copied) == ""


def test_an_extra_file_in_any_folder_is_found(copied):
    for folder in {path.parent for path in files(copied)}:
        extra = folder / "extra.csv"
        extra.write_text("")
        assert extra.relative_to(copied).as_posix() in problems(copied)
        extra.unlink()
