"""How files are written: whole or not at all, CSV without formulas, Markdown without markup.

Names and texts come from users' files and models.  In CSV, cells and column names that begin like a formula
get an apostrophe, which spreadsheets show as text; Parquet files have the texts unchanged.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from contextlib import suppress
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING

from pcf_core.core.errors import InputError, StoreError
from pcf_core.material.safety.text import FORMULA_STARTS

if TYPE_CHECKING:  # slow to import, and most commands write no table
    import pandas as pd

MARKUP = str.maketrans({character: "\\" + character for character in "\\`*_{}[]#+!|~<>$&"})


def check_target(out: Path) -> None:
    """Raise InputError for a path where no regular file can be written."""
    try:
        usable = bool(out.name) and out.parent.is_dir() and (out.is_file() or not out.exists())
    except OSError:  # a name that is too long, a folder without access
        usable = False
    if not usable:
        raise InputError(f"{str(out)!r} cannot be a file to write; give a file name in a folder that exists.")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole or not at all; raise StoreError if it cannot be written."""
    target = path.resolve()
    partial = target.with_name(target.name + ".part")
    try:
        write(partial)
        partial.replace(target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}; choose another place."
        ) from error


def zip_entry(name: str, compression: int) -> zipfile.ZipInfo:
    """Return the header of an archive's file, the same on every machine and day."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type, entry.external_attr, entry.create_system = compression, 0o644 << 16, 3
    return entry


def csv_text(table: pd.DataFrame) -> str:
    """Write a table as CSV, without its index."""
    return str(spreadsheet_safe(table).to_csv(index=False, lineterminator="\n"))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write the same into a file, without a second copy in memory."""
    spreadsheet_safe(table).to_csv(path, index=False, lineterminator="\n")


def spreadsheet_safe(table: pd.DataFrame) -> pd.DataFrame:
    """Copy a table so that no text or column name in it is a formula."""
    import pandas as pd

    safe = table.set_axis([guarded(name) for name in table.columns], axis=1)
    for index in range(safe.shape[1]):
        column = safe.iloc[:, index]
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(index, pd.Series([guarded(cell) for cell in column], dtype=object).array)
    return safe


def guarded(cell: object) -> object:
    """Guard a cell that a spreadsheet might compute; numbers stay.

    A carriage return becomes a line feed, because Python writes a cell with only that unquoted, as a new row.
    """
    if cell is None or isinstance(cell, Number):
        return cell
    text = str(cell).replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith(FORMULA_STARTS):
        return f"'{text}"
    return text if isinstance(cell, str) else cell


def plain(text: str) -> str:
    """Escape text from outside for Markdown, on one line."""
    return " ".join(text.split()).translate(MARKUP)
