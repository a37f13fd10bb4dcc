"""Parquet: a row a document, with the columns ``text`` and, if there, ``id``, ``title`` and ``source``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from pcf_core.core.errors import CorpusError
from pcf_core.material.safety.parquet import pages
from pcf_core.material.safety.text import listed, shown
from pcf_core.mining.corpora.source import BUFFER, Document, Entry, Source

COLUMNS = ("text", "id", "title", "source")
MAX_PAGE = 2**29  # bytes unpacked; most writers take one MiB
ROWS = 32  # at once, so that long texts do not fill the memory


def entries(source: Source) -> Iterator[Entry]:
    """Yield a document for every row; ``source.read`` grows with the share of rows read."""
    import pyarrow.parquet as pq

    with source.checked():
        size = source.path.stat().st_size
        with pq.ParquetFile(
            source.path, buffer_size=BUFFER, pre_buffer=False, page_checksum_verification=True
        ) as file:
            columns = _columns(source, file.schema_arrow)
            with source.path.open("rb") as raw:
                found = pages(raw, file.metadata, columns)
                _check_pages(source, max((page.unpacked for page in found), default=0))
            done, rows = 0, file.metadata.num_rows
            for batch in file.iter_batches(ROWS, columns=columns, use_threads=False):
                for row in range(batch.num_rows):
                    yield partial(_document, source, batch, row, done + row + 1)
                done += batch.num_rows
                source.read = round(size * done / rows)


def _check_pages(source: Source, largest: int) -> None:
    if largest > MAX_PAGE:
        raise CorpusError(
            f"{source.label} has a page of {largest / 2**20:,.0f} MiB unpacked; at most {MAX_PAGE // 2**20} "
            "are read: write it with smaller pages."
        )


def _columns(source: Source, schema: Any) -> list[str]:
    from pyarrow import types

    if "text" not in schema.names:
        names = listed(shown(name) for name in schema.names[:8])
        raise CorpusError(
            f"{source.label} has no column text but {names}: name the column with the texts text."
        )
    kind = schema.field("text").type
    plain = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(plain) or types.is_large_string(plain)):
        raise CorpusError(f"{source.label} has {str(kind)[:60]} in the column text; it must hold strings.")
    return [name for name in COLUMNS if name in schema.names and _is_short(schema.field(name).type)]


def _is_short(kind: Any) -> bool:
    """Tell whether values can name a document: a row of a list or table may be larger than the memory."""
    from pyarrow import types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(plain) or types.is_large_string(plain) or types.is_integer(plain))


def _document(source: Source, batch: Any, row: int, number: int) -> Document:
    where = f"{source.label}, row {number:,}"
    try:
        fields = {name: batch.column(name)[row].as_py() for name in batch.schema.names}
    except UnicodeDecodeError as problem:
        raise CorpusError(f"{where} is not UTF-8 text: write the column text in UTF-8.") from problem
    return source.document(fields, where, number)
