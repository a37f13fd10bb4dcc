"""The page Report: the findings in one file, and a plan that leads from the models to a signed report."""

import streamlit as st

from pcf_core.app.addresses import AUDIT_PLAN, REGULATIONS, REPORT
from pcf_core.app.choice import current_choice
from pcf_core.app.page import draw_refused, finding
from pcf_core.app.report import draw_contents, draw_report
from pcf_core.app.scoring import follow_readings, offer_scoring
from pcf_core.app.shell import open_tab, show
from pcf_core.app.widgets import plain
from pcf_core.report.whole import contents_finding

QUESTIONS = {
    REPORT: "The findings in one file to save, print and check",
    REGULATIONS: "What does a regulation ask for, and which results here are evidence of it?",
    AUDIT_PLAN: "What will the model be used for, and which limits must it stay within?",
}


def draw() -> None:
    """Draw the page."""
    tab = open_tab("report", "Report", QUESTIONS)
    if tab == AUDIT_PLAN:
        from pcf_core.app.plan import draw_plan

        draw_plan()
        return
    if tab == REGULATIONS:
        from pcf_core.app.regulations import draw_regulations

        draw_regulations()
        return
    head = st.container()
    choice = current_choice()
    contents = draw_contents(choice)
    draw_refused(contents.loaded.refused)
    for name in contents.unknown:
        st.warning(f"There is no saved result **{plain(name)}**, so the report leaves it out.")
    if contents.loaded.missing:
        offer_scoring(contents.loaded.missing)
    if contents.unread:
        follow_readings((run, "preferences", choice.options) for run in contents.unread)
    if contents.empty:
        if not (contents.loaded.missing or contents.unread):
            st.info(
                "Nothing you chose has a result. Choose models in the sidebar, or more results and text "
                "audits here.",
                icon=":material/arrow_back:",
            )
        return
    with head:
        facts = len(contents.knowledge)
        finding(contents_finding(contents.runs, facts, len(contents.fairpair), len(contents.criteria)))
    draw_report(contents.request)


show(draw)
