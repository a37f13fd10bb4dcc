"""What is found out once about a model and is slow to find out: noted in a file of the cache folder.

Notes may be lost, damaged or unwritable: what they do not tell is found out again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pcf_core.core.files import read_file
from pcf_core.core.settings import settings


def noted(name: str, entry: str, form: str, find: Callable[[], str]) -> str:
    """Return what is noted, else find it out and note it.

    Parameters
    ----------
    name
        The file in the cache folder, JSON.
    entry
        What it is about: all that decides it.
    form
        A regular expression.  A note of another form counts as damaged; what is found in another form is
        returned and not noted.
    find
        Finds it out.
    """
    notes = settings().cache / name
    known = _read(notes).get(entry)
    if isinstance(known, str) and re.fullmatch(form, known):
        return known
    found = find()
    if not re.fullmatch(form, found):
        return found
    with suppress(OSError, ValueError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        fresh = notes.with_name(f"{notes.name}.{os.getpid()}")
        text = json.dumps({**_read(notes), entry: found}, indent=1, sort_keys=True)
        fresh.write_text(text, encoding="utf8")
        fresh.replace(notes)
    return found


def note_of(name: str, entry: str) -> str:
    """Return what is noted in a file about an entry; empty where nothing is."""
    known = _read(settings().cache / name).get(entry)
    return known if isinstance(known, str) else ""


def _read(notes: Path) -> dict[str, object]:
    """Read the notes; return none where the file cannot be read: a damaged one is written anew."""
    try:
        known = json.loads(read_file(notes))
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
