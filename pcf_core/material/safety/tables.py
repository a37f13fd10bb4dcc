"""What a reader accepts, as data, and tables: CSV, TSV, and lists of objects in JSON.

Columns are separated by commas, semicolons or tabs, and those that are not needed are skipped.  If it is not
clear which column is meant, the reader asks (:mod:`~pcf_core.material.safety.understood`).

Python's ``csv`` parses them rather than pandas, which fills short rows with empty cells in silence, and does
not say from which line of the file a row came: refusals name both.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NoReturn

from pcf_core.core.errors import InputError
from pcf_core.material.safety.decimals import as_text
from pcf_core.material.safety.lists import NUMBER, has_heading, read_lines, read_list
from pcf_core.material.safety.reading import (
    MAX_ROWS,
    check_ending,
    label,
    read_json_lines,
    read_json_value,
    read_text,
    read_toml,
    tell,
    unquoted,
)
from pcf_core.material.safety.text import listed, shown
from pcf_core.material.safety.understood import Choice, answered, ask, is_read_as, show_table

TABLES = (".csv", ".tsv")  # endings of tables; what separates their columns is seen in the header
SEPARATORS: Mapping[str, str] = {",": "commas", ";": "semicolons", "\t": "tabs"}
ALSO: Mapping[str, tuple[str, ...]] = {"term": ("occupation",)}  # other names in fixed tables
SKIPPED = "\0"  # in a header, stands for a column that is not needed
YEAR = re.compile(r"(?:19|20)\d\d")
MOST_COMPARED = 50  # rows, with the first one
STATED = re.compile(r"sep=(.)\s*$")
TOML = re.compile(r"\[\[?[\w.-]+\]\]?$|[\w-]+\s*=")
JSON = re.compile(r'[\[{]\s*(?:["\[{]|$)')
Rows = Sequence[tuple[str, Mapping[str, str]]]  # file and line for a sentence, cells by column


@dataclass(frozen=True)
class Column:
    """A column of a table: what it holds, in a word or two, and other names under which it is read."""

    name: str
    holds: str = ""
    also: tuple[str, ...] = ()
    needed: bool = True

    def is_called(self, written: str, *, by_others: bool = False) -> bool:
        """Tell whether a header's name is this column's: case, spaces, hyphens, a plural do not matter."""
        names = [*map(_plain, self.also if by_others else (self.name,))]
        return _plain(written) in (*names, *(f"{name}s" for name in names))


@dataclass(frozen=True)
class Accepted:
    """What a reader accepts.

    ``columns``: of a table; none are read without.  ``toml``, ``parquet``: whether such a file is read.
    ``json``: what JSON may be.  ``line``: what a line of plain text is; ``in_line``: it has
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
    def needed(self) -> tuple[str, ...]:
        """The names of the columns that a table must have."""
        return tuple(column.name for column in self.columns if column.needed)

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


Form = Literal["rows", "lines", "list", "object", "toml"]


def read_entries(
    path: Path, accepted: Accepted, keys: Collection[str], error: type[InputError], *, given: bool = True
) -> tuple[Form, Any]:
    """Read a file by its ending, or by its first line where it has none.

    ``keys``: of TOML.  ``given``: whether the file is a user's, who then is asked what it leaves open.

    Returns
    -------
    tuple[Form, Any]
        Rows of a table (:data:`Rows`), filled lines of a text, a list or an object of JSON, a table of TOML.
    """
    ending = path.suffix.lower()
    if ending not in accepted.endings:
        ending = ending_of(read_text(path, error), accepted)
    elif ending == ".txt" and (form := _form_of(read_text(path, error))) in accepted.endings:
        ending = form
        tell(f"{label(path)} holds {form[1:].upper()} and was read as such.")
    if ending == ".toml":
        return "toml", read_toml(path, keys, error)
    if ending in (".json", ".jsonl"):
        value = read_json_lines(path, error) if ending == ".jsonl" else read_json_value(path, error)
        if not isinstance(value, list):
            return "object", value
        if accepted.columns and value and all(isinstance(one, Mapping) for one in value):
            return "rows", rows_of_objects(value, path, accepted.columns, error)
        return "list", value
    is_table = ending in TABLES or not accepted.line
    way = _way_without_header(path, accepted, error) if is_table and given and accepted.line else "table"
    if is_table and way == "table":
        return "rows", rows_of_table(path, accepted.columns, error, given=given)
    if way == "heading":
        return "rows", rows_below_heading(path, accepted, error)
    if ending == ".txt" and (rows := _rows_in_text(path, accepted, error)) is not None:
        return "rows", rows
    return "lines", read_lines(path, error) if accepted.in_line else read_list(path, error)


def ending_of(text: str, accepted: Accepted) -> str:
    """Return the ending of a file with this text, by its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    endings = accepted.endings
    usual = ".txt" if ".txt" in endings else endings[0]
    is_json = bool(JSON.match(lines[0]))
    forms = {
        ".toml": bool(TOML.match(lines[0])),
        ".jsonl": is_json and len(lines) > 1 and lines[0][-1] in "}]" and lines[1][0] in "{[",
        ".json": is_json,
        ".csv": not accepted.line or _has_columns(_cells(lines[0], accepted.columns), accepted.columns),
    }
    return next((ending for ending, fits in forms.items() if fits and ending in endings), usual)


def _form_of(text: str) -> str:
    """Return the ending of the form that a whole text has, "" if it is none of JSON and TOML."""
    if JSON.match(text.lstrip()):
        with suppress(ValueError, RecursionError):
            json.loads(text)
            return ".json"
    if TOML.match(text.lstrip().partition("\n")[0]):
        with suppress(ValueError, RecursionError):
            tomllib.loads(text)
            return ".toml"
    return ""


def _rows_in_text(path: Path, accepted: Accepted, error: type[InputError]) -> Rows | None:
    """Read a text that is a table: its first line names columns, or its lines have as many tabs each."""
    lines = [line for line in read_text(path, error).splitlines() if line.strip()]
    if not lines or not accepted.columns:
        return None
    cells = _cells(lines[0], accepted.columns)
    if _has_columns(cells, accepted.columns):
        if len(cells) == 1:
            _ = is_read_as("heading")  # the option is right, though nobody had to give it
            return rows_below_heading(path, accepted, error)
        return rows_of_table(path, accepted.columns, error)
    tabs = {line.count("\t") for line in lines}
    if any(answered("columns", column.name) for column in accepted.columns) or (
        len(lines) > 1 and len(tabs) == 1 and tabs != {0} and not accepted.in_line
    ):
        return rows_of_table(path, accepted.columns, error)
    is_list = len(accepted.needed) == 1 and not accepted.in_line
    return rows_below_heading(path, accepted, error) if is_list and has_heading(path, error) else None


def rows_below_heading(path: Path, accepted: Accepted, error: type[InputError]) -> Rows:
    """Read a list below the name of its column, or below a heading: commas belong to the entries."""
    (name,) = accepted.needed
    entries = enumerate(unquoted(read_list(path, error, below_heading=True), label(path)), start=1)
    return [(f"{label(path)}, entry {number:,}", {name: line}) for number, line in entries]


def _way_without_header(path: Path, accepted: Accepted, error: type[InputError]) -> str:
    """Return how to read a table that has none of its columns: "table" if its first line names them."""
    lines = [line for line in read_text(path, error).splitlines() if line.strip()]
    cells = _cells(lines[0], accepted.columns) if lines else []
    if any(answered("columns", name) for name in accepted.needed) and not answered("read_as"):
        return "table"
    if not cells or any(_fitting(cells, column) for column in accepted.columns):
        return "table"
    if lines[0].lstrip().startswith("#") or STATED.match(lines[0]):
        return "table"
    if accepted.in_line == (len(cells) == 1):  # words alone are no groups, and entries have no columns
        return "table"
    name, needed = label(path), listed(accepted.needed)
    if (
        accepted.in_line
        and not answered("read_as")
        and any(_cells(line, accepted.columns)[:1] == cells[:1] for line in lines[1:])
    ):
        raise error(
            f"{name} begins with {shown(', '.join(cells))}, which names no columns: write their names above "
            f"it, such as {','.join(accepted.needed)}."
        )
    offered: tuple[str, ...] = ("pairs", "groups", "columns") if accepted.in_line else ("lines", "heading")
    if accepted.in_line:
        text = f"{name} has the columns {shown(', '.join(cells))}, not {needed}"
        meant = (
            "--as pairs if each line has a word of every group, --as groups if each line is a group, --as "
            "columns if the first line names the groups"
        )
    else:
        text = f"{name} begins with {shown(cells[0])}, which does not name {needed}"
        meant = "--as lines if it is an entry like the others, --as heading if it is a heading"
    answer = ask(Choice("read_as", "", f"{text}. How is it to be read?", (*offered, "table")))
    if not answer:
        raise error(
            f"{text}: give {meant}, or say which column is meant, such as "
            f"{_examples(dict.fromkeys(accepted.needed, cells))}."
        )
    return answer


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
    first = next(filter(str.strip, text.splitlines()), "")
    stated = STATED.match(first)  # Excel's own way to say what separates the columns
    if stated:
        text = text.replace(first, "", 1)
        first = next(filter(str.strip, text.splitlines()), "")
    elif first.lstrip().startswith("#"):
        raise error(f"{name} begins with the comment {shown(first.strip())}: remove this line.")
    separator = stated[1] if stated and stated[1] in SEPARATORS else _separator(first, columns)
    if separator != ",":
        tell(f"The columns of {name} are separated by {SEPARATORS[separator]}.")
    has_spaces = f'{separator} "' in text  # before quotation marks, which then belong to the cell
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, strict=True, delimiter=separator, skipinitialspace=has_spaces)
    rows: list[tuple[str, dict[str, str]]] = []
    header: list[str] = []
    try:
        for cells in reader:
            where = f"{name}, line {reader.line_num}"
            if not any(map(str.strip, cells)):  # also the empty rows that spreadsheets write
                continue
            while header and len(cells) > len(header) and not cells[-1].strip():
                cells.pop()
            if not header:
                if given and not _names_columns(cells, text, separator, columns):
                    needed = ",".join(column.name for column in columns)
                    raise error(
                        f"{name} begins with {shown(', '.join(cells))}, which names no columns: write their "
                        f"names above it, such as {needed}."
                    )
                header = column_names(cells, name, columns, error, given=given)
            elif len(cells) != len(header):
                raise error(
                    f"{where} has {len(cells)} cells but the header has {len(header)}: add or remove cells, "
                    f"and put a text with a {SEPARATORS[separator].removesuffix('s')} in quotation marks."
                )
            elif len(rows) == MAX_ROWS:
                raise error(f"{name} has more than {MAX_ROWS:,} rows, the most that are allowed: shorten it.")
            else:
                read = zip(header, cells, strict=True)
                rows.append((where, {column: cell for column, cell in read if column != SKIPPED}))
    except csv.Error as problem:
        if "field larger than field limit" in str(problem):
            raise error(
                f"{name}, line {reader.line_num} has a cell with more than {csv.field_size_limit():,} "
                "characters: shorten it, or close a quotation mark that was left open."
            ) from problem
        reason = str(problem).replace("\t", "tab")  # what the library says if tabs are the separator
        raise error(f"{name}, line {reader.line_num} is not valid CSV ({reason}).") from problem
    if not header:
        needed = listed(column.name for column in columns if column.needed)
        raise error(f"{name} is empty: write the columns {needed} in its first line.")
    if given:
        show_table(rows)
    return rows


def _names_columns(cells: Sequence[str], text: str, separator: str, columns: Sequence[Column]) -> bool:
    """Tell whether the first row of a table can be its header, and is no entry like those below it.

    An entry is a row with a number, or a cell that stands below itself again.
    """
    if any(_fitting(cells, column) or answered("columns", column.name) for column in columns):
        return True
    if any(NUMBER.fullmatch(cell) and not YEAR.fullmatch(cell.strip()) for cell in cells):
        return False
    rows = filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    below = islice(rows, 1, MOST_COMPARED)
    return not any(one and one == other for row in below for one, other in zip(cells, row, strict=False))


def read_only_table(path: Path, accepted: Accepted, error: type[InputError]) -> Rows:
    """Read a person's file that can be nothing but a table, as CSV, text or JSON."""
    check_ending(label(path), accepted.endings, "table", error, bare=True)
    form, content = read_entries(path, accepted, (), error)
    if form != "rows":
        raise error(
            f"{label(path)} holds {shown(content)}: write a list of objects, each with "
            f"{listed(accepted.needed)}."
        )
    return content  # type: ignore[no-any-return]


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
        rows.append((entry, {column: as_text(cell) for column, cell in cells.items()}))
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
    fitting = {column.name: _fitting(written, column) for column in columns}
    taken = {fits[0] for fits in fitting.values() if len(fits) == 1}
    free = tuple(dict.fromkeys(one for i, one in enumerate(written) if one and i not in taken))
    chosen = {
        column.name: _chosen(written, answer, name, error)
        for column in columns
        if given and (answer := answered("columns", column.name))
    }
    if len(set(chosen.values())) < len(chosen):
        raise error(f"{name} has one column for each thing: name different columns for {listed(chosen)}.")
    missing = sum(column.needed and not fitting[column.name] for column in columns)
    header, unclear = [SKIPPED] * len(written), dict[str, Sequence[str]]()
    for column in columns:
        fits = fitting[column.name]
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
    alike = [i for i, one in enumerate(written) if _plain(one) == _plain(answer)]
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
    optional = [column.name for column in columns if not column.needed and column.name]
    also = f" and, optionally, {listed(optional)}" if optional else ""
    must = "every object must have" if objects else "its first line must name"
    sentence = (
        f"{name} has the columns {shown(', '.join(written).lower())}: {must} "
        f"{listed(column.name for column in columns if column.needed)}{also}"
        f"{'' if objects else ', separated by commas, semicolons or tabs'}"
    )
    possible = set().union(*unclear.values())
    if len(possible) < len(unclear) or len(set(written)) < len(written):
        raise error(f"{sentence}.")
    raise error(f"{sentence}, or say which column is meant, such as {_examples(unclear)}.")


def _examples(unclear: Mapping[str, Sequence[str]]) -> str:
    """Write options that say which of the columns that could be meant are; each another, where possible."""
    return " ".join(
        Choice("columns", name, "", ()).as_option(among[index % len(among)])
        for index, (name, among) in enumerate(unclear.items())
    )


def _fitting(written: Sequence[str], column: Column) -> list[int]:
    """Return the indices of the columns that could be meant: those of the name, else of another name."""
    exact = [i for i, one in enumerate(written) if column.is_called(one)]
    return exact or [i for i, one in enumerate(written) if column.is_called(one, by_others=True)]


def _has_columns(written: Sequence[str], columns: Sequence[Column]) -> bool:
    return bool(columns) and all(_fitting(written, column) for column in columns if column.needed)


def _cells(line: str, columns: Sequence[Column]) -> list[str]:
    try:
        cells = next(csv.reader([line], delimiter=_separator(line, columns)), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]


def _separator(line: str, columns: Sequence[Column]) -> str:
    """Return what separates the names in a header: most of those that are known, else most cells."""

    def cells(separator: str) -> tuple[int, int]:
        try:
            names = next(csv.reader([line], delimiter=separator), [])
        except csv.Error:
            return 0, 0
        return sum(bool(_fitting(names, column)) for column in columns), len(names)

    return max(SEPARATORS, key=cells)  # of equals the first


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+|(?<=[a-z])(?=[A-Z])", " ", name).strip().casefold()


def _columns(names: Sequence[str]) -> str:
    return f"column {_listed(names)} was" if len(names) == 1 else f"columns {_listed(names)} were"


def _listed(names: Iterable[str]) -> str:
    return listed(shown(name) for name in names)
