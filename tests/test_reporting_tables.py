import pandas as pd
import pytest

from lineage.job import UserError
from reporting.tables import known, read_table, write_table


def test_numbers_are_written_unrounded_and_none_as_an_empty_cell(tmp_path):
    write_table([{"a": 0.1 + 0.2, "b": None, "c": 3}], ("a", "b", "c"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,b,c\n0.30000000000000004,,3\n"


def test_a_table_without_rows_has_its_header_only(tmp_path):
    write_table([], ("a", "b"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "a,b\n"
    assert read_table(tmp_path / "t.csv", ("a", "b")).empty


def test_a_device_called_na_is_no_empty_cell(tmp_path):
    write_table([{"device": "NA"}], ("device",), tmp_path / "t.csv")
    assert list(read_table(tmp_path / "t.csv", ("device",))["device"]) == ["NA"]


@pytest.mark.parametrize("content", ["", "a\n1\n"])
def test_a_damaged_table_is_refused_with_what_to_do(tmp_path, content):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(UserError, match=r"t\.csv: .*delete the file and run again"):
        read_table(tmp_path / "t.csv", ("a", "b"))


def test_known_values_are_distinct_and_keep_their_order():
    assert known(pd.Series(["b", None, "a", "b"])) == ["b", "a"]


def test_a_table_of_many_columns_can_be_added_to_without_a_warning(tmp_path, recwarn):
    columns = [f"column_{number}" for number in range(150)]
    write_table([dict.fromkeys(columns, 1)], columns, tmp_path / "wide.csv")
    read_table(tmp_path / "wide.csv", columns).assign(another=1)
    assert [str(warning.message) for warning in recwarn] == []
