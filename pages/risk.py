"""Risk: how much does each model discriminate, and is it prejudice or caprice?"""

import streamlit as st

from pcf_core.charts import occupation_bars, risk_bars
from pcf_core.findings import comparison_finding, risk_finding
from pcf_core.report import occupation_table
from pcf_core.ui.data import Loaded
from pcf_core.ui.figures import risk_figures
from pcf_core.ui.page import (
    finding,
    foot,
    key_figures,
    open_page,
    picture,
)
from pcf_core.ui.rows import published_rows, reference_rows, risk_table, run_rows
from pcf_core.ui.shell import show
from pcf_core.ui.text import plain

HOW = """
Each bar is the discrimination risk R of one model: the mean over occupations of the criterion J of its
stereotypes. The first part is **prejudice**, what remains when the contexts are averaged; the patterned
part is **caprice**, what changes its sign with the context. The whisker is the interval of R over
templates. Hollow diamonds are values the papers published, measured with other templates and word lists.
"""
HOW_OCCUPATIONS = """
The same split for single occupations, the riskiest first. Caprice is exactly 0 for an occupation whose
stereotype keeps its sign over all templates; the s.d. of the stereotype in the table shows how much it
moves. The whisker is the interval of the occupation's risk over templates.
"""


def draw() -> None:
    loaded = open_page("Risk", "How much does each model discriminate, and is it fixed or moody?")
    finding(*(risk_finding(name, report) for name, report in loaded.reports.items()))
    finding(comparison_finding(loaded.reports))
    key_figures(risk_figures(loaded.reports), loaded)
    view = st.segmented_control(
        "Show",
        ["models", "occupations"],
        default="models",
        required=True,
        key="risk_view",
        bind="query-params",
        help="Whole models, or the occupations of one model.",
    )
    if view == "occupations":
        draw_occupations(loaded)
    else:
        draw_models(loaded)


def draw_models(loaded: Loaded) -> None:
    with st.container(horizontal=True):
        references = st.toggle(
            "Reference models",
            True,
            key="references",
            bind="query-params",
            help="What a fair, a stereotyped and a random model would get.",
        )
        published = st.toggle(
            "Published values",
            True,
            key="published",
            bind="query-params",
            help="The papers' own figures for this topic, hollow and labelled as published.",
        )
    groups, scale = len(loaded.first.report.groups), loaded.choice.options.scale
    comparable = loaded.comparable
    rows = run_rows(loaded.reports) + (reference_rows(groups, scale) if references and comparable else [])
    topic = loaded.first.run.topic.name
    drawn = published_rows(topic, groups, scale, drawn=True) if published and comparable else []
    listed = published_rows(topic, groups, scale, drawn=False) if published else []
    picture(
        loaded,
        "risk_bars",
        "Stacked bars of prejudice and caprice for each model",
        lambda: risk_bars(rows + drawn),
        [references, published],
    )
    foot(HOW, lambda: risk_table(rows + drawn + listed), "risk", loaded)


def draw_occupations(loaded: Loaded) -> None:
    model = st.selectbox(
        "Model", list(loaded.runs), key="risk_model", bind="query-params", help="Whose occupations to show."
    )
    report = loaded.reports[model]
    picture(
        loaded,
        "occupation_bars",
        f"The riskiest occupations of {plain(model)}",
        lambda: occupation_bars(report),
        [model],
    )
    foot(HOW_OCCUPATIONS, lambda: occupation_table(report), "occupations", loaded)


show(draw)
