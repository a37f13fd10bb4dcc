"""The small files of a model directory that somebody else wrote: read whole, if they are small."""

from __future__ import annotations

import stat
from pathlib import Path

LARGEST = 2**26  # bytes; the tokenizers of the largest vocabularies have half of it


def read_small(path: Path) -> str:
    """The text of a file in UTF-8.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no file, which may never end, is over 64 MiB, or not in UTF-8.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is no file")
    if found.st_size > LARGEST:
        raise ValueError(f"it has over {LARGEST // 2**20} MiB")
    return path.read_text(encoding="utf8")
