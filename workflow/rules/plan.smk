# Checks the configuration and lists the runs that it asks for, before any job starts.
import json
import os
import re
from dataclasses import asdict
from pathlib import Path

from lineage.code import code_hash
from lineage.starter import announce_as_starter, end_with_starter
from measuring.cores import wanted_threads
from planning.breakdowns import breakdown_code, breakdown_key, breakdown_settings, plan_breakdowns
from planning.check import check_config
from planning.cluster import guessed_threads, require_listed_devices
from planning.endings import endings
from planning.folder_lock import WORK, hold_folder
from planning.heartbeat import Heartbeat
from planning.local_copy import require_copy_if_only_source
from planning.order import start_priority
from planning.probe import check_models, choose_devices, probe, scarce_threads
from planning.progress import write_plan
from planning.slurm_jobs import require_no_slurm_jobs
from planning.study import (
    content_settings,
    data_stem,
    dataset_settings,
    measuring_code,
    plan_runs,
    run_key,
    run_settings,
)
from planning.writable import RESULTS, require_writable

if workflow.is_main_process:
    end_with_starter()
announce_as_starter()

# One GPU and one timed job at a time, unless --resources says otherwise.
workflow.global_resources.setdefault("gpu", 1)
workflow.global_resources.setdefault("timing_slot", 100)


resource_scopes:
    gpu="local",
    timing_slot="local",


with in_plain_words():
    check_config(config)
    MODELS = {name: config["models"][name] for name in config["study"]["models"]}
    FOUND = probe(MODELS) if workflow.is_main_process or config["study"]["devices"] == "auto" else None
    check_models(FOUND)
    DEVICES, DEVICES_LINE = choose_devices(config, FOUND)
    PLANNED = plan_runs(config, DEVICES)
    PLANNED_BREAKDOWNS = plan_breakdowns(config, PLANNED)

if workflow.is_main_process:
    logger.info(DEVICES_LINE)


def own_file(*parts):
    """A file of this repository, relative to the working directory: a copied or moved folder has nothing to do again.

    Marked as local, so that the prefix of a module, which is for results, is not put before it.
    """
    return local(os.path.relpath(ROOT.joinpath(*parts)))


SCHEMA = own_file("workflow", "schemas", "run.schema.yaml")
BREAKDOWN_SCHEMA = own_file("workflow", "schemas", "breakdown.schema.yaml")
PUBLISHED = own_file("resources", "published", "li2026.yaml")


def names(kind):
    return "|".join(map(re.escape, config[kind]))


def device_names(gpus):
    """Devices that need a GPU or not, as a pattern; one that matches nothing if there are none."""
    chosen = [name for name, device in config["devices"].items() if bool(device["gpus"]) == gpus]
    return "|".join(map(re.escape, chosen)) or "(?!)"


def files_of(run, endings):
    return [f"results/{run.stem}{ending}" for ending in endings]


def exists(path):
    return Path(workflow.modifier.path_modifier.replace_prefix(path)).exists()  # a prefix stands in a module only


def recorded(planned, endings):
    """The files of the runs to build tables from: of all that are planned, or only of those that have every file."""
    listed = [files_of(run, endings) for run in planned]
    if config["study"]["only_existing"]:
        listed = [files for files in listed if all(map(exists, files))]
    return [path for files in listed for path in files]


RUN_FILES = recorded(PLANNED, [".json", ".csv", ".steps.csv.gz"])
RECORDS = [path for path in RUN_FILES if path.endswith(".json")]
BREAKDOWNS = recorded(PLANNED_BREAKDOWNS, [".json"])


def require_key(wildcards, key, what=""):
    if key != wildcards.key:
        end_with(
            f"Key {wildcards.key} belongs to other settings or code than today's for {what}{wildcards.recipe}, "
            f"{wildcards.model} and {wildcards.device} ({key}): ask for `all`, or go back to them."
        )


def must_be_fetched(stem):
    """Whether data are missing and a record that is asked for needs them: finished records need no data."""
    needing = [run for run in [*PLANNED, *PLANNED_BREAKDOWNS] if run.data == stem]
    return not exists(f"results/{stem}.npz") and not all(map(exists, recorded(needing, [".json"])))


def dataset_definition(wildcards):
    definition = config["datasets"][wildcards.dataset]
    stem = data_stem(dataset_settings(wildcards.dataset, definition))
    if stem != f"data/{wildcards.dataset}/{wildcards.content}":
        end_with(
            f"{wildcards.content} belongs to another definition of the dataset {wildcards.dataset} than today's, which "
            f"is results/{stem}.npz: ask for `data`, or go back to that definition."
        )
    if must_be_fetched(stem):
        with in_plain_words():
            require_copy_if_only_source(wildcards.dataset, definition)
    return content_settings(wildcards.dataset, definition)


def settings_of(wildcards):
    settings = run_settings(config, wildcards.recipe, wildcards.model, wildcards.device)
    require_key(wildcards, run_key(settings))
    return settings


def settings_json(wildcards):
    return settings_of(wildcards).to_json()


def code_of(wildcards):
    return measuring_code(config["models"][wildcards.model]["builder"])


def dataset_of(ending):
    def path(wildcards):
        return f"results/{data_stem(settings_of(wildcards).dataset)}.{ending}"

    return path


def threads_of(wildcards):
    return wanted_threads(config["devices"][wildcards.device]["threads"])


def drawn_priority(wildcards, what=""):
    study = config["study"]
    run = f"{what}{wildcards.recipe}/{wildcards.model}/{wildcards.device}"
    return start_priority(seed=study["seed"], repeat=int(wildcards.repeat), repeats=study["repeats"], run=run)


def priority_of(wildcards):
    # before the breakdowns, which do not decide a speed-up
    return drawn_priority(wildcards) + config["study"]["repeats"] * 65536


def breakdown_settings_of(wildcards):
    settings = breakdown_settings(config, wildcards.recipe, wildcards.model, wildcards.device)
    require_key(wildcards, breakdown_key(settings), "the breakdown of ")
    return settings


def breakdown_settings_json(wildcards):
    return breakdown_settings_of(wildcards).to_json()


def breakdown_code_of(wildcards):
    return breakdown_code(config["models"][wildcards.model]["builder"])


def breakdown_dataset_of(ending):
    def path(wildcards):
        return f"results/{data_stem(breakdown_settings_of(wildcards).run.dataset)}.{ending}"

    return path


def breakdown_priority_of(wildcards):
    return drawn_priority(wildcards, "breakdown/")


wildcard_constraints:
    recipe=names("recipes"),
    model=names("models"),
    device=names("devices"),
    dataset=names("datasets"),
    content="[0-9a-f]{10}",
    key="[0-9a-f]{10}",
    repeat="[1-9][0-9]*",


PLAN = "results/logs/plan.json"


def say_endings():
    overlays = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    line = endings([*PLANNED, *PLANNED_BREAKDOWNS], Path("results"), overlays)
    if line:
        logger.warning(line)


def check_cluster():
    require_listed_devices(config["study"]["devices"])
    for line in guessed_threads(config["devices"], DEVICES):
        logger.warning(line)


onstart:
    with in_plain_words(PLAN):
        if workflow.non_local_exec:  # not known before
            check_cluster()
        hold_folder(WORK)
        require_no_slurm_jobs()
        require_writable(RESULTS)
        write_plan(PLANNED, Path(PLAN))
    if workflow.local_exec and workflow.is_main_process:
        # With its limit of jobs a second the engine looks for jobs again and again, once more a second for each job
        # that has ended (its issue 2967): a fifth of a CPU after a hundred jobs, taken from the one that is timed.
        workflow.scheduler.job_rate_limiter = None
        for line in scarce_threads(config["devices"], DEVICES, workflow.resource_settings.cores):
            logger.warning(line)
        Heartbeat(logger.info, {name: device["budget_s"] for name, device in config["devices"].items()}).start(
            logger
        )


onsuccess:
    say_endings()


onerror:
    say_endings()
