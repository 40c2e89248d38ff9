"""crating.jobs: which jobs made a set of files."""

from dataclasses import replace
from pathlib import Path

import pytest

from crating.jobs import jobs_of, read_history
from lineage.job import UserError
from lineage.sidecar import read_sidecar, write_sidecar
from results_tree import DATA, FIGURE, FILES, TABLE, make_results, outputs_of


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path)


def test_the_history_of_a_figure_reaches_back_to_the_data():
    assert list(read_history([FIGURE], Path())) == FILES


def test_files_that_nothing_leads_to_are_no_part_of_the_history():
    assert list(read_history([outputs_of("cnn", "cpu")[0]], Path())) == [DATA, outputs_of("cnn", "cpu")[0]]


def test_outputs_of_one_job_are_one_job():
    jobs = jobs_of(read_history([FIGURE], Path()))
    assert sorted(job.made.rule for job in jobs) == ["collect", "dataset", "plot", "train", "train", "train", "train"]
    outputs = [[known.file for known in job.outputs] for job in jobs if job.made.rule == "train"]
    assert sorted(outputs) == sorted(sorted(outputs_of(m, d)) for m in ("cnn", "vit") for d in ("cpu", "gpu"))
    assert len({job.id for job in jobs}) == 7


def test_a_job_ends_with_its_last_output_and_jobs_are_in_order_of_their_start():
    first, second = outputs_of("vit", "gpu")
    made = read_sidecar(Path(f"{second}.prov.json"))
    write_sidecar(replace(made, ended="2026-12-01T10:00:09+00:00"), Path())
    for name in FILES:
        if name not in (first, second):
            made = read_sidecar(Path(f"{name}.prov.json"))
            write_sidecar(replace(made, started="2026-12-01T10:00:01+00:00"), Path())
    job, *_ = jobs_of(read_history([FIGURE], Path()))
    assert [known.file for known in job.outputs] == sorted([first, second])
    assert job.ended == "2026-12-01T10:00:09+00:00"


def test_a_job_that_ran_again_is_another_one():
    before = [job.id for job in jobs_of(read_history([TABLE], Path())) if job.made.rule == "collect"]
    made = read_sidecar(Path(f"{TABLE}.prov.json"))
    write_sidecar(replace(made, started="2026-12-01T10:00:01+00:00"), Path())
    assert before != [job.id for job in jobs_of(read_history([TABLE], Path())) if job.made.rule == "collect"]


def test_a_file_without_a_readable_sidecar_is_one_sentence():
    Path(f"{DATA}.prov.json").write_text("{")
    with pytest.raises(UserError, match=r"d.npz.prov.json cannot be read .* delete it"):
        read_history([FIGURE], Path())
    Path(f"{FIGURE}.prov.json").unlink()
    with pytest.raises(UserError, match=r"f.png has no sidecar"):
        read_history([FIGURE], Path())
