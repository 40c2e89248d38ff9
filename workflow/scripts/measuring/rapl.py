"""The processors' own energy counters (RAPL), as Linux shows them in /sys/class/powercap: often to root only."""

from dataclasses import dataclass
from pathlib import Path

from measuring.readable import read_int, read_text

POWERCAP = Path("/sys/class/powercap")


@dataclass(frozen=True, kw_only=True)
class Package:
    """One processor package and the largest value of its counter, in microjoules."""

    counter: Path
    range_uj: int

    def read_uj(self) -> int | None:
        """Return the counter, which starts again at 0 after its largest value; None when it cannot be read."""
        return read_int(self.counter)


def find_packages() -> list[Package]:
    """Return the packages; not their parts (core, uncore, dram) and not `psys`, which would be counted twice."""
    zones = [zone for zone in sorted(POWERCAP.glob("intel-rapl:*")) if zone.name.count(":") == 1]
    named = [zone for zone in zones if (read_text(zone / "name") or "").startswith("package")]
    return [
        Package(counter=zone / "energy_uj", range_uj=range_uj)
        for zone in named
        if (range_uj := read_int(zone / "max_energy_range_uj"))
    ]
