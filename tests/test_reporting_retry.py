from reporting.retry import main, not_ok

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
    main(tmp_path / "runs.csv")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"There is nothing to run again: no {tmp_path}/runs.csv yet. `make run`")


def test_after_a_study_that_ended_well_there_is_nothing_to_retry(tmp_path, capsys):
    (tmp_path / "runs.csv").write_text(HEADER + "paper,m,cpu,0123456789,1,ok\n")
    main(tmp_path / "runs.csv")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("There is nothing to run again: every run of the last study ended well")
