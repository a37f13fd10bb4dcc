"""One shard: prompts × words of one scoring key, a Parquet file and its manifest.

The Parquet file holds data alone (``prompt``: string, ``log_probability``: fixed_size_list<float32>, nats per
accepted word), so that the same scores give the same bytes.  All that made them is in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field

from pcf_core.records import ScoringKey, digest
from pcf_core.store.places import Place
from pcf_core.store.sealed import SCHEMA_VERSION, Sealed, read_sealed, write_sealed

Nats = NDArray[np.float32]


class Manifest(Sealed):
    """What a shard holds and what made it.

    ``words``: the accepted words, in the order of the columns, with ``tokens`` per word; ``refused``: words
    that the tokenizer cannot express, with the reason; ``spelling``: the tokens of accepted words as a text,
    for those whose are known, in older shards of none, and ``unspaced`` those that keep them with no space
    before (:class:`~pcf_core.records.TokenTable`).
    """

    scoring: ScoringKey
    rows: int
    words: tuple[str, ...]
    tokens: tuple[int, ...]
    refused: dict[str, str]
    spelling: dict[str, str] = Field(default_factory=dict)
    unspaced: tuple[str, ...] = ()
    created: datetime
    provenance: dict[str, Any]


@dataclass(frozen=True)
class Shard:
    """A shard that was read and found intact; ``values``: [prompt, word] nats."""

    manifest: Manifest
    prompts: tuple[str, ...]
    values: Nats


def shard_id(scoring: str, prompts: Sequence[str], words: Sequence[str]) -> str:
    """The name of the shard that answers these prompts and words."""
    return digest([SCHEMA_VERSION, scoring, prompts, words])


def write_shard(folder: Place, manifest: Manifest, data: bytes) -> None:
    """Write a shard of scores, unless another machine was first; see :func:`write_sealed`.

    Raises:
        StoreError: nothing half-written counts: data without a manifest are not there.
    """
    write_sealed(folder, manifest, data, lambda there: _answers_the_same(there, data))


def read_shard(folder: Place, shard: str) -> Shard:
    """Read a shard and check every byte of it.

    Raises:
        MissingShardError: there is no such shard.
        DamagedShardError: a checksum does not fit, the content is not what a shard holds, or its scores are
            of another scoring key than the folder's.
        StoreError: it was written by another version, or the disk refuses to read it.
    """

    def interpret(body: dict[str, Any], data: bytes) -> Shard:
        manifest = Manifest.model_validate(body)
        if manifest.scoring.hash != folder.name:
            raise ValueError(f"it holds scores of {manifest.scoring.hash}")
        prompts, values = decode(data)
        if values.shape != (manifest.rows, len(manifest.words)):
            raise ValueError("it holds something else than its manifest says")
        return Shard(manifest, prompts, values)

    return read_sealed(folder, shard, "scores", interpret)


def encode(prompts: Sequence[str], values: Nats) -> bytes:
    """[prompt, word] nats as the bytes of a Parquet file; the same numbers give the same bytes.

    The four bytes of each number stand apart (Parquet's BYTE_STREAM_SPLIT): signs and exponents are much
    alike and compress better on their own.  Shards written without it read the same.
    """
    numbers = pa.array(np.ascontiguousarray(values, dtype=np.float32).ravel())
    table = pa.table(
        {
            "prompt": pa.array(prompts, pa.string()),
            "log_probability": pa.array([], pa.list_(pa.float32(), values.shape[1]))
            if len(prompts) == 0
            else pa.FixedSizeListArray.from_arrays(numbers, values.shape[1]),
        }
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=False,
        use_byte_stream_split=["log_probability.list.element"],
    )
    return bytes(sink.getvalue())


def decode(data: bytes) -> tuple[tuple[str, ...], Nats]:
    """The inverse of :func:`encode`."""
    table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False).combine_chunks()
    column = table["log_probability"].combine_chunks()
    values = column.flatten().to_numpy().reshape(table.num_rows, column.type.list_size)
    return tuple(table["prompt"].to_pylist()), values


def _answers_the_same(there: bytes, data: bytes) -> bool:
    """Whether the bytes found hold a score for the same prompts and as many words."""
    try:
        prompts, values = decode(there)
    except (ValueError, KeyError, OSError, pa.ArrowException):
        return False
    expected, wanted = decode(data)
    return prompts == expected and values.shape == wanted.shape and not np.isnan(values).any()
