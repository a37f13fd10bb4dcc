"""The page Knowledge: what a model knows, and how surely."""

import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.knowledge import (
    ORDERS,
    draw_form,
    draw_provenance,
    knowledge_figures,
    known_of,
    offer_scoring,
)
from pcf_core.app.knowledge_own import draw_own, opened
from pcf_core.app.page import chart, draw_figures, draw_table, finding
from pcf_core.app.shell import show
from pcf_core.app.text import plain
from pcf_core.report import how_to_read
from pcf_core.report.knowledge_tables import knowledge_table, ordered
from pcf_core.show.charts.knowledge import knowledge_bars
from pcf_core.show.findings.knowledge import confidence_finding, knowledge_finding


def draw() -> None:
    """Draw the page."""
    st.title("Knowledge")
    st.markdown("##### What does it know, and how surely?")
    choice = current_choice()
    name, score = draw_form()
    asked = opened(name)
    draw_own(name, asked)
    if asked is None:
        return
    if not choice.models:
        st.info("Choose one or more models in the sidebar.", icon=":material/arrow_back:")
        return
    known = known_of(choice, asked, score)
    offer_scoring(asked, known.missing)
    if not known.reports:
        return
    for model, report in known.reports.items():
        finding(knowledge_finding(model, report), confidence_finding(report))
    draw_figures(knowledge_figures(known.reports))
    for model, report in known.reports.items():
        if report.warnings:
            said = " ".join(report.warnings)
            st.warning(f"**{plain(model)}:** {plain(said)}", icon=":material/warning:")
    with st.container(horizontal=True):
        model = st.selectbox(
            "Model",
            list(known.reports),
            key="knowledge_model",
            help="Whose facts the picture shows.",
        )
        order = st.segmented_control(
            "Facts first",
            ORDERS,
            default=ORDERS[0],
            required=True,
            key="knowledge_order",
            bind="query-params",
            help="Twenty facts are drawn; the table has all.",
        )
    chart(
        knowledge_bars(ordered(known.reports[model], order)),
        "knowledge_bars",
        f"What {model} knows of twenty facts, {order} first",
    )
    how, data, source = st.tabs(["How to read this", "Data", "Provenance"])
    how.markdown(how_to_read.KNOWLEDGE)
    with data:
        draw_table(knowledge_table(known.reports), "knowledge")
    with source:
        draw_provenance(asked, choice, known)


show(draw)
