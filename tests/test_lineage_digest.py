"""lineage.digest: fingerprints of files and folders, and how paths are spelt."""

import hashlib

import pytest

from lineage.digest import Fingerprint, files_below, fingerprint, relative_name

SHA_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1


def test_a_file_is_identified_by_its_sha256_and_size(tmp_path):
    (tmp_path / "a.txt").write_text("abc")
    assert fingerprint("a.txt", tmp_path) == Fingerprint(file="a.txt", sha256=SHA_OF_ABC, size=3)


def test_a_folder_is_identified_by_the_sorted_list_of_its_files(tmp_path):
    (tmp_path / "d" / "sub").mkdir(parents=True)
    (tmp_path / "d" / "z").write_text("abc")
    (tmp_path / "d" / "sub" / "a").write_text("abc")
    listing = f"{SHA_OF_ABC}  sub/a\n{SHA_OF_ABC}  z\n"
    found = fingerprint("d", tmp_path)
    assert (found.sha256, found.size) == (hashlib.sha256(listing.encode()).hexdigest(), 6)


def test_hidden_files_in_a_folder_do_not_count(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_text("abc")
    before = fingerprint("d", tmp_path)
    (tmp_path / "d" / ".timestamp").write_text("later")
    assert fingerprint("d", tmp_path) == before


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        fingerprint("a.txt", tmp_path)


def test_files_behind_a_linked_folder_are_found(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "a").write_text("")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "data").symlink_to(tmp_path / "disk")
    assert files_below(tmp_path / "results") == [tmp_path / "results" / "data" / "a"]


def test_paths_inside_the_folder_become_relative_and_others_stay(tmp_path):
    assert relative_name(tmp_path / "results" / "a", tmp_path) == "results/a"
    assert relative_name("results/a", tmp_path) == "results/a"
    assert relative_name("../a", tmp_path) == "../a"
    assert relative_name("/elsewhere/a", tmp_path) == "/elsewhere/a"
