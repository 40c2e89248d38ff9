"""The pattern of a file's path, with wildcards in place of their values."""

from collections.abc import Mapping


def pattern_of(file: str, wildcards: Mapping[str, object]) -> str:
    """Return `runs/{model}/{repeat}.csv` for `runs/resnet18/1.csv`, given the values of the wildcards.

    A wildcard stands for a whole part of the path or for what comes before its first dot; of two with the same value
    the one that is named first comes first.
    """
    left = {name: str(value) for name, value in wildcards.items()}
    return "/".join(_part(part, left) for part in file.split("/"))


def _part(part: str, left: dict[str, str]) -> str:
    for name, value in left.items():
        if part == value or part.startswith(f"{value}."):
            del left[name]
            return f"{{{name}}}{part[len(value) :]}"
    return part
