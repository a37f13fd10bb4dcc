"""Heat map: in which context does the model put which group's words after which occupation?"""

import streamlit as st

from pcf_core.charts import cell_bars, heat_map, word_bars
from pcf_core.findings import heat_map_finding, occupation_finding
from pcf_core.ui.arrange import ORDERS, PAPER_TEMPLATES, shown_axes
from pcf_core.ui.cell import cell_caption, cell_preferences, cell_words, flagged_cells
from pcf_core.ui.data import Loaded, LoadedRun, remembered
from pcf_core.ui.figures import heat_figures
from pcf_core.ui.lists import template_sets
from pcf_core.ui.page import finding, foot, key_figures, open_page, picture
from pcf_core.ui.rows import cell_rows
from pcf_core.ui.shell import show
from pcf_core.ui.text import plain

PRESETS = ("varied", "papers", "all")
HOW = """
Each cell is the probability that the model prefers one group's words after this occupation in this
context: 1 means only that group's words, 0 none of them, the middle of the scale is an even split. The
bars on the right are the occupation's mean over all contexts, those on top the weight of the context.
Choose an occupation and a context below to see the prompt, the groups and the words behind one cell.
"""


def draw() -> None:
    loaded = open_page(
        "Heat map", "Which words does the model expect, occupation by occupation, context by context?"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = st.selectbox(
            "Model",
            list(loaded.runs),
            key="heat_model",
            bind="query-params",
            help="The heat map shows one model at a time.",
        )
        group = st.selectbox(
            "Group",
            loaded.first.report.groups,
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
            "papers: the 6 × 10 of BVF Figure 11. all: everything that fits.",
        )
        order = st.selectbox(
            "Order by",
            ORDERS,
            key="order",
            bind="query-params",
            help="From the top: mean tilt, spread over the templates, name, or women's share in the US.",
        )
    item = loaded.runs[model]
    preferences, weights = item.result.preferences, item.report.template_weights
    papers = template_sets()[PAPER_TEMPLATES].texts if PAPER_TEMPLATES in template_sets() else ()
    state = [model, group, preset, order, papers]
    sentence = remembered(
        loaded, "heat_sentence", state, lambda: heat_map_finding(model, preferences, group, weights)
    )
    finding(sentence)
    key_figures(remembered(loaded, "heat_figures", state, lambda: heat_figures(loaded.runs, group)), loaded)
    rows, columns = remembered(
        loaded, "heat_axes", state, lambda: shown_axes(item, group, preset, order, papers)
    )
    if not rows or not columns:
        st.info("The papers' occupations or templates are not part of this run; choose another view.")
        return
    picture(
        loaded,
        "heat_map",
        f"Heat map of the probability of {group} words",
        lambda: heat_map(preferences, group, rows, columns, weights, neutral=item.even),
        state,
    )
    st.caption(
        f"{len(rows):,} of {len(preferences.occupations):,} occupations × "
        f"{len(columns):,} of {len(preferences.templates):,} templates"
    )
    draw_flagged(item)
    draw_cell(loaded)
    foot(HOW, lambda: cell_rows(preferences, group, rows, columns), "heat_map", loaded)


def draw_flagged(item: LoadedRun) -> None:
    """The cells of which the preferences say little, marked in the picture."""
    coverage = item.result.coverage
    if coverage is not None and coverage.flagged:
        with st.expander(f"{coverage.flagged:,} flagged cells"):
            st.markdown(
                "The model gives the topic's words next to no probability there. They are marked × above and "
                "listed from the lowest coverage up; the export names all of them."
            )
            st.dataframe(flagged_cells(item), hide_index=True, alt="Cells with next to no coverage")


def draw_cell(loaded: Loaded) -> None:
    """One cell: prompt, groups for every chosen model, the words that carry it, coverage."""
    st.subheader("One cell")
    preferences = loaded.first.result.preferences
    left, right = st.columns(2)
    occupation = left.selectbox(
        "Occupation", preferences.occupations, key="occupation", bind="query-params", help="Fills [X]."
    )
    template = right.selectbox(
        "Context",
        preferences.templates,
        key="template",
        bind="query-params",
        help="The template of the cell.",
    )
    finding(
        *(
            f"{name}: {occupation_finding(item.report, occupation, item.result.preferences)}"
            for name, item in loaded.runs.items()
        )
    )
    st.markdown(f"**{plain(template.replace('[X]', occupation))}**")
    state = [occupation, template]
    picture(
        loaded,
        "cell_bars",
        "Probability of each group in this cell, one bar a model",
        lambda: cell_bars(cell_preferences(loaded, occupation, template), neutral=loaded.first.even),
        state,
    )
    columns = st.columns(len(loaded.runs))
    for column, (name, item) in zip(columns, loaded.runs.items(), strict=True):
        with column:
            draw_words(loaded, name, item, occupation, template)


def draw_words(loaded: Loaded, name: str, item: LoadedRun, occupation: str, template: str) -> None:
    st.markdown(f"Words that carry it · **{plain(name)}**")
    picture(
        loaded,
        f"words_{name}",
        f"Most probable words of {name}",
        lambda: word_bars(cell_words(item, occupation, template)),
        [occupation, template],
    )
    cell = [name, occupation, template]
    st.caption(remembered(loaded, "cell_caption", cell, lambda: cell_caption(item, occupation, template)))


show(draw)
