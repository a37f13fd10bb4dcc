"""Panels as lines for a terminal: what they say, their figures, their tables, and what has to be known.

Names and texts come from outside: no line has a character that steers a terminal, ends a line or turns
its direction.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pcf_core.report.panels import Panel
from pcf_core.report.parts import cell, said, shown

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 10  # of a table: the answer would scroll away
GAP = "  "  # between columns
STEERING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))  # categories of Unicode
JOINERS = "\u200c\u200d"  # of category Cf too: some scripts need them


def text_lines(panels: Iterable[Panel]) -> list[str]:
    """Write panels one below the other, with an empty line between their blocks; pictures are left out."""
    blocks = [block for panel in panels for block in blocks_of(panel)]
    return [printable(line).rstrip() for block in blocks for line in ("", *block)][1:]


def printable(text: str) -> str:
    """Return a text with a question mark for each character that does more than to be seen."""
    return "".join(
        "?" if unicodedata.category(one) in STEERING and one not in JOINERS else one for one in text
    )


def blocks_of(panel: Panel) -> Iterator[list[str]]:
    """Write what a panel says under its title, its figures, its table, its notes, as far as it has them."""
    title = panel.title or panel.heading
    if findings := said(panel.findings):
        yield [*said([title]), *findings]
    if panel.numbers:
        yield aligned([(one.label, one.value, one.detail) for one in panel.numbers])
    if panel.table and (rows := table_lines(panel.table())):
        yield [*said([panel.table_title]), *rows]
    if notes := said(panel.notes):
        yield [*([] if findings else said([title])), *(f"- {note}" for note in notes)]


def table_lines(table: pd.DataFrame) -> list[str]:
    """Write the first rows of a table, its numbers with three digits; a single row as a list of its cells."""
    if table.empty:
        return []
    columns = [
        (printable(str(name)), *(printable(shown(cell(value))) for value in table.iloc[:MOST_ROWS, place]))
        for place, name in enumerate(table.columns)
    ]
    if len(table) == 1:
        return aligned(columns)
    rest = len(table) - MOST_ROWS
    more = [f"… and {rest:,} more; --json gives all"] if rest > 0 else []
    return [*aligned(list(zip(*columns, strict=True))), *more]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write texts in columns; those that a terminal has no room for stand below, each row named again."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room, blocks, used = shutil.get_terminal_size().columns, [[0]], widths[0]
    for place, width in enumerate(widths[1:], start=1):
        used += len(GAP) + width
        if used > room and len(blocks[-1]) > 1:
            blocks.append([0])
            used = widths[0] + len(GAP) + width
        blocks[-1].append(place)
    lines = [
        ["", *(GAP.join(row[place].ljust(widths[place]) for place in block) for row in rows)]
        for block in blocks
    ]
    return [line for block in lines for line in block][1:]
