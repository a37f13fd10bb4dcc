"""Factors: does the risk of an occupation go with its wage, its education, its women, its frequency?"""

import streamlit as st

from pcf_core.findings import factors_finding, slopes_note
from pcf_core.findings.factors import figures_note
from pcf_core.report import how_to_read
from pcf_core.report.factors import factors_table, lines_table, slope_figures
from pcf_core.ui.data import Loaded, remembered
from pcf_core.ui.factor_tables import LINE_COLUMNS, POINT_COLUMNS
from pcf_core.ui.factors import draw_controls, draw_left_out, draw_panels, panels_of
from pcf_core.ui.page import draw_table, finding, foot, key_figures, open_page
from pcf_core.ui.read import draw_read
from pcf_core.ui.shell import show

VIEWS = ["labour statistics", "what it read"]


def draw() -> None:
    loaded = open_page(
        "Factors", "Does it go with pay, education, women's share, the word's frequency, or what was read?"
    )
    if choose_view() == VIEWS[1]:
        draw_read(loaded)
    else:
        draw_statistics(loaded)


def choose_view() -> str:
    return st.segmented_control(
        "View",
        VIEWS,
        default=VIEWS[0],
        required=True,
        key="factors_view",
        bind="query-params",
        help="US labour statistics and your own figures beside the risk, or the training text of the shipped "
        "models beside what they say.",
    )


def draw_statistics(loaded: Loaded) -> None:
    head = st.container()
    choice = draw_controls(loaded)
    every = panels_of(loaded, choice)
    panels = every[choice.model]
    with head:
        finding(*(factors_finding(name, found) for name, found in every.items()), slopes_note(panels))
        key_figures(slope_figures(panels), loaded, intervals=[figures_note(choice.model, panels)])
    draw_panels(loaded, choice, panels)
    draw_left_out(loaded, choice, panels)
    st.markdown("**The lines of all chosen models**")
    lines = remembered(loaded, "factor_lines", choice.state, lambda: lines_table(every))
    draw_table(lines, "factor_lines", LINE_COLUMNS)
    points = remembered(loaded, "factor_points", choice.state, lambda: factors_table(every))
    foot(how_to_read.FACTORS, lambda: points, "factors", loaded, POINT_COLUMNS)


show(draw)
