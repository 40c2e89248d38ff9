import os
import sys

import pytest

from lineage.job import UserError
from planning.slurm_jobs import require_no_slurm_jobs

RUN_ID = "6a1c0000-aaaa-bbbb-cccc-123456789012"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "mein Größe ordner"
    folder.mkdir()
    return folder


@pytest.fixture
def queue(monkeypatch, tmp_path):
    """A function that sets what `squeue` answers: jobs as (state, name, working directory, output), or an error."""

    def answers(*jobs, error=None):
        text = "".join("\t".join(map(str, [*job, ""])) + "\n" for job in jobs)
        end = f"sys.exit({error!r})" if error else f"sys.stdout.write({text!r})"
        program = tmp_path / "bin" / "squeue"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!{sys.executable}\nimport sys\n{end}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    return answers


def job(folder, state="PENDING", name=RUN_ID, started_in=None):
    return state, name, started_in or folder, folder / ".snakemake/slurm_logs/rule_train_cpu/smoke/%j.log"


def test_without_slurm_nothing_is_asked(monkeypatch, folder):
    monkeypatch.setenv("PATH", "")
    require_no_slurm_jobs(folder)


def test_jobs_of_this_folder_are_refused_in_one_sentence_with_the_command_that_cancels_them(queue, folder):
    queue(job(folder), job(folder, "RUNNING"), job(folder), job(folder.parent / "other"))
    with pytest.raises(UserError) as refusal:
        require_no_slurm_jobs(folder)
    assert str(refusal.value) == (
        f"Slurm still has 3 jobs that an earlier Snakemake submitted for {folder} (2 pending, 1 running): wait until "
        f"they have ended, which keeps what is finished, or run `scancel --name={RUN_ID}`, and then the same command "
        "again."
    )


def test_a_folder_that_is_reached_through_a_link_is_the_same_folder(queue, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    queue(job(folder, "RUNNING"))
    with pytest.raises(UserError, match=r"1 job that .* \(1 running\): wait until it has ended"):
        require_no_slurm_jobs(tmp_path / "link")


def test_jobs_of_other_folders_and_the_users_own_are_none_of_ours(queue, folder):
    own = ("RUNNING", "study.sh", folder, folder / "slurm-17.out")  # Snakemake itself may run in such a job
    elsewhere = job(folder.parent / "elsewhere", started_in=folder)  # of --directory ../elsewhere
    queue(own, elsewhere, job(folder / "below"))
    require_no_slurm_jobs(folder)
    with pytest.raises(UserError, match="1 job "):
        require_no_slurm_jobs(folder.parent / "elsewhere")


@pytest.mark.parametrize("name", [RUN_ID, f"my-prefix_{RUN_ID}"])
def test_jobs_that_write_their_logs_elsewhere_are_known_by_their_name_and_folder(queue, folder, name):
    queue(("PENDING", name, folder, "/logs/17.log"))
    with pytest.raises(UserError, match=f"scancel --name={name}`"):
        require_no_slurm_jobs(folder)


def test_two_runs_are_cancelled_by_two_commands(queue, folder):
    other = RUN_ID.replace("6", "7")
    queue(job(folder), job(folder, name=other))
    with pytest.raises(UserError, match=f"`scancel --name={RUN_ID} && scancel --name={other}`"):
        require_no_slurm_jobs(folder)


def test_a_queue_that_cannot_be_read_counts_only_where_jobs_were_submitted(queue, folder):
    queue(error="slurm_load_jobs error: Unable to contact slurm controller")
    require_no_slurm_jobs(folder)
    (folder / ".snakemake/slurm_logs").mkdir(parents=True)
    with pytest.raises(UserError, match=r"squeue failed \(slurm_load_jobs error: .*\), so it is not known whether"):
        require_no_slurm_jobs(folder)
