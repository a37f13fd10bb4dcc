"""Sentences about the journal."""

from __future__ import annotations

from pcf_core.show.findings.numbers import count
from pcf_core.store.journal import Journaled


def journal_finding(found: Journaled) -> str:
    """Say how much the journal holds, and whether every line follows the one before."""
    entries = count(len(found.entries), "entry", "entries")
    if found.damage:
        return f"The journal has {entries} and is not as it was written. {found.damage}"
    if not found.entries:
        return "Nothing was done here yet that the journal records."
    return f"The journal has {entries}, each of which follows the one before it."
