"""Read the record and the epoch table of one run, and refuse what was damaged or edited."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from lineage.intact import require_intact
from lineage.job import UserError
from reporting.tables import EPOCH_MEASURES, TEXT_COLUMNS

Record = dict[str, Any]
REMEDY = "delete the file and run again to measure it anew"
DAMAGED = "damaged"
"""What the tables give as status of a run whose record was truncated or edited; its numbers are nowhere used."""


def place(path: str | Path) -> str:
    """The run that a record is of by its path: recipe/model/device/key/repeat."""
    return "/".join(Path(path).with_suffix("").parts[-5:])


def damaged(error: UserError) -> dict[str, str]:
    """The columns of a run whose record cannot be used, said on the terminal too; the other runs go on."""
    print(error, file=sys.stderr, flush=True)
    return {"status": DAMAGED, "status_reason": str(error)}


def read_schema(path: str | Path, *others: str | Path) -> Draft202012Validator:
    """The validator of records from a file of workflow/schemas; `others` are files that it refers to by their name."""
    resources = ((Path(other).name, DRAFT202012.create_resource(_load(other))) for other in others)
    return Draft202012Validator(_load(path), registry=Registry().with_resources(resources))


def _load(path: str | Path) -> Any:
    return yaml.safe_load(Path(path).read_text(encoding="utf-8"))


def read_record(path: str | Path, schema: Draft202012Validator) -> Record:
    """Read and validate the record of one run.

    Raises:
        UserError: as `read_valid`, or the clocks do not fit the mode.
    """
    record = read_valid(path, schema)
    _check_clocks(path, record)
    return record


def read_valid(path: str | Path, schema: Draft202012Validator) -> Record:
    """Read one record of any kind.

    Raises:
        UserError: the file is truncated, is not JSON, breaks the schema, or was edited after the run; names the file
            and, where it can, field and value.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except ValueError as error:  # also covers JSONDecodeError and UnicodeDecodeError
        raise UserError(f"{path}: expected a complete JSON record ({error}): {REMEDY}.") from None
    errors = sorted(schema.iter_errors(record), key=lambda error: [str(part) for part in error.absolute_path])
    if errors:
        raise UserError(f"{path}: {_explain(errors[0])}: {REMEDY}.")
    require_intact(path, REMEDY)
    return dict(record)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _explain(error: ValidationError) -> str:
    field = ".".join(str(part) for part in error.absolute_path) or "the record"
    if error.validator in ("required", "additionalProperties"):
        return f"{field}: {error.message}"
    return f"{field} is {_shorten(error.instance)}, expected {error.validator} {_shorten(error.validator_value)}"


def _shorten(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _check_clocks(path: str | Path, record: Record) -> None:
    """A run that ended well has exactly the clock of its mode: what the schema cannot say."""
    present, absent = ("train_s", "projected_train_s")
    if record["mode"] == "estimated":
        present, absent = absent, present
    if record["status"] == "ok" and record[present] is None:
        raise UserError(f"{path}: {present} is null, expected seconds in an ok {record['mode']} run: {REMEDY}.")
    if record["status"] == "ok" and record[absent] is not None:
        value = record[absent]
        raise UserError(f"{path}: {absent} is {value}, expected null in an ok {record['mode']} run: {REMEDY}.")


def setting(path: str | Path, record: Record, part: str, name: str) -> Any:
    """One value of the settings that ran, such as `setting(path, record, "recipe", "epochs")`.

    Raises:
        UserError: the settings do not name it.
    """
    try:
        return record["settings"][part][name]
    except KeyError:
        raise UserError(f"{path}: settings.{part}.{name} is missing, expected a value: {REMEDY}.") from None


def read_epochs(path: str | Path, record: Record) -> pd.DataFrame:
    """The epoch table of one run, one row an epoch, columns EPOCH_MEASURES, an empty cell is NaN.

    Raises:
        UserError: a column is missing or not numeric, there are fewer rows than complete epochs, or the table was
            edited after the run.
    """
    try:
        text = dict.fromkeys(TEXT_COLUMNS.intersection(EPOCH_MEASURES), object)
        frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: expected a CSV table with one row an epoch ({error}): {REMEDY}.") from None
    _check_columns(path, frame, EPOCH_MEASURES)
    done = record["epochs_done"]
    if len(frame) < done:
        raise UserError(f"{path}: holds {len(frame)} epochs, expected the {done} of its record: {REMEDY}.")
    require_intact(path, REMEDY)
    return frame


def _check_columns(path: str | Path, frame: pd.DataFrame, columns: Sequence[str]) -> None:
    if list(frame.columns) != list(columns):
        raise UserError(f"{path}: columns are {list(frame.columns)}, expected {list(columns)}: {REMEDY}.")
    for column in (name for name in columns if name not in TEXT_COLUMNS):
        numbers = pd.to_numeric(frame[column], errors="coerce")
        wrong = frame[column][numbers.isna() & frame[column].notna()]
        if len(wrong):
            raise UserError(f"{path}: {column} is {wrong.iloc[0]!r}, expected a number: {REMEDY}.")
