"""The tab Regulations of Report: what a regulation asks for, row by row, and what the chosen results show."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.addresses import REPORT, Place
from pcf_core.app.choice import current_choice
from pcf_core.app.data import load
from pcf_core.app.links import draw_link, select_called
from pcf_core.app.page import draw_refused, labelled
from pcf_core.app.report import CHOOSABLE, Contents, document_of
from pcf_core.app.titles import mapping_titles
from pcf_core.app.widgets import plain
from pcf_core.core.options import declared
from pcf_core.material.mappings import load_mapping
from pcf_core.report.records import MAPPING, SHORT, ReportRequest


def draw_regulations() -> None:
    """Draw the menu of regulations and the table of one, with the evidence in the sidebar's results."""
    choice = current_choice()
    name = select_called("Regulation", mapping_titles().by_name, key="regulation")
    loaded = load(choice)
    draw_refused(loaded.refused)
    if not loaded.runs:
        st.info("Nothing you chose has a result. Choose models in the sidebar.", icon=":material/arrow_back:")
        return
    named = {section for row in load_mapping(name).rows for section in row.evidence}
    sections = tuple(one for one in (*SHORT, *CHOOSABLE) if one in named) or tuple(SHORT)
    runs = tuple(item.run for item in loaded.runs.values())
    document = document_of(Contents(loaded, runs, sections, mappings=(name,)).request)
    (part,) = next(section for section in document.sections if section.name == MAPPING).parts
    st.markdown(plain(" ".join(part.prose)))
    for table in part.tables:
        for reference, *cells in table.rows:
            with st.container(border=True):
                st.markdown(f"**{plain(str(reference))}**")
                headings = (heading.capitalize() for heading in table.columns[1:])
                labelled(dict(zip(headings, map(str, cells), strict=True)))
    st.caption(plain(" ".join(part.notes)))
    url = declared(ReportRequest)["mappings"].url
    draw_link(Place("report", REPORT), "Make a report with this table", {**choice.parameters, url: [name]})
