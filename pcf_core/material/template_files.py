"""Template sets as files: tables, texts or Parquet, and what is known of the set in a card beside it.

Columns: ``template`` and, if wanted, ``count,documents,sources,examples,fits,family``.  The papers'
published lists call the first ``T`` and the second ``proportion``, ``distribution``, ``frequency`` or
``times``: all are read as counts.  Sentences without counts count once each.  A person's file may have a
sentence several times, and placeholders of other tools (:mod:`~pcf_core.material.placeholders`).  In CSV,
sources are written ``enwiki:312;simplewiki:4`` and examples ``one@12;another@345``, with ``%3B`` for a
semicolon inside a name and ``%25`` for a per cent sign before 3B or 25; in Parquet they are a map and a list.

A spreadsheet computes a cell that begins like a formula.  Such cells are written with an apostrophe before
them, and one apostrophe before such a beginning is taken off in reading.

``fits``: what fits at ``[Y]``, such as ``pronoun`` or ``phrase;adjective``
(:data:`~pcf_core.core.topics.PARTS`).  Where a row says nothing, the form of the card does
(:data:`~pcf_core.core.topics.FITS_OF_FORM`); the column is written only where a template says otherwise.

``family``: a label that templates of one meaning share.  The column is written if a template has one.

The card is ``NAME.toml`` (:class:`~pcf_core.core.topics.SetCard`); a Parquet file can carry it within, and
a TOML file may hold both, the templates as ``[[templates]]``.  All forms are read into the same rows.

Parquet files are refused before they are decompressed to too much.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pcf_core.core.errors import TemplateError
from pcf_core.core.records import made
from pcf_core.core.topics import FITS_OF_FORM, PARTS, MinedSet, Part, SetCard
from pcf_core.material.placeholders import with_ours
from pcf_core.material.safety.decimals import NumberColumn, as_text
from pcf_core.material.safety.entries import read_entries
from pcf_core.material.safety.parquet import pages
from pcf_core.material.safety.reading import (
    MAX_ROWS,
    label,
    read_data,
    read_toml,
    tell,
    title_of,
)
from pcf_core.material.safety.tables import SKIPPED, Accepted, Column, Rows, column_names, rows_of_objects
from pcf_core.material.safety.text import FORMULA_STARTS, check_language, check_text, normalise, shown
from pcf_core.material.shelves import toml_lines

# One line of a set's file, and what its cells may hold.


COLUMNS = ("template", "count")
ORIGINS = ("documents", "sources", "examples")
FITS, FAMILY = "fits", "family"
OTHER_COUNTS = ("proportion", "distribution", "frequency", "times")
ACCEPTED = Accepted(
    "templates",
    (
        Column("template", "a sentence with [X] and [Y]", ("t", "sentence", "text")),
        Column("count", "how often it counts", OTHER_COUNTS, needed=False, is_number=True),
        Column("documents", "documents that have it", needed=False),
        Column("sources", "counts by source", needed=False),
        Column("examples", "up to three references", needed=False),
        Column(FITS, "what fits at [Y]", needed=False),
        Column(FAMILY, "the same label for templates of one meaning", needed=False),
    ),
    json="a list of texts, or of objects with the columns",
    line="a sentence",
    parquet=True,
)
GAPS = ("[X]", "[Y]")
GUARDED = ("template", "sources", "examples", FAMILY)  # against programs that compute cells
NO_COUNT = "write 1 for a sentence that counts once"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a set's file, its text and counts not checked yet.  ``where`` names file and line."""

    where: str
    text: str
    count: float
    documents: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    fits: tuple[Part, ...] = ()
    family: str = ""


def fits_of(value: object, where: str) -> tuple[Part, ...]:
    """Read what fits at ``[Y]`` from a cell: ``phrase;adjective``, or nothing."""
    parts = [part.strip() for part in str(value or "").split(";") if part.strip()]
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise TemplateError(
            f"{where}: fits has the unknown value {shown(unknown[0])}: use {', '.join(PARTS)}; separate "
            "several with semicolons."
        )
    return tuple(part for part in PARTS if part in parts)


def _says_more_of_y(mined: MinedSet) -> bool:
    """Tell whether a template of a set says of ``[Y]`` what the form of its card does not."""
    usual = FITS_OF_FORM.get(mined.card.form, ())
    return any(template.fits not in ((), usual) for template in mined.templates)


def _has_families(mined: MinedSet) -> bool:
    return any(template.family for template in mined.templates)


def _counts(cells: Iterable[object], name: str, given: bool) -> NumberColumn:
    """Find out how counts are written: what the app wrote has a point alone for decimals."""
    if not given:
        return NumberColumn("count", NO_COUNT, TemplateError, ".")
    return NumberColumn.of(cells, name, "count", TemplateError, missing=NO_COUNT)


def _whole_number(value: object, what: str, where: str) -> int:
    try:
        number = int(value)  # type: ignore[call-overload]
        if isinstance(value, float) and value != number:
            raise ValueError("it has a fraction")
        return int(number)
    except (ValueError, TypeError, OverflowError) as problem:
        raise TemplateError(
            f"{where}: {what} has {shown(value)}, which is not a whole number, such as 12."
        ) from problem


def _row(where: str, cells: Mapping[str, Any], counts: NumberColumn) -> Row:
    """Read the cells of a line, by column."""
    return Row(
        where,
        cells["template"],
        counts.number(cells.get("count", 1), where),
        _whole_number(cells.get("documents") or 0, "documents", where),
        _sources_of(cells.get("sources"), where),
        examples_of(cells.get("examples")),
        fits_of(cells.get(FITS), where),
        "" if cells.get(FAMILY) is None else str(cells[FAMILY]),
    )


def _sources_of(value: object, where: str) -> dict[str, int]:
    """Read counts by source from a cell: ``a:1;b:2``, a map, a table, or nothing."""
    if isinstance(value, str):
        parts = [part.rpartition(":") for part in value.split(";") if part]
        pairs: list[Any] = [(_unpacked(name), number) for name, _, number in parts]
    elif isinstance(value, Mapping):
        pairs = [(name, number) for name, number in value.items() if number is not None]
    else:
        pairs = value if isinstance(value, list) else []
    counts: Counter[str] = Counter()  # a source may stand twice
    for pair in pairs:
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2):
            raise TemplateError(
                f"{where}: sources has {shown(pair)}: write each source with its count, such as enwiki:12."
            )
        counts[str(pair[0])] += _whole_number(pair[1], "sources", where)
    return dict(counts)


def examples_of(value: object) -> tuple[str, ...]:
    """Read examples from a cell: ``a@1;b@2``, a list, or nothing."""
    if isinstance(value, str):
        return tuple(_unpacked(part) for part in value.split(";") if part)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def packed(name: str) -> str:
    """Escape the semicolons of a name, and a per cent sign only where it would be read as an escape."""
    return re.sub("%(?=25|3B)", "%25", name).replace(";", "%3B")


def _unpacked(name: str) -> str:
    return name.replace("%3B", ";").replace("%25", "%")


# Template sets as Parquet, refused before they unpack to too much.


MAX_UNPACKED = 2**29  # bytes of a Parquet file's columns, and of its texts when each is written out
LEAST_A_PAGE = 2**12  # bytes that a page counts for, so that nobody waits for millions of empty ones
BYTES_A_VALUE = 32  # of a Python object, at least


def parquet_bytes(mined: MinedSet) -> bytes:
    """Write a set as Parquet, with its card within."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    templates = mined.templates
    fits = {FITS: pa.array([";".join(item.fits) for item in templates], pa.string())}
    families = {FAMILY: pa.array([item.family for item in templates], pa.string())}
    table = pa.table(
        {
            "template": pa.array([item.text for item in templates], pa.string()),
            "count": pa.array([item.count for item in templates], pa.float64()),
            "documents": pa.array([item.documents for item in templates], pa.int64()),
            "sources": pa.array(
                [list(item.sources.items()) for item in templates], pa.map_(pa.string(), pa.int64())
            ),
            "examples": pa.array([list(item.examples) for item in templates], pa.list_(pa.string())),
            **(fits if _says_more_of_y(mined) else {}),
            **(families if _has_families(mined) else {}),
        }
    ).replace_schema_metadata({"card": mined.card.model_dump_json()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _parquet_rows(path: Path, origins: bool, given: bool) -> Iterator[Row]:
    """Yield the rows of a Parquet file; without ``origins``, no sources and examples."""
    import pyarrow as pa

    try:
        with _opened(path) as file:
            facts = file.metadata
            _check_unpacked(path, facts.num_rows, _least_unpacked(facts))
            written = file.schema_arrow.names
            names = column_names(written, label(path), ACCEPTED.columns, TemplateError, given=given)
            unneeded = {SKIPPED} if origins else {SKIPPED, "sources", "examples"}
            wanted = [name for name in names if name not in unneeded]
            columns = [written[names.index(name)] for name in wanted]
            _check_pages(path, facts, columns)
            table = file.read(columns=columns, use_threads=False).rename_columns(wanted)
        texts = sum(_text_bytes(chunk) for name in wanted for chunk in table[name].chunks)
        _check_unpacked(path, table.num_rows, texts)
        columns_of_cells = {name: table[name].to_pylist() for name in wanted}
    except (ValueError, KeyError, TypeError, OSError, OverflowError, pa.ArrowException) as problem:
        reason = "".join(c if c.isprintable() else " " for c in str(problem))
        message = " ".join(reason.split())[:200].rstrip(".")
        raise TemplateError(
            f"{label(path)} is not a readable Parquet file ({message}): save it again."
        ) from problem
    name = label(path)
    counts = _counts(columns_of_cells.get("count", ()), name, given)
    for number, row in enumerate(zip(*columns_of_cells.values(), strict=True), start=1):
        yield _row(f"{name}, row {number}", dict(zip(wanted, row, strict=True)), counts)


def _check_pages(path: Path, facts: Any, columns: Collection[str]) -> None:
    """Refuse what unpacks to more than the file's footer admits, before it is unpacked."""
    unpacked = 0
    for page in pages(io.BytesIO(read_data(path, TemplateError)), facts, columns):
        unpacked += max(page.unpacked, BYTES_A_VALUE * page.values, LEAST_A_PAGE)
        _check_unpacked(path, facts.num_rows, unpacked)
        if page.prefixes:
            raise ValueError("its texts are written as DELTA_BYTE_ARRAY")


def _least_unpacked(facts: Any) -> int:
    """Return the bytes of all columns as encoded, or of as many Python values, whichever is more."""
    groups = [facts.row_group(i) for i in range(facts.num_row_groups)]
    values = sum(group.column(i).num_values for group in groups for i in range(group.num_columns))
    return int(max(sum(group.total_byte_size for group in groups), BYTES_A_VALUE * values))


def _text_bytes(array: Any) -> int:
    """Count the bytes of an array's texts, each written out: a few in a dictionary may stand often."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(array.dictionary.cast(pa.large_binary()))
        return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    if pa.types.is_map(kind):
        return _text_bytes(array.keys)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _text_bytes(array.flatten())
    return int(array.nbytes)


def _check_unpacked(path: Path, rows: int, unpacked: int) -> None:
    if rows > MAX_ROWS or unpacked > MAX_UNPACKED:
        raise TemplateError(
            f"{label(path)} has {rows:,} rows and {unpacked / 2**20:,.0f} MiB of data; at most {MAX_ROWS:,} "
            f"rows and {MAX_UNPACKED // 2**20:,} MiB are allowed: shorten the set."
        )


def _carried_card(path: Path) -> Mapping[str, Any]:
    """Read the card within a Parquet file; return an empty one without any or if it cannot be opened."""
    import pyarrow as pa

    try:
        with _opened(path) as file:
            carried = json.loads((file.schema_arrow.metadata or {}).get(b"card", b"{}"))
    except (ValueError, RecursionError, OSError, pa.ArrowException):
        return {}
    return carried if isinstance(carried, dict) else {}


def _opened(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = pa.BufferReader(read_data(path, TemplateError))
    with pq.ParquetFile(data) as file:
        columns = [file.schema.column(i) for i in range(len(file.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(data, read_dictionary=texts)


FORMULA = re.compile(f"'*[{re.escape(''.join(FORMULA_STARTS))}]")


def read_rows(path: Path, *, origins: bool, given: bool = False) -> Iterable[Row]:
    """Read the lines of a file; without ``origins``, no sources and examples.

    ``given``: a person's file, in which a sentence may stand several times, and may have other placeholders.
    """
    read = _parquet_rows if path.suffix.lower() == ".parquet" else _written_rows
    rows = read(path, origins, given)
    return _added_up(rows, label(path)) if given else rows


def _added_up(rows: Iterable[Row], where: str) -> list[Row]:
    """Add up the counts of sentences that stand several times."""
    once: dict[str, Row] = {}
    several: set[str] = set()
    for row in rows:
        # What is no text is refused with its row when the set is made.
        text = normalise(row.text) if isinstance(row.text, str) else row.text
        if (first := once.setdefault(text, row)) is not row:
            several.add(text)
            if row.family != first.family:
                raise TemplateError(
                    f"{row.where}: {shown(text)} has the family {shown(row.family)}, but "
                    f"{shown(first.family)} in an earlier row: give it one family."
                )
            once[text] = replace(
                first,
                count=first.count + row.count,
                documents=first.documents + row.documents,
                sources=Counter(first.sources) + Counter(row.sources),
            )
    if several:
        are = "sentence stands" if len(several) == 1 else "sentences stand"
        tell(f"{len(several):,} {are} more than once in {where}: the counts were added up.")
    return [*once.values()]


def csv_bytes(mined: MinedSet) -> bytes:
    """Write a set as CSV in UTF-8: five columns, what fits at [Y] if its form does not say, and families."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    with_fits, with_families = _says_more_of_y(mined), _has_families(mined)
    more = {FITS: with_fits, FAMILY: with_families}
    writer.writerow((*COLUMNS, *ORIGINS, *(name for name, is_written in more.items() if is_written)))
    for template in mined.templates:
        sources = (f"{packed(name)}:{number}" for name, number in template.sources.items())
        examples = (packed(example) for example in template.examples)
        texts = template.text, ";".join(sources), ";".join(examples), template.family
        text, source, example, family = (f"'{cell}" if FORMULA.match(cell) else cell for cell in texts)
        row = [text, _number(template.count), template.documents, source, example]
        row += [";".join(template.fits)] * with_fits + [family] * with_families
        writer.writerow(row)
    return sink.getvalue().encode()


def _written_rows(path: Path, origins: bool, given: bool) -> Iterator[Row]:
    """Read the rows of a table, or the lines of a text or of a list in JSON, which count once each."""
    name = label(path)
    keys = KEYS if path.suffix.lower() == ".toml" else ()  # a list in JSON may have any name
    form, content = read_entries(path, ACCEPTED, keys, TemplateError, given=given)
    if form == "toml":
        content = _tables_of(content, path)
    elif form != "rows":
        if not isinstance(content, list) or not all(isinstance(one, str) for one in content):
            raise TemplateError(f"{name} must hold a list of sentences, each in quotation marks.")
        content = [(name, {"template": one}) for one in content]
    rows = [
        (where, {key: _unguarded(cell) if key in GUARDED else cell.strip() for key, cell in row.items()})
        for where, row in content
    ]
    texts = [row["template"] for _, row in rows]
    counts = _counts((row.get("count", 1) for _, row in rows), name, given)
    for text, (where, row) in zip(
        with_ours(texts, GAPS, name, TemplateError) if given else texts, rows, strict=True
    ):
        cells = row | {"template": text} | ({} if origins else {"sources": "", "examples": ""})
        yield _row(where, cells, counts)


def _tables_of(table: Mapping[str, Any], path: Path) -> Rows:
    """Read the templates of a TOML file, each a table with the columns as keys."""
    several = table.get(TEMPLATES)
    if not (isinstance(several, list) and several and all(isinstance(one, Mapping) for one in several)):
        raise TemplateError(
            f"{label(path)} must hold its templates as tables: write [[{TEMPLATES}]] above each, and then "
            'lines such as template = "The [X] said that [Y]".'
        )
    return rows_of_objects(several, path, ACCEPTED.columns, TemplateError)


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _number(count: float) -> str:
    """Write a number as a short text that is read as the same; a whole one without a point."""
    return str(int(count)) if count.is_integer() and count < 2**53 else as_text(count)


# What is known of a template set, as TOML beside its file or carried within.


TEMPLATES = "templates"  # key of a set in TOML, whose other keys are those of its card
CARD = tuple(SetCard.model_fields)
KEYS = (*CARD, TEMPLATES)
OTHER_TOML = ("groups", "terms")  # keys of topics and evidence lists, which may lie beside a set
LARGEST_NUMBER = 2**63 - 1


def read_card(path: Path, *, needed: bool = False) -> SetCard:
    """Read the card of the set in a file: ``NAME.toml``, which may be that file, else the one within it.

    Without a card, the title is the file's name.

    Raises
    ------
    TemplateError
        The card is ``needed`` and not there, or it is damaged.
    """
    beside = path.with_suffix(".toml")
    table: dict[str, Any] = {}
    where = label(path)
    if needed or beside.is_file():
        keys = KEYS if path == beside else CARD
        table = read_toml(beside, keys, TemplateError, foreign=() if needed else OTHER_TOML)
        table.pop(TEMPLATES, None)
        where = label(beside) if table else where
    if not table and path.suffix.lower() == ".parquet":
        table = dict(_carried_card(path))
    return make_card({"title": title_of(path), **table}, where)


def make_card(table: Mapping[str, Any], where: str = "The card") -> SetCard:
    """Make a card with every field checked; texts are normalised."""
    card = made(SetCard, dict(table), where, TemplateError)
    checked: dict[str, Any] = {}
    for name, value in card:
        if isinstance(value, str):
            checked[name] = check_text(value, name, where, TemplateError)
        elif isinstance(value, tuple):
            checked[name] = tuple(check_text(item, name, where, TemplateError) for item in value)
    check_language(card.language, where, TemplateError)
    return card.model_copy(update=checked)


def card_text(card: SetCard) -> str:
    """Write a card as TOML; empty fields are left out."""
    facts = card.model_dump(exclude_defaults=True)
    return toml_lines(facts)
