"""A person's file in whichever form it has: a table, a list, JSON or TOML.

The ending tells the form, or a text that is JSON or TOML as a whole, or, without an ending, the first line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pcf_core.core.errors import InputError
from pcf_core.material.safety.lists import MARKUP, PLACEHOLDER, has_heading, read_lines, read_list
from pcf_core.material.safety.reading import (
    check_ending,
    holds_json,
    label,
    read_json,
    read_text,
    read_toml,
    tell,
    unquoted,
)
from pcf_core.material.safety.tables import (
    GAP,
    QUOTED_CELL,
    Accepted,
    Column,
    Rows,
    examples_of,
    filled_columns,
    first_row,
    fitting,
    has_columns,
    is_answered,
    rows_below,
    rows_of_objects,
    rows_of_table,
    without_names,
)
from pcf_core.material.safety.text import listed, shown
from pcf_core.material.safety.understood import Choice, answered, ask, is_read_as

TABLES = (".csv", ".tsv")  # endings of tables; what separates their columns is seen in the header
FORMS = (".toml", ".json", ".jsonl")  # of which a text shows whether it has them
MOST_WORDS_OF_NAME = 2  # of a column, where it has a placeholder
TOML = re.compile(r"\[\[?[\w.-]+\]\]?$|[\w-]+\s*=")
JSON = re.compile(r'[\[{]\s*(?:["\[{]|$)')
OBJECT = re.compile(r'\s*\{\s*"')  # which only JSON begins with, however damaged
OF_PYTHON = re.compile(r"\s*[\[{]\s*'.*[\]}]\s*", re.DOTALL)
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
    elif ending not in FORMS and (form := _form_of(read_text(path, error))) in accepted.endings:
        ending = form
        tell(f"{label(path)} holds {form[1:].upper()} and was read as such.")
    if ending == ".toml":
        return "toml", read_toml(path, keys, error)
    if ending in FORMS:
        return _entries_of_json(read_json(path, error), path, accepted, keys, error)
    if OF_PYTHON.fullmatch(read_text(path, error)):
        raise error(
            f"{label(path)} is written as in Python: write JSON, with double quotation marks, or an entry in "
            "each line."
        )
    is_table = ending in TABLES or not accepted.line
    way = _way_without_header(path, accepted, error) if is_table and given and accepted.line else "table"
    if is_table and way == "table":
        return "rows", rows_of_table(path, accepted.columns, error, given=given)
    if way == "heading":
        return "rows", rows_below_heading(path, accepted, error)
    if ending == ".txt" and (rows := _rows_in_text(path, accepted, error)) is not None:
        return "rows", rows
    if not accepted.in_line:
        return "lines", read_list(path, error)
    lines = read_lines(path, error)
    if not lines:
        raise error(f"{label(path)} is empty: write in each line {accepted.line}.")
    if markup := next((line for line in lines if MARKUP.fullmatch(line)), ""):
        raise error(
            f"{label(path)} has the line {shown(markup.strip())}, which is markup: save it as plain text."
        )
    return "lines", lines


def _entries_of_json(
    value: object, path: Path, accepted: Accepted, keys: Collection[str], error: type[InputError]
) -> tuple[Form, Any]:
    """Tell rows, a list and an object apart; the only list of an object may have any name."""
    if isinstance(value, Mapping):
        lists = {key: one for key, one in value.items() if isinstance(one, list)}
        if not lists and set(value) - set(keys) and _is_row(value, accepted.columns):
            value = [value]
        elif lists and not set(value) & set(keys):
            several = [key for key, one in lists.items() if _are_entries(one, accepted)]
            if len(several) > 1 and not accepted.in_line:
                raise error(
                    f"{label(path)} has the lists {listed(map(shown, several))}: keep the one with the "
                    f"entries, or write a list of objects, each with {listed(accepted.needed)}."
                )
            if len(lists) == len(several) == 1:
                beside = ", and nothing else of it was read" if len(value) > 1 else ""
                tell(f"The entries of {label(path)} are those under {shown(several[0])}{beside}.")
                value = lists[several[0]]
    if not isinstance(value, list):
        return "object", value
    if accepted.columns and value and all(isinstance(one, Mapping) for one in value):
        return "rows", rows_of_objects(value, path, accepted.columns, error)
    return "list", value


def _is_row(value: Mapping[str, Any], columns: Sequence[Column]) -> bool:
    """Tell whether an object is a row of a table rather than a whole file."""
    return all(one is None or isinstance(one, str | int | float) for one in value.values()) and any(
        fitting([*value], column) for column in columns
    )


def _are_entries(values: Sequence[object], accepted: Accepted) -> bool:
    """Tell whether values are rows of a table, or what a line of a text is: of words, a list."""
    entry = list if accepted.in_line else str
    allowed = [*([Mapping] if accepted.columns else []), *([entry] if accepted.line else [])]
    return bool(values) and any(all(isinstance(one, kind) for one in values) for kind in allowed)


def ending_of(text: str, accepted: Accepted) -> str:
    """Return the ending of a file with this text, by its first line."""
    first, endings = next(filter(None, map(str.strip, text.splitlines())), ""), accepted.endings
    forms = {
        ".toml": bool(TOML.match(first)),
        ".json": bool(JSON.match(first)),
        ".csv": not accepted.line or has_columns(first_row(text, accepted.columns)[1], accepted.columns),
    }
    usual = ".txt" if ".txt" in endings else endings[0]
    return next((ending for ending, fits in forms.items() if fits and ending in endings), usual)


def _form_of(text: str) -> str:
    """Return the ending of the form that a whole text has, "" if it is none of JSON and TOML."""
    if OBJECT.match(text) or (JSON.match(text.lstrip()) and holds_json(text)):
        return ".json"
    if TOML.match(text.lstrip().partition("\n")[0]):
        with suppress(ValueError, RecursionError):
            tomllib.loads(text)
            return ".toml"
    return ""


def _rows_in_text(path: Path, accepted: Accepted, error: type[InputError]) -> Rows | None:
    """Read a text that is a table: its first line names columns, or its lines have as many tabs each."""
    text, columns = read_text(path, error), accepted.columns
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not columns:
        return None
    separator, cells = first_row(text, columns)
    if has_columns(cells, columns) and not (accepted.line and is_read_as("lines")):
        if len(filled_columns(text, separator, cells)) == 1 and not any(
            "\n" in cell for cell in QUOTED_CELL.findall(text)
        ):
            _ = is_read_as("heading")  # the option is right, though nobody had to give it
            return rows_below_heading(path, accepted, error)
        return rows_of_table(path, columns, error)
    tabs = {line.count("\t") for line in lines}
    if is_answered(cells, accepted.required) or (
        len(lines) > 1 and len(tabs) == 1 and tabs != {0} and not accepted.in_line
    ):
        return rows_of_table(path, columns, error)
    is_list = len(accepted.needed) == 1 and not accepted.in_line
    return rows_below_heading(path, accepted, error) if is_list and has_heading(path, error) else None


def rows_below_heading(path: Path, accepted: Accepted, error: type[InputError]) -> Rows:
    """Read a list below the name of its column, or below a heading: commas belong to the entries."""
    (name,) = accepted.needed
    entries = enumerate(unquoted(read_list(path, error, below_heading=True), label(path)), start=1)
    return [(f"{label(path)}, entry {number:,}", {name: line}) for number, line in entries]


def _way_without_header(path: Path, accepted: Accepted, error: type[InputError]) -> str:
    """Return how to read a table that has none of its columns: "table" if its first line names them."""
    text, columns = read_text(path, error), accepted.columns
    separator, first = first_row(text, columns, path)
    cells = [first[index].strip() for index in filled_columns(text, separator, first)]
    if is_answered(cells, accepted.required) and not answered("read_as"):
        return "table"
    if not cells or first[0].lstrip().startswith("#") or any(fitting(cells, column) for column in columns):
        return "table"
    line = text.lstrip().partition("\n")[0]
    is_text = any(GAP.search(column.holds) for column in columns) and (
        _is_sentence(first) or _is_sentence(line.split(separator))
    )
    is_even = all(len(row) == len(first) for _, row in rows_below(text, separator))
    # Words alone are no groups, and entries have no columns.
    is_table = accepted.in_line == (len(cells) == 1) and (accepted.in_line or is_even)
    if not accepted.in_line and (is_text or is_table) and (is_read_as("lines") or is_text):
        if any("\n" in cell for cell in QUOTED_CELL.findall(text)):
            raise error(without_names(label(path), cells, separator, columns))
        return "lines"
    if is_table:
        return "table"
    name, needed = label(path), listed(accepted.needed)
    if (
        accepted.in_line
        and not answered("read_as")
        and any(row[:1] == first[:1] for _, row in rows_below(text, separator))
    ):
        raise error(without_names(name, cells, separator, columns))
    offered: tuple[str, ...] = ("pairs", "groups", "columns") if accepted.in_line else ("lines", "heading")
    if accepted.in_line:
        question = f"{name} has the columns {shown(', '.join(cells))}, not {needed}"
        meant = (
            "--as pairs if each line has a word of every group, --as groups if each line is a group, --as "
            "columns if the first line names the groups"
        )
    else:
        question = f"{name} begins with {shown(cells[0])}, which does not name {needed}"
        meant = "--as lines if it is an entry like the others, --as heading if it is a heading"
    answer = ask(Choice("read_as", "", f"{question}. How is it to be read?", (*offered, "table")))
    if not answer:
        examples = examples_of(dict.fromkeys(accepted.needed, cells))
        which = f", or say which column is meant, such as {examples}" if examples else ""
        raise error(f"{question}: give {meant}{which}.")
    return answer


def _is_sentence(cells: Sequence[str]) -> bool:
    """Tell whether cells are a sentence with gaps: unlike in a table, a space follows every comma."""
    line = " ".join(cells)
    is_whole = all(cell.startswith((" ", '" ')) or not cell for cell in cells[1:])
    is_long = len(line.split()) > MOST_WORDS_OF_NAME
    return is_whole and bool(GAP.search(line) or (is_long and PLACEHOLDER.search(line)))


def read_only_table(path: Path, accepted: Accepted, error: type[InputError]) -> Rows:
    """Read a person's file that can be nothing but a table, as CSV, text or JSON."""
    check_ending(label(path), accepted.endings, "table", error, bare=True)
    form, content = read_entries(path, accepted, (), error)
    if form != "rows":
        raise error(
            f"{label(path)} holds {shown(content) if content else 'nothing'}: write a list of objects, each "
            f"with {listed(accepted.needed)}."
        )
    return content  # type: ignore[no-any-return]
