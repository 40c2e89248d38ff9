"""The record of a run and its two timing tables, as files."""

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from measuring.surroundings import SURROUNDINGS
from measuring.training import Epoch

EPOCH_COLUMNS = [
    "epoch",
    "images",
    "steps",
    "learning_rate",
    "train_s",
    "event_train_s",
    "first_batch_s",
    "eval_s",
    "train_loss",
    "test_loss",
    "test_accuracy",
    *SURROUNDINGS,
]
STEP_COLUMNS = ["epoch", "step", "images", "step_s"]


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write a record as JSON, whole or not at all; numbers that are not finite are refused with ValueError."""
    _write(path, (json.dumps(record, indent=1, allow_nan=False) + "\n").encode())


def write_epochs(path: Path, epochs: list[Epoch]) -> None:
    """Write one row an epoch, with what was seen around its window; None becomes an empty field."""
    rows = [vars(epoch) | vars(epoch.observation.surroundings) for epoch in epochs]
    _write(path, _csv(EPOCH_COLUMNS, ([row[column] for column in EPOCH_COLUMNS] for row in rows)))


def write_steps(path: Path, epochs: list[Epoch]) -> None:
    """Write one row a step, gzipped without a time stamp so that equal samples give equal bytes."""
    rows = (
        [epoch.epoch, number, images, f"{seconds:.9f}"]
        for epoch in epochs
        for number, (images, seconds) in enumerate(zip(epoch.step_images, epoch.step_s, strict=True), start=1)
    )
    _write(path, gzip.compress(_csv(STEP_COLUMNS, rows), mtime=0))


def _csv(columns: list[str], rows: Iterable[list[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
