"""Numbers in a column of a table: a point or a comma for decimals, as the whole column shows it.

``1.234`` is 1234 in a German file and a little over 1 in an English one.  One cell with another number of
decimals, or with a 0 in front, tells for the column; without one the number is refused rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self, SupportsFloat

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import tell
from pcf_core.material.safety.text import shown

EITHER = re.compile(r"[+-]?(?!0)\d{1,3}[.,]\d{3}")  # thousands, or three decimals
WITH_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
GROUPED = re.compile(  # digits in groups of three, in India of two; the second separator is that of decimals
    r"[+-]?\d{1,3}(?P<group>[.,'’\s])(?:\d{2,3}(?P=group))*\d{3}(?:(?!(?P=group))(?P<decimal>[.,])\d+)?"
)
NONE = frozenset(("na", "n/a", "n.a.", "#n/a", "nan", "none", "null", "-", "–", "—", "?", ".", "..", "*"))
LEAVE_EMPTY = "leave the cell empty if there is none"
FORM = "is not a number, such as 12"
MEND = "write numbers without thousands separators, and decimals with a point"


@dataclass(frozen=True)
class NumberColumn:
    """How the numbers of a column are written; ``decimal`` is empty where no cell shows it.

    ``what`` names one of them, such as "weight"; ``missing`` says what to do where there is none.
    """

    what: str
    missing: str
    error: type[InputError]
    decimal: Literal[".", ",", ""]

    @classmethod
    def of(
        cls, cells: Iterable[object], name: str, what: str, error: type[InputError], *,
        missing: str = "remove the row",
    ) -> Self:  # fmt: skip
        """Find out how the cells of a column are written; tell of a comma."""
        decimal = _decimal_of(cells)
        if decimal == ",":
            tell(f"The numbers of {name} have a decimal comma.")
        return cls(what, missing, error, decimal)

    def number(self, cell: object, where: str) -> float:
        """Return the number in a cell that is not empty.

        Raises
        ------
        InputError
            (the column's own kind) not a number, or one that can be read in two ways.
        """
        if (number := self.number_or_none(cell)) is not None:
            return number
        raise self.error(f"{where}: the {self.what} {self._fault(cell)}.")

    def number_or_none(self, cell: object) -> float | None:
        """Return the number in a cell, ``None`` where it cannot be read with certainty."""
        if not isinstance(cell, str):
            try:
                return float(cell) if isinstance(cell, SupportsFloat) else None
            except (ValueError, OverflowError):
                return None
        text = cell.strip()
        if self.decimal == ",":
            if "." in text:
                return None
            text = text.replace(",", ".") if WITH_COMMA.fullmatch(text) else text
        elif not self.decimal and EITHER.fullmatch(text):
            return None
        return _float(text)

    def _fault(self, cell: object) -> str:
        """Say what is wrong with a cell, and what to do."""
        text = cell.strip() if isinstance(cell, str) else ""
        quoted = shown(cell)
        if EITHER.fullmatch(text) and not self.decimal:
            whole, part = re.split("[.,]", text)
            decimals = f"{whole}.{part.rstrip('0') or '0'}"
            as_decimals = f"{decimals}0" if len(part.rstrip("0")) == len(part) else decimals
            return (
                f"{quoted} may be {whole}{part} or {decimals}: write numbers without thousands separators, "
                f"as {whole}{part}, and decimals with a point and not exactly three digits, as {as_decimals}"
            )
        if self.decimal == "," and "." in text and _float(text) is not None:
            return f"{quoted} has a point, but other numbers of the column have a decimal comma: {MEND}"
        if self.decimal == "." and WITH_COMMA.fullmatch(text):
            return f"{quoted} has a comma, but other numbers of the column have a decimal point: {MEND}"
        if grouped := GROUPED.fullmatch(text):
            plain = text.replace(grouped["group"], "")
            plain = plain if self.decimal == "," else plain.replace(",", ".")
            return f"{quoted} has thousands separators: write {plain}"
        if re.fullmatch(r"[+-]?[\d.,]+\s*%", text):
            return f"{quoted} {FORM}: remove the per cent sign"
        if not text or text.casefold() in NONE:
            return f"{quoted} {FORM}: {self.missing}"
        return f"{quoted} {FORM}"


def _decimal_of(cells: Iterable[object]) -> Literal[".", ",", ""]:
    """Return the sign that stands before decimals, empty where no cell shows it."""
    comma = False
    for cell in cells:
        text = cell.strip() if isinstance(cell, str) else ""
        if not ("." in text or "," in text) or EITHER.fullmatch(text):
            continue
        if WITH_COMMA.fullmatch(text):
            comma = True
        elif _float(text) is not None:
            return "."
        elif grouped := GROUPED.fullmatch(text):
            if grouped["decimal"] == ".":
                return "."
            comma |= grouped["decimal"] == ","
    return "," if comma else ""


def as_text(cell: object) -> str:
    """Write a cell of a column of numbers as a text; a number as one that is read as the same there.

    Three decimals get a fourth, because they could be thousands.
    """
    text = str(cell)
    return f"{text}0" if not isinstance(cell, str) and EITHER.fullmatch(text) else text


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
