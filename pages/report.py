"""Report: what was found, as one file to keep, to print and to check."""

import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.page import draw_refused, finding
from pcf_core.app.report import draw_contents, draw_report
from pcf_core.app.scoring import follow_readings, offer_scoring
from pcf_core.app.shell import show
from pcf_core.app.widgets import plain
from pcf_core.report.whole import contents_finding


def draw() -> None:
    """Draw the page."""
    st.title("Report")
    st.markdown("##### What was found, as one file to keep, to print and to check")
    head = st.container()
    choice = current_choice()
    contents = draw_contents(choice)
    draw_refused(contents.loaded.refused)
    for name in contents.unknown:
        st.warning(f"The cache has no **{plain(name)}** any more, or never had: it is left out.")
    if contents.loaded.missing:
        offer_scoring(contents.loaded.missing)
    if contents.unread:
        follow_readings((run, "preferences", choice.options) for run in contents.unread)
    if contents.empty:
        if not (contents.loaded.missing or contents.unread):
            st.info(
                "Nothing is chosen that has a result: choose models in the sidebar, or further runs and text "
                "audits here.",
                icon=":material/arrow_back:",
            )
        return
    with head:
        facts = len(contents.knowledge)
        finding(contents_finding(contents.runs, facts, len(contents.fairpair), len(contents.criteria)))
    draw_report(contents.request)


show(draw)
