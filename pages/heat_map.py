"""The page Heat map: how likely a model finds each group's words in every sentence about every occupation."""

from dataclasses import replace
from functools import partial

import streamlit as st

from pcf_core.app.caching import once
from pcf_core.app.lists import template_sets
from pcf_core.app.notes import notes
from pcf_core.app.page import draw_foot, draw_picture, finding, key_figures, open_page
from pcf_core.app.partial import growing_heat_map
from pcf_core.app.present import MOST_CELLS_DOWN, fitting_rows
from pcf_core.app.results.heat_map import (
    PAPER_TEMPLATES,
    choose_map,
    draw_cell,
    draw_flagged,
    open_clicked,
    take_click,
)
from pcf_core.app.shell import show
from pcf_core.report.documents import cell_table
from pcf_core.report.panels import heat_figures
from pcf_core.report.sections.heat_map import heat_answer, heat_map_panel, shown_axes
from pcf_core.show.charts.heat_map import MOST_OPENED
from pcf_core.show.overview import ModelRow, overview_answer

BELOW = "Click a cell, or choose one under *One test sentence*, to see the sentence and the words behind it."
FILES = (
    " The files under *Data* have every test sentence of the result, one row for each occupation, template "
    "and group, with its coverage. The table there shows the cells of this picture."
)


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Heat map", "", growing=growing_heat_map)
    sentences, controls = st.container(), st.container()
    with controls:
        model, group, preset, order, page = choose_map(loaded)
    item = loaded.runs[model]
    preferences = item.result.preferences
    papers = template_sets()[PAPER_TEMPLATES].texts if PAPER_TEMPLATES in template_sets() else ()
    with sentences:
        finding(
            loaded.remember(heat_answer, model),
            overview_answer([ModelRow.of(model, item.report)]),
        )
    axes = once(shown_axes)(item, group, preset, order, papers, page)
    axes = replace(axes, rows=fitting_rows(axes.rows, MOST_CELLS_DOWN))
    rows, columns = axes.rows, axes.columns
    if not rows or not columns:
        st.info("This result does not have the papers' occupations or sentences. Choose another view.")
        return
    panel = heat_map_panel(loaded, model, group, axes, clicks=True)
    few = len(rows) * len(columns) <= MOST_OPENED
    draw_picture(panel, clicked=partial(take_click, preferences) if few else None)
    open_clicked(loaded)
    st.caption(
        f"{len(rows):,} of {len(preferences.occupations):,} occupations × "
        f"{len(columns):,} of {len(preferences.templates):,} sentences. {axes.note}"
    )
    with st.expander("How sure?"):
        if loaded.reliable.runs:
            finding(*(panel.findings if model in loaded.reliable.runs else ()))
            key_figures(once(heat_figures)(loaded.reliable.runs, group), loaded, intervals=[])
        else:
            notes(loaded, intervals=[])
    draw_flagged(item)
    draw_cell(loaded)
    draw_foot(
        panel,
        loaded,
        "heat_map",
        BELOW + FILES,
        whole=lambda: cell_table(preferences, item.report, whole=True),
    )


show(draw)
