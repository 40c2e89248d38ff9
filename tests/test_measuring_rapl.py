import pytest

from measuring import rapl
from measuring.rapl import Package, find_packages


@pytest.fixture
def zone(monkeypatch, tmp_path):
    """A function that makes a zone of the system's list."""
    monkeypatch.setattr(rapl, "POWERCAP", tmp_path)

    def make(name, kind, range_uj="1000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "name").write_text(f"{kind}\n")
        (tmp_path / name / "energy_uj").write_text("250\n")
        (tmp_path / name / "max_energy_range_uj").write_text(range_uj)

    return make


def test_a_counter_is_read_in_microjoules_with_its_range(zone):
    zone("intel-rapl:0", "package-0")
    (package,) = find_packages()
    assert (package.read_uj(), package.range_uj) == (250, 1000)


def test_packages_come_in_order_and_one_without_range_is_left_out(zone):
    zone("intel-rapl:1", "package-1")
    zone("intel-rapl:0", "package-0")
    zone("intel-rapl:2", "package-2", range_uj="nonsense")
    assert [package.counter.parent.name for package in find_packages()] == ["intel-rapl:0", "intel-rapl:1"]


def test_a_counter_that_cannot_be_read_is_none(tmp_path):
    assert Package(counter=tmp_path / "absent", range_uj=1).read_uj() is None
