"""The page Factors: an occupation's risk beside its wage, education, share of women and frequency."""

import streamlit as st

from pcf_core.app.data import Loaded, remembered
from pcf_core.app.factor_tables import LINE_COLUMNS, POINT_COLUMNS
from pcf_core.app.factors import draw_controls, draw_left_out, draw_panels, panels_of
from pcf_core.app.page import draw_table, finding, foot, key_figures, open_page
from pcf_core.app.read import draw_read
from pcf_core.app.shell import show
from pcf_core.report import how_to_read
from pcf_core.report.factors import factors_table, lines_table, slope_figures
from pcf_core.show.findings.factors import factors_finding, figures_note, slopes_note

VIEWS = ["labour statistics", "what it read"]


def draw() -> None:
    """Draw the page."""
    loaded = open_page(
        "Factors", "Does it go with pay, education, women's share, the word's frequency, or what was read?"
    )
    if choose_view() == VIEWS[1]:
        draw_read(loaded)
    else:
        draw_statistics(loaded)


def choose_view() -> str:
    """Draw the control of views; return the chosen one."""
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
    """Draw the view of statistics: controls, finding, panels and tables."""
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
