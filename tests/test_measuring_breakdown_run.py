import json
from dataclasses import replace

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from breakdowns import BREAKDOWN_SCHEMA
from lineage.job import UserError
from measuring import threads
from measuring.breakdown import run
from measuring.breakdown.parts import PARTS
from measuring.breakdown.run import record_breakdown
from measuring.breakdown.settings import BreakdownSettings
from records import SCHEMA
from runs import SETTINGS, made_images, save_images

SCHEMAS = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in (BREAKDOWN_SCHEMA, SCHEMA)}
"""Read here and not by `reporting.records`, which imports pandas: a GPU host need not have it."""
BREAKDOWN = BreakdownSettings(run=SETTINGS, warm_up_steps=2, steps=3)


@pytest.fixture
def recorded(tmp_path):
    """A function that makes a pass and returns its record, checked against its schema."""
    save_images(made_images(), tmp_path)

    def record(settings=BREAKDOWN, granted=1):
        record_breakdown(
            settings=settings,
            key="0123456789",
            code_sha256="0" * 64,
            repeat=2,
            threads_granted=granted,
            shared=False,
            data=tmp_path / "made.npz",
            checksum=tmp_path / "made.sha256",
            record=tmp_path / "2.json",
        )
        content = json.loads((tmp_path / "2.json").read_text())
        resources = [(name, DRAFT202012.create_resource(schema)) for name, schema in SCHEMAS.items()]
        registry = Registry().with_resources(resources)
        Draft202012Validator(SCHEMAS[BREAKDOWN_SCHEMA.name], registry=registry).validate(content)
        return content

    return record


def test_a_pass_on_a_cpu_records_every_sample_and_no_kernels(recorded):
    record = recorded()
    assert (record["status"], record["seed"], record["parameters"]) == ("ok", 3, 505_058)
    assert [sample["images"] for sample in record["samples"]] == [10] * 3
    assert record["samples"][0]["backward_s"] > 0
    assert record["pace"] is record["kernels"] is record["launch_s"] is None
    assert record["aten_ops"] > 33
    assert record["settings"]["breakdown"] == {"warm_up_steps": 2, "steps": 3}


def test_a_pass_tells_what_else_happened_while_its_steps_were_sampled(recorded):
    record = recorded()
    assert record["window_s"] >= sum(sample["step_s"] for sample in record["samples"])
    assert record["surroundings"]["cpu_share"] > 0
    assert record["surroundings"]["gpu_other_processes"] is None


RESIDENT = replace(SETTINGS.recipe, input_pipeline="resident", fused_optimizer=True, memory_format="channels_last")


def with_recipe(recipe, **device):
    return replace(BREAKDOWN, run=replace(SETTINGS, recipe=recipe, device=replace(SETTINGS.device, **device)))


def test_a_resident_step_is_taken_apart_and_copies_nothing(recorded):
    record = recorded(replace(with_recipe(RESIDENT), warm_up_steps=9))
    assert [sample["images"] for sample in record["samples"]] == [10, 5, 10]
    assert all(sample["copy_s"] == 0 for sample in record["samples"])
    assert all(sample[f"{part}_s"] > 0 for sample in record["samples"] for part in PARTS if part != "copy")
    assert record["parts_reason"] is None
    assert record["active"]["fused_optimizer"] == {"active": True, "reason": None}


@pytest.mark.gpu
def test_a_captured_step_is_not_taken_apart_but_its_kernels_are_counted(recorded, accelerator):
    recipe = replace(RESIDENT, graph="cuda_graph", compile="inductor")
    record = recorded(replace(with_recipe(recipe, type=accelerator.type, gpus=1), steps=20))
    assert (record["status"], record["samples"], record["aten_ops"]) == ("ok", [], None)
    assert record["parts_reason"] == "not taken apart: the whole step is one graph"
    assert len(record["pace"]["step_s"]) == 20
    assert 10 < record["kernels"] < 200
    assert 0 < record["kernel_s"] < 1.5 * record["pace"]["window_s"] / 20


def test_the_last_smaller_batch_of_an_epoch_is_seen_in_its_sample(recorded):
    record = recorded(replace(BREAKDOWN, warm_up_steps=9))  # of 11 steps an epoch, the last of 5 images
    assert [sample["images"] for sample in record["samples"]] == [10, 5, 10]


def test_too_few_threads_are_a_refused_record(recorded, monkeypatch):
    monkeypatch.setattr(threads, "available_cpus", lambda: 4)
    device = replace(SETTINGS.device, threads=3)
    record = recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device)))
    assert (record["status"], record["samples"]) == ("refused", [])
    assert "the scheduler granted 1" in record["status_reason"]


def test_a_pass_out_of_memory_is_a_record_without_samples(recorded, monkeypatch):
    def full(step):
        raise RuntimeError("CUDA error: out of memory")

    monkeypatch.setattr(run, "count_ops", full)
    record = recorded()
    assert (record["status"], record["samples"]) == ("oom", [])


def test_a_missing_accelerator_is_one_sentence_and_no_record(recorded, tmp_path):
    device = replace(SETTINGS.device, type="xpu", gpus=1)
    with pytest.raises(UserError, match="device type 'xpu' was asked for"):
        recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device)))
    assert not (tmp_path / "2.json").exists()


@pytest.mark.gpu
def test_a_pass_on_an_accelerator_has_pace_events_and_kernels(recorded, accelerator):
    device = replace(SETTINGS.device, type=accelerator.type, gpus=1)
    record = recorded(replace(BREAKDOWN, run=replace(SETTINGS, device=device), warm_up_steps=5, steps=20))
    total = {part: sum(sample[f"{part}_s"] for sample in record["samples"]) for part in ("step", *PARTS)}
    assert record["status"] == "ok"
    assert len(record["pace"]["step_s"]) == len(record["samples"]) == 20
    assert sum(record["pace"]["step_s"]) == pytest.approx(record["pace"]["window_s"], rel=0.2)
    assert all(total[part] > 0 for part in PARTS)
    assert record["launch_s"] < 1e-3
    for part in PARTS:
        on_device = sum(sample["device_s"][part] for sample in record["samples"])
        assert on_device <= total[part] * 1.05  # events lie within the host's edges
    if accelerator.type == "cuda":
        assert record["kernels_reason"] is None
        assert 20 < record["kernels"] < 500
        assert record["kernel_s"] < total["step"] / 20
