"""The page Tilt: which group each model prefers, and in which occupations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from pcf_core.app.choice import choose_occupation
from pcf_core.app.notes import notes
from pcf_core.app.page import draw_figures, draw_foot, draw_picture, finding, open_page
from pcf_core.app.partial import growing_tilt
from pcf_core.app.present import is_presented
from pcf_core.app.results.reliable import all_tilts, only_reliable
from pcf_core.app.results.tilt import Beside, draw_beside, draw_distribution, opening
from pcf_core.app.shell import show
from pcf_core.app.widgets import controls, plain
from pcf_core.core.risk import RiskReport
from pcf_core.report.sections.tilt import panel_groups, tilt_panel, tilts_of
from pcf_core.show.charts.tilt import LABELLED
from pcf_core.show.overview import ModelRow, farthest_answer, overview_answer

READ = """
*What it read* shows the biographies that the shipped models were trained on, on the same scale: those that
name the occupation in their first sentences. +1 means that each of them uses *he* more often than *she*.
"""


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Tilt", "", growing=growing_tilt)
    whole = partial(all_tilts, loaded)
    loaded = only_reliable(loaded, whole, "tilt")
    reports, groups = loaded.even, loaded.groups
    beside = Beside()
    finding(
        overview_answer([ModelRow.of(name, report) for name, report in reports.items()]),
        farthest_answer(reports),
    )
    if len(groups) > 2:
        chosen = choose_ringed(reports)
    else:
        with controls("tilt"):
            chosen = choose_ringed(reports)
            beside = draw_beside(loaded, chosen)
    named = 1 if is_presented() else LABELLED  # names are larger on a slide
    panel = tilt_panel(loaded, chosen=chosen, labour=beside.labour, text=beside.text, named=named)
    draw_picture(panel)
    if len(drawn := panel_groups(reports)) < len(groups):
        st.caption(
            f"The {len(drawn):,} of {len(groups):,} groups that some occupation prefers most clearly; the "
            "table under *Data* has all."
        )
    with st.expander("How sure?"):
        finding(opening(loaded, reports, chosen), *panel.findings)
        draw_figures(panel.numbers)
        finding(*beside.sentences)
        if beside.note:
            st.caption(plain(beside.note))
        notes(loaded, panel.notes, reports)
    if chosen:
        draw_distribution(loaded, reports, tilts_of(loaded), chosen)
    draw_foot(panel, loaded, "tilt", READ if len(groups) == 2 else "", whole=whole)


def choose_ringed(reports: Mapping[str, RiskReport]) -> str:
    """Draw the choice of an occupation to mark and show; return it, or ""."""
    chosen = choose_occupation(
        [row.occupation for row in next(iter(reports.values())).occupations],
        "Marks the occupation with a ring and shows how the preference varies over the sentences.",
    )
    return chosen or ""


show(draw)
