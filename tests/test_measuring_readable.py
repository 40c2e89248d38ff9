import pytest

from measuring.readable import read_cpu_list, read_int, read_text


def test_what_is_not_there_is_none_and_never_zero(tmp_path):
    assert read_text(tmp_path / "absent") is read_int(tmp_path / "absent") is None
    (tmp_path / "empty").write_text("\n")
    assert read_text(tmp_path / "empty") is read_int(tmp_path / "empty") is None


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8\n", {0, 1, 2, 3, 8}), ("5", {5}), ("", set())])
def test_a_list_of_cpus_is_read(tmp_path, text, cpus):
    (tmp_path / "cpus").write_text(text)
    assert read_cpu_list(tmp_path / "cpus") == cpus
