"""What is derived from scores and texts, as Parquet tables or sealed JSON: what is damaged or missing is
computed again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pcf_core.store.files import unseal

log = logging.getLogger(__name__)

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Columns = Mapping[str, NDArray[Any]]


def result_path(root: Path, run_key: str, name: str, ending: str = ".parquet") -> Path:
    """Where a result lies.

    Raises:
        ValueError: a key or name that could lead out of the folder.
    """
    for part in (run_key, name):
        if not SAFE_NAME.fullmatch(part):
            raise ValueError(f"not a name for a result: {part!r}")
    return root / "results" / run_key / f"{name}{ending}"


def encode_result(arrays: Columns, metadata: Mapping[str, Any]) -> bytes:
    """Arrays of one length as the columns of a Parquet table that carries ``metadata`` and a checksum.

    Numbers are split by byte as in :func:`~pcf_core.store.shards.encode`; all else keeps its dictionary.

    Raises:
        ValueError: arrays that are not columns of one length.
    """
    lengths = {array.shape for array in arrays.values()}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        raise ValueError(f"arrays must be columns of one length, got the shapes {sorted(lengths)}")
    facts = json.dumps(metadata, ensure_ascii=False)
    table = pa.table({name: pa.array(array) for name, array in arrays.items()})
    table = table.replace_schema_metadata({"facts": facts, "checksum": _checksum(arrays, facts)})
    sink = pa.BufferOutputStream()
    split = [name for name, array in arrays.items() if array.dtype.kind == "f"]
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=[name for name in arrays if name not in split],
        use_byte_stream_split=split,
    )
    return bytes(sink.getvalue())


def read_result(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """The arrays and their metadata; ``None`` where there are none, or they are damaged (logged)."""
    if not path.exists():
        return None
    try:
        table = pq.ParquetFile(pa.BufferReader(path.read_bytes())).read(use_threads=False)
        arrays = {name: table[name].to_numpy() for name in table.column_names}
        facts = table.schema.metadata[b"facts"].decode()
        if table.schema.metadata[b"checksum"].decode() != _checksum(arrays, facts):
            raise ValueError("the checksum does not fit")
        return arrays, json.loads(facts)
    except (ValueError, KeyError, TypeError, OSError, pa.ArrowException) as error:
        log.warning("The result %s is damaged (%s): it is computed again.", path, error)
        return None


def read_document(path: Path) -> dict[str, Any] | None:
    """Sealed JSON; ``None`` where there is none, or it is damaged (logged)."""
    try:
        return unseal(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        log.warning("The result %s is damaged (%s): it is computed again.", path, error)
        return None


def _checksum(arrays: Columns, facts: str) -> str:
    seen = hashlib.sha256(facts.encode())
    for name in arrays:
        seen.update(f"{name}:{arrays[name].dtype.str}:".encode())
        seen.update(np.ascontiguousarray(arrays[name]).tobytes())
    return seen.hexdigest()
