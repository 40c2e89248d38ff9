from reporting.audit_row import audit_row


def test_a_row_of_the_audit_is_named_as_one_and_lists_its_evidence():
    row = audit_row("ratio", "It is 2.", "2.0", 1.98, "CPU / GPU", "confirmed", "115 / 58", "simple_cnn", ("a.csv",))
    assert row["claim"] == "audit_ratio"
    assert (row["stated"], row["ours"], row["evidence"]) == ("2.0", 1.98, ["a.csv"])


def test_without_files_beside_the_studys_the_evidence_is_empty():
    assert audit_row("x", "s", 1, None, "u", "v", "r", "m")["evidence"] == []
