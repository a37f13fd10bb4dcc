"""The page Case file: what every audit finds about one model on one topic, and whether they agree."""

import streamlit as st

from pcf_core.app.case_file import case_file, known_models
from pcf_core.app.case_file_views import case_figures, draw_foot, draw_rows, draw_shared
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.named_models import draw_lookable
from pcf_core.app.page import draw_figures, finding, offer_scoring
from pcf_core.app.readings import follow_readings
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.show.findings.case_file import agreement_finding, case_findings


def draw() -> None:
    """Draw the page."""
    st.title("Case file")
    st.markdown("##### What does each audit find about one model, and do they agree?")
    choice = current_choice()
    known = with_asked("cf_model", known_models(choice))
    if not known:
        st.info(
            "No model has a result yet: choose one in the sidebar, or score one on the page Score.",
            icon=":material/arrow_back:",
        )
        return
    model = st.selectbox(
        "Model",
        known,
        key="cf_model",
        bind="query-params",
        help="The models of the sidebar, and all of which any audit has a result. Topic, templates and "
        "occupations are those of the sidebar.",
    )
    if not draw_lookable([model]):
        return
    case = case_file(model, choice)
    for name, sentence in case.loaded.refused.items():
        st.error(f"**{plain(name)}** {plain(sentence)}", icon=":material/error:")
    for item in case.loaded.runs.values():
        if item.run.scoring.label != item.run.scoring.model:
            st.caption(f"The risk is of scores in {plain(item.run.scoring.dtype)}.")
    if case.found:
        finding(agreement_finding(model, case.topic.title, case.rows), *case_findings(case.rows))
        if figures := case_figures(case):
            draw_figures(figures)
    else:
        st.info(
            "No audit has a result of this model on this topic yet, of a run with the templates, occupations "
            "and protocol of the sidebar.",
            icon=":material/info:",
        )
    draw_rows(case)
    if case.loaded.missing:
        offer_scoring(case.loaded.missing)
    if case.loaded.unread:
        runs = case.loaded.unread.values()
        follow_readings((run, "preferences", case.loaded.choice.options) for run in runs)
    if case.shared is not None:
        draw_shared(case.shared)
    draw_foot(case)


show(draw)
