"""The page Risk: how much each model discriminates, and whether it is prejudice or caprice."""

import streamlit as st

from pcf_core.app.compare import order_of
from pcf_core.app.data import Loaded
from pcf_core.app.lean import draw_lean
from pcf_core.app.notes import said_intervals_and_more
from pcf_core.app.occupations import draw_occupations
from pcf_core.app.page import finding, foot, key_figures, open_page, picture
from pcf_core.app.seeds import draw_seeds
from pcf_core.app.shell import show
from pcf_core.app.widgets import choose_one, controls
from pcf_core.report import how_to_read
from pcf_core.report.key_figures import interval_note, risk_figures
from pcf_core.report.rows import (
    corrected_table,
    published_rows,
    reference_rows,
    risk_table,
    run_rows,
    times_thousand,
)
from pcf_core.show.charts.corrected import corrected_dots
from pcf_core.show.charts.risk import risk_bars
from pcf_core.show.findings.models import corrected_finding, risk_finding
from pcf_core.show.overview import ModelRow, overview_answer, risk_answer

VIEWS = ["models", "shared or not", "corrected", "occupations"]


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Risk", "")
    rows = [ModelRow.of(name, report) for name, report in loaded.reports.items()]
    finding(risk_answer(rows), overview_answer(rows))
    figures = st.expander("How sure?")
    with controls("risk"):
        view = choose_one(
            "Show",
            VIEWS,
            default="models",
            key="risk_view",
            width=400,
            help="Whole models; what all occupations share of it; the parts corrected for few templates; or "
            "the occupations of one model.",
        )
        thousand = st.toggle(
            "× 1,000",
            False,
            key="thousand",
            bind="query-params",
            help="Figures, pictures and tables give risks times 1,000, as in the tables of the first paper; "
            "sentences and the s.d. keep their unit.",
        )
    with figures:
        finding(*(risk_finding(name, report, loaded.choice.over) for name, report in loaded.reports.items()))
        shown = risk_figures(loaded.reports, loaded.choice.over, thousand=thousand)
        key_figures(shown, loaded, said_intervals_and_more(loaded))
        finding(interval_note(loaded.reports, loaded.choice.over))
        draw_seeds(loaded)
    draw_view = {
        "models": draw_models,
        "shared or not": draw_lean,
        "corrected": draw_corrected,
        "occupations": draw_occupations,
    }
    draw_view[view](loaded, thousand)
    with figures:  # behind the picture, which does not wait for the paired test
        finding(order_of(loaded))


def draw_models(loaded: Loaded, thousand: bool) -> None:
    """Draw the risks of all models, in units or thousandths."""
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
    comparable, over = loaded.comparable, loaded.choice.over
    rows = run_rows(loaded.reports, over)
    rows += reference_rows(groups, scale) if references and comparable else []
    topic = loaded.first.run.topic
    drawn = published_rows(topic, scale, drawn=True) if published and comparable else []
    listed = published_rows(topic, scale, drawn=False) if published else []
    picture(
        loaded,
        "risk_bars",
        "Stacked bars of prejudice and caprice for each model",
        lambda: risk_bars(rows + drawn, thousand=thousand),
        [references, published, over, thousand],
    )
    table = risk_table(rows + drawn + listed)
    foot(how_to_read.RISK, lambda: times_thousand(table) if thousand else table, "risk", loaded)


def draw_corrected(loaded: Loaded, thousand: bool) -> None:
    """Draw corrected prejudice and caprice beside the plug-in values."""
    over = loaded.choice.over
    finding(*(corrected_finding(name, report) for name, report in loaded.reports.items()))
    picture(
        loaded,
        "corrected_dots",
        "Prejudice and caprice of each model, plug-in and corrected for few templates",
        lambda: corrected_dots(loaded.reports, over, thousand=thousand),
        [over, thousand],
    )
    table = corrected_table(loaded.reports)
    foot(how_to_read.CORRECTED, lambda: times_thousand(table) if thousand else table, "corrected", loaded)


show(draw)
