"""lineage.place: where a recorded name lies once the results were copied, moved or renamed."""

from pathlib import Path

import pytest

from lineage.place import Place, name_of_folder, place_of

MOVED = Place(name="results", folder=Path("/copy/ours"))


@pytest.mark.parametrize(
    ("recorded", "path"),
    [
        ("results/runs/1.json", "/copy/ours/runs/1.json"),
        ("results", "/copy/ours"),
        ("resources/facts.yaml", "/copy/resources/facts.yaml"),
        ("results-of-another/1.json", "/copy/results-of-another/1.json"),
        ("/data/images", "/data/images"),
    ],
)
def test_what_lay_in_the_results_lies_in_the_copy_and_the_rest_beside_it(recorded, path):
    assert MOVED.path(recorded) == Path(path)
    assert MOVED.holds(recorded) == (recorded.split("/")[0] == "results")


def test_a_path_in_the_copy_has_the_recorded_name():
    assert MOVED.recorded(Path("/copy/ours/runs/1.json")) == "results/runs/1.json"


@pytest.mark.parametrize(
    ("recorded", "path", "name", "folder"),
    [
        ("results/tables/a.csv", "/w/results/tables/a.csv", "results", "/w/results"),
        ("results/tables/a.csv", "/ours/tables/a.csv", "results", "/ours"),
        ("study/results/a.csv", "/w/study/results/a.csv", "study", "/w/study"),
        ("a.csv", "/w/a.csv", ".", "/w"),
    ],
)
def test_the_place_of_a_file_follows_from_its_name_and_where_it_lies(recorded, path, name, folder):
    assert place_of(recorded, Path(path)) == Place(name=name, folder=Path(folder))


@pytest.mark.parametrize("path", ["/w/results/tables/b.csv", "/w/results/figures/a.csv"])
def test_a_file_that_lies_elsewhere_than_recorded_has_no_place(path):
    assert place_of("results/tables/a.csv", Path(path)) is None


def test_a_folder_deeper_than_the_recorded_name_has_no_name():
    assert name_of_folder("a.csv", Path("/w/results/tables/a.csv"), Path("/w")) is None
    assert name_of_folder("study/results/tables/a.csv", Path("/w/tables/a.csv"), Path("/w")) == "study/results"
