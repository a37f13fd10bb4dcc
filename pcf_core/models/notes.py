"""Notes in the cache folder of facts that are slow to compute.

Notes may be lost, damaged or unwritable: the facts are then computed again.
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
