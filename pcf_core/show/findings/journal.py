"""Sentences about the journal."""

from __future__ import annotations

from pcf_core.show.wording import sentences
from pcf_core.store.journal import Journaled

say = sentences("journal")


def journal_finding(found: Journaled) -> str:
    """Say how much the journal holds, and whether every line follows the one before."""
    entries = len(found.entries)
    if found.damage:
        return say("damaged", entries=entries, damage=found.damage)
    return say("whole", entries=entries) if entries else say("empty")
