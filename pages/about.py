"""About: what is measured, how to read it, its limits and its sources."""

import streamlit as st

from pcf_core.app.about import about_finding, family_table, reference_table, sections
from pcf_core.app.calibration import draw_calibration
from pcf_core.app.page import finding
from pcf_core.app.shell import show
from pcf_core.app.stores import open_store

LINE = 800  # pixels: longer lines are hard to read
TABLES = {"How to read the numbers": reference_table, "What each family computes": family_table}


def draw() -> None:
    """Draw the page."""
    st.title("About")
    st.markdown("##### What is measured, how is it read, and what may not be concluded?")
    finding(about_finding(open_store()))
    with st.container(width=LINE):
        for heading, text in sections().items():
            st.subheader(heading)
            if heading == "Calibration":
                draw_calibration()
            st.markdown(text)
            if heading in TABLES:
                st.table(TABLES[heading]())


show(draw)
