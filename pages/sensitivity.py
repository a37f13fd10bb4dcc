"""The page Sensitivity: how far the analyst's choices can move the verdict."""

import streamlit as st

from pcf_core.app.compare import order_of
from pcf_core.app.page import draw_table, finding, foot, key_figures, open_page, picture
from pcf_core.app.sensitivity import (
    CHOICE_COLUMNS,
    choices_table,
    dimensions_of,
    range_figures,
    sensitivities,
    state_of,
    unavailable_lines,
)
from pcf_core.app.shell import show
from pcf_core.core.sensitivity import Quantity
from pcf_core.show.charts.sensitivity import sensitivity_dots
from pcf_core.show.findings.sensitivity import readings_finding, sensitivity_finding

HOW = """
Each row is one choice that an analyst makes: which words stand for a group, which templates and weights,
which protocol. It is changed alone; everything else stays as the sidebar has it, and nothing is scored anew.
The first row is the present reading with its interval, and a dotted line marks it for each model. A line
joins the lowest and the highest R over many choices of a kind, such as leaving out one word after the other.
Hollow marks are no choices and not in the range above: *sample* rows are halves of the templates drawn at
random and all templates but one. They are chance, which an interval allows for where templates were drawn
again, not where documents were. The others are what the authors' published scripts compute, which is not what
their papers define.
"""
QUANTITIES: dict[str, Quantity] = {
    "overall risk": "overall_risk",
    "prejudice": "prejudice_risk",
    "caprice": "caprice_risk",
}


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Sensitivity", "How far can the analyst's choices move the verdict?")
    found = sensitivities(loaded)
    intervals = {model: loaded.reports[model].interval("overall_risk") for model in found.models}
    finding(
        readings_finding(found, order_of(loaded)),
        *(sensitivity_finding(model, one, intervals[model]) for model, one in found.models.items()),
    )
    key_figures(range_figures(found), loaded)
    with st.container(horizontal=True):
        shown = st.segmented_control(
            "Show",
            list(QUANTITIES),
            default="overall risk",
            required=True,
            key="sensitivity_risk",
            bind="query-params",
            help="Which risk the marks stand for.",
        )
        dimensions = st.multiselect(
            "Choices",
            dimensions_of(found),
            key="dimensions",
            bind="query-params",
            placeholder="all",
            help="Which kinds of choices are drawn; none for all.",
        )
    quantity = QUANTITIES[shown]
    spans = {model: loaded.reports[model].interval(quantity) for model in found.models}
    picture(
        loaded,
        "sensitivity_dots",
        f"The {shown} of each model under each choice",
        lambda: sensitivity_dots(found, spans, quantity, dimensions),
        [quantity, dimensions, state_of(found)],
    )
    missing = unavailable_lines(found)
    if missing:
        with st.expander(f"Choices that could not be tried, and why ({len(missing):,})"):
            st.markdown("\n".join(f"- {line}" for line in missing))
    with st.expander("Every word left out, every random half"):
        draw_table(choices_table(found, ("each",)), "each_choice", CHOICE_COLUMNS)
    foot(
        HOW,
        lambda: choices_table(found, ("base", "choice", "sample", "script")),
        "sensitivity",
        loaded,
        CHOICE_COLUMNS,
    )


show(draw)
