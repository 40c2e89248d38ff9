"""The smoke study, run once in a folder of its own; every test looks at what it left."""

import csv
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from itertools import pairwise

import pytest
from PIL import Image

from crates import Outcome, filled_cache, validate
from lineage.verify import verify
from workflow import copy_project, lineage, make, snakemake

TABLES = ["runs", "epochs", "speedup", "parity", "threads", "breakdown", "replication"]
FIGURES = ["training_time", "speedup", "accuracy", "parity", "breakdown"]


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    folder = copy_project(tmp_path_factory.mktemp("smoke"))
    done = snakemake(folder)
    assert done.returncode == 0, done.stderr[-5000:]
    return folder, done.stdout + done.stderr


@pytest.fixture
def copied(smoke, tmp_path):
    """A copy that a test may damage."""
    shutil.copytree(smoke[0], tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


def table(folder, name):
    return list(csv.DictReader((folder / f"results/tables/{name}.csv").read_text().splitlines()))


def records(folder, kind="runs"):
    paths = sorted(path for path in folder.glob(f"results/{kind}/**/*.json") if not path.name.endswith(".prov.json"))
    return [json.loads(path.read_text()) for path in paths]


def test_every_planned_run_has_a_record_and_a_row(smoke):
    rows = table(smoke[0], "runs")
    assert len(records(smoke[0])) == len(rows) == 4
    assert {row["status"] for row in rows} == {"ok"}


def test_a_device_that_declares_a_gpu_is_run_by_the_gpu_rule(smoke):
    rules = {
        json.loads(path.read_text())["rule"]
        for path in smoke[0].glob("results/runs/smoke/*/cpu_as_gpu/*/1.json.prov.json")
    }
    assert rules == {"train_gpu"}


def test_timed_runs_never_overlap(smoke):
    every = [*records(smoke[0]), *records(smoke[0], "breakdown")]
    spans = sorted((record["started"], record["ended"]) for record in every)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_every_run_has_a_breakdown_whose_parts_add_up_to_the_step(smoke):
    rows = table(smoke[0], "breakdown")
    assert len(records(smoke[0], "breakdown")) == len(rows) == 4
    parts = ("data_wait", "copy", "forward", "backward", "optimizer", "other")
    for row in rows:
        assert (row["status"], row["n"], row["steps"]) == ("ok", "1", "3")
        assert sum(float(row[f"{part}_s"]) for part in parts) == pytest.approx(float(row["synchronised_step_s"]))
        assert sum(float(row[f"{part}_share"]) for part in parts) == pytest.approx(1)


def test_breakdowns_are_made_after_the_runs_by_rules_of_their_own(smoke):
    last_run = max(record["ended"] for record in records(smoke[0]))
    assert all(last_run <= record["started"] for record in records(smoke[0], "breakdown"))
    sidecars = smoke[0].glob("results/breakdown/**/1.json.prov.json")
    assert {json.loads(path.read_text())["rule"] for path in sidecars} == {"breakdown_cpu", "breakdown_gpu"}


def test_the_same_seed_trains_alike_on_both_sides(smoke):
    first = [row for row in table(smoke[0], "epochs") if row["model"] == "simple_cnn" and row["epoch"] == "1"]
    losses = {row["device"]: float(row["train_loss"]) for row in first}
    assert losses["cpu"] == pytest.approx(losses["cpu_as_gpu"], rel=1e-3)


def test_a_budget_that_ends_a_run_leaves_an_estimate_with_an_interval(smoke):
    estimated = [record for record in records(smoke[0]) if record["device"] == "cpu_as_gpu"]
    assert {record["mode"] for record in estimated} == {"estimated"}
    assert all(record["steps_done"] == 10 and record["train_s"] is None for record in estimated)
    assert all(
        record["projected_train_low_s"] <= record["projected_train_s"] <= record["projected_train_high_s"]
        for record in estimated
    )


def test_one_epoch_table_holds_the_epochs_of_all_runs(smoke):
    rows = table(smoke[0], "epochs")
    measured = [row for row in rows if row["device"] == "cpu"]
    assert len(measured) == 2 * 2  # two models, two epochs
    assert all(float(row["train_s"]) > 0 and row["test_accuracy"] for row in measured)


def test_one_repeat_gives_a_ratio_without_an_interval(smoke):
    rows = [row for row in table(smoke[0], "speedup") if row["clock"] == "train_s"]
    assert {row["model"] for row in rows} == {"simple_cnn", "resnet18"}
    assert all(float(row["speedup"]) > 0 and row["speedup_low"] == "" for row in rows)


def test_no_claim_is_confirmed_from_one_repeat(smoke):
    verdicts = {row["verdict"] for row in table(smoke[0], "replication") if row["kind"] == "claim"}
    assert verdicts <= {"inconclusive", "not testable"}


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_a_picture_and_a_drawing(smoke, name):
    with Image.open(smoke[0] / f"results/figures/{name}.png") as image:
        assert image.width == pytest.approx(3.4 * 300, rel=0.02)
    assert ElementTree.parse(smoke[0] / f"results/figures/{name}.svg").getroot().tag.endswith("svg")


def test_progress_of_run_and_study_is_shown_and_logged(smoke):
    folder, output = smoke
    assert "smoke resnet18 cpu #1: epoch 2/2, loss" in output
    assert "study: 4 of 4 runs done" in output
    (log,) = folder.glob("results/logs/runs/smoke/resnet18/cpu/*/1.log")
    assert "epoch 2/2, loss" in log.read_text()


def test_there_is_nothing_to_do_afterwards(smoke):
    done = snakemake(smoke[0], "-n")
    assert "Nothing to be done" in done.stderr + done.stdout


def test_nothing_is_made_again_for_a_touched_script_another_hash_seed_or_a_copy(copied):
    for path in copied.glob("workflow/scripts/**/*.py"):
        path.touch()
    done = snakemake(copied, "-n", PYTHONHASHSEED="7")
    assert "Nothing to be done" in done.stderr + done.stdout


def test_a_model_more_runs_only_that_model_and_the_tables(smoke):
    overlay = {"study": {"models": ["simple_cnn", "resnet18", "resnet34"]}}
    overlay["models"] = {"resnet34": {"builder": "resnet34", "num_classes": 10}}
    done = snakemake(smoke[0], "-n", "--quiet", "host", overlay=overlay)
    jobs = [
        line.split(":")[0].split()[-1] for line in done.stdout.splitlines() if line.startswith(("rule", "localrule"))
    ]
    made = sorted(job for job in jobs if job.startswith(("train", "breakdown")))
    assert made == ["breakdown_cpu", "breakdown_gpu", "train_cpu", "train_gpu"]


def test_other_breakdown_settings_take_the_steps_apart_again_and_train_nothing(smoke):
    done = snakemake(smoke[0], "-n", "--quiet", "host", overlay={"breakdown": {"steps": 4}})
    assert "breakdown_cpu" in done.stdout
    assert "train_cpu" not in done.stdout


def test_a_threshold_of_disturbance_makes_tables_again_and_no_run(smoke):
    done = snakemake(smoke[0], "-n", "--quiet", "host", overlay={"quiet": {"max_steal_share": 0.5}})
    assert "rule collect:" in done.stdout and "train_" not in done.stdout


def one_file_of_each_kind(folder):
    """One file of each ending in each folder of results, their sidecars, and the inputs from outside."""
    results = [path for path in sorted(folder.glob("results/**/*")) if path.is_file() and "logs" not in path.parts]
    kinds = {(path.relative_to(folder).parts[1], path.name.partition(".")[2]): path for path in results}
    outside = [folder / "workflow/schemas/run.schema.yaml", folder / "resources/published/li2026.yaml"]
    return [path for path in kinds.values() if path.name != ".gitkeep"] + outside


def test_one_flipped_byte_in_a_file_of_any_kind_is_found(copied):
    assert verify(copied / "results").problems == ()
    kinds = one_file_of_each_kind(copied)
    assert {"json", "csv", "steps.csv.gz", "png", "svg", "npz", "json.prov.json"} <= {
        path.name.partition(".")[2] for path in kinds
    }
    for path in kinds:
        content = path.read_bytes()
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
        named = path.relative_to(copied).as_posix()
        assert any(named in problem for problem in verify(copied / "results").problems), named
        path.write_bytes(content)
    assert verify(copied / "results").problems == ()


def test_a_missing_file_of_any_kind_is_found_also_together_with_its_sidecar(copied):
    for path in one_file_of_each_kind(copied):
        if "results" in path.relative_to(copied).parts:
            content = path.read_bytes()
            path.unlink()
            assert verify(copied / "results").problems, path
            path.write_bytes(content)
    missing = ["results/figures/parity.svg", "results/tables/replication.csv"]
    for name in missing:
        (copied / name).unlink()
        (copied / f"{name}.prov.json").unlink()
    problems = "\n".join(verify(copied / "results").problems)
    assert all(f"made from {name}, which does not exist" in problems for name in missing)


def test_an_extra_file_in_any_folder_is_found(copied):
    for folder in {path.parent for path in one_file_of_each_kind(copied) if "results" in path.parts}:
        (folder / "extra").write_text("")
        assert len(verify(copied / "results").problems) == 1
        (folder / "extra").unlink()


def test_the_crate_describes_every_file_and_is_what_the_profile_requires(smoke, tmp_path):
    results = smoke[0] / "results"
    entities = {
        entity["@id"]: entity for entity in json.loads((results / "ro-crate-metadata.json").read_text())["@graph"]
    }
    described = {part["@id"] for part in entities["./"]["hasPart"]}
    made = {str(path.relative_to(results)).removesuffix(".prov.json") for path in results.glob("**/*.prov.json")}
    assert described == made - {"ro-crate-metadata.json"}
    assert validate(results, filled_cache(tmp_path / "cache")) == Outcome(issues=[], checks=85, passed=85, skipped=0)


def test_an_archive_that_make_packs_verifies_elsewhere_without_an_environment(copied, tmp_path):
    assert make(copied, "archive", "config/smoke.yaml").returncode == 0
    with zipfile.ZipFile(copied / "gpu-training-speedup-results.zip") as packed:
        packed.extractall(tmp_path / "far away")
    shutil.rmtree(copied)
    (there,) = (tmp_path / "far away").iterdir()
    command = ["make", "verify", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" 0 problems\n") and "is not here" not in done.stdout


def test_a_figure_is_traced_back_to_its_data(smoke):
    done = lineage(smoke[0], "trace", "results/figures/speedup.png")
    assert done.returncode == 0
    for step in (
        "results/tables/speedup.csv",
        "results/tables/runs.csv",
        "results/runs/smoke/",
        "results/data/tiny/",
    ):
        assert step in done.stdout


def test_the_report_holds_every_table_and_figure(smoke):
    done = snakemake(smoke[0], "--report", "results/report.html")
    assert done.returncode == 0, done.stderr[-2000:]
    page = (smoke[0] / "results/report.html").read_text()
    assert all(f"{name}.csv" in page for name in TABLES) and all(f"{name}.png" in page for name in FIGURES)


def test_a_deleted_record_is_made_again_or_reported_as_missing(copied):
    (record,) = copied.glob("results/runs/smoke/resnet18/cpu/*/1.json")
    record.unlink()
    assert "train_cpu" in snakemake(copied, "-n").stdout
    done = snakemake(copied, overlay={"study": {"only_existing": True}})
    assert done.returncode == 0, done.stderr[-3000:]
    rows = {(row["model"], row["device"]): row["status"] for row in table(copied, "runs")}
    assert rows["resnet18", "cpu"] == "missing"
    assert rows["resnet18", "cpu_as_gpu"] == "ok"
    described = (copied / "results/ro-crate-metadata.json").read_text()
    assert record.relative_to(copied / "results").as_posix() not in described
    assert "runs/smoke/resnet18/cpu_as_gpu/" in described


def test_tables_of_existing_records_need_no_data_and_no_memory_of_the_engine(copied):
    for images in copied.glob("results/data/*/*.npz"):
        images.unlink()
    shutil.rmtree(copied / ".snakemake")
    (copied / "results/tables/runs.csv").unlink()
    assert "train_cpu" in snakemake(copied, "-n").stdout
    planned = snakemake(copied, "-n", overlay={"study": {"only_existing": True}}).stdout
    assert "collect" in planned
    assert not any(rule in planned for rule in ("train_", "breakdown_cpu", "breakdown_gpu", "dataset"))


def test_a_deleted_breakdown_is_made_again_or_reported_as_missing(copied):
    (record,) = copied.glob("results/breakdown/smoke/resnet18/cpu/*/1.json")
    record.unlink()
    assert "breakdown_cpu" in snakemake(copied, "-n").stdout
    done = snakemake(copied, overlay={"study": {"only_existing": True}})
    assert done.returncode == 0, done.stderr[-3000:]
    rows = {(row["model"], row["device"]): row["status"] for row in table(copied, "breakdown")}
    assert rows["resnet18", "cpu"] == "missing"
    assert rows["simple_cnn", "cpu"] == "ok"
