"""The hashes of a model's files: what it computes, wherever they lie."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from pcf_core.settings import settings


def model_hash(weights: Sequence[Path], config: Path) -> str:
    """SHA-256 over :func:`weights_hash` and the bytes of ``config.json``.

    The same weights compute something else under another configuration, such as another number of heads.
    """
    return hashlib.sha256(weights_hash(weights).encode() + config.read_bytes()).hexdigest()


def weights_hash(files: Sequence[Path]) -> str:
    """SHA-256 over the safetensors bytes of all shards, in the order of their names."""
    if len(files) == 1:
        return _file_hash(files[0])
    parts = "".join(_file_hash(path) for path in sorted(files, key=lambda path: path.name))
    return hashlib.sha256(parts.encode()).hexdigest()


def tokenizer_hash(files: Sequence[Path]) -> str:
    """SHA-256 over names and bytes of the tokenizer's files."""
    total = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        total.update(f"{path.name}\0{_file_hash(path)}\0".encode())
    return total.hexdigest()


def _file_hash(path: Path) -> str:
    state = path.stat()
    return _remembered(str(path.resolve()), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _remembered(path: str, size: int, modified: int) -> str:
    """Large files are read once: their hash is kept in the cache folder under path, size and time.

    Where the cache folder cannot be written they are read once by each process.
    """
    if size < 2**26:
        return _read_hash(path)
    notes = settings().cache / "weights.json"
    known = _read_notes(notes)
    entry = f"{path}|{size}|{modified}"
    if entry not in known:
        known = {**_read_notes(notes), entry: _read_hash(path)}
        with suppress(OSError, ValueError):
            notes.parent.mkdir(parents=True, exist_ok=True)
            fresh = notes.with_name(f"{notes.name}.{os.getpid()}")
            fresh.write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf8")
            fresh.replace(notes)
    return known[entry]


def _read_hash(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_notes(notes: Path) -> dict[str, str]:
    """What is remembered: nothing where the file cannot be read; a damaged one is written anew."""
    try:
        known = json.loads(notes.read_text(encoding="utf8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
