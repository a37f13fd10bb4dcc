"""The journal as a table and a document: what pages show and the command line gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pcf_core.store.journal import Entry, Journaled

if TYPE_CHECKING:  # a third of a command's start
    import pandas as pd

COLUMNS = tuple(Entry.model_fields)


def journal_table(found: Journaled) -> pd.DataFrame:
    """Make a row an entry, the newest first."""
    import pandas as pd

    rows = [entry.model_dump() for entry in reversed(found.entries)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def journal_document(found: Journaled) -> dict[str, Any]:
    """Return the shape of ``journal --json`` (docs/cli.md), the oldest entry first."""
    return {
        "entries": [entry.model_dump(mode="json") for entry in found.entries],
        "whole": not found.damage,
        "damage": found.damage or None,
        "last": found.last,
    }
