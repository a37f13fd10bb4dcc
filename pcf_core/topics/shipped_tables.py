"""Tables that the app ships, as records: a damaged one is restored, not corrected."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from pcf_core.errors import InputError
from pcf_core.records import Record
from pcf_core.topics.reading import label, read_table

R = TypeVar("R", bound=Record)


def read_records(path: Path, record: type[R], error: type[InputError]) -> tuple[R, ...]:
    """The rows of a CSV file with a column for each field; an empty cell is the field's default.

    Raises:
        error: the file is missing or damaged.
    """
    rows = read_table(path, tuple(record.model_fields), (), error)
    try:
        return tuple(
            record.model_validate({name: cell for name, cell in row.items() if cell}) for _, row in rows
        )
    except ValidationError as problem:
        first = problem.errors()[0]
        raise error(
            f"{label(path)} is damaged ({first['loc'][0]}: {first['msg']}): restore it from the repository."
        ) from problem
