import pytest

from configs import ROOT
from lineage.job import UserError
from planning.config_files import check_config_file, main


def refusal(folder, content):
    path = folder / "mine.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        check_config_file(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_the_files_that_we_ship_are_accepted(path):
    assert check_config_file(path)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "a: [1\nmodels: 3\n",
            "mine.yaml, line 2, column 7: this is not YAML (while parsing a flow sequence in line 1:",
        ),
        ("a: 1\n  b: 2\n", "mine.yaml, line 2, column 4: this is not YAML (mapping values are not allowed here)"),
        ("a:\n  seed: 1\n  repeats 3\n", "(while scanning a simple key in line 3: could not find expected ':')"),
        ('a: "open\nb: 3\n', "(while scanning a quoted scalar in line 1: found unexpected end of stream)"),
        ("a: @x\n", "mine.yaml, line 1, column 4: this is not YAML"),
        ("a: *nowhere\n", "mine.yaml, line 1, column 4: this is not YAML (found undefined alias 'nowhere')"),
        ("a: 1\n---\nb: 2\n", "mine.yaml, line 2, column 1: this is not YAML"),
        (
            "a:\n\tb: 1\n",
            "mine.yaml, line 2: a tab indents the line, YAML knows spaces only: replace the tab by spaces.",
        ),
        ("a:\n  b: 1\n\tc: 1", "mine.yaml, line 3: a tab indents the line"),
        ("a: 2026-13-45\n", "mine.yaml, line 1, column 4: this is not YAML (month must be in 1..12)"),
        ("a: 1\nb: !!python/object/apply:os.getpid []\n", "mine.yaml, line 2, column 4: this is not YAML"),
        ("? [a, b]\n: 3\n", "found unhashable key"),
        ("- a\n- b\n", "mine.yaml, line 1 begins a list, expected keys such as `study:`"),
        ("# nothing\n\ntext\n", "mine.yaml, line 3 begins a single value, expected keys such as `study:`"),
        (
            "study:\n  repeats: 1\nstudy:\n  seed: 3\n",
            "mine.yaml, line 3: the key `study` stands there for the second time, first in line 1, and YAML would drop",
        ),
        (
            "a: [{b: 1,\n c: 2, b: 3}]\n",
            "mine.yaml, line 2: the key `b` stands there for the second time, first in line 1",
        ),
        (
            "a: 1\n# caf\xe9\n".encode("latin-1"),
            "mine.yaml, line 2: the byte 0xe9 is not UTF-8, perhaps a letter in Latin",
        ),
        ("a: 1\n".encode("utf-16"), "mine.yaml is written in UTF-16, expected UTF-8: save it as UTF-8."),
        ("a: 1\nb: \0\n", "mine.yaml, line 2: has the character '\\x00', expected text: remove it."),
        ("a: &a [*a]\n", "mine.yaml, line 1: an alias repeats without end: write its values out."),
        ("a: " + 3000 * "[" + 3000 * "]", "mine.yaml is nested too deeply: write it flat, as config/config.yaml is."),
    ],
)
def test_a_file_that_is_no_mapping_in_yaml_is_refused_with_its_line(tmp_path, content, sentence):
    assert sentence in refusal(tmp_path, content)


def test_aliases_of_aliases_are_refused_before_they_are_written_out(tmp_path):
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    assert "an alias repeats without end" in refusal(tmp_path, "\n".join(lines))


def test_a_mark_of_byte_order_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "mine.yaml").write_text("study: {seed: 1}\n", encoding="utf-8-sig")
    assert check_config_file(tmp_path / "mine.yaml")


def test_a_file_that_is_not_there_is_compared_with_those_that_are(tmp_path):
    (tmp_path / "fast.yaml").touch()
    with pytest.raises(UserError, match=r"fst\.yaml does not exist; did you mean .*fast\.yaml\?"):
        check_config_file(tmp_path / "fst.yaml")


def test_a_folder_is_answered_with_the_files_in_it(tmp_path):
    (tmp_path / "fast.yaml").touch()
    with pytest.raises(UserError, match=r"is a folder: name a configuration file, such as .*fast\.yaml\."):
        check_config_file(tmp_path)


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "---\n"])
def test_an_empty_overlay_changes_nothing(tmp_path, content, capsys):
    empty, full = tmp_path / "empty.yaml", tmp_path / "full.yaml"
    empty.write_text(content)
    full.write_text("study: {seed: 1}\n")
    assert main([str(empty), str(full)]) == 0
    assert capsys.readouterr().out == f"{full}\n"


def test_the_command_ends_with_the_sentence(tmp_path, capsys):
    assert main([str(tmp_path / "none.yaml")]) == 1
    assert "none.yaml does not exist" in capsys.readouterr().err
