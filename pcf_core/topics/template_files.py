"""Template sets as files: CSV or Parquet, and what is known of the set in a card beside it.

Columns: ``template,count`` and, if wanted, ``documents,sources,examples``.  The papers' published lists call
the first ``T`` and the second ``proportion``, ``distribution``, ``frequency`` or ``times``: all are read as
counts.  In CSV, sources are written ``enwiki:312;simplewiki:4`` and examples ``one@12;another@345``, with
``%3B`` for a semicolon inside a name and ``%25`` for a per cent sign before 3B or 25; in Parquet they are a
map and a list.

A spreadsheet computes a cell that begins like a formula.  Such cells are written with an apostrophe before
them, and one apostrophe before such a beginning is taken off in reading.

The card is ``NAME.toml`` (:class:`~pcf_core.records.SetCard`); a Parquet file can carry it within.
Both forms are read into the same rows (:mod:`~pcf_core.topics.template_rows`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from pcf_core.errors import TemplateError
from pcf_core.records import MinedSet
from pcf_core.records.spreadsheet import FORMULA_STARTS
from pcf_core.topics.reading import read_table
from pcf_core.topics.template_parquet import parquet_rows
from pcf_core.topics.template_rows import (
    ALIASES,
    COLUMNS,
    ORIGINS,
    Row,
    count_of,
    examples_of,
    packed,
    sources_of,
    whole_number,
)

FORMULA = re.compile(f"'*[{re.escape(''.join(FORMULA_STARTS))}]")


def read_rows(path: Path, *, origins: bool) -> Iterator[Row]:
    """The lines of a CSV or Parquet file; without ``origins``, only texts, counts and documents are.

    Raises:
        TemplateError: unreadable, other columns, a number that is none.
    """
    if path.suffix.lower() == ".parquet":
        return parquet_rows(path, origins)
    return _csv_rows(path, origins)


def csv_bytes(mined: MinedSet) -> bytes:
    """A set as CSV in UTF-8, with all five columns."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow((*COLUMNS, *ORIGINS))
    for template in mined.templates:
        sources = (f"{packed(name)}:{number}" for name, number in template.sources.items())
        examples = (packed(example) for example in template.examples)
        texts = template.text, ";".join(sources), ";".join(examples)
        text, source, example = (f"'{cell}" if FORMULA.match(cell) else cell for cell in texts)
        writer.writerow((text, _number(template.count), template.documents, source, example))
    return sink.getvalue().encode()


def _csv_rows(path: Path, origins: bool) -> Iterator[Row]:
    for where, row in read_table(path, COLUMNS, ORIGINS, TemplateError, ALIASES):
        text, count = _unguarded(row["template"]), count_of(row["count"], where)
        documents = whole_number(row.get("documents", "").strip() or "0", "documents", where)
        if not origins:
            yield Row(where, text, count, documents)
            continue
        yield Row(
            where,
            text,
            count,
            documents,
            sources_of(_unguarded(row.get("sources", "")), where),
            examples_of(_unguarded(row.get("examples", ""))),
        )


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _number(count: float) -> str:
    """The shortest text that is read as the same number; a whole one without a point."""
    return str(int(count)) if count.is_integer() and count < 2**53 else repr(count)
