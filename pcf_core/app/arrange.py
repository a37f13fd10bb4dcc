"""Which rows and columns of the heat map are shown, in what order, and on which page."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.widgets import controls
from pcf_core.report.arrange import ORDERS, PRESETS, pages_of

PAPER_TEMPLATES = "gender-heatmap"


def choose_map(loaded: Loaded) -> tuple[str, str, str, str, int]:
    """Draw the row of controls; return model, group, preset, order and page."""
    with controls("heat_map"):
        model = st.selectbox(
            "Model",
            list(loaded.runs),
            key="heat_model",
            bind="query-params",
            help="The heat map shows one model at a time.",
        )
        group = st.selectbox(
            "Group",
            loaded.groups,
            key="group",
            bind="query-params",
            help="Whose probability the colours show.",
        )
        preset = st.selectbox(
            "Show",
            PRESETS,
            key="preset",
            bind="query-params",
            help="varied: the 40 occupations that vary most × the 30 heaviest templates. "
            "papers: the 6 × 10 of BVF Figure 11. all: everything, in pages where it is too much for one.",
        )
        order = st.selectbox(
            "Order by",
            ORDERS,
            key="order",
            bind="query-params",
            help="From the top: mean tilt, spread over the templates, name, women's share in the US, or "
            "clustering, which puts occupations and contexts beside those that are most alike.",
        )
        pages = pages_of(loaded.runs[model], preset)
        if pages == 1:
            return model, group, preset, order, 1
        page = st.number_input(
            f"Page, 1 to {pages:,}",
            1,
            pages,
            key="map_page",
            bind="query-params",
            width=140,
            help="All cells at once would be too much for a browser; the heaviest contexts come first.",
        )
    return model, group, preset, order, int(page)
