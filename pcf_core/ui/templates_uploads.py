"""Corpora that a person uploads: written to the cache folder as they come, under a name that is safe."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from pcf_core.errors import CorpusError
from pcf_core.settings import settings
from pcf_core.topics.reading import name_of

ENDINGS = (".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".xml.bz2")
CHUNK = 2**20
HASH_DIGITS = 8


def uploads_folder() -> Path:
    return settings().cache / "uploads"


def ending_of(name: str) -> str | None:
    """The ending of a corpus file, the longest that fits; ``None`` for another kind of file."""
    fitting = [ending for ending in ENDINGS if name.lower().endswith(ending)]
    return max(fitting, key=len, default=None)


def keep_upload(name: str, data: BinaryIO) -> Path:
    """Write an uploaded file, a chunk at a time, and return where it lies.

    Its name is made of small letters, digits and hyphens of the given one, the beginning of the content's
    hash, and its ending: no name leads out of the folder, and the same file is kept once.

    Raises:
        CorpusError: another kind of file, an empty one, or the folder cannot be written.
    """
    ending = ending_of(name)
    if ending is None:
        raise CorpusError(f"A corpus is a file that ends in {', '.join(ENDINGS)}; got {name[-60:]!r}.")
    stem = name_of(Path(Path(name).name[: -len(ending)]))
    folder = uploads_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".part-", dir=folder)
        path = Path(part)
        try:
            seen, size = hashlib.sha256(), 0
            with os.fdopen(handle, "wb") as file:
                while chunk := data.read(CHUNK):
                    seen.update(chunk)
                    size += file.write(chunk)
            if not size:
                raise CorpusError(f"The file {name[-60:]!r} is empty: choose one with text in it.")
            return path.replace(folder / f"{stem}-{seen.hexdigest()[:HASH_DIGITS]}{ending}")
        finally:
            path.unlink(missing_ok=True)
    except OSError as problem:
        reason = problem.strerror or "input/output error"
        raise CorpusError(
            f"The upload cannot be kept in the cache folder ({reason}): free some space, or ask the operator "
            "for a folder that can be written (PCF_CACHE)."
        ) from problem


def offered_corpora() -> dict[str, Path]:
    """What can be mined, by the name people see: the operator's folder first, then what was uploaded.

    Hidden entries, and files of other kinds, are not offered; a folder is offered as one corpus.
    """
    found = {}
    operators = settings().corpora
    for folder, kind in ((operators, ""), (uploads_folder(), "upload: ")):
        if folder is None or not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            if not path.name.startswith(".") and (path.is_dir() or ending_of(path.name)):
                found[f"{kind}{path.name}"] = path
    return found
