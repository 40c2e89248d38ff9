"""CPUs named in words."""


def cpu_set(cpus: str) -> set[int]:
    """Return the CPUs that a list names, written as for `taskset`: 0-2,5."""
    ranges = [[int(end) for end in part.split("-")] for part in cpus.split(",")]
    return {cpu for ends in ranges for cpu in range(ends[0], ends[-1] + 1)}
