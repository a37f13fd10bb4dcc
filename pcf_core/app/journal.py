"""The journal on the page Models: who did what, and when; for auditors alone."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pcf_core.app.caching import kept
from pcf_core.app.page import draw_table
from pcf_core.app.roles import may_audit
from pcf_core.app.text import plain
from pcf_core.core.errors import StoreError
from pcf_core.core.settings import settings
from pcf_core.report.journal import journal_table
from pcf_core.show.findings.journal import journal_finding
from pcf_core.store.journal import Journal, Journaled

SHOWN = 500
COLUMNS = {
    "at": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss", help="When, UTC."),
    "who": st.column_config.TextColumn(
        help="The address that the log-in vouches for, or the user of the terminal; empty where nobody "
        "logs in."
    ),
    "did": st.column_config.TextColumn(help="What they did."),
    "previous": None,
}


def draw_journal() -> None:
    """Draw the newest entries, with all of them as a file; a viewer gets nothing."""
    if not may_audit():
        return
    with st.expander("Journal: who did what, and when", icon=":material/history:"):
        journal = Journal(settings().cache)
        try:
            found = read_journal(settings().cache, journal.stamp)
        except StoreError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        said = plain(journal_finding(found))
        if found.damage:
            st.error(said, icon=":material/error:")
        else:
            st.caption(said)
        if found.entries:
            table = journal_table(found)
            draw_table(table.head(SHOWN), "journal", COLUMNS, alt="The newest entries", whole=lambda: table)
            if len(table) > SHOWN:
                st.caption(f"The newest {SHOWN:,} are shown; the files have all {len(table):,}.")


@kept(slots=2)
def read_journal(cache: Path, stamp: tuple[int, int]) -> Journaled:
    """Read the journal of a cache, again once ``stamp``, its size and time, is another.

    Raises
    ------
    StoreError
        The file is there and cannot be read.
    """
    return Journal(cache).read()
