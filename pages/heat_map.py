"""Heat map: in which context does the model put which group's words after which occupation?"""

import streamlit as st

from pcf_core.charts import cell_bars, heat_map, word_bars
from pcf_core.findings import heat_map_finding, occupation_finding
from pcf_core.topics import load_templates
from pcf_core.ui.arrange import ORDERS, PAPER_TEMPLATES, arranged, shown_occupations, shown_templates
from pcf_core.ui.cell import cell_caption, cell_preferences, cell_words
from pcf_core.ui.data import Loaded
from pcf_core.ui.figures import heat_figures
from pcf_core.ui.page import finding, foot, key_figures, open_page, picture
from pcf_core.ui.rows import cell_rows
from pcf_core.ui.shell import show
from pcf_core.ui.text import plain

PRESETS = ("varied", "papers", "all")
HOW = """
Each cell is the probability that the model prefers one group's words after this occupation in this
context: 1 means only that group's words, 0 none of them, the middle of the scale is neutral. The bars on
the right are the occupation's mean over all contexts, those on top the weight of the context. Choose an
occupation and a context below to see the prompt, the groups and the words behind one cell.
"""


def draw() -> None:
    loaded = open_page(
        "Heat map", "Which words does the model expect, occupation by occupation, context by context?"
    )
    shown = {name: item.result.preferences for name, item in loaded.runs.items()}
    group = loaded.first.report.groups[0]
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
    finding(heat_map_finding(model, item.result.preferences, group, item.report.template_weights))
    key_figures(heat_figures(shown, group), loaded)
    papers = load_templates(PAPER_TEMPLATES).texts if preset == "papers" else ()
    rows = arranged(item, shown_occupations(item, group, preset), group, order)
    columns = shown_templates(item, preset, papers)
    if not rows or not columns:
        st.info("The papers' occupations or templates are not part of this run; choose another view.")
        return
    neutral = 1 / len(item.report.groups)
    figure = heat_map(
        item.result.preferences, group, rows, columns, item.report.template_weights, neutral=neutral
    )
    picture(figure, "heat_map", f"Heat map of the probability of {group} words")
    st.caption(
        f"{len(rows):,} of {len(item.result.preferences.occupations):,} occupations × "
        f"{len(columns):,} of {len(item.result.preferences.templates):,} templates"
    )
    draw_cell(loaded, neutral)
    foot(HOW, lambda: cell_rows(item.result.preferences, group, rows, columns), "heat_map", loaded)


def draw_cell(loaded: Loaded, neutral: float) -> None:
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
    picture(
        cell_bars(cell_preferences(loaded, occupation, template), neutral=neutral),
        "cell_bars",
        "Probability of each group in this cell, one bar a model",
    )
    columns = st.columns(len(loaded.runs))
    for column, (name, item) in zip(columns, loaded.runs.items(), strict=True):
        with column:
            st.markdown(f"Words that carry it · **{plain(name)}**")
            picture(
                word_bars(cell_words(item, occupation, template)),
                f"words_{name}",
                f"Most probable words of {name}",
            )
            st.caption(cell_caption(item, occupation, template))


show(draw)
