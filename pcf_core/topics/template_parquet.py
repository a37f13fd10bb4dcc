"""Template sets as Parquet, refused before they unpack to too much."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pcf_core.errors import TemplateError
from pcf_core.records import MinedSet
from pcf_core.topics.parquet_pages import pages
from pcf_core.topics.reading import MAX_ROWS, column_names, label, read_data
from pcf_core.topics.template_rows import (
    ALIASES,
    COLUMNS,
    ORIGINS,
    Row,
    count_of,
    examples_of,
    sources_of,
    whole_number,
)

MAX_UNPACKED = 2**29  # bytes of a Parquet file's columns, and of its texts when each is written out
LEAST_A_PAGE = 2**12  # bytes that a page counts for, so that nobody waits for millions of empty ones
BYTES_A_VALUE = 32  # of a Python object, at least


def parquet_bytes(mined: MinedSet) -> bytes:
    """A set as Parquet, with its card within."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    templates = mined.templates
    table = pa.table(
        {
            "template": pa.array([item.text for item in templates], pa.string()),
            "count": pa.array([item.count for item in templates], pa.float64()),
            "documents": pa.array([item.documents for item in templates], pa.int64()),
            "sources": pa.array(
                [list(item.sources.items()) for item in templates], pa.map_(pa.string(), pa.int64())
            ),
            "examples": pa.array([list(item.examples) for item in templates], pa.list_(pa.string())),
        }
    ).replace_schema_metadata({"card": mined.card.model_dump_json()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def parquet_rows(path: Path, origins: bool) -> Iterator[Row]:
    """The rows of a Parquet file; without ``origins``, only texts, counts and documents are read.

    Raises:
        TemplateError: damaged, over a million rows or 512 MiB unpacked, other columns, a number that is none.
    """
    import pyarrow as pa

    try:
        with _opened(path) as file:
            facts = file.metadata
            _check_unpacked(path, facts.num_rows, _least_unpacked(facts))
            written = file.schema_arrow.names
            names = column_names(written, path, COLUMNS, ORIGINS, TemplateError, ALIASES)
            wanted = [name for name in names if origins or name in (*COLUMNS, "documents")]
            columns = [written[names.index(name)] for name in wanted]
            _check_pages(path, facts, columns)
            table = file.read(columns=columns, use_threads=False).rename_columns(wanted)
        texts = sum(_text_bytes(chunk) for name in wanted for chunk in table[name].chunks)
        _check_unpacked(path, table.num_rows, texts)
        cells = {name: table[name].to_pylist() for name in wanted}
    except (ValueError, KeyError, TypeError, OSError, OverflowError, pa.ArrowException) as problem:
        reason = "".join(c if c.isprintable() else " " for c in str(problem))
        said = " ".join(reason.split())[:200].rstrip(".")
        raise TemplateError(
            f"{label(path)} is not a readable Parquet file ({said}): write it again."
        ) from problem
    name = label(path)
    for index, (text, count) in enumerate(zip(cells["template"], cells["count"], strict=True)):
        where = f"{name}, row {index + 1}"
        yield Row(
            where,
            text,
            count_of(count, where),
            whole_number(cells["documents"][index] or 0, "documents", where) if "documents" in cells else 0,
            sources_of(cells["sources"][index], where) if "sources" in cells else {},
            examples_of(cells["examples"][index]) if "examples" in cells else (),
        )


def _check_pages(path: Path, facts: Any, columns: Collection[str]) -> None:
    """Refuse what unpacks to more than the file's footer admits, before it is unpacked."""
    unpacked = 0
    for page in pages(io.BytesIO(read_data(path, TemplateError)), facts, columns):
        unpacked += max(page.unpacked, BYTES_A_VALUE * page.values, LEAST_A_PAGE)
        _check_unpacked(path, facts.num_rows, unpacked)
        if page.prefixes:
            raise ValueError("its texts are written as DELTA_BYTE_ARRAY")


def _least_unpacked(facts: Any) -> int:
    """Bytes of all columns as they were encoded, or of as many Python values, whichever is more."""
    groups = [facts.row_group(i) for i in range(facts.num_row_groups)]
    values = sum(group.column(i).num_values for group in groups for i in range(group.num_columns))
    return int(max(sum(group.total_byte_size for group in groups), BYTES_A_VALUE * values))


def _text_bytes(array: Any) -> int:
    """Bytes of the texts of an array when each is written out: a few in a dictionary may stand often."""
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
            f"{label(path)} has {rows:,} rows, {unpacked / 2**20:,.0f} MiB unpacked; at most {MAX_ROWS:,} "
            f"and {MAX_UNPACKED // 2**20:,} are read: cut the set."
        )


def carried_card(path: Path) -> Mapping[str, Any]:
    """The card within a Parquet file; empty where it has none, or cannot be opened (reading says so)."""
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
