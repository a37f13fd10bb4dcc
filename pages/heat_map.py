"""The page Heat map: which group's words a model expects after which occupation in which context."""

from functools import partial

import streamlit as st

from pcf_core.app.arrange import PAPER_TEMPLATES, choose_map
from pcf_core.app.cell import draw_cell, draw_flagged, open_clicked, take_click
from pcf_core.app.data import remembered
from pcf_core.app.lists import template_sets
from pcf_core.app.page import finding, foot, key_figures, open_page, picture
from pcf_core.app.shell import show
from pcf_core.report import how_to_read
from pcf_core.report.arrange import shown_axes
from pcf_core.report.key_figures import heat_figures
from pcf_core.report.rows import cell_rows
from pcf_core.report.tables import whole_cell_table
from pcf_core.show.answers import heat_map_answer
from pcf_core.show.charts.heat_map import MOST_OPENED, heat_map
from pcf_core.show.findings.occupations import heat_map_finding
from pcf_core.show.overview import ModelRow, overview_answer

BELOW = (
    "A click on a cell, or the choice under *One cell*, shows the prompt, the groups and the words behind it."
)
FILES = (
    " The files under *Data* hold every cell of the run, one row for each occupation, template and group, "
    "with its coverage; the table there shows the cells of this picture."
)


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Heat map", "")
    sentences, controls = st.container(), st.container()
    with controls:
        model, group, preset, order, page = choose_map(loaded)
    item = loaded.runs[model]
    preferences, weights = item.result.preferences, item.report.template_weights
    papers = template_sets()[PAPER_TEMPLATES].texts if PAPER_TEMPLATES in template_sets() else ()
    state = [model, group, preset, order, papers, page]
    with sentences:
        finding(
            remembered(loaded, "heat_answer", [model], lambda: heat_map_answer(model, preferences, weights)),
            overview_answer([ModelRow.of(model, item.report)]),
        )
    axes = remembered(
        loaded, "heat_axes", state, lambda: shown_axes(item, group, preset, order, papers, page)
    )
    rows, columns = axes.rows, axes.columns
    if not rows or not columns:
        st.info("The papers' occupations or templates are not part of this run; choose another view.")
        return
    picture(
        loaded,
        "heat_map",
        f"Heat map of the probability of {group} words",
        lambda: heat_map(preferences, group, rows, columns, weights, neutral=item.even, clicks=True),
        state,
        clicked=partial(take_click, preferences) if len(rows) * len(columns) <= MOST_OPENED else None,
        title=f"Probability of {group} words: {model}",
    )
    open_clicked(loaded)
    st.caption(
        f"{len(rows):,} of {len(preferences.occupations):,} occupations × "
        f"{len(columns):,} of {len(preferences.templates):,} templates. {axes.note}"
    )
    with st.expander("How sure?"):
        finding(
            remembered(
                loaded,
                "heat_sentence",
                [model, group],
                lambda: heat_map_finding(model, preferences, group, weights),
            )
        )
        key_figures(
            remembered(loaded, "heat_figures", [group], lambda: heat_figures(loaded.runs, group)),
            loaded,
            intervals=[],
        )
    draw_flagged(item)
    draw_cell(loaded)
    foot(
        how_to_read.HEAT_MAP + BELOW + FILES,
        lambda: cell_rows(preferences, group, rows, columns),
        "heat_map",
        loaded,
        whole=lambda: whole_cell_table(preferences, item.report),
    )


show(draw)
