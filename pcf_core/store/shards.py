"""Shards of scores or texts: a Parquet file and the manifest that makes it count.

The Parquet file has only data, so that the same data give the same bytes.  Their origin is in the manifest,
which is written last and has the checksum of the data.  For scores, prompts × words of one scoring key, the
columns are ``prompt``: string, and ``log_probability``: fixed_size_list<float32>, nats per accepted word.  If
text follows ``[Y]`` in some prompts of a causal model, ``left_log_probability`` has the same given the text
on the left alone, NaN where a token spans word and right text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field

from pcf_core.core.errors import DamagedShardError, StoreError
from pcf_core.core.records import Record, digest
from pcf_core.core.run import ScoringKey, TokenTable
from pcf_core.store.files import seal, sha256, unseal
from pcf_core.store.storage import Storage

SCHEMA_VERSION = 1
MANIFEST = ".json"
SCORES, LEFT = "log_probability", "left_log_probability"  # columns

T = TypeVar("T")


class Sealed(Record):
    """The first fields of every manifest; ``sha256``: of the data file."""

    schema_version: int = SCHEMA_VERSION
    shard: str
    sha256: str


class MissingShardError(StoreError):
    """There is no such shard."""


def file_names(shard: str) -> tuple[str, str]:
    """Return the names of data and manifest."""
    return f"{shard}.parquet", f"{shard}{MANIFEST}"


def write_sealed(
    folder: Storage, manifest: Sealed, data: bytes, answers_the_same: Callable[[bytes], bool]
) -> None:
    """Write the data, then the manifest that makes them count, unless a shard counts already.

    On a local disk writers hold a lock, see :func:`write_together`.  In a shared folder another machine may
    be about to write the manifest, and devices may differ in the last bit: so it is always written for the
    existing data. ``answers_the_same``: whether existing bytes answer the same request.
    """
    data_name, manifest_name = file_names(manifest.shard)
    if not folder.shared:
        write_together(folder, [(manifest, data)])
        return
    if not folder.create(data_name, data):
        there = folder.read(data_name)
        if there is not None and answers_the_same(there):
            manifest = manifest.model_copy(update={"sha256": sha256(there)})
        else:  # left by a killed writer, or damaged
            folder.replace(data_name, data)
    folder.create(manifest_name, seal(manifest.model_dump(mode="json")))


def write_together(folder: Storage, shards: Iterable[tuple[Sealed, bytes]]) -> None:
    """Write shards that do not count yet, under a lock: the data of all, then their manifests."""
    lacking = [
        (*file_names(manifest.shard), manifest, data)
        for manifest, data in shards
        if not _is_sealed(folder, manifest.shard)
    ]
    folder.replace_all({name: data for name, _, _, data in lacking})
    folder.replace_all({name: seal(manifest.model_dump(mode="json")) for _, name, manifest, _ in lacking})


def read_sealed(
    folder: Storage, shard: str, content: str, interpret: Callable[[dict[str, Any], bytes], T]
) -> T:
    """Read a shard, check every byte of it, and return ``interpret`` of its manifest and data.

    ``interpret`` raises ValueError if they do not match; ``content`` names them in messages: "scores".
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
                f"{body.get('schema_version')}, here {SCHEMA_VERSION}): it is neither used nor changed."
            )
        if body["sha256"] != sha256(data):
            raise ValueError("the checksum of its data does not fit")
        if body["shard"] != shard:
            raise ValueError("it holds something else than its name says")
        return interpret(body, data)
    except (ValueError, KeyError, OSError, pa.ArrowException) as error:
        raise DamagedShardError(
            f"The shard {shard} of {folder.name} is damaged ({_reason(error)}): its {content} count as "
            "missing and are made again when they are needed."
        ) from error


def _is_sealed(folder: Storage, shard: str) -> bool:
    data, seals = (folder.read(name) for name in file_names(shard))
    try:
        return data is not None and seals is not None and unseal(seals)["sha256"] == sha256(data)
    except (ValueError, KeyError):
        return False


def now() -> datetime:
    """Return wall time for people; nothing depends on it."""
    return datetime.now(UTC).replace(microsecond=0)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")[:200]


Nats = NDArray[np.float32]


class Manifest(Sealed):
    """Content and origin of a shard of scores.

    ``words``: the accepted words, in the order of the columns, with ``tokens`` per word; ``refused``: the
    others, with the reason; ``spelling``: tokens of accepted words as text (some shipped shards have none);
    ``unspaced``: words with the same tokens without a space before; ``at_start``: tokens of words at the
    beginning of a text, if any stood there (:class:`~pcf_core.core.run.TokenTable`).
    """

    scoring: ScoringKey
    rows: int
    words: tuple[str, ...]
    tokens: tuple[int, ...]
    refused: dict[str, str]
    spelling: dict[str, str] = Field(default_factory=dict)
    unspaced: tuple[str, ...] = ()
    at_start: dict[str, int] = Field(default_factory=dict, exclude_if=lambda counts: not counts)
    created: datetime
    provenance: dict[str, Any]


@dataclass(frozen=True)
class Shard:
    """A shard that was read and checked; ``values`` [prompt, word]: nats; ``left``: its third column."""

    manifest: Manifest
    prompts: tuple[str, ...]
    values: Nats
    left: Nats | None = None


def shard_id(scoring: str, prompts: Sequence[str], words: Sequence[str]) -> str:
    """Return the id of the shard for these prompts and words."""
    return digest([SCHEMA_VERSION, scoring, prompts, words])


def manifest_of(
    key: ScoringKey,
    prompts: Sequence[str],
    words: Sequence[str],
    table: TokenTable,
    data: bytes,
    created: datetime,
    provenance: Mapping[str, Any],
) -> Manifest:
    """Make the manifest of a shard; ``words`` are accepted and refused ones, ``data`` its encoded scores."""
    accepted = tuple(word for word in words if word in table.tokens)
    return Manifest(
        shard=shard_id(key.hash, prompts, words),
        sha256=sha256(data),
        scoring=key,
        rows=len(prompts),
        words=accepted,
        tokens=tuple(table.tokens[word] for word in accepted),
        refused={word: table.refused[word] for word in words if word in table.refused},
        spelling={word: table.spelling[word] for word in accepted if word in table.spelling},
        unspaced=tuple(word for word in accepted if word in table.unspaced),
        at_start={word: table.at_start[word] for word in accepted if word in table.at_start},
        created=created,
        provenance=dict(provenance),
    )


def write_shard(folder: Storage, manifest: Manifest, data: bytes) -> None:
    """Write a shard of scores that no other machine has written yet; see :func:`write_sealed`."""
    write_sealed(folder, manifest, data, lambda there: _answers_the_same(there, data))


def read_shard(folder: Storage, shard: str) -> Shard:
    """Read a shard and check every byte of it."""

    def interpret(body: dict[str, Any], data: bytes) -> Shard:
        manifest = Manifest.model_validate(body)
        if manifest.scoring.hash != folder.name:
            raise ValueError(f"it holds scores of {manifest.scoring.hash}")
        prompts, values, left = decode(data)
        shapes = {part.shape for part in (values, left) if part is not None}
        if shapes != {(manifest.rows, len(manifest.words))}:
            raise ValueError("it holds something else than its manifest says")
        return Shard(manifest, prompts, values, left)

    return read_sealed(folder, shard, "scores", interpret)


def encode(prompts: Sequence[str], values: Nats, left: Nats | None = None) -> bytes:
    """Encode [prompt, word] nats as a Parquet file, reproducibly, with BYTE_STREAM_SPLIT to compress well."""
    columns = {SCORES: values} if left is None else {SCORES: values, LEFT: left}
    table = pa.table(
        {"prompt": pa.array(prompts, pa.string())} | {name: _lists(part) for name, part in columns.items()}
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=False,
        use_byte_stream_split=[f"{name}.list.element" for name in columns],
    )
    return bytes(sink.getvalue())


def _lists(values: Nats) -> pa.Array:
    """Return [prompt, word] numbers as a column with a list for each prompt."""
    if len(values) == 0:
        return pa.array([], pa.list_(pa.float32(), values.shape[1]))
    numbers = pa.array(np.ascontiguousarray(values, dtype=np.float32).ravel())
    return pa.FixedSizeListArray.from_arrays(numbers, values.shape[1])


def decode(data: bytes) -> tuple[tuple[str, ...], Nats, Nats | None]:
    """Decode what :func:`encode` wrote: prompts, scores, and those given the left text alone if any."""
    table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False).combine_chunks()

    def numbers(name: str) -> Nats:
        column = table[name].combine_chunks()
        values: Nats = column.flatten().to_numpy().reshape(table.num_rows, column.type.list_size)
        return values

    left = numbers(LEFT) if LEFT in table.column_names else None
    return tuple(table["prompt"].to_pylist()), numbers(SCORES), left


def _answers_the_same(there: bytes, data: bytes) -> bool:
    """Return whether the existing bytes have scores of the same prompts and as many words."""
    try:
        prompts, values, _ = decode(there)
    except (ValueError, KeyError, OSError, pa.ArrowException):
        return False
    expected, wanted, _ = decode(data)
    return prompts == expected and values.shape == wanted.shape and not np.isnan(values).any()
