"""The profiles cover the rules that there are."""

import re

import yaml

from configs import ROOT

RULE = re.compile(r"^(?:use )?rule (?:\w+ as )?(\w+)(?: with)?:\n((?:(?: {4}.*)?\n)+)", re.MULTILINE)
BODIES = {
    name: body
    for path in [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")]
    for name, body in RULE.findall(path.read_text(encoding="utf-8"))
}
TIMED = {name for name, body in BODIES.items() if "timing_slot=100," in body}
DEFAULT, SLURM = (
    yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
    for name in ("default", "slurm")
)


def test_the_rules_are_read():
    assert sorted(TIMED) == ["breakdown_cpu", "breakdown_gpu", "train_cpu", "train_gpu"]
    assert {"all", "dataset", "collect", "judge"} <= set(BODIES)


def test_on_slurm_timed_rules_have_a_node_of_their_own_instead_of_the_timing_slot():
    assert set(SLURM["set-resources"]) == TIMED
    assert all(each == {"slurm_extra": "'--exclusive'", "timing_slot": 0} for each in SLURM["set-resources"].values())


def test_on_a_cluster_every_other_rule_with_a_script_runs_beside_snakemake():
    scripted = {name for name, body in BODIES.items() if "script:" in body} - TIMED
    assert {name for name in scripted if "localrule: True" not in BODIES[name]} == set()


def test_the_slurm_profile_repeats_what_it_takes_the_place_of():
    repeated = {"rerun-triggers", "max-checksum-file-size", "rerun-incomplete"}
    assert set(DEFAULT) - set(SLURM) == {"resources"}
    assert {key: DEFAULT[key] for key in repeated} == {key: SLURM[key] for key in repeated}
