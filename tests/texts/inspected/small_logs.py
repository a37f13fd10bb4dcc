"""The recorded logs as tables, changed by tests, and put together again as either form of a log."""

from __future__ import annotations

import copy
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

HERE = Path(__file__).resolve().parent
FAIRPAIR, CRITERIA = HERE / "fairpair.eval", HERE / "criteria.eval"
PROMPTS, PROFESSIONS = HERE / "few-prompts.toml", HERE / "few-professions.csv"
ZSTANDARD = 93
Log = dict[str, Any]


def unpacked(path: Path) -> Log:
    """The log as one table, as ``inspect log dump`` gives it: read here without our reader."""
    data = path.read_bytes()
    log: Log = {}
    samples = []
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            start = (
                info.header_offset
                + 30
                + sum(
                    int.from_bytes(data[info.header_offset + at : info.header_offset + at + 2], "little")
                    for at in (26, 28)
                )
            )
            packed = data[start : start + info.compress_size]
            body = json.loads(bytes(pa.decompress(packed, info.file_size, "zstd", asbytes=True)))
            if info.filename == "header.json":
                log |= body
            elif info.filename.startswith("samples/"):
                samples.append(body)
    return log | {"samples": samples}


def changed(log: Log, change: Callable[[Log], object]) -> Log:
    """A copy with a change."""
    other = copy.deepcopy(log)
    change(other)
    return other


def as_json(log: Log) -> bytes:
    """One JSON file."""
    return json.dumps(log).encode()


def as_zip(log: Log, way: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP, its files packed in a way that ``zipfile`` knows."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", way) as archive:
        for place, sample in enumerate(log["samples"]):
            archive.writestr(f"samples/{sample['id']}_epoch_{place}.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps({key: log[key] for key in log if key != "samples"}))
    return target.getvalue()


def zip_of(packed: bytes, size: int, crc: int, way: int = ZSTANDARD) -> bytes:
    """A ZIP with a header.json that says of itself what it is told to."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("header.json", packed)
    data = bytearray(target.getvalue())
    for place in (data.index(b"PK\x03\x04") + 8, data.index(b"PK\x01\x02") + 10):
        data[place : place + 2] = way.to_bytes(2, "little")
        data[place + 6 : place + 10] = crc.to_bytes(4, "little")
        data[place + 14 : place + 18] = size.to_bytes(4, "little")
    return bytes(data)


def bomb(size: int) -> bytes:
    """White space that unpacks to so much more than its entry says."""
    packed = bytes(pa.compress(b" " * size, "zstd", asbytes=True))
    return zip_of(packed, 10, zlib.crc32(b" " * 10))
