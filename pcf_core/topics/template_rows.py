"""One line of a set's file, and what its cells may hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pcf_core.errors import TemplateError
from pcf_core.topics.text import shown

COLUMNS = ("template", "count")
ORIGINS = ("documents", "sources", "examples")
ALIASES: Mapping[str, str] = {"t": "template"} | dict.fromkeys(
    ("proportion", "distribution", "frequency", "times"), "count"
)
COUNT_FORM = "is not a number, such as 12"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a set's file, its text and counts not checked yet.  ``where`` names file and line."""

    where: str
    text: str
    count: float
    documents: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()


def count_of(value: object, where: str) -> float:
    """The number in a cell; whether it can be a count is checked where the set is made.

    Raises:
        TemplateError: it is none.
    """
    try:
        return float(value)  # type: ignore[arg-type]  # whatever it is, it is refused below
    except (ValueError, TypeError, OverflowError) as problem:
        raise TemplateError(f"{where}: the count {shown(value)} {COUNT_FORM}.") from problem


def whole_number(value: object, what: str, where: str) -> int:
    """The whole number in a cell of the column ``what``.

    Raises:
        TemplateError: it is none.
    """
    try:
        number = int(value)  # type: ignore[call-overload]
        if isinstance(value, float) and value != number:
            raise ValueError("it has a fraction")
        return int(number)
    except (ValueError, TypeError, OverflowError) as problem:
        raise TemplateError(
            f"{where}: {what} has {shown(value)}, which is not a whole number, such as 12."
        ) from problem


def sources_of(value: object, where: str) -> dict[str, int]:
    """Counts by source from a cell: ``a:1;b:2``, a map, a table, or nothing.

    Raises:
        TemplateError: something else, or a count that is none.
    """
    if isinstance(value, str):
        parts = [part.rpartition(":") for part in value.split(";") if part]
        pairs: list[Any] = [(_unpacked(name), number) for name, _, number in parts]
    elif isinstance(value, Mapping):
        pairs = [(name, number) for name, number in value.items() if number is not None]
    else:
        pairs = value if isinstance(value, list) else []
    found: Counter[str] = Counter()  # a source may stand twice
    for pair in pairs:
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2):
            raise TemplateError(
                f"{where}: sources has {shown(pair)}; write a source with its count, such as enwiki:12."
            )
        found[str(pair[0])] += whole_number(pair[1], "sources", where)
    return dict(found)


def examples_of(value: object) -> tuple[str, ...]:
    """Examples from a cell: ``a@1;b@2``, a list, or nothing."""
    if isinstance(value, str):
        return tuple(_unpacked(part) for part in value.split(";") if part)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def packed(name: str) -> str:
    """A name without a semicolon; a per cent sign is written only where it would be read as ours."""
    return re.sub("%(?=25|3B)", "%25", name).replace(";", "%3B")


def _unpacked(name: str) -> str:
    return name.replace("%3B", ";").replace("%25", "%")
