"""What runs again after a change, and nothing else: each row changes something for real in a finished folder.

Dry runs here see no torch, which saves two seconds each and is itself such a row: other software re-runs nothing.
"""

import copy
import itertools
import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from configs import DEFAULT, merge
from workflow import copy_project, lineage, snakemake, written


def laid_over(below, above):
    return merge(copy.deepcopy(below), above)


STUDY = {  # two models on two devices
    "datasets": {"tiny": {"train_images": 64, "test_images": 32}},
    "recipes": {"smoke": {"epochs": 1, "batch_size": 32}, "child": {"extends": "smoke", "learning_rate": 0.002}},
    "breakdown": {"warm_up_steps": 0, "steps": 1},
}
ONE_RUN = {"study": {"models": ["simple_cnn"], "devices": ["cpu"]}}
TWO_RECIPES = laid_over(ONE_RUN, {"study": {"recipes": ["smoke", "child"]}})

PLOTS = {f"plot_{name}" for name in ("training_time", "speedup", "accuracy", "parity", "breakdown")}
TAIL = {"collect", "collect_breakdown", "compare", "judge"} | PLOTS
ABLATION = {"tabulate_ablation", "plot_ablation"}  # of a study with several recipes
SIDE_BY_SIDE = TAIL | ABLATION
FROM_BREAKDOWNS = {"collect_breakdown", "plot_breakdown", "judge"}
FROM_RUNS = TAIL - {"collect_breakdown", "plot_breakdown"}
# Neither the hash seed nor the number of cores may matter.
SEEDS, CORES = ("0", "1", "7"), ("1", "2", "all")
QUIET = ("--quiet", "host", "progress")
EVERY = list(itertools.product(SEEDS, CORES))
NO_PROFILE = ("--workflow-profile", "none")


def measuring(
    kinds="train breakdown", recipes="smoke", models="simple_cnn resnet18", devices="cpu cpu_as_gpu", repeat=1
):
    """Return the names of measuring jobs, such as `train_cpu smoke/simple_cnn/cpu/1`."""
    combinations = itertools.product(*(names.split() for names in (kinds, recipes, models, devices)))
    return {f"{kind}_{device[-3:]} {recipe}/{model}/{device}/{repeat}" for kind, recipe, model, device in combinations}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The finished study; tests that change files take a copy."""
    folder = copy_project(tmp_path_factory.mktemp("rerun") / "project")
    run(folder, TWO_RECIPES, "--until", "train_cpu", "breakdown_cpu")
    run(folder)
    without_torch = folder.with_name("without_torch")
    without_torch.mkdir()
    (without_torch / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")
    return folder


@pytest.fixture(scope="module")
def forgetful(finished, tmp_path_factory):
    """The finished study as it lies there, but for what the workflow engine remembers of its jobs."""
    folder = again(finished, tmp_path_factory.mktemp("forgetful"))
    shutil.rmtree(folder / ".snakemake" / "metadata")
    return folder


def again(finished, beside, copy_function=shutil.copy2):
    """Copy the study, with or without its time stamps, and what hides torch from it."""
    shutil.copytree(finished, beside / "project", symlinks=True, copy_function=copy_function)
    shutil.copytree(finished.with_name("without_torch"), beside / "without_torch")
    return beside / "project"


@pytest.fixture
def copied(finished, tmp_path):
    """A copy in which every file is new, in no particular order."""
    return again(finished, tmp_path, shutil.copy)


def latin(row):
    """Three circumstances with each seed and each number of cores once; three rows that follow each other have all."""
    return [(seed, CORES[(row + place) % 3]) for place, seed in enumerate(SEEDS)]


def planned(folder, change=None, under=None):
    """Return the jobs that a dry run plans, the same in each of these circumstances: hash seed, cores, more options."""
    overlay = laid_over(STUDY, change or {})
    written(folder, overlay)  # not while another dry run reads it

    def dry_run(circumstance):
        seed, cores, *options = circumstance
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(folder.with_name("without_torch"))}
        done = snakemake(folder, "-n", *QUIET, "--cores", cores, *options, overlay=overlay, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        jobs = jobs_in(done.stdout)
        assert jobs or "Nothing to be done" in done.stdout
        assert ("crate" in jobs) == bool(jobs)  # it describes every file
        return frozenset(jobs - {"crate"})

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        plans = dict(zip(under or latin(0), pool.map(dry_run, under or latin(0)), strict=True))
    assert len(set(plans.values())) == 1, plans
    return set(next(iter(plans.values())))


def jobs_in(said):
    """Return the jobs that the workflow engine names, those of measuring with recipe, model, device and repeat."""
    blocks = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", said, re.M)
    names = [_name(rule, dict(re.findall(r"(\w+)=(\w+)", _line("wildcards", lines)))) for rule, lines in blocks]
    assert len(set(names)) == len(names)
    return set(names) - {"all"}


def _line(what, lines):
    return next((line for line in lines.splitlines() if line.startswith(f"    {what}:")), "")


def _name(rule, wildcards):
    run = [wildcards[each] for each in ("recipe", "model", "device", "repeat") if each in wildcards]
    return f"{rule} {'/'.join(run)}" if run else rule


def run(folder, change=None, *arguments):
    """Run the study and return the jobs that ran."""
    done = snakemake(folder, *QUIET, *arguments, overlay=laid_over(STUDY, change or {}))
    assert done.returncode == 0, done.stderr[-5000:]
    return jobs_in(done.stderr) - {"crate"}


def edit(folder, path, change):
    file = folder / path
    file.write_text(change(file.read_text()))


def with_a_statement(text):
    return text + "\n_ADDED = 1\n"


ROWS = {
    "nothing": ({}, set()),
    "a model added": (
        {"study": {"models": ["simple_cnn", "resnet18", "new"]}, "models": {"new": {"builder": "resnet34"}}},
        measuring(models="new") | TAIL,
    ),
    "a device added": (
        {
            "study": {"devices": ["cpu", "cpu_as_gpu", "new"]},
            "devices": {"new": DEFAULT["devices"]["cpu"] | {"threads": 1}},
        },
        {name.replace("_new", "_cpu") for name in measuring(devices="new")} | TAIL,
    ),
    "a recipe added": (
        {"study": {"recipes": ["smoke", "new"]}, "recipes": {"new": {"extends": "paper", "dataset": "tiny"}}},
        measuring(recipes="new") | SIDE_BY_SIDE,
    ),
    "repeats raised": ({"study": {"repeats": 2}}, measuring(repeat=2) | TAIL),
    "a model removed": ({"study": {"models": ["resnet18"]}}, TAIL),
    "a recipe finished before": (TWO_RECIPES, SIDE_BY_SIDE),
    "a value in a recipe that another extends": (
        laid_over(TWO_RECIPES, {"recipes": {"smoke": {"lr_step_size": 1}}}),
        measuring(recipes="smoke child", models="simple_cnn", devices="cpu") | SIDE_BY_SIDE,
    ),
    "a value in a recipe": (
        laid_over(TWO_RECIPES, {"recipes": {"child": {"learning_rate": 0.003}}}),
        measuring(recipes="child", models="simple_cnn", devices="cpu") | SIDE_BY_SIDE,
    ),
    "the CPU thread count": ({"devices": {"cpu": {"threads": 1}}}, measuring(devices="cpu") | TAIL),
    "a figure setting": ({"figures": {"dpi": 100}}, PLOTS),
    "a threshold of disturbance": ({"quiet": {"max_steal_share": 0.5}}, TAIL),
    "the breakdown's settings": ({"breakdown": {"steps": 2}}, measuring("breakdown") | FROM_BREAKDOWNS),
    "the content of the data": ({"datasets": {"tiny": {"train_images": 96}}}, {"dataset"} | measuring() | TAIL),
}


# All seeds crossed with all numbers of cores, where params, sets of files or threads decide; a Latin square elsewhere.
CROSSED = {
    "nothing",
    "a value in a recipe that another extends",
    "the CPU thread count",
    "the content of the data",
}
# Only the engine's memory tells that the params or the list of inputs of a table or figure have changed.
FORGOTTEN = {"a model removed", "a recipe finished before", "a figure setting", "a threshold of disturbance"}


@pytest.mark.parametrize(("place", "row"), list(enumerate(ROWS)))
def test_a_change_of_the_configuration_runs_what_it_concerns_with_a_profile_and_without(finished, place, row):
    change, expected = ROWS[row]
    under = EVERY if row in CROSSED else latin(place)
    assert planned(finished, change, [*under, (*latin(place)[0], *NO_PROFILE)]) == expected


@pytest.mark.parametrize(("place", "row"), list(enumerate(ROWS)))
def test_without_the_engines_memory_the_same_runs_are_planned_and_the_tables_of_new_records(forgetful, place, row):
    change, expected = ROWS[row]
    _, one, other = latin(place)
    absent = expected & ABLATION  # tables that the finished study has not
    assert planned(forgetful, change, [one, (*other, *NO_PROFILE)]) == (absent if row in FORGOTTEN else expected)


CODE = {
    "reporting/figure_accuracy.py": {"plot_accuracy"},
    "reporting/figure_parity.py": {"plot_parity"},
    "reporting/judge.py": {"judge"},
    "reporting/collect.py": TAIL,  # the breakdown table uses it too
    "measuring/data.py": measuring() | TAIL,
    "measuring/run.py": measuring("train") | FROM_RUNS,
    "measuring/models/simple_cnn.py": measuring(models="simple_cnn") | TAIL,
    "measuring/breakdown/parts.py": measuring("breakdown") | FROM_BREAKDOWNS,
}


@pytest.mark.parametrize(("place", "path"), list(enumerate(CODE)))
def test_a_change_of_code_runs_what_uses_it(copied, place, path):
    edit(copied, f"workflow/scripts/{path}", with_a_statement)
    assert planned(copied, under=latin(place)) == CODE[path]


@pytest.mark.parametrize(("place", "path"), list(enumerate(path for path in CODE if path.startswith("measuring/"))))
def test_without_the_engines_memory_a_change_of_measuring_code_runs_what_uses_it(tmp_path, forgetful, place, path):
    folder = again(forgetful, tmp_path)
    edit(folder, f"workflow/scripts/{path}", with_a_statement)
    assert planned(folder, under=[latin(place)[0], (*latin(place)[1], *NO_PROFILE)]) >= CODE[path]


def test_a_copy_with_touched_files_and_commented_code_has_nothing_to_do(copied):
    for path in copied.glob("workflow/scripts/**/*.py"):
        path.write_text(f"# A comment.\n{path.read_text()}\n'A docstring.'\n")
    for path in copied.glob("[!.]*/**/*"):
        path.touch()
    assert planned(copied) == set()


def test_a_round_trip_to_another_git_branch_leaves_nothing_to_do(copied):
    def git(*arguments):
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
        subprocess.run(["git", *identity, *arguments], cwd=copied, check=True, capture_output=True)

    (copied / ".gitignore").write_text("/results/\n/.snakemake/\n")
    git("init", "--initial-branch", "here")
    git("add", ".")
    git("commit", "-m", "here")
    git("switch", "-c", "there")
    for path in copied.glob("workflow/scripts/**/*.py"):
        path.write_text(with_a_statement(path.read_text()))
    git("commit", "-am", "there")
    assert planned(copied) != set()
    git("switch", "here")
    assert planned(copied) == set()


DELETED = {
    "results/runs/smoke/resnet18/cpu/*/1.json": {"train_cpu smoke/resnet18/cpu/1"} | FROM_RUNS,
    "results/runs/smoke/resnet18/cpu/*/1.csv": {"train_cpu smoke/resnet18/cpu/1"} | FROM_RUNS,
    "results/runs/smoke/resnet18/cpu/*/1.steps.csv.gz": {"train_cpu smoke/resnet18/cpu/1"} | FROM_RUNS,
    "results/breakdown/smoke/resnet18/cpu/*/1.json": {"breakdown_cpu smoke/resnet18/cpu/1"} | FROM_BREAKDOWNS,
    "results/figures/speedup.png": {"plot_speedup"},
    "results/figures/*.svg": PLOTS,
    "results/tables/parity.csv": {"compare", "judge", "plot_parity", "plot_speedup"},
}


@pytest.mark.parametrize(("place", "pattern"), list(enumerate(DELETED)))
def test_a_deleted_file_is_made_again_by_the_job_that_makes_it(copied, place, pattern):
    paths = list(copied.glob(pattern))
    for path in paths:
        path.unlink()
    assert paths
    assert planned(copied, under=latin(place)) == DELETED[pattern]


def test_deleted_data_that_are_fetched_again_with_the_same_content_run_nothing(copied):
    (data,) = copied.glob("results/data/tiny/*.npz")
    data.unlink()
    assert snakemake(copied, "data", overlay=STUDY).returncode == 0
    assert data.exists()
    assert planned(copied) == set()


def test_another_definition_of_the_data_and_back_repeats_no_run_and_everything_verifies(copied):
    other = laid_over(ONE_RUN, {"datasets": {"tiny": {"train_images": 96}}})
    measured = measuring(models="simple_cnn", devices="cpu")
    assert run(copied, other) == {"dataset"} | measured | TAIL
    assert planned(copied, other) == set()
    assert planned(copied) == TAIL
    assert run(copied) == TAIL
    assert planned(copied) == set()
    done = lineage(copied, "verify", "results")
    assert done.returncode == 0, done.stdout


def test_other_settings_and_back_measure_once_and_leave_the_records_of_both(copied):
    before = {path: path.read_bytes() for path in copied.glob("results/runs/**/1.json")}
    other = laid_over(ONE_RUN, {"recipes": {"smoke": {"batch_size": 16}}})
    assert run(copied, other) == measuring(models="simple_cnn", devices="cpu") | TAIL
    after = {path: path.read_bytes() for path in copied.glob("results/runs/**/1.json")}
    assert len(after) == len(before) + 1 and before.items() <= after.items()
    assert planned(copied) == TAIL
    assert planned(copied, ONE_RUN) == TAIL


@pytest.mark.parametrize("arguments", [(), NO_PROFILE], ids=["profile", "no profile"])
def test_without_the_engines_memory_records_stay_and_the_new_one_is_right(forgetful, tmp_path, arguments):
    folder = again(forgetful, tmp_path)
    before = {path: path.read_bytes() for path in folder.glob("results/runs/**/1.json")}
    rate = laid_over(ONE_RUN, {"recipes": {"smoke": {"learning_rate": 0.5}}})
    assert run(folder, rate, *arguments, "--until", "train_cpu") == {"train_cpu smoke/simple_cnn/cpu/1"}
    after = {path: path.read_bytes() for path in folder.glob("results/runs/**/1.json")}
    (new,) = after.keys() - before.keys()
    assert before.items() <= after.items()
    record = json.loads(after[new])
    assert (record["key"], record["settings"]["recipe"]["learning_rate"]) == (new.parent.name, 0.5)


def test_without_the_engines_memory_and_with_time_stamps_in_no_order_no_run_that_is_due_is_left_out(copied):
    shutil.rmtree(copied / ".snakemake")
    for row in ("a value in a recipe", "the content of the data"):
        change, expected = ROWS[row]
        assert planned(copied, change, [("0", "all", *NO_PROFILE), ("1", "2", *NO_PROFILE)]) >= expected
