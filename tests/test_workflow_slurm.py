"""The smoke study on a real Slurm of one node: first with jobs that end in each of Slurm's ways, then once more."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest
import yaml

from measuring.cores import available_cpus
from measuring.exclusive import machine_to_ourselves
from slurm_node import MISSING, one_node, slurm, wait_until
from workflow import copy_project, lineage, make, temporary_folder

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can start a Slurm node"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (packages slurm-wlm and munge)"),
]

THREADS = available_cpus()
STUDY = {
    "study": {"models": ["simple_cnn"]},
    "devices": {"cpu": {"threads": THREADS}, "cpu_as_gpu": {"threads": 1}, "cuda": {"threads": "auto"}},
    "datasets": {"tiny": {"train_images": 256, "test_images": 128}},
}
TARGETS = ["results/tables/speedup.csv", "results/tables/breakdown.csv", "results/figures/speedup.png"]
TEST_ONLY = {"slurm-init-seconds-before-status-checks": 3, "slurm-no-account": True, "jobs": 10}
# One training runs out of memory; another waits for the machine lock until its minute is over, and the breakdown that
# is cancelled waits for it too. The one that is to end well comes late.
TROUBLE = {
    "train_cpu": {"mem_mb": 300},
    "train_gpu": {"runtime": "1 if wildcards.device == 'cpu_as_gpu' else 60"},
    "breakdown_gpu": {"slurm_extra": "'--exclusive --nice=1000'"},
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with one_node(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture(scope="module")
def troubled(cluster, tmp_path_factory):
    """Folder, output and Slurm jobs of a study that also lists a GPU which the node does not have."""
    folder = copy_project(tmp_path_factory.mktemp("study"))
    listed = STUDY["study"] | {"devices": ["cpu", "cpu_as_gpu", "cuda"]}
    with ExitStack() as lock:
        lock.enter_context(machine_to_ourselves(temporary_folder(folder)))
        with start(folder, cluster, STUDY | {"study": listed}, TROUBLE) as process:
            while process.poll() is None:
                trouble(cluster, lock)
                time.sleep(1)
            output = process.stdout.read()
    assert process.returncode != 0
    return folder, output, slurm_jobs(cluster)


def trouble(cluster, lock):
    """Cancel the breakdown that is to be cancelled once it runs; free the machine once only the last two are left."""
    active = slurm_jobs(cluster, "PENDING", "RUNNING")
    for job in named(active, "breakdown_cpu"):
        if job["JobState"] == "RUNNING":
            slurm(cluster, "scancel", job["JobId"])
    if active and active == named(active, "breakdown_gpu"):
        lock.close()


@pytest.fixture(scope="module")
def repeated(cluster, troubled):
    """The same study without that GPU and without trouble: output, and the Slurm jobs that it took."""
    folder, _, before = troubled
    with start(folder, cluster, STUDY, {}) as process:
        output, _ = process.communicate()
    assert process.returncode == 0, output[-5000:]
    return output, [job for job in slurm_jobs(cluster) if job not in before]


def start(folder, cluster, overlay, changes, *targets):
    """Start the study, or what of it is named, with the project's own Slurm profile, changed at a few places."""
    profile = yaml.safe_load((folder / "profiles/slurm/config.yaml").read_text()) | TEST_ONLY
    rules = profile["set-resources"]
    profile["set-resources"] = {rule: rules[rule] | changes.get(rule, {}) for rule in rules}
    (folder / "changed").mkdir(exist_ok=True)
    (folder / "changed/config.yaml").write_text(yaml.safe_dump(profile))
    (folder / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", "changed", "--keep-going"]
    return subprocess.Popen(
        [*command, "--configfile", "config/smoke.yaml", "overlay.yaml", "--", *(targets or TARGETS)],
        cwd=folder,
        env={**cluster, "TMPDIR": str(temporary_folder(folder))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def slurm_jobs(cluster, *states):
    """All jobs that Slurm knows, or those in these states, as mappings of its own names."""
    lines = slurm(cluster, "scontrol", "show", "job", "--oneliner", "--details").splitlines()
    jobs = [dict(re.findall(r"([\w/:]+)=(\S*)", line)) for line in lines if line.startswith("JobId=")]
    return [job for job in jobs if not states or job["JobState"] in states]


def named(jobs, *parts):
    return [job for job in jobs if all(part in job["Comment"] for part in parts)]


def records(folder, kind):
    paths = [path for path in folder.glob(f"results/{kind}/**/1.json") if not path.name.endswith(".prov.json")]
    return {record["device"]: record for record in map(json.loads, (path.read_text() for path in paths))}


def test_jobs_end_in_each_of_slurms_ways(troubled):
    _, _, jobs = troubled
    parts = re.compile(r"rule_(\w+)_wildcards_smoke_simple_cnn_(\w+)_[0-9a-f]{10}_1")
    assert {parts.fullmatch(job["Comment"]).groups(): job["JobState"] for job in jobs} == {
        ("train_cpu", "cpu"): "FAILED",
        ("train_gpu", "cpu_as_gpu"): "TIMEOUT",
        ("train_gpu", "cuda"): "FAILED",
        ("breakdown_cpu", "cpu"): "CANCELLED",
        ("breakdown_gpu", "cuda"): "FAILED",
        ("breakdown_gpu", "cpu_as_gpu"): "COMPLETED",
    }


def test_too_little_memory_ends_the_job(troubled):
    folder, _, jobs = troubled
    (job,) = named(jobs, "train_cpu")
    assert "exceeded memory limit" in (folder / job["StdOut"]).read_text()


def test_a_gpu_that_the_node_lacks_is_named_in_one_sentence(troubled):
    folder, output, jobs = troubled
    sentence = "device type 'cuda' was asked for, but no kernel runs on it here"
    assert sentence in output
    for job in named(jobs, "_cuda_"):
        text = (folder / job["StdOut"]).read_text()
        assert sentence in text and "Traceback" not in text


def test_only_what_failed_runs_again(repeated):
    _, jobs = repeated
    assert sorted(job["Comment"].split("_wildcards_")[0] for job in jobs) == [
        "rule_breakdown_cpu",
        "rule_train_cpu",
        "rule_train_gpu",
    ]
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}


def test_tables_and_figures_are_made_beside_snakemake(troubled, repeated):
    folder, _, _ = troubled
    assert "localrule dataset" in troubled[1] and "localrule collect" in repeated[0]
    assert all((folder / target).exists() for target in TARGETS)


def test_a_device_that_declares_a_gpu_asks_for_one_and_gets_one(troubled, repeated):
    every = troubled[2] + repeated[1]
    assert {(job["TresPerJob"], job["JOB_GRES"]) for job in named(every, "_gpu_wildcards_")} == {
        ("gres:gpu:1", "gpu:1")
    }
    assert all("TresPerJob" not in job for job in named(every, "_cpu_wildcards_"))


def test_auto_devices_are_refused_before_anything_is_submitted(cluster, troubled):
    submitted = len(slurm_jobs(cluster))
    with start(troubled[0], cluster, {"study": {"devices": "auto"}}, {}) as process:
        output, _ = process.communicate()
    assert process.returncode != 0
    assert "config.study.devices is auto, which looks for a GPU on the machine that submits the jobs" in output
    assert len(slurm_jobs(cluster)) == submitted


def test_threads_that_this_machine_counts_are_announced(troubled):
    assert "config.devices.cuda.threads is auto: its jobs ask for" in troubled[1]
    assert "config.devices.cpu.threads" not in troubled[1]


def test_timed_jobs_never_overlap(troubled, repeated):
    spans = sorted((job["StartTime"], job["EndTime"]) for job in troubled[2] + repeated[1])
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_records_hold_the_slurm_job_and_the_cpus_it_granted(troubled, repeated):
    folder, _, before = troubled
    jobs = {job["JobId"]: job for job in before + repeated[1]}
    for device, threads in {"cpu": THREADS, "cpu_as_gpu": 1}.items():
        for kind, rule in {"runs": "train", "breakdown": "breakdown"}.items():
            record = records(folder, kind)[device]
            job = jobs[record["machine"]["slurm_job_id"]]
            assert f"rule_{rule}_" in job["Comment"] and f"_{device}_" in job["Comment"]
            assert job["CPUs/Task"] == str(threads)
            assert record["machine"]["available_cpus"] == record["threads_granted"] == threads
            assert record["threads_effective"] == threads


def test_an_interrupted_snakemake_cancels_its_jobs(cluster, troubled, repeated):
    study = STUDY["study"] | {"devices": ["cpu", "cpu_as_gpu"], "repeats": 2}
    with start(troubled[0], cluster, STUDY | {"study": study}, {}) as process:
        wait_until(lambda: slurm_jobs(cluster, "RUNNING") or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        process.communicate()
    wait_until(lambda: not slurm_jobs(cluster, "PENDING", "RUNNING", "COMPLETING"))
    new = [
        job for job in slurm_jobs(cluster) if job["JobId"] not in {old["JobId"] for old in troubled[2] + repeated[1]}
    ]
    assert {job["JobState"] for job in new} == {"CANCELLED"}


RUNS = "results/tables/runs.csv"
KILLED = STUDY | {"study": STUDY["study"] | {"devices": ["cpu"], "repeats": 2}}


@contextmanager
def killed(folder, cluster):
    """A study whose Snakemake was killed with one run at work, which needs the lock to end, and one that waits."""
    wait_until(lambda: not queue(cluster), "the end of other jobs")
    with ExitStack() as lock:
        lock.enter_context(machine_to_ourselves(temporary_folder(folder)))
        with start(folder, cluster, KILLED, {}, RUNS) as process:
            wait_until(lambda: queue(cluster) == ["PENDING", "RUNNING"] or process.poll() is not None, "both jobs")
            process.kill()
        yield lock


def queue(cluster):
    return sorted(slurm(cluster, "squeue", "--noheader", "--format=%T").split())


def again(folder, cluster):
    """Start the study as one does whose Snakemake was killed, after removing its lock: status and output."""
    unlock = [sys.executable, "-m", "snakemake", "--unlock", "--configfile", "config/smoke.yaml", "overlay.yaml"]
    subprocess.run(unlock, cwd=folder, env=cluster, check=True, capture_output=True)
    with start(folder, cluster, KILLED, {}, RUNS) as process:
        output, _ = process.communicate()
    return process.returncode, output


def finished_runs(folder):
    paths = [path for path in folder.glob("results/runs/**/*.json") if not path.name.endswith(".prov.json")]
    return {path: path.read_bytes() for path in paths}


def test_what_a_killed_snakemake_left_with_slurm_is_waited_for_and_counts(cluster, tmp_path):
    folder = copy_project(tmp_path / "study")
    with killed(folder, cluster) as lock:
        left = slurm_jobs(cluster)
        refusal = f"Slurm still has 2 jobs that an earlier Snakemake submitted for {folder} (1 pending, 1 running): "
        status, output = again(folder, cluster)
        assert status != 0 and refusal in output and "Traceback" not in output
        done = make(folder, "run", "config/smoke.yaml", "overlay.yaml", **cluster)
        assert done.returncode != 0 and refusal in done.stderr and "Traceback" not in done.stderr
        lock.close()
        wait_until(lambda: not queue(cluster), "the end of what was left")
    before = finished_runs(folder)
    assert len(before) == 2
    status, output = again(folder, cluster)
    assert status == 0 and (folder / RUNS).exists(), output[-5000:]
    assert finished_runs(folder) == before
    assert len(slurm_jobs(cluster)) == len(left)
    assert lineage(folder, "verify", "results").returncode == 0


def test_the_command_of_the_refusal_cancels_what_a_killed_snakemake_left_and_it_runs_again(cluster, tmp_path):
    folder = copy_project(tmp_path / "study")
    with killed(folder, cluster):
        left = slurm_jobs(cluster)
        command = re.search("or run `(.*)`, and then the same command again", again(folder, cluster)[1])[1]
        slurm(cluster, "sh", "-c", command)
        wait_until(lambda: not queue(cluster), "the end of what was cancelled")
    assert finished_runs(folder) == {}
    status, output = again(folder, cluster)
    assert status == 0 and len(finished_runs(folder)) == 2, output[-5000:]
    assert len(slurm_jobs(cluster)) == len(left) + 2
    assert lineage(folder, "verify", "results").returncode == 0
