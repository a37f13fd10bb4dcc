"""Figures that are a reliable answer: the only ones that a page shows; files have the others too, marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.page import draw_files
from pcf_core.report.panels import Panel
from pcf_core.report.rows import with_reliable
from pcf_core.report.sections.tails import tails_table
from pcf_core.report.sections.tilt import tilt_panel

if TYPE_CHECKING:
    import pandas as pd

IN_FILES = "The files have the figures all the same, marked as not reliable."


def only_reliable(loaded: Loaded, table: Callable[[], pd.DataFrame] | None = None, name: str = "") -> Loaded:
    """Return the results without the models whose figures say too little; without others, end the script.

    The page has said why when it opened them.  ``table``: of all models, for files of that ``name``, if any.
    """
    if not loaded.reliable.runs:
        if table is not None:
            st.caption(IN_FILES)
            draw_files(table, name)
        st.stop()
    return loaded.reliable


def with_all(panel: Panel, loaded: Loaded, column: str = "model") -> pd.DataFrame:
    """Make the table of a panel of all models for files: with whether the figures of each are an answer."""
    assert panel.table is not None
    return with_reliable(panel.table(), loaded.reports, column)


def all_tails(loaded: Loaded) -> pd.DataFrame:
    """Make the table of files of Caprice: all models, and whether the figures of each are reliable."""
    return with_reliable(tails_table(loaded.reports), loaded.reports)


def all_tilts(loaded: Loaded) -> pd.DataFrame:
    """Make the table of files of Tilt: all models, and whether the figures of each are reliable."""
    return with_all(tilt_panel(loaded), loaded)
