"""Frequency and temperature of the processor at this moment."""

from pathlib import Path
from statistics import fmean

import psutil

from measuring import cores
from measuring.readable import read_int, read_text

CPUINFO = Path("/proc/cpuinfo")
SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")


def cpu_frequency_mhz() -> float | None:
    """Return the mean frequency, MHz, of the CPUs that this process may run on; in a virtual machine often nominal."""
    paths = [cores.CPUS / f"cpu{cpu}" / "cpufreq" / "scaling_cur_freq" for cpu in sorted(cores.affinity())]
    scaled = [kilohertz / 1000 for path in paths if (kilohertz := read_int(path)) is not None]
    return fmean(scaled or listed) if scaled or (listed := _listed_mhz()) else None


def _listed_mhz() -> list[float]:
    lines = (read_text(CPUINFO) or "").splitlines()
    return [float(line.split(":", 1)[1]) for line in lines if line.startswith("cpu MHz")]


def cpu_temperature_c() -> float | None:
    """Return the highest reading, degrees Celsius, of the processor's sensors; None where there are none."""
    read = getattr(psutil, "sensors_temperatures", None)  # absent on macOS
    chips = read() if read is not None else {}
    found = [sensor.current for name in SENSORS for sensor in chips.get(name, []) if sensor.current]
    return max(found, default=None)
