"""Read regular files alone, and keep notes of facts that are slow to compute in the cache folder.

A pipe, or a link to a device, in a cache or a folder of models may never end.  Notes may be lost, damaged or
unwritable: the facts are then computed again.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from pcf_core.core.settings import settings


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


def noted(name: str, entry: str, form: str, find: Callable[[], str]) -> str:
    """Return the note about an entry, else compute and note it.

    Parameters
    ----------
    name
        The JSON file in the cache folder.
    entry
        All that the fact depends on.
    form
        A regular expression.  A note of another form counts as damaged; a computed fact of another form is
        returned and not noted.
    find
        Computes the fact.
    """
    notes = settings().cache / name
    note = note_of(name, entry)
    if note and re.fullmatch(form, note):
        return note
    fact = find()
    if not re.fullmatch(form, fact):
        return fact
    with suppress(OSError, ValueError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        fresh = notes.with_name(f"{notes.name}.{os.getpid()}")
        text = json.dumps({**_read(notes), entry: fact}, indent=1, sort_keys=True)
        fresh.write_text(text, encoding="utf8")
        fresh.replace(notes)
    return fact


def note_of(name: str, entry: str) -> str:
    """Return the note about an entry in a file of the cache folder; empty if there is none."""
    note = _read(settings().cache / name).get(entry)
    return note if isinstance(note, str) else ""


def _read(notes: Path) -> dict[str, object]:
    try:
        entries = json.loads(read_file(notes))
    except (OSError, ValueError, RecursionError):  # a damaged file is written anew
        return {}
    return entries if isinstance(entries, dict) else {}
