"""A data file and the manifest that makes it count, whatever the data are: scores or texts.

The data file holds data alone, so that the same data give the same bytes.  All that made them is in the
manifest, which is written last and carries the checksum of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa

from pcf_core.errors import DamagedShardError, StoreError
from pcf_core.records import Record
from pcf_core.store.files import seal, sha256, unseal
from pcf_core.store.places import Place

SCHEMA_VERSION = 1
MANIFEST = ".json"

T = TypeVar("T")


class Sealed(Record):
    """What every manifest begins with; ``sha256``: of the bytes of the data file."""

    schema_version: int = SCHEMA_VERSION
    shard: str
    sha256: str


class MissingShardError(StoreError):
    """There is no such shard, or not any more."""


def file_names(shard: str) -> tuple[str, str]:
    """Data and manifest."""
    return f"{shard}.parquet", f"{shard}{MANIFEST}"


def write_sealed(
    folder: Place, manifest: Sealed, data: bytes, answers_the_same: Callable[[bytes], bool]
) -> None:
    """Write the data, then the manifest that makes it count; what counts already stays.

    On one disk, where writers take turns, data that no manifest fits are what a killed writer or a broken
    disk left: nobody vouches for their bytes, and they are replaced.  In a shared place they may be another
    machine's that has not come to its manifest yet.  Two devices may differ in the last bit of a score, and
    so in a text: a manifest is always written for the data that are there, so that it fits them in whatever
    order two writers take their steps.

    Args:
        folder: where the shards of one key lie.
        manifest: of ``data``.
        data: the bytes.
        answers_the_same: whether bytes that are there already answer what these do.

    Raises:
        StoreError: nothing half-written counts: data without a manifest are not there.
    """
    data_name, manifest_name = file_names(manifest.shard)
    if not folder.shared:
        if not _is_sealed(folder, manifest.shard):
            folder.replace(data_name, data)
            folder.replace(manifest_name, seal(manifest.model_dump(mode="json")))
        return
    if not folder.create(data_name, data):
        there = folder.read(data_name)
        if there is not None and answers_the_same(there):
            manifest = manifest.model_copy(update={"sha256": sha256(there)})
        else:  # what a writer left that was killed while the folder had no atomic writes, or a broken disk
            folder.replace(data_name, data)
    folder.create(manifest_name, seal(manifest.model_dump(mode="json")))


def read_sealed(
    folder: Place, shard: str, content: str, interpret: Callable[[dict[str, Any], bytes], T]
) -> T:
    """Read a shard and check every byte of it.

    Args:
        folder: where the shards of one key lie.
        shard: its id.
        content: what it holds, for a message: "scores".
        interpret: from the manifest's fields and the data to what is wanted; what does not fit is a
            ValueError.

    Raises:
        MissingShardError: there is no such shard.
        DamagedShardError: a checksum does not fit, or ``interpret`` found that something does not.
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
        if body["sha256"] != sha256(data):
            raise ValueError("the checksum of its data does not fit")
        if body["shard"] != shard:
            raise ValueError("it holds something else than its name says")
        return interpret(body, data)
    except (ValueError, KeyError, OSError, pa.ArrowException) as error:
        raise DamagedShardError(
            f"The shard {shard} of {folder.name} is damaged ({_reason(error)}): "
            f"its {content} count as missing and are made again when they are asked for."
        ) from error


def _is_sealed(folder: Place, shard: str) -> bool:
    """Whether a manifest is there and fits the data beside it."""
    data, seals = (folder.read(name) for name in file_names(shard))
    try:
        return data is not None and seals is not None and unseal(seals)["sha256"] == sha256(data)
    except (ValueError, KeyError):
        return False


def now() -> datetime:
    """Wall time, for people to read: nothing is decided by it."""
    return datetime.now(UTC).replace(microsecond=0)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0].rstrip(".")[:200]
