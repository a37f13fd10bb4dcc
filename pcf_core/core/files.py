"""Regular files alone: a pipe, or a link to a device, in a cache or a folder of models may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO


def at_once(path: str, flags: int) -> int:
    """Open a file without waiting for whoever is at the other end of a pipe: an ``opener`` for ``open``."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def must_be_file(file: IO[bytes], path: Path | str) -> None:
    """Refuse a pipe or a device, which may never end.

    Raises
    ------
    OSError
        It is one.
    """
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_file(path: Path | str) -> bytes:
    """Read all bytes of a file in a cache, where a pipe or a link to an endless device may lie instead.

    Raises
    ------
    OSError
        There is no such file, it cannot be read, or it is a pipe or a device.
    """
    with open(path, "rb", opener=at_once) as file:
        must_be_file(file, path)
        return file.read()
