"""The validation of estimates as a workflow, with the smallest training that has both kinds of device."""

import csv
import json

from workflow import copy_project, lineage, snakemake

TABLE = "results/tables/estimate_validation.csv"
OVERLAY = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu", "cpu_budgeted"]},
    "devices": {
        "cpu_budgeted": {"type": "cpu", "gpus": 0, "threads": "auto", "budget_s": 0.001, "target_half_width": None}
    },
}


def test_estimates_are_held_against_measured_times_with_their_lineage(tmp_path):
    folder = copy_project(tmp_path / "project")
    done = snakemake(folder, "--", TABLE, overlay=OVERLAY)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = list(csv.DictReader((folder / TABLE).read_text().splitlines()))
    assert [(row["kind"], row["steps_done"]) for row in rows] == [("same process", "10"), ("other process", "10")]
    assert "same process, runs of 0 s or more: n = 1" in done.stdout + done.stderr
    assert json.loads((folder / f"{TABLE}.prov.json").read_text())["rule"] == "validate_estimates"
    assert lineage(folder, "verify", "results").returncode == 0
    again = snakemake(folder, "-n", "--", TABLE, overlay=OVERLAY)
    assert "Nothing to be done" in again.stdout + again.stderr
