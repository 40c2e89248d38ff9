import pytest

from measuring import cgroups
from measuring.cgroups import own_groups


@pytest.fixture
def own(monkeypatch, tmp_path):
    """A function that sets this process's groups, as the kernel lists them, and returns those found below the root."""
    monkeypatch.setattr(cgroups, "CGROUPS", tmp_path / "fs")
    monkeypatch.setattr(cgroups, "OWN_CGROUP", tmp_path / "own")

    def found(text):
        (tmp_path / "own").write_text(text)
        return [group.relative_to(tmp_path / "fs").as_posix() for group in own_groups("cpu")]

    return found


def test_the_groups_of_version_2_come_from_the_innermost_to_the_root(own):
    version_2 = [group for group in own("0::/user/job\n") if not group.startswith("cpu")]
    assert version_2 == ["user/job", "user", "."]


def test_version_1_counts_the_controller_asked_for_alone(own):
    groups = own("4:cpu,cpuacct:/docker/x\n7:memory:/elsewhere\n")
    assert "cpu/docker/x" in groups and "cpu" in groups
    assert not any("elsewhere" in group for group in groups)


def test_a_system_without_groups_leaves_the_root(monkeypatch, tmp_path):
    monkeypatch.setattr(cgroups, "OWN_CGROUP", tmp_path / "absent")
    assert own_groups("cpu") == [cgroups.CGROUPS, cgroups.CGROUPS / "cpu"]
