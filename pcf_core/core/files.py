"""Read regular files only, and cache facts that are slow to compute as notes in the cache folder.

Reading a pipe or a link to a device might never end.  Lost, damaged or unwritable notes are computed again.
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

LONGEST_WAIT = 10  # seconds for another process that writes a note


def at_once(path: str, flags: int) -> int:
    """Open a file without waiting for a pipe's other end: an ``opener`` for ``open``."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def must_be_file(file: IO[bytes], path: Path | str) -> None:
    """Raise OSError unless it is a regular file; reading a pipe or a device may never end."""
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_file(path: Path | str) -> bytes:
    """Return all bytes of a regular file; raise OSError if it is none, or cannot be read."""
    with open(path, "rb", opener=at_once) as file:
        must_be_file(file, path)
        return file.read()


def noted(name: str, entry: str, form: str, find: Callable[[], str]) -> str:
    """Return the note on ``entry`` in the JSON file ``name``, or compute and store it with ``find``.

    ``form``: a regular expression; other notes are ignored, and other facts are returned but not stored.
    """
    note = note_of(name, entry)
    if note and re.fullmatch(form, note):
        return note
    fact = find()
    if re.fullmatch(form, fact):
        write_note(name, entry, fact)
    return fact


def write_note(name: str, entry: str, fact: str) -> None:
    """Write a note on ``entry`` into the JSON file ``name``, in place of an earlier one."""
    from filelock import FileLock  # tasks of Inspect run without it, and write no notes

    notes = settings().cache / name
    with suppress(OSError, ValueError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{notes}.lock", timeout=LONGEST_WAIT):  # else one of two processes loses its note
            fresh = notes.with_name(f"{notes.name}.new")
            text = json.dumps({**_read(notes), entry: fact}, indent=1, sort_keys=True)
            fresh.write_text(text, encoding="utf8")
            fresh.replace(notes)


def note_of(name: str, entry: str) -> str:
    """Return the note on an entry in a file of the cache folder; empty if there is none."""
    note = _read(settings().cache / name).get(entry)
    return note if isinstance(note, str) else ""


def _read(notes: Path) -> dict[str, object]:
    try:
        entries = json.loads(read_file(notes))
    except (OSError, ValueError, RecursionError):  # a damaged file is rewritten
        return {}
    return entries if isinstance(entries, dict) else {}
