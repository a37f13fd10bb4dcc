"""Texts by (generation key, prompt, index): a shard for each written part, without an index.

    <root>/texts/<generation hash>/<shard id>.parquet   columns prompt, index, text, end, tokens
    <root>/texts/<generation hash>/<shard id>.json      its manifest, written last: no shard without it

A part lies within a block of ``BLOCK`` indices, from its first missing index.  The id of a shard follows from
the prompt, the first index and, if the part is less than a block, the number of its texts: a text is found by
the name of a file, and writers of parts of different sizes do not conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from pcf_core.core.generation import BLOCK, End, Generated, GenerationKey, MissingTexts
from pcf_core.core.records import digest
from pcf_core.store.catalogue import Catalogue
from pcf_core.store.files import sha256
from pcf_core.store.layer import Stamps, read_or_set_aside, stamps_of
from pcf_core.store.shards import MANIFEST, SCHEMA_VERSION, Sealed, file_names, now, read_sealed, write_sealed
from pcf_core.store.storage import Storage

COLUMNS = pa.schema(
    {
        "prompt": pa.string(),
        "index": pa.int32(),
        "text": pa.string(),
        "end": pa.string(),
        "tokens": pa.int32(),
    }
)


class TextsManifest(Sealed):
    """Content and origin of a shard of texts."""

    generation: GenerationKey
    prompt: str
    first: int
    rows: int
    created: datetime
    provenance: dict[str, Any]


class TextLayer:
    """Shards of texts at ``texts``, a folder per generation key; ``catalogue`` has the warnings of damage."""

    def __init__(self, texts: Storage, catalogue: Catalogue) -> None:
        self.texts = texts
        self.catalogue = catalogue
        self._intact: dict[tuple[str, str], Stamps] = {}

    def missing(self, key: GenerationKey, parts: Sequence[MissingTexts]) -> list[MissingTexts]:
        """Return what is missing of parts of blocks; the folder is listed once."""
        there = set((self.texts / key.hash).stems(MANIFEST))
        if not there:
            return list(parts)
        lacking = []
        for part in parts:
            first, end = part.first, part.first + part.count
            while first < end:
                fitting = (
                    rows
                    for rows in sizes(first, end - first)
                    if texts_id(key, part.prompt, first, rows) in there
                    and self._is_intact(key, part.prompt, first, rows)
                )
                rows = next(fitting, 0)
                if not rows:
                    lacking.append(MissingTexts(part.prompt, first, end - first))
                    break
                first += rows
        return lacking

    def read(self, key: GenerationKey, prompt: str, first: int, count: int) -> Generated | None:
        """Return up to ``count`` texts from the index ``first``, checking every byte; ``None`` if missing."""
        read = (self._read(key, prompt, first, rows) for rows in sizes(first, count))
        return next((texts for texts in read if texts is not None), None)

    def write(self, key: GenerationKey, generated: Generated, provenance: Mapping[str, Any]) -> str:
        """Write a part that no other process has written yet; see :meth:`Store.write_texts`."""
        self.catalogue.database.must_last()
        manifest, data = encode_part(key, generated, provenance)
        lock = nullcontext() if self.texts.shared else self.catalogue.database.transaction()
        with lock:  # on a local disk only: on a slow network others would wait too long
            write_sealed(self.texts / key.hash, manifest, data, lambda there: _same_texts(there, generated))
            self.catalogue.settle(key.hash, manifest.shard)
        return manifest.shard

    def _read(self, key: GenerationKey, prompt: str, first: int, rows: int) -> Generated | None:
        folder, shard = self.texts / key.hash, texts_id(key, prompt, first, rows)
        if folder.stamp(file_names(shard)[1]) is None:
            return None
        return read_or_set_aside(lambda: read_texts(folder, shard), folder, shard, self.catalogue)

    def _is_intact(self, key: GenerationKey, prompt: str, first: int, rows: int) -> bool:
        """Return whether a part matches its checksum; it is read again only after a file changed."""
        shard = texts_id(key, prompt, first, rows)
        stamps = stamps_of(self.texts / key.hash, shard)
        if self._intact.get((key.hash, shard)) != stamps:
            if self._read(key, prompt, first, rows) is None:
                return False
            self._intact[key.hash, shard] = stamps
        return True


def texts_id(key: GenerationKey, prompt: str, first: int, rows: int = BLOCK) -> str:
    """Return the id of the shard with ``rows`` texts of a prompt from the index ``first``."""
    size = [] if rows == BLOCK else [rows]
    return digest([SCHEMA_VERSION, key.hash, prompt, first, *size])


def sizes(first: int, wanted: int) -> Iterator[int]:
    """Yield the sizes that a part from this index may have, the likeliest first."""
    most = BLOCK - first % BLOCK
    yield from dict.fromkeys((most, wanted, *range(most, 0, -1)))


def read_texts(folder: Storage, shard: str) -> Generated:
    """Read a part of a block and check every byte of it; raises as :func:`read_sealed`."""

    def interpret(body: dict[str, Any], data: bytes) -> Generated:
        manifest = TextsManifest.model_validate(body)
        texts = decode_texts(data)
        expected = manifest.prompt, manifest.first, manifest.rows
        if (texts.prompt, texts.first, len(texts.texts)) != expected:
            raise ValueError("it holds something else than its manifest says")
        return texts

    return read_sealed(folder, shard, "texts", interpret)


def encode_part(
    key: GenerationKey, generated: Generated, provenance: Mapping[str, Any]
) -> tuple[TextsManifest, bytes]:
    """Return a shard of texts: its manifest and its bytes."""
    data = encode_texts(generated)
    manifest = TextsManifest(
        shard=texts_id(key, generated.prompt, generated.first, len(generated.texts)),
        sha256=sha256(data),
        generation=key,
        prompt=generated.prompt,
        first=generated.first,
        rows=len(generated.texts),
        created=now(),
        provenance=dict(provenance),
    )
    return manifest, data


def encode_texts(generated: Generated) -> bytes:
    """Encode texts as a Parquet file, one row a text; the same texts give the same bytes."""
    count = len(generated.texts)
    columns = {
        "prompt": [generated.prompt] * count,
        "index": list(range(generated.first, generated.first + count)),
        "text": list(generated.texts),
        "end": list(generated.ends),
        "tokens": list(generated.tokens),
    }
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns, schema=COLUMNS), sink, compression="zstd")
    return bytes(sink.getvalue())


def decode_texts(data: bytes) -> Generated:
    """Decode what :func:`encode_texts` wrote."""
    table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
    if not table.schema.equals(COLUMNS) or not table.num_rows:
        raise ValueError("its columns are not those of texts")
    columns = table.to_pydict()
    first = columns["index"][0]
    consecutive = columns["index"] == list(range(first, first + table.num_rows))
    if not consecutive or len(set(columns["prompt"])) > 1 or not set(columns["end"]) <= set(get_args(End)):
        raise ValueError("its rows are not those of one block")
    return Generated(
        prompt=columns["prompt"][0],
        first=first,
        texts=tuple(columns["text"]),
        ends=tuple(columns["end"]),
        tokens=tuple(columns["tokens"]),
    )


def _same_texts(there: bytes, generated: Generated) -> bool:
    """Return whether the existing bytes hold as many texts of the same prompt from the same index."""
    try:
        existing = decode_texts(there)
    except (ValueError, KeyError, OSError, pa.ArrowException):
        return False
    wanted = generated.prompt, generated.first, len(generated.texts)
    return (existing.prompt, existing.first, len(existing.texts)) == wanted
