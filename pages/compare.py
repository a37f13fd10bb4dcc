"""The page Compare: which of two models is closer to even; runs along an axis; what the papers print."""

import streamlit as st

from pcf_core.app.compare.presets import draw_presets
from pcf_core.app.page import open_page
from pcf_core.app.shell import show
from pcf_core.app.widgets import choose_one

VIEWS = ["two models", "along an axis", "as in the papers"]


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Compare", "", draw_presets)
    view = choose_one(
        "Show",
        VIEWS,
        default=VIEWS[0],
        key="compare_view",
        label_visibility="collapsed",
        help="Two models prompt by prompt; any number of runs along an axis; a table as the papers print it.",
    )
    if view == VIEWS[0]:
        from pcf_core.app.compare.two import draw_pair

        draw_pair(loaded)
        draw_presets()
        return
    head = st.container()  # results come above their controls
    if view == VIEWS[1]:
        from pcf_core.app.compare.axis import draw_axis, draw_preset_finding

        with head:  # a ready comparison opens this view
            answered = draw_preset_finding(loaded)
        draw_axis(loaded, head, answered)
    else:
        from pcf_core.app.compare.tables import draw_published

        draw_published(loaded, head)
    draw_presets()


show(draw)
