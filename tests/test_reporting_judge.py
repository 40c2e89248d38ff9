"""reporting.judge: replication.csv as a whole; the claims and audits have files of their own."""

import pytest

from breakdowns import five
from records import side, tables
from reporting.tables import REPLICATION_COLUMNS, read_table

RUNS = [*side("cpu", 0, 1), *side("cuda", 1, 0.3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("judged"), RUNS, five())


def read(folder):
    return read_table(folder / "replication.csv", REPLICATION_COLUMNS)


def test_claims_come_first_then_the_audit_of_the_studys_table(folder):
    kinds = read(folder)["kind"].tolist()
    assert sorted(set(kinds)) == ["audit", "claim"]
    assert kinds == sorted(kinds, key=["claim", "audit"].index)


def test_every_row_has_a_verdict_with_its_reason_and_what_was_stated(folder):
    frame = read(folder)
    assert frame[["claim", "statement", "verdict", "reason", "evidence"]].notna().all(axis=None)
    claims = frame.loc[frame["kind"] == "claim", "verdict"]
    assert set(claims) <= {"confirmed", "not confirmed", "inconclusive", "not testable"}
    assert not frame.duplicated(["kind", "claim", "model", "recipe", "cpu_device", "gpu_device"]).any()


def test_claims_name_the_tables_that_show_them_and_audits_the_published_facts(folder):
    frame = read(folder).set_index("claim")["evidence"]
    names = {claim: [name.rsplit("/")[-1] for name in text.split(";")] for claim, text in frame.items()}
    assert names["ratio"] == ["speedup.csv", "runs.csv"]
    assert names["parity"] == ["parity.csv", "runs.csv"]
    assert "breakdown.csv" in names["transfer_share"]
    assert all("li2026.yaml" in files for claim, files in names.items() if claim.startswith("audit_"))


def test_the_breakdowns_of_the_study_decide_the_claims_about_parts_of_a_step(folder, tmp_path):
    def verdicts(tables_folder):
        frame = read(tables_folder)
        return set(frame.loc[frame["claim"] == "transfer_share", "reason"])

    assert verdicts(folder) != verdicts(tables(tmp_path, RUNS))


def test_without_any_run_the_table_still_has_a_row_for_every_claim_and_audit(folder, tmp_path):
    empty = read(tables(tmp_path, []))
    claims = set(read(folder)["claim"]) - {"superlinear_segment"}
    assert claims >= set(empty["claim"]) >= {claim for claim in claims if claim.startswith("audit_")}
    assert set(empty.loc[empty["kind"] == "claim", "verdict"]) == {"not testable"}
