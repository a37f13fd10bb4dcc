"""A user's own figures of the occupations: a CSV file ``occupation,value[,weight]``."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

from pcf_core.errors import EvidenceError, StoreError
from pcf_core.records import LeftOut
from pcf_core.records.factors import OwnFactor
from pcf_core.topics.reading import label, read_table
from pcf_core.topics.text import check_word, first_duplicate, shown

MOST_ROWS = 20_000
LONGEST_TITLE = 60
SMALLEST, LARGEST = 1e-9, 1e12  # far beyond, sums and squares are no numbers any more
NO_VALUE = "the file gives it no value"


def load_own_factor(path: Path) -> OwnFactor:
    """Figures from a CSV file with the columns ``occupation`` (or ``term``), ``value`` and, if wanted,
    ``weight``; an empty cell is no figure.

    Raises:
        EvidenceError: other columns, an occupation that stands twice, a value or weight that is no finite
            number or whose size is neither 0 nor between 1e-9 and 1e12, a weight that is not above 0, no
            value at all, or over 20,000 rows.
    """
    table = read_table(path, ("occupation", "value"), ("weight",), EvidenceError, {"term": "occupation"})
    name = label(path)
    if len(table) > MOST_ROWS:
        raise EvidenceError(f"{name} has {len(table):,} rows; at most {MOST_ROWS:,} are read.")
    values: dict[str, float] = {}
    weights: dict[str, float] = {}
    left_out: list[LeftOut] = []
    rows = [
        (check_word(row["occupation"], "the occupation", where, EvidenceError), row, where)
        for where, row in table
    ]
    twice = first_duplicate(term.casefold() for term, _, _ in rows)
    if twice is not None:
        raise EvidenceError(f"{name}: the occupation {shown(twice)} stands twice; write it once.")
    for term, row, where in rows:
        value = _number(row["value"], "value", where)
        weight = _number(row.get("weight", ""), "weight", where)
        if weight is not None and weight <= 0:
            raise EvidenceError(
                f"{where}: the weight {shown(row['weight'])} is not above 0; leave unknown ones empty."
            )
        if value is None:
            left_out.append(LeftOut(name=term, reason=NO_VALUE))
            continue
        values[term.casefold()] = value
        if weight is not None:
            weights[term.casefold()] = weight
    if not values:
        raise EvidenceError(f"{name} gives no occupation a value: write one a line, such as nurse,3.5.")
    return OwnFactor(Path(name).stem[:LONGEST_TITLE], values, weights, tuple(left_out))


def read_own_factor(file_name: str, data: bytes) -> OwnFactor:
    """The same from the bytes of an uploaded file; nothing of it is kept.

    Raises:
        EvidenceError: as :func:`load_own_factor`, or another kind of file.
        StoreError: there is no room for temporary files.
    """
    name = label(Path(file_name.replace("/", "-").replace("\\", "-")))[-LONGEST_TITLE:]
    if Path(name).suffix.lower() != ".csv":
        raise EvidenceError(f"{shown(name)} is no .csv file: save the table as one.")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            return load_own_factor(path)
    except OSError as problem:
        raise StoreError(
            f"{name} cannot be put into the folder for temporary files ({problem.strerror}): make room there."
        ) from problem


def _number(text: str, what: str, where: str) -> float | None:
    """A number of an allowed size, ``None`` for an empty cell."""
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise EvidenceError(f"{where}: the {what} {shown(text)} is not a number, such as 12.5.")
    if value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        raise EvidenceError(
            f"{where}: the {what} {shown(text)} is too {'large' if abs(value) > LARGEST else 'close to 0'}; "
            "sizes between 1e-9 and 1e12 are read, so choose another unit."
        )
    return value
