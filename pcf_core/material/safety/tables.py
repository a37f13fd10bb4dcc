"""What a reader accepts, as data, and tables: CSV, TSV, and lists of objects in JSON.

Columns are separated by commas, semicolons or tabs, and those that are not needed are skipped.  If it is not
clear which column is meant, the reader asks (:mod:`~pcf_core.material.safety.understood`).

Python's ``csv`` parses them rather than pandas, which fills short rows with empty cells in silence, and does
not say from which line of the file a row came: refusals name both.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from pcf_core.core.errors import InputError
from pcf_core.material.safety.decimals import as_text
from pcf_core.material.safety.lists import NUMBER
from pcf_core.material.safety.reading import (
    MAX_ROWS,
    label,
    read_text,
    tell,
)
from pcf_core.material.safety.text import first_duplicate, listed, shown
from pcf_core.material.safety.understood import Choice, answered, ask, show_table, use_answer

SEPARATORS: Mapping[str, str] = {",": "commas", ";": "semicolons", "\t": "tabs"}
ALSO: Mapping[str, tuple[str, ...]] = {"term": ("occupation",)}  # other names in fixed tables
SKIPPED = "\0"  # in a header, stands for a column that is not needed
YEAR = re.compile(r"(?:19|20)\d\d")
FIELD_LIMIT = "field larger than field limit"  # what csv says
MOST_COMPARED = 50  # rows, with the first one
GAP = re.compile(r"\[[XY]\]|\{name\}")
LONGEST_NAME = 1_000  # characters of a column's name
QUOTED_CELL = re.compile(r'(?<![^,;\t\r\n])"(?:[^"]|"")*"(?=[,;\t\r\n]|$)')
NO_NAME = re.compile(r"[\[{<:：,;\t]")  # what an entry has, and hardly ever the name of a column
Rows = Sequence[tuple[str, Mapping[str, str]]]  # file and line for a sentence, cells by column


@dataclass(frozen=True)
class Column:
    """A column of a table: what it holds, in a word or two, and other names under which it is read."""

    name: str
    holds: str = ""
    also: tuple[str, ...] = ()
    needed: bool = True
    is_number: bool = False

    def is_called(self, written: str, *, by_others: bool = False) -> bool:
        """Tell whether a header's name is this column's: case, spaces, hyphens, a plural do not matter."""
        names = [*map(plain, self.also if by_others else (self.name,))]
        return plain(written) in (*names, *(f"{name}s" for name in names))


@dataclass(frozen=True)
class Accepted:
    """What a reader accepts.

    ``columns``: of a table; none are read without.  ``toml``, ``parquet``: whether such a file is read.
    ``json``: what a JSON file may hold.  ``line``: what a line of plain text is; ``in_line``: it has
    several entries.  An empty text means that the form is not read.
    """

    what: str
    columns: tuple[Column, ...] = ()
    toml: bool = True
    json: str = ""
    line: str = ""
    in_line: bool = False
    parquet: bool = False

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of the files that are read; a file without an ending is read by its first line."""
        forms = {
            ".toml": self.toml,
            ".json": bool(self.json or self.columns),
            ".jsonl": bool(self.columns),
            ".csv": bool(self.columns),
            ".tsv": bool(self.columns),
            ".txt": bool(self.line or self.columns),
            ".parquet": self.parquet,
        }
        return tuple(ending for ending, is_read in forms.items() if is_read)

    @property
    def required(self) -> tuple[Column, ...]:
        """The columns that a table must have."""
        return tuple(column for column in self.columns if column.needed)

    @property
    def needed(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(column.name for column in self.required)

    @property
    def in_json(self) -> str:
        """Say what a JSON file may hold: the end of a sentence."""
        rows = f"a list of objects, each with {listed(self.needed)}" if self.columns else ""
        return "; or ".join(filter(None, (self.json, rows)))

    @property
    def forms(self) -> str:
        """Say in Markdown what a file may be, as pages show it beside an upload."""
        optional = [f"*{column.name}*" for column in self.columns if not column.needed]
        columns = listed(f"*{column.name}* ({column.holds})" for column in self.columns if column.needed)
        columns += f"; optionally {listed(optional)}" if optional else ""
        forms = {
            f"**Text**: a line is {self.line}.": self.line,
            f"**Table** (CSV, TSV, text or a JSON list of objects): {columns}.": self.columns,
            "**TOML**.": self.toml,
            f"**JSON**: {self.json}.": self.json,
            "**Parquet**.": self.parquet,
        }
        return " ".join(form for form, is_read in forms.items() if is_read)


class CellError(Exception):
    """What is wrong with a line, and what to do: the end of a sentence about the file."""


def rows_of_cells(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the filled rows of a text, each with its line; spreadsheets write empty ones, too.

    Quotation marks of a text with tabs belong to it if they do not enclose whole cells.

    Raises
    ------
    CellError
        Quotation marks that enclose no cell, or one that is far too long.
    """
    spaced = f'{separator} "'  # a space before quotation marks, which then enclose the cell
    has_spaces = spaced in text and spaced in QUOTED_CELL.sub("", text)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        strict=True,
        delimiter=separator,
        skipinitialspace=has_spaces,
        quoting=csv.QUOTE_MINIMAL if are_cells_quoted(text, separator) else csv.QUOTE_NONE,
    )
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                yield reader.line_num, cells
    except csv.Error as problem:
        reason = str(problem).replace("\t", "tab")  # what the library says if tabs are the separator
        mend = "put a cell with quotation marks in quotation marks, and write those within it twice"
        fault = f"is not valid CSV ({reason}): {mend}"
        if FIELD_LIMIT in reason:
            most = csv.field_size_limit()
            fault = f"has a cell with more than {most:,} characters: shorten it, or close a quotation mark"
        raise CellError(f"line {reader.line_num:,} {fault}") from problem


def are_cells_quoted(text: str, separator: str) -> bool:
    """Tell whether quotation marks enclose cells; with tabs between cells, they may belong to the texts."""
    if separator != "\t" or '"' not in text:
        return True
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator):
            pass
    except csv.Error as problem:
        return FIELD_LIMIT in str(problem) or (
            text.lstrip().startswith('"') and '"\t' in text.partition("\n")[0]
        )
    return True


def first_row(text: str, columns: Sequence[Column], path: Path | None = None) -> tuple[str, list[str]]:
    """Return what separates the cells of the first row of a table, and these.

    It is what gives most names of columns, else tabs where the ending says so, else what gives most cells.
    """
    rows = {separator: _first(text, separator) for separator in SEPARATORS}
    likely = "\t" if path and path.suffix.lower() == ".tsv" else ""

    def fit(separator: str) -> tuple[int, bool, int, bool]:
        cells = rows[separator]
        known = sum(bool(fitting(cells, column)) for column in columns)
        alone = all(len(row) == 1 for row in rows.values())
        has_number = any("," in cell and NUMBER.fullmatch(cell) for cell in cells)
        return known, separator == likely and (len(cells) > 1 or alone), len(cells), has_number

    best = max(rows, key=fit)  # of equals the first
    return best, rows[best]


def filled_columns(text: str, separator: str, first: Sequence[str]) -> list[int]:
    """Return the indices of the columns with a name in the first row, or a text in any other."""
    empty = {index for index, cell in enumerate(first) if not cell.strip()}
    with suppress(CellError):  # whoever reads the rows tells of it
        for _, cells in rows_of_cells(text, separator) if empty else ():
            empty -= {index for index in empty if cells[index:] and cells[index].strip()}
            if not empty:
                break
    return [index for index in range(len(first)) if index not in empty]


def _first(text: str, separator: str) -> list[str]:
    try:
        return next(rows_of_cells(text, separator), (0, []))[1]
    except CellError:  # quotation marks that are of the text
        return next(filter(str.strip, text.splitlines())).split(separator)


def rows_of_table(
    path: Path, columns: Sequence[Column], error: type[InputError], *, given: bool = True
) -> Rows:
    """Read the rows of a table with a header line.

    The columns may stand in any order; other columns and empty lines are skipped.

    Returns
    -------
    Rows
        For each row a phrase that names file and line, and the cells by the names of ``columns``.
    """
    name, text = label(path), read_text(path, error)
    separator, first = first_row(text, columns, path)
    if first and first[0].lstrip().startswith("#"):
        raise error(f"{name} begins with the comment {shown(first[0].strip())}: remove this line.")
    if separator != ",":
        tell(f"The columns of {name} are separated by {SEPARATORS[separator]}.")
    if not are_cells_quoted(text, separator):
        tell(f"Quotation marks in {name} were kept as part of the text, as they do not enclose whole cells.")
    kept = filled_columns(text, separator, first)
    rows: list[tuple[str, dict[str, str]]] = []
    header: list[str] = []
    try:
        for line, row in rows_of_cells(text, separator):
            where = f"{name}, line {line:,}"
            cells = row
            if len(kept) < len(first):
                cells = [row[index] for index in kept if index < len(row)] + row[len(first) :]
            while header and len(cells) > len(header) and not cells[-1].strip():
                cells.pop()
            if not header:
                below = rows_below(text, separator)
                if given and below and not has_columns(cells, columns) and has_columns(below[0][1], columns):
                    raise error(
                        f"{name} begins with {shown(cells[0])} above the names of its columns: remove "
                        "that line."
                    )
                if given and not _names_columns(cells, text, separator, columns):
                    raise error(without_names(name, cells, separator, columns))
                header = column_names(cells, name, columns, error, given=given)
                if not any(fitting(cells, column) for column in columns):
                    names = shown(", ".join(map(str.strip, cells)))
                    tell(f"The first line of {name}, {names}, names the columns and is no entry.")
            elif len(cells) != len(header):
                number = f"{len(cells):,} cell{'s' * (len(cells) != 1)}"
                raise error(
                    f"{where} has {number} but the header has {len(header)}: add or remove cells, and put a "
                    f"text with a {SEPARATORS[separator].removesuffix('s')} in quotation marks."
                )
            elif len(rows) == MAX_ROWS:
                raise error(f"{name} has more than {MAX_ROWS:,} rows, the most that are allowed: shorten it.")
            else:
                read = zip(header, cells, strict=True)
                rows.append((where, {column: cell for column, cell in read if column != SKIPPED}))
    except CellError as problem:
        raise error(f"{name}, {problem}.") from problem
    if not header:
        needed = [column.name for column in columns if column.needed]
        what = "column" if len(needed) == 1 else "columns"
        raise error(f"{name} is empty: write the {what} {listed(needed)} in its first line.")
    if given:
        show_table(rows)
    return rows


def _names_columns(cells: Sequence[str], text: str, separator: str, columns: Sequence[Column]) -> bool:
    """Tell whether the first row of a table can be its header, and is no entry like those below it.

    An entry is a row with a number, or a cell that stands below itself again.
    """
    if is_answered(cells, columns) or any(fitting(cells, column) for column in columns):
        return True
    if any(map(GAP.search, cells)):
        return False
    if any(NUMBER.fullmatch(cell) and not YEAR.fullmatch(cell.strip()) for cell in cells):
        return False
    below = rows_below(text, separator)
    return not any(one and one == other for _, row in below for one, other in zip(cells, row, strict=False))


def without_names(name: str, cells: Sequence[str], separator: str, columns: Sequence[Column]) -> str:
    """Say that the first row of a table is no header, and write one with as many names."""
    texts = iter(column.name for column in columns if column.needed and not column.is_number)
    numbers = iter(column.name for column in columns if column.is_number)
    names = [next(numbers if NUMBER.fullmatch(cell) else texts, "other") for cell in cells]
    if NUMBER.fullmatch(cells[0]):  # it may count the rows
        names[0] = "other"
    header = f"{listed(names)}, separated by tabs" if separator == "\t" else separator.join(names)
    return (
        f"{name} begins with {shown(', '.join(cells))}, which names no columns: write their names above it, "
        f"such as {header}."
    )


def rows_below(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Return some rows below the first one."""
    rows: list[tuple[int, list[str]]] = []
    with suppress(CellError):
        rows.extend(islice(rows_of_cells(text, separator), 1, MOST_COMPARED))
    return rows


def read_table(path: Path, columns: Iterable[str], optional: Iterable[str], error: type[InputError]) -> Rows:
    """Read a table whose columns have fixed names, such as one that the app ships; nobody is asked."""
    needed = (Column(name, also=ALSO.get(name, ())) for name in columns)
    every = (*needed, *(Column(name, needed=False) for name in optional))
    return rows_of_table(path, every, error, given=False)


def rows_of_objects(
    objects: Sequence[Mapping[str, Any]], path: Path, columns: Sequence[Column], error: type[InputError]
) -> Rows:
    """Read the objects of a JSON list as the rows of a table; keys that are not needed may be missing."""
    keys, name = list(dict.fromkeys(str(key) for item in objects for key in item)), label(path)
    header = column_names(keys, name, columns, error, objects=True)
    needed = {column.name for column in columns if column.needed}
    numbers = {column.name for column in columns if column.is_number}
    rows = []
    for number, item in enumerate(objects, start=1):
        entry = f"{name}, entry {number:,}"
        cells = dict(zip(header, map(item.get, keys), strict=True))
        cells.pop(SKIPPED, None)
        for column, cell in cells.items():
            if cell is None and column not in needed:
                cells[column] = ""
            elif cell is None:
                raise error(f"{entry} has no {column}: write one, or leave the entry out.")
            elif isinstance(cell, bool) or not isinstance(cell, str | int | float):
                raise error(f"{entry}: {column} is {shown(cell)}; write a text or a number.")
        texts = {column: as_text(cell) if column in numbers else str(cell) for column, cell in cells.items()}
        rows.append((entry, texts))
    show_table(rows)
    return rows


def column_names(
    cells: Sequence[str], name: str, columns: Sequence[Column], error: type[InputError], *,
    given: bool = True, objects: bool = False,
) -> list[str]:  # fmt: skip
    """Return the columns of a table under the names of ``columns``, in their order; others are ``SKIPPED``.

    A column is found by the answer, else by its name, else by another of its names.  If none or several
    fit, the user is asked; ``given``: whether the file is a user's.  ``objects``: it is JSON.
    """
    written = [cell.strip() for cell in cells]
    found = {column.name: fitting(written, column) for column in columns}
    taken = {fits[0] for fits in found.values() if len(fits) == 1}
    free = tuple(dict.fromkeys(one for i, one in enumerate(written) if one and i not in taken))
    chosen = {
        column.name: _chosen(written, answer, name, error)
        for column in columns
        if given
        and (answer := answered("columns", column.name))
        and (plain(answer) in map(plain, written) or (column.needed and len(found[column.name]) != 1))
    }
    if len(set(chosen.values())) < len(chosen):
        raise error(f"{name} has one column for each thing: name different columns for {listed(chosen)}.")
    for one in chosen:
        use_answer("columns", one)
    missing = sum(column.needed and not found[column.name] for column in columns)
    header, unclear = [SKIPPED] * len(written), dict[str, Sequence[str]]()
    for column in columns:
        fits = found[column.name]
        among = tuple(dict.fromkeys(written[i] for i in fits)) or free
        if len(fits) > 1 or (column.needed and not fits):
            holds = f" ({column.holds})" if column.holds else ""
            if given and (len(fits) > 1 or len(free) >= missing):
                ask(Choice("columns", column.name, f"Which column is {column.name}{holds}?", among))
        left = [i for i in fits if i not in chosen.values()]
        if column.name in chosen:
            header[chosen[column.name]] = column.name
        elif len(fits) > 1 or (column.needed and not left):
            unclear[column.name] = among
        elif left:
            header[left[0]] = column.name
    if unclear:
        offered = unclear if given else dict.fromkeys(unclear, ())
        _refuse(written, columns, offered, name, error, objects=objects)
    if skipped := [one for one, ours in zip(written, header, strict=True) if ours == SKIPPED]:
        read = [one for one, ours in zip(written, header, strict=True) if ours != SKIPPED]
        tell(
            f"Of {name} the {_columns(read)} read, and {_listed(skipped)} "
            f"{'was' if len(skipped) == 1 else 'were'} not."
        )
    return header


def _chosen(written: Sequence[str], answer: str, name: str, error: type[InputError]) -> int:
    """Return the index of the column that an answer names."""
    alike = [i for i, one in enumerate(written) if plain(one) == plain(answer)]
    if not alike:
        raise error(f"{name} has no column {shown(answer)}: use one of {_listed(dict.fromkeys(written))}.")
    return written.index(answer) if answer in written else alike[0]


def _refuse(
    written: Sequence[str], columns: Sequence[Column], unclear: Mapping[str, Sequence[str]], name: str,
    error: type[InputError], *, objects: bool,
) -> NoReturn:  # fmt: skip
    """Refuse a table whose columns are not clear, and name the option that says which are meant.

    ``unclear``: the columns that could be meant, by name.
    """
    named = [*filter(None, written)] or [""]
    optional = [column.name for column in columns if not column.needed and column.name]
    also = f" and, optionally, {listed(optional)}" if optional else ""
    must = "every object must have" if objects else "its first line must name"
    sentence = (
        f"{name} has the column{'s' if len(named) > 1 else ''} {shown(', '.join(named))}: {must} "
        f"{listed(column.name for column in columns if column.needed)}{also}"
        f"{'' if objects else ', separated by commas, semicolons or tabs'}"
    )
    twice = first_duplicate(plain(one) for one in written if one)
    if twice is not None and any(unclear.values()):
        called = next(one for one in written if plain(one) == twice)
        raise error(f"{name} names the column {shown(called)} twice: give each column its own name.")
    examples = examples_of(unclear)
    raise error(
        f"{sentence}, or say which column is meant, such as {examples}." if examples else f"{sentence}."
    )


def examples_of(unclear: Mapping[str, Sequence[str]]) -> str:
    """Write options that say which of the columns that could be meant are, each another.

    Empty if there are too few, or one looks like an entry, which would be lost.
    """
    if len(set().union(*unclear.values())) < len(unclear):
        return ""
    chosen = {name: among[index % len(among)] for index, (name, among) in enumerate(unclear.items())}
    if any(map(NO_NAME.search, chosen.values())):
        return ""
    return " ".join(Choice("columns", name, "", ()).as_option(answer) for name, answer in chosen.items())


def fitting(written: Sequence[str], column: Column) -> list[int]:
    """Return the indices of the columns that could be meant: those of the name, else of another name."""
    exact = [i for i, one in enumerate(written) if column.is_called(one)]
    return exact or [i for i, one in enumerate(written) if column.is_called(one, by_others=True)]


def is_answered(written: Sequence[str], columns: Sequence[Column]) -> bool:
    """Tell whether somebody has said in advance which of the names in a header is one of the columns."""
    answers = {plain(answer) for column in columns if (answer := answered("columns", column.name))}
    return not answers.isdisjoint(map(plain, written))


def has_columns(written: Sequence[str], columns: Sequence[Column]) -> bool:
    """Tell whether a header has all the columns that are needed."""
    return bool(columns) and all(fitting(written, column) for column in columns if column.needed)


def plain(name: str) -> str:
    """Return the name of a column without what may differ: case, spaces and hyphens."""
    if len(name) > LONGEST_NAME:  # no column of ours, and slow to change
        return name
    return re.sub(r"[\s_-]+|(?<=[a-z])(?=[A-Z])", " ", name).strip().casefold()


def _columns(names: Sequence[str]) -> str:
    return f"column {_listed(names)} was" if len(names) == 1 else f"columns {_listed(names)} were"


def _listed(names: Iterable[str]) -> str:
    named = [*names]
    nameless = "a column" if named.count("") == 1 else f"{named.count(''):,} columns"
    without = [f"{nameless} without a name"] if "" in named else []
    return listed([*map(shown, filter(None, named)), *without])
