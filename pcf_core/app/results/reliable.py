"""Only reliable figures are shown on pages; files have the others too, marked."""

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
    """Return the results with reliable figures; without any offer ``table`` as files and end the script."""
    if not loaded.reliable.runs:
        if table is not None:
            st.caption(IN_FILES)
            draw_files(table, name)
        st.stop()
    return loaded.reliable


def with_all(panel: Panel, loaded: Loaded, column: str = "model") -> pd.DataFrame:
    """Make a panel's table of all models for files, with a column that says which are reliable."""
    assert panel.table is not None
    return with_reliable(panel.table(), loaded.reports, column)


def all_tails(loaded: Loaded) -> pd.DataFrame:
    """Make the files' table of Caprice with all models."""
    return with_reliable(tails_table(loaded.reports), loaded.reports)


def all_tilts(loaded: Loaded) -> pd.DataFrame:
    """Make the files' table of Tilt with all models."""
    return with_all(tilt_panel(loaded), loaded)
