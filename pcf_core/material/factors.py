"""Labour statistics of the occupations, from ``assets/factors/occupations_us.csv``.

United States, 2021: employment in thousands and median annual wage (Bureau of Labor Statistics), women's
share (Current Population Survey), mean years of education (2018), frequency of the word in Wikipedia; each
with year and source.  ``match`` says how well the term fits its line: exact, close, broad or none.
``tools/derive_factors.py`` makes the file.

Also a user's own figures, a table ``occupation,value[,weight]``; and shipped tables as records: a damaged
one is restored, not corrected.

**What the mini models read about each occupation, from ``assets/factors/read_gender.csv`` and its card.**
``tools/count_read.py`` makes both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from pcf_core.core.errors import EvidenceError, InputError
from pcf_core.core.factors import Matching, OwnFactor, ReadCard, ReadCount, ReadTable
from pcf_core.core.records import LeftOut, Record, first_problem
from pcf_core.core.settings import settings
from pcf_core.material.safety.decimals import FORM, LEAVE_EMPTY, NumberColumn
from pcf_core.material.safety.entries import read_only_table
from pcf_core.material.safety.reading import label, read_toml, upload_label, uploaded
from pcf_core.material.safety.tables import Accepted, Column, read_table
from pcf_core.material.safety.text import check_once, check_word, shown
from pcf_core.material.safety.understood import show_entries

# A user's own figures of the occupations: a table ``occupation,value[,weight]``.


ACCEPTED = Accepted(
    "your own figures of occupations",
    (
        Column("occupation", "an occupation", ("term", "profession", "job", "job title", "title")),
        Column("value", "its figure", is_number=True),
        Column("weight", "how much it counts", needed=False, is_number=True),
    ),
    toml=False,
)
MOST_ROWS = 20_000
LONGEST_TITLE = 60
SMALLEST, LARGEST = 1e-9, 1e12  # far beyond, sums and squares are no numbers any more
NO_VALUE = "the file has no value for it"


def load_own_factor(path: Path) -> OwnFactor:
    """Load figures from a table.

    Its columns are ``occupation``, ``value`` and, if wanted, ``weight``; an empty cell is no figure.
    """
    table = read_only_table(path, ACCEPTED, EvidenceError)
    name = label(path)
    show_entries(name, len(table), lambda index: table[index][1])
    if len(table) > MOST_ROWS:
        raise EvidenceError(f"{name} has {len(table):,} rows; at most {MOST_ROWS:,} are allowed.")
    values: dict[str, float] = {}
    weights: dict[str, float] = {}
    left_out: list[LeftOut] = []
    rows = [
        (check_word(row["occupation"], "the occupation", where, EvidenceError), row, where)
        for where, row in table
    ]
    check_once((term.casefold() for term, _, _ in rows), "occupation", name, EvidenceError)
    values_written, weights_written = (
        NumberColumn.of(
            (row.get(what, "") for _, row in table), name, what, EvidenceError, missing=LEAVE_EMPTY
        )
        for what in ("value", "weight")
    )
    for term, row, where in rows:
        value = _number(row["value"], values_written, where)
        weight = _number(row.get("weight", ""), weights_written, where)
        if weight is not None and weight <= 0:
            raise EvidenceError(
                f"{where}: the weight {shown(row['weight'])} is not above 0: give a positive number, or "
                "leave an unknown weight empty."
            )
        if value is None:
            left_out.append(LeftOut(name=term, reason=NO_VALUE))
            continue
        values[term.casefold()] = value
        if weight is not None:
            weights[term.casefold()] = weight
    if not values:
        raise EvidenceError(
            f"{name} has no value for any occupation: write one occupation per line, such as nurse,3.5."
        )
    return OwnFactor(Path(name).stem[:LONGEST_TITLE], values, weights, tuple(left_out))


def read_own_factor(file_name: str, data: bytes) -> OwnFactor:
    """Read the same from the bytes of an uploaded file; nothing of it is kept.

    Raises
    ------
    EvidenceError
        As :func:`load_own_factor`, or another kind of file.
    StoreError
        There is no room for temporary files.
    """
    name = upload_label(file_name)
    with uploaded(name, data) as path:
        return load_own_factor(path)


def _number(text: str, column: NumberColumn, where: str) -> float | None:
    """Read a number of an allowed size; return ``None`` for an empty cell."""
    if not text.strip():
        return None
    value = column.number(text, where)
    if not math.isfinite(value):
        raise EvidenceError(f"{where}: the {column.what} {shown(text)} {FORM}: {LEAVE_EMPTY}.")
    if value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        size = "large" if abs(value) > LARGEST else "close to 0"
        raise EvidenceError(
            f"{where}: the {column.what} {shown(text)} is too {size}; values must be between 1e-9 and 1e12 "
            "in size, so choose another unit."
        )
    return value


# What the mini models read about each occupation, from ``assets/factors/read_gender.csv`` and its card.


FILE_NAME = "read_gender.csv"


def read_counts() -> ReadTable:
    """Load the counts of every word of the shipped lists and of a few more.

    Raises
    ------
    EvidenceError
        The table or its card is missing or damaged.
    """
    path = settings().assets / "factors" / FILE_NAME
    rows = read_table(path, tuple(ReadCount.model_fields), (), EvidenceError)
    card = read_toml(path.with_suffix(".toml"), tuple(ReadCard.model_fields), EvidenceError)
    try:
        counts = [ReadCount.model_validate(row) for _, row in rows]
        return ReadTable(ReadCard.model_validate(card), {one.occupation.casefold(): one for one in counts})
    except ValidationError as problem:
        raise EvidenceError(
            f"{label(path)} or its card is damaged ({first_problem(problem)}): restore it from the "
            "repository."
        ) from problem


# Tables that the app ships, as records: a damaged one is restored, not corrected.


R = TypeVar("R", bound=Record)


def read_records(path: Path, record: type[R], error: type[InputError]) -> tuple[R, ...]:
    """Read the rows of a CSV file with a column for each field; an empty cell is the field's default."""
    rows = read_table(path, tuple(record.model_fields), (), error)
    try:
        return tuple(
            record.model_validate({name: cell for name, cell in row.items() if cell}) for _, row in rows
        )
    except ValidationError as problem:
        raise error(
            f"{label(path)} is damaged ({first_problem(problem)}): restore it from the repository."
        ) from problem


USED = ("exact", "close")


class Factor(Record):
    """What the statistics say about one occupation; ``None`` or empty where they say nothing.

    ``bls_title`` is the line of the statistics; several terms may share one.  ``women_share``: 0 to 1.
    """

    term: str
    match: Literal["exact", "close", "broad", "none"]
    note: str = ""
    bls_title: str = ""
    soc_code: str = ""
    employment_thousands: float | None = Field(None, gt=0)
    employment_year: int | None = None
    employment_source: str = ""
    women_share: float | None = Field(None, ge=0, le=1)
    women_share_basis: str = ""
    women_share_year: int | None = None
    women_share_source: str = ""
    median_annual_wage_usd: float | None = Field(None, gt=0)
    wage_top_coded: bool | None = None
    wage_year: int | None = None
    wage_source: str = ""
    mean_education_years: float | None = Field(None, gt=0)
    education_year: int | None = None
    education_source: str = ""
    word_frequency: int | None = Field(None, ge=0)
    word_frequency_year: str = ""
    word_frequency_source: str = ""

    @property
    def used(self) -> bool:
        """Whether the figures may stand for the term: exact and close matches only."""
        return self.match in USED


def why_unused(factor: Factor | None, matching: Matching = "close") -> str:
    """Say why a term has no figures of its own under a matching."""
    if factor is None:
        return "it is not in the table of US occupations"
    if factor.match == "close" and matching == "exact":
        return f"the US statistics have a similar but not identical occupation, {factor.bls_title}"
    if factor.match == "broad":
        return f"the US statistics only have a wider category, {factor.bls_title}"
    return factor.note or "the US statistics have no such occupation"


def factors() -> Mapping[str, Factor]:
    """Load term (lower case) -> its figures, for every term of the shipped lists.

    Raises
    ------
    EvidenceError
        The file in the assets folder is missing or damaged.
    """
    path = settings().assets / "factors" / "occupations_us.csv"
    return _factors(path, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=1)
def _factors(path: Path, changed: int) -> Mapping[str, Factor]:
    """Read the figures, anew once the file has changed: a page asks for them a dozen times."""
    rows = read_records(path, Factor, EvidenceError)
    return MappingProxyType({factor.term.casefold(): factor for factor in rows})
