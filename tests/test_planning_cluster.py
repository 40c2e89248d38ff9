import pytest

from configs import DEFAULT
from lineage.job import UserError
from planning import cluster


def test_a_list_of_devices_is_taken_as_it_is():
    cluster.require_listed_devices(["cpu", "cuda"])


def test_auto_devices_would_be_those_of_the_submitting_machine():
    with pytest.raises(UserError, match=r"config\.study\.devices is auto, .* list the devices by name"):
        cluster.require_listed_devices("auto")


def test_threads_counted_on_the_submitting_machine_are_announced(monkeypatch):
    monkeypatch.setattr(cluster, "wanted_threads", lambda requested: 8)
    devices = DEFAULT["devices"] | {"fixed": {"threads": 16}}
    (line,) = cluster.guessed_threads(devices, ["cpu", "fixed"])
    assert line.startswith("config.devices.cpu.threads is auto: its jobs ask for 8 CPUs")
