"""The page Caprice: whether a few occupations account for most of the caprice."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pcf_core.app.notes import said_intervals
from pcf_core.app.page import finding, foot, key_figures, open_page
from pcf_core.app.results.reliable import all_tails, only_reliable
from pcf_core.app.results.risk import OCCUPATION_COLUMNS, draw_caprice, draw_fits, draw_prejudice, first_runs
from pcf_core.app.shell import show
from pcf_core.app.widgets import choose_one, controls, plain_titled
from pcf_core.report.sections.tails import caprice_panel, prejudice_panel, tails_table
from pcf_core.show.findings.models import stand_outs, widest
from pcf_core.show.findings.numbers import count


def draw() -> None:
    """Draw the page."""
    every = open_page("Caprice", "")
    loaded = only_reliable(every, partial(all_tails, every), "caprice")
    top, row = st.container(), controls("caprice")
    part = choose_one(
        "Show",
        ["caprice", "prejudice"],
        default="caprice",
        key="part",
        container=row,
        help="The distribution over occupations of one part of the risk.",
    )
    shown = first_runs(loaded)
    panel = prejudice_panel(shown) if part == "prejudice" else caprice_panel(shown)
    with top:
        say = stand_outs if part == "caprice" else widest
        finding(*(say(name, report) for name, report in shown.reports.items()))
        others = list(loaded.runs)[len(shown.runs) :]
        if others:
            room = count(len(shown.runs), "model")
            st.caption(f"Not drawn: {plain_titled(', '.join(others))}. A picture has room for {room}.")
    if part == "prejudice":
        draw_prejudice(shown, row)
    else:
        draw_caprice(shown, row)
    with st.expander("How sure?"):
        finding(*panel.findings)
        key_figures(panel.numbers, loaded, said_intervals(loaded, "the risk and its parts"))
    if part == "caprice":
        draw_fits(shown)
    foot(
        panel.how,
        lambda: tails_table(loaded.reports),
        "caprice",
        loaded,
        OCCUPATION_COLUMNS,
        whole=partial(all_tails, every),
    )


show(draw)
