import io

import pytest

from lineage.job import UserError
from reporting.retry import main, not_ok, require_planned

HEADER = "recipe,model,device,key,repeat,status\n"


def test_the_records_that_did_not_end_well_are_named(tmp_path):
    runs = tmp_path / "results" / "tables" / "runs.csv"
    runs.parent.mkdir(parents=True)
    rows = ["paper,m,cpu,0123456789,1,ok", "paper,m,cuda,0123456789,1,oom", "paper,m,cuda,0123456789,2,missing"]
    runs.write_text(HEADER + "\n".join(rows) + "\n")
    assert not_ok(runs) == [f"{tmp_path}/results/runs/paper/m/cuda/0123456789/1.json"]


def test_breakdowns_that_did_not_end_well_are_named_too(tmp_path):
    tables = tmp_path / "results" / "tables"
    tables.mkdir(parents=True)
    (tables / "runs.csv").write_text(HEADER)
    rows = ["paper,m,cpu,0123456789,", "paper,m,cuda,0123456789,2 3"]
    (tables / "breakdown.csv").write_text("recipe,model,device,key,failed_repeats\n" + "\n".join(rows) + "\n")
    folder = f"{tmp_path}/results/breakdown/paper/m/cuda/0123456789"
    assert not_ok(tables / "runs.csv") == [f"{folder}/2.json", f"{folder}/3.json"]


def test_without_a_study_there_is_nothing_to_retry(tmp_path, capsys):
    assert main([f"{tmp_path}/runs.csv"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"There is nothing to run again: no {tmp_path}/runs.csv yet. `make run`")


def test_after_a_study_that_ended_well_there_is_nothing_to_retry(tmp_path, capsys):
    (tmp_path / "runs.csv").write_text(HEADER + "paper,m,cpu,0123456789,1,ok\n")
    assert main([f"{tmp_path}/runs.csv"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("There is nothing to run again: every run of the last study ended well")


SUMMARY = ["output_file\tstatus\tplan\n", "results/runs/paper/m/cpu/0123456789/1.json\tok\tno update\n"]
OWN, FOREIGN = "results/runs/paper/m/cpu/0123456789/1.json", "results/runs/smoke/m/cpu/0123456789/1.json"


def test_records_of_the_study_that_is_asked_for_may_run_again():
    require_planned([OWN], SUMMARY, [])


@pytest.mark.parametrize(
    ("overlays", "asked"), [([], "the default configuration"), (["a.yaml", "b.yaml"], "CONFIG=a.yaml b.yaml")]
)
def test_a_record_of_another_study_is_named_with_what_was_asked_for(overlays, asked):
    with pytest.raises(UserError, match=f"{FOREIGN} is to run again, but {asked} asks for no such run"):
        require_planned([OWN, FOREIGN], SUMMARY, overlays)


def test_the_command_fails_with_one_sentence_where_a_record_is_of_another_study(tmp_path, monkeypatch, capsys):
    tables = tmp_path / "results" / "tables"
    tables.mkdir(parents=True)
    (tables / "runs.csv").write_text(HEADER + "smoke,m,cpu,0123456789,1,oom\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(SUMMARY)))
    assert main(["results/tables/runs.csv", "--config"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(FOREIGN) and said.err.count("\n") == 1
