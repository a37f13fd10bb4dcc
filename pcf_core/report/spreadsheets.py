"""Tables as CSV, of which a spreadsheet computes nothing.

Names, words and texts come from users' files and from models.  A cell or a column's name that begins like a
formula gets an apostrophe before it, which a spreadsheet shows as text; numbers stay as they are.  Whoever
reads the file with a program finds the texts unchanged in the Parquet file.
"""

from __future__ import annotations

from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING

from pcf_core.material.safety.text import FORMULA_STARTS

if TYPE_CHECKING:  # a third of a command's start, and most write no table
    import pandas as pd


def csv_text(table: pd.DataFrame) -> str:
    """Write a table as CSV with its columns' names, without its index."""
    return str(spreadsheet_safe(table).to_csv(index=False, lineterminator="\n"))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write the same into a file, without a second copy of a large table in memory."""
    spreadsheet_safe(table).to_csv(path, index=False, lineterminator="\n")


def spreadsheet_safe(table: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that no text in it, its columns' names among them, is a formula."""
    import pandas as pd

    safe = table.set_axis([guarded(name) for name in table.columns], axis=1)
    for place in range(safe.shape[1]):
        column = safe.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(place, pd.Series([guarded(cell) for cell in column], dtype=object).array)
    return safe


def guarded(cell: object) -> object:
    """Guard a cell that a spreadsheet might compute; a number, or nothing, is left alone.

    A carriage return becomes a line feed: Python writes a cell with it alone unquoted, and what follows would
    begin a row of its own.
    """
    if cell is None or isinstance(cell, Number):
        return cell
    text = str(cell).replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith(FORMULA_STARTS):
        return f"'{text}"
    return text if isinstance(cell, str) else cell
