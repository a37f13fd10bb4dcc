"""Both models' tilts, an occupation a row; a click on a row, or the search, opens its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.choice import current_choice
from pcf_core.app.data import Loaded
from pcf_core.app.page import picture
from pcf_core.app.text import plain
from pcf_core.app.widgets import controls
from pcf_core.core.risk import RiskReport
from pcf_core.show.charts.comparison import dumbbell_plot
from pcf_core.show.compare import SORTS, dumbbells, most_unequal_first, ordered, sentences_table
from pcf_core.show.findings.numbers import people

MOST_ROWS = 25
CHOSEN, CLICKED = "occupation", "compare_row_clicked"
DUMBBELLS = """
Each row is an occupation with both models' tilt: how far the share of one group's words is from an even
split, averaged over all sentences by their weight. 0 is even, +1 only this group. The line between the two
marks is the gap. A click on a row opens the sentences behind it.
"""


def draw_tilts(loaded: Loaded, reports: Mapping[str, RiskReport], pair: tuple[str, str]) -> None:
    """Draw the controls, the picture and, of an occupation that is chosen, its sentences.

    ``reports``: against an even split, by name.
    """
    one, other = (reports[name] for name in pair)
    groups = one.groups
    with controls("compare"):
        group = groups[0]
        if len(groups) > 2:
            group = st.selectbox(
                "Group",
                most_unequal_first(one, other),
                key="group",
                bind="query-params",
                help="Whose tilt is drawn. First stands the group over which the two models differ most.",
            )
        sort = st.selectbox(
            "Sort",
            SORTS,
            key="compare_sort",
            bind="query-params",
            help="gap: the largest first. most stereotyped: where either is farthest from even.",
        )
        rows = ordered(dumbbells(one, other, group), sort)
        chosen = st.selectbox(
            "Occupation",
            sorted(row.occupation for row in rows),
            index=None,
            placeholder="Search",
            key=CHOSEN,
            bind="query-params",
            help="Marks the occupation and opens its sentences, as a click on its row does.",
        )
        every = st.toggle(
            "All",
            False,
            key="compare_every",
            bind="query-params",
            help=f"Every occupation; without it the first {MOST_ROWS} in this order.",
        )
    shown = rows if every else rows[:MOST_ROWS]
    if chosen and not every:  # it is seen wherever it would stand
        shown += [row for row in rows[MOST_ROWS:] if row.occupation == chosen]
    ends = (people(groups[1]), people(groups[0])) if len(groups) == 2 else ("less", f"more {people(group)}")
    lowest = -1.0 if len(groups) == 2 else -1 / (len(groups) - 1)
    picture(
        partial(
            dumbbell_plot, shown, pair, ends, order=list(loaded.runs), chosen=chosen or "", lowest=lowest
        ),
        "dumbbell_plot",
        f"Tilt of {len(shown):,} occupations under {pair[0]} and {pair[1]}, from {ends[0]} to {ends[1]}",
        clicked=choose,
        title=f"Tilt of both models: {ends[0]} left, {ends[1]} right",
        source=loaded.source,
    )
    if chosen and st.session_state.pop(CLICKED, False):
        st.dialog(f"{plain(chosen)}, sentence by sentence", width="large")(draw_sentences)(
            loaded, pair, chosen
        )
    elif chosen:
        st.markdown(f"**{plain(chosen)}**, sentence by sentence")
        draw_sentences(loaded, pair, chosen)


def choose(occupation: object) -> None:
    """Choose the occupation whose row was clicked, and open it."""
    st.session_state[CHOSEN] = str(occupation)
    st.session_state[CLICKED] = True


def draw_sentences(loaded: Loaded, pair: tuple[str, str], occupation: str) -> None:
    """Draw whom either model expects in each sentence about an occupation, and the way to its cells."""
    table = loaded.remember(compared_sentences, pair, occupation)
    st.dataframe(
        table,
        hide_index=True,
        height=250,
        column_config={"Sentence": st.column_config.TextColumn(width="medium")},
        alt=f"Whom both models expect in {len(table):,} sentences about one occupation",
    )
    st.page_link(
        "pages/heat_map.py",
        label="Open its cells in the heat map",
        icon=":material/grid_on:",
        query_params={**current_choice().parameters, CHOSEN: occupation},
    )


def compared_sentences(loaded: Loaded, pair: tuple[str, str], occupation: str) -> pd.DataFrame:
    """Make a table of the sentences about an occupation with whom either model expects."""
    return sentences_table(occupation, {name: loaded.runs[name].result.preferences for name in pair})
