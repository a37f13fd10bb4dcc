"""One shard: prompts × words of one scoring key, a Parquet file and its manifest.

The Parquet file holds data alone (``prompt``: string, ``log_probability``: fixed_size_list<float32>, nats per
accepted word), so that the same scores give the same bytes.  All that made them is in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field

from pcf_core.errors import DamagedShardError, StoreError
from pcf_core.records import Record, ScoringKey, digest
from pcf_core.store.files import seal, sha256, unseal
from pcf_core.store.places import Place

SCHEMA_VERSION = 1
MANIFEST = ".json"

Nats = NDArray[np.float32]


class Manifest(Record):
    """What a shard holds and what made it.

    ``words``: the accepted words, in the order of the columns, with ``tokens`` per word; ``refused``: words
    that the tokenizer cannot express, with the reason; ``spelling``: the tokens of accepted words as a text,
    for those whose are known, in older shards of none, and ``unspaced`` those that keep them with no space
    before (:class:`~pcf_core.records.TokenTable`); ``sha256``: of the Parquet file's bytes.
    """

    schema_version: int = SCHEMA_VERSION
    shard: str
    sha256: str
    scoring: ScoringKey
    rows: int
    words: tuple[str, ...]
    tokens: tuple[int, ...]
    refused: dict[str, str]
    spelling: dict[str, str] = Field(default_factory=dict)
    unspaced: tuple[str, ...] = ()
    created: datetime
    provenance: dict[str, Any]


class MissingShardError(StoreError):
    """There is no such shard, or not any more."""


@dataclass(frozen=True)
class Shard:
    """A shard that was read and found intact; ``values``: [prompt, word] nats."""

    manifest: Manifest
    prompts: tuple[str, ...]
    values: Nats


def shard_id(scoring: str, prompts: Sequence[str], words: Sequence[str]) -> str:
    """The name of the shard that answers these prompts and words."""
    return digest([SCHEMA_VERSION, scoring, prompts, words])


def file_names(shard: str) -> tuple[str, str]:
    """Data and manifest."""
    return f"{shard}.parquet", f"{shard}{MANIFEST}"


def write_shard(folder: Place, manifest: Manifest, data: bytes) -> None:
    """Write the data, then the manifest that makes it count; what another machine wrote first stays.

    Two devices may differ in the last bit of a score: a manifest is always written for the data that are
    there, so that it fits them in whatever order two writers take their steps.

    Raises:
        StoreError: nothing half-written counts: data without a manifest are not there.
    """
    data_name, manifest_name = file_names(manifest.shard)
    if not folder.create(data_name, data):
        there = folder.read(data_name)
        if there is not None and _answers_the_same(there, data):
            manifest = manifest.model_copy(update={"sha256": sha256(there)})
        else:  # what a writer left that was killed while the folder had no atomic writes, or a broken disk
            folder.replace(data_name, data)
    folder.create(manifest_name, seal(manifest.model_dump(mode="json")))


def read_shard(folder: Place, shard: str) -> Shard:
    """Read a shard and check every byte of it.

    Raises:
        MissingShardError: there is no such shard.
        DamagedShardError: a checksum does not fit, the content is not what a shard holds, or its scores are
            of another scoring key than the folder's.
        StoreError: it was written by another version, or the disk refuses to read it.
    """
    data_name, manifest_name = file_names(shard)
    seals = folder.read(manifest_name)
    if seals is None:
        raise MissingShardError(f"There is no shard {shard} of {folder.name}.")
    data = folder.read(data_name) or b""
    try:
        body = unseal(seals)
        if body.get("schema_version") != SCHEMA_VERSION:
            raise StoreError(
                f"The shard {shard} of {folder.name} was written by another version of PCF Audit (schema "
                f"{body.get('schema_version')}, here {SCHEMA_VERSION}): it is left alone and not used."
            )
        manifest = Manifest.model_validate(body)
        if manifest.scoring.hash != folder.name:
            raise ValueError(f"it holds scores of {manifest.scoring.hash}")
        if manifest.sha256 != sha256(data):
            raise ValueError("the checksum of its data does not fit")
        prompts, values = decode(data)
        if values.shape != (manifest.rows, len(manifest.words)) or manifest.shard != shard:
            raise ValueError("it holds something else than its manifest says")
    except (ValueError, KeyError, OSError, pa.ArrowException) as error:
        raise DamagedShardError(
            f"The shard {shard} of {folder.name} is damaged ({_reason(error)}): "
            "its scores count as missing and are made again when they are asked for."
        ) from error
    return Shard(manifest, prompts, values)


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


def now() -> datetime:
    """Wall time, for people to read: nothing is decided by it."""
    return datetime.now(UTC).replace(microsecond=0)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")[:200]
