"""The workflow where the world is against it: either it works, or it ends with one sentence and nothing half-written.

Most worlds are made by root; a test that cannot make its own is skipped, visibly.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from mutations import mutated
from workflow import copy_project, lineage, make, snakemake

SMALL = {
    "study": {"models": ["simple_cnn"], "devices": ["cpu"]},
    "datasets": {"tiny": {"train_images": 128, "test_images": 32}},
    "recipes": {"smoke": {"epochs": 1}},
}
RUNS = "results/tables/runs.csv"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
GROUPS = Path("/sys/fs/cgroup")


def small(**changes):
    return {**SMALL, **{part: SMALL.get(part, {}) | change for part, change in changes.items()}}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with two finished runs and their table; copy it before changing it."""
    folder = copy_project(tmp_path_factory.mktemp("finished") / "project")
    done = snakemake(folder, RUNS, overlay=small(study={"repeats": 2}))
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def rows(folder):
    return list(csv.DictReader((folder / RUNS).read_text(encoding="utf-8").splitlines()))


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def ended_with(done, sentence):
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert sentence in said, said[-3000:]
    assert "Traceback" not in said


@contextmanager
def mounted(folder, size):
    """A disk of this many bytes at `folder`."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def required(*command, before=("true",)):
    """A beginning of a command; the test is skipped where it does not work, tried before these words."""
    if (
        shutil.which(command[0]) is None
        or subprocess.run([*command, *before], capture_output=True, check=False).returncode
    ):
        pytest.skip(f"this user may not run {' '.join(command)}")
    return command


def test_a_disk_that_is_full_from_the_start_is_one_sentence(project):
    with mounted(project / "results", 100_000):
        done = snakemake(project, RUNS, overlay=SMALL)
        ended_with(done, "Dataset tiny needs 1.49 MB of free disk space in results/data/tiny, which has 0.")
        assert all(path.startswith("logs/") for path in files(project / "results"))


def test_a_disk_that_fills_during_a_run_costs_that_run_alone(project):
    with mounted(project / "results", 2_000_000):
        assert snakemake(project, "data", overlay=SMALL).returncode == 0
        data = {path for path in files(project / "results") if path.startswith("data/")}
        filler = project / "results/filler"
        filler.write_bytes(b"x" * shutil.disk_usage(project / "results").free)
        ended_with(snakemake(project, RUNS, overlay=SMALL), "Could not use results/logs/plan.json: the disk is full")
        os.truncate(filler, filler.stat().st_size - 12_288)  # room for the plan and the beginning of a log
        done = snakemake(project, RUNS, overlay=SMALL)
        ended_with(done, "1.steps.csv.gz: the disk is full; free some space there and run the same command again.")
        left = files(project / "results")
        assert data <= left and not [path for path in left if path.startswith(("runs/", "tables/"))]
        filler.unlink()
        assert snakemake(project, RUNS, overlay=SMALL).returncode == 0
        assert [row["status"] for row in rows(project)] == ["ok"]


def test_a_forced_fetch_onto_a_full_disk_keeps_the_data(project):
    with mounted(project / "results", 2_000_000):
        assert snakemake(project, "data", overlay=SMALL).returncode == 0
        kept = {path: path.read_bytes() for path in project.glob("results/data/tiny/*")}
        (project / "results/filler").write_bytes(b"x" * (shutil.disk_usage(project / "results").free - 100_000))
        done = snakemake(project, "--forceall", "data", overlay=SMALL)
        ended_with(done, "Dataset tiny needs 1.49 MB of free disk space in results/data/tiny, which has 0.1")
        assert len(kept) == 4 and all(path.read_bytes() == content for path, content in kept.items())


@pytest.mark.parametrize("closed", ["results/runs", "."])
def test_a_folder_that_cannot_be_written_is_named_before_any_job(project, closed):
    rights = "-dac_override,-dac_read_search"  # without these root, too, must be given a right
    under = required("setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}") if os.geteuid() == 0 else ()
    (project / "results/runs").mkdir(parents=True)
    (project / "overlay.yaml").touch()
    before = files(project)
    (project / closed).chmod(0o555)
    try:
        done = snakemake(project, RUNS, under=under)
        ended_with(done, f"{(project / closed).resolve()} cannot be written by your user, or lies on a read-only disk")
        assert {path for path in files(project) - before if not path.startswith(".snakemake")} == set()
    finally:
        (project / closed).chmod(0o755)


def test_a_folder_with_spaces_and_other_letters_no_home_a_closed_umask_and_ascii_work(tmp_path):
    folder = copy_project(tmp_path / "mein Größe ✓ ordner")
    (folder / "small.yaml").write_text(json.dumps(SMALL))
    world = {**ASCII, "HOME": "/nonexistent", "MPLCONFIGDIR": "", "XDG_CACHE_HOME": ""}
    before = os.umask(0o077)
    try:
        done = make(folder, "run", "config/smoke.yaml", "small.yaml", **world)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Traceback" not in done.stdout + done.stderr
        verified = make(folder, "verify", **world)
        assert verified.returncode == 0 and "0 problems" in verified.stdout
    finally:
        os.umask(before)
    assert [row["status"] for row in rows(folder)] == ["ok"]
    assert not [path for path in folder.glob("results/**/*") if path.stat().st_mode & 0o077]


def test_a_locale_of_another_encoding_works(project, tmp_path):
    latin_1 = tmp_path / "de_DE.ISO-8859-1"
    required("localedef", "--inputfile=de_DE", "--charmap=ISO-8859-1", str(latin_1), before=())
    with (project / "config/smoke.yaml").open("a", encoding="utf-8") as file:
        file.write("# für uns\n")
    world = {"LOCPATH": str(tmp_path), "LC_ALL": latin_1.name, "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", "import locale; print(locale.getpreferredencoding(False))"]
    seen = subprocess.run(command, env={**os.environ, **world}, capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "ISO-8859-1"
    done = snakemake(project, RUNS, overlay=SMALL, **world)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [row["status"] for row in rows(project)] == ["ok"]


def test_64_mb_of_shared_memory_are_enough_for_usual_batches_and_one_sentence_for_larger_ones(project):
    # /mnt: a name that is short enough for sockets wherever the tests work
    shell = 'mount -t tmpfs -o size=64m tmpfs /dev/shm && mount -t tmpfs tmpfs /mnt && TMPDIR=/mnt exec "$@"'
    under = required("unshare", "--mount", "sh", "-c", shell, "sh")
    usual = small(recipes={"smoke": {"epochs": 1, "batch_size": 64, "loader_workers": 2}})
    done = snakemake(project, RUNS, overlay=usual, under=under)
    assert done.returncode == 0, done.stderr[-3000:]
    large = small(
        recipes={"smoke": {"epochs": 1, "batch_size": 10_000, "loader_workers": 2}},
        datasets={"tiny": {"train_images": 10_000, "test_images": 32}},
    )
    done = snakemake(project, RUNS, overlay=large, under=under)
    ended_with(done, "The loader processes ran out of shared memory (")
    assert "enlarge /dev/shm, or set config.recipes.smoke.loader_workers to 0." in done.stderr


@contextmanager
def own_group(root, name):
    """The control group `name`, and how a shell joins it."""
    group = root / name
    try:
        group.mkdir(parents=True)
    except OSError as error:
        pytest.skip(f"this user may not make a control group ({error})")
    yield group, f'echo $$ > "{group}/cgroup.procs"'
    group.rmdir()


def limit_to_one_cpu(group):
    version_1 = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "100000"}
    quota = version_1 if (group / "cpu.cfs_quota_us").exists() else {"cpu.max": "100000 100000"}
    try:
        for name, text in quota.items():
            (group / name).write_text(text)
    except OSError as error:
        pytest.skip(f"this user may not set a quota ({error})")


def root_of_version_2():
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    found = [Path(folder) for _, folder, kind, *_ in mounts if kind == "cgroup2"]
    return found[0] if found else pytest.skip("this system has no control groups of version 2")


@pytest.fixture(params=["affinity", "quota", "files of version 2"])
def one_cpu(request, tmp_path):
    """The beginning of a command that is granted one CPU of this machine."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this machine has one CPU")
    with ExitStack() as groups:
        if request.param == "affinity":
            yield required("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))))
        elif request.param == "quota":
            root = GROUPS / "cpu" if (GROUPS / "cpu").exists() else GROUPS
            group, join = groups.enter_context(own_group(root, "gpu-training-speedup-test"))
            limit_to_one_cpu(group)
            yield required("sh", "-c", f'{join} && exec "$@"', "sh")
        else:  # the kernel says which group it is; the files that limit the group above it are ours
            above, _ = groups.enter_context(own_group(root_of_version_2(), "gpu-training-speedup-test"))
            group, join = groups.enter_context(own_group(above, "job"))
            files = tmp_path / "groups" / above.name
            (files / group.name).mkdir(parents=True)
            (files / "cpu.max").write_text("100000 100000\n")
            (files / group.name / "cpu.max").write_text("max 100000\n")
            mount = f'mount --bind "{files.parent}" {GROUPS}'
            yield required("unshare", "--mount", "sh", "-c", f'{join} && {mount} && exec "$@"', "sh")


def test_one_granted_cpu_of_several_is_what_auto_takes_and_two_are_refused_with_the_reason(project, one_cpu):
    assert "threads: 2" in snakemake(project, "-n", RUNS, overlay=SMALL).stdout
    done = snakemake(project, RUNS, overlay=SMALL, under=one_cpu)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "threads: 2" not in done.stdout + done.stderr
    assert [(row["status"], row["threads_effective"]) for row in rows(project)] == [("ok", "1")]
    (record,) = project.glob("results/runs/smoke/simple_cnn/cpu/*/1.json")
    measured = json.loads(record.read_text())
    assert (measured["threads_granted"], measured["machine"]["available_cpus"]) == (1, 1)
    asked = small(devices={"cpu": {"threads": 2}})
    done = snakemake(project, RUNS, overlay=asked, under=one_cpu)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (
        "config.devices.cpu.threads is 2, but this process may use 1 CPUs only: write 1 or less, or auto" in done.stderr
    )
    (row,) = rows(project)
    assert row["status"] == "refused"
    assert row["status_reason"].startswith("threads: 2 was asked for, but this process may use 1 CPUs only")


@pytest.mark.parametrize(
    "damage", [lambda text: text[: len(text) // 2], lambda text: re.sub(r'"train_s": [\d.]+', '"train_s": 99.5', text)]
)
def test_a_damaged_record_is_named_and_refused_while_the_others_go_on(finished, tmp_path, damage):
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, symlinks=True)
    (record,) = folder.glob("results/runs/smoke/simple_cnn/cpu/*/1.json")
    record.write_text(damage(record.read_text()))
    name = record.relative_to(folder).as_posix()
    done = snakemake(folder, RUNS, overlay=small(study={"repeats": 2}))
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"{name}: " in done.stderr and "delete the file and run again to measure it anew." in done.stderr
    assert [row["status"] for row in rows(folder)] == ["damaged", "ok"]
    assert rows(folder)[0]["status_reason"].startswith(f"{name}: ")
    assert name in lineage(folder, "verify", "results").stdout
    done = snakemake(folder, RUNS, "--forcerun", name, overlay=small(study={"repeats": 2}))
    assert done.returncode == 0, done.stderr[-3000:]
    assert [row["status"] for row in rows(folder)] == ["ok", "ok"]


def test_a_table_that_was_edited_is_named_before_anything_is_built_from_it(finished, tmp_path):
    folder = tmp_path / "project"
    shutil.copytree(finished, folder, symlinks=True)
    with (folder / RUNS).open("a") as table:
        table.write("x")
    done = snakemake(folder, "results/tables/speedup.csv", overlay=small(study={"repeats": 2}))
    ended_with(done, f"{RUNS}: was changed after it was made")
    assert "delete the file and run again." in done.stderr


@settings(
    max_examples=5,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(mutated())
def test_changed_configurations_plan_or_are_refused_by_the_engine_too(finished, change):
    (finished / "config/mutated.yaml").write_text(json.dumps(change.config, default=str))
    command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "--configfile", "config/mutated.yaml"]
    replace = [*command, "--replace-workflow-config"]
    done = subprocess.run(replace, cwd=finished, capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1) and "Traceback" not in said and "WorkflowError" not in said
    assert done.returncode == 0 or any(line.startswith("config.") for line in said.splitlines()), said
