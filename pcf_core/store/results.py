"""Derived results as Parquet tables or sealed JSON, and runs as sealed JSON files.

A damaged or missing result is computed again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pcf_core.core.errors import RunError
from pcf_core.core.files import read_file
from pcf_core.core.records import Record, digest
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.store.files import seal, unseal, write_whole
from pcf_core.store.shards import now
from pcf_core.store.storage import Folder, State, state_of

log = logging.getLogger(__name__)

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Columns = Mapping[str, NDArray[Any]]


def result_path(root: Path, run_key: str, name: str, ending: str = ".parquet") -> Path:
    """Return the path of a result."""
    for part in (run_key, name):
        if not SAFE_NAME.fullmatch(part):
            raise ValueError(f"not a name for a result: {part!r}")
    return root / "results" / run_key / f"{name}{ending}"


def encode_result(arrays: Columns, metadata: Mapping[str, Any]) -> bytes:
    """Write arrays of one length as a Parquet table with ``metadata`` and a checksum."""
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
    """Load the arrays and their metadata; ``None`` if missing or damaged (logged)."""
    if not path.exists():
        return None
    try:
        table = pq.ParquetFile(pa.BufferReader(read_file(path))).read(use_threads=False)
        arrays = {name: table[name].to_numpy() for name in table.column_names}
        facts = table.schema.metadata[b"facts"].decode()
        if table.schema.metadata[b"checksum"].decode() != _checksum(arrays, facts):
            raise ValueError("the checksum does not fit")
        return arrays, json.loads(facts)
    except (ValueError, KeyError, TypeError, OSError, pa.ArrowException) as error:
        log.warning("The result %s is damaged (%s): it is calculated again.", path, error)
        return None


def read_document(path: Path) -> dict[str, Any] | None:
    """Load sealed JSON; ``None`` if missing or damaged (logged)."""
    try:
        return unseal(read_file(path))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        log.warning("The result %s is damaged (%s): it is calculated again.", path, error)
        return None


def document_states(root: Path, name: str) -> dict[str, tuple[int, State]]:
    """Return, by key, when each document of a name was written and its state, without reading it."""
    states: dict[str, tuple[int, State]] = {}
    try:
        with os.scandir(result_path(root, "any", name).parent.parent) as keys:  # called for each page
            for key in keys:
                with suppress(OSError):
                    state = os.stat(f"{key.path}/{name}.json")  # noqa: PTH116 - a path takes thrice as long
                    states[key.name] = state.st_mtime_ns, state_of(state)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    return states


def _checksum(arrays: Columns, facts: str) -> str:
    seen = hashlib.sha256(facts.encode())
    for name in arrays:
        seen.update(f"{name}:{arrays[name].dtype.str}:".encode())
        seen.update(np.ascontiguousarray(arrays[name]).tobytes())
    return seen.hexdigest()


# Runs: one sealed JSON file each.

SHORTEST_PREFIX = 6
KEY = re.compile(r"[0-9a-f]+")
LISTS: Mapping[str, type[Record]] = {"topic": Topic, "evidence": Evidence, "templates": TemplateSet}


Lists = WeakValueDictionary[tuple[str, str], Record]


class RunInfo(Record):
    """A run with its state; ``provenance`` says what scored it."""

    run: RunSpec
    complete: bool
    created: datetime
    provenance: dict[str, Any]


class RunFolder:
    """The folder ``runs`` of one layer, read only after changes; runs share equal ``lists`` in memory."""

    def __init__(self, root: Path, lists: Lists | None = None) -> None:
        self._folder = root / "runs"
        self._lists: Lists = WeakValueDictionary() if lists is None else lists
        self._read: dict[str, tuple[State, RunInfo | None]] = {}

    def save(self, run: RunSpec, provenance: Mapping[str, Any], complete: bool) -> None:
        """Write or replace a run."""
        info = RunInfo(run=run, complete=complete, created=now(), provenance=dict(provenance))
        write_whole(self._folder / f"{run.key}.json", seal(info.model_dump(mode="json")))

    def infos(self) -> dict[str, RunInfo]:
        """Load the runs by key; a damaged file is logged and left out."""
        infos = {}
        for key in Folder(self._folder).stems(".json"):  # called a dozen times for each page
            info = self.info(key)
            if info is not None:
                infos[key] = info
        return infos

    def info(self, key: str) -> RunInfo | None:
        """Load a run; ``None``, logged, if its file is missing or damaged."""
        path = f"{self._folder}/{key}.json"
        try:
            stamp = state_of(os.stat(path))  # noqa: PTH116 - a path takes thrice as long
            if key not in self._read or self._read[key][0] != stamp:
                self._read[key] = stamp, self._parse(Path(path))
            return self._read[key][1]
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("The run %s cannot be read (%s).", key, error)
            return None

    def _parse(self, path: Path) -> RunInfo | None:
        """Read one file; ``None`` if it is damaged, or contains another run than its name says."""
        try:
            body = unseal(read_file(path))
            lists = {name: self._list(kind, body["run"][name]) for name, kind in LISTS.items()}
            info = RunInfo.model_validate({**body, "run": {**body["run"], **lists}})
        except (ValueError, KeyError, TypeError) as error:
            log.warning("The run %s is damaged (%s): score it again.", path.stem, error)
            return None
        return info if info.run.key == path.stem else None

    def _list(self, kind: type[Record], body: object) -> Record:
        """Return a list of a run: the object in memory, if there is an equal one."""
        key = kind.__name__, digest(body)
        existing = self._lists.get(key)
        if existing is None:
            existing = self._lists[key] = kind.model_validate(body)
        return existing


def find_run(key: str, keys: Sequence[str]) -> str:
    """Return the full key that ``key``, or its beginning, stands for."""
    if key in keys:
        return key
    if len(key) < SHORTEST_PREFIX or not KEY.fullmatch(key):
        raise RunError(
            f"A run key has 16 hexadecimal digits, of which at least the first {SHORTEST_PREFIX} are needed; "
            f"{key[:40]!r} was given: `score` prints the key, and the page 'Run an audit' shows it."
        )
    fitting = [full for full in keys if full.startswith(key)]
    if len(fitting) > 1:
        raise RunError(f"Several runs begin with {key!r} ({', '.join(fitting)}): give more digits.")
    if not fitting:
        raise RunError(
            f"There is no run with the key {key[:40]!r}: score it first, or check the key on the page "
            "'Run an audit'."
        )
    return fitting[0]
