"""The page Compare: models on the same prompts, along an axis, and beside what the papers print."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.compare import draw_pair
from pcf_core.app.compare_axis import draw_axis
from pcf_core.app.compare_published import draw_published
from pcf_core.app.data import Loaded
from pcf_core.app.page import open_page
from pcf_core.app.preset_findings import draw_preset_finding
from pcf_core.app.presets import draw_presets
from pcf_core.app.shell import show


def draw() -> None:
    """Draw the page."""
    loaded = open_page("Compare", "How do they differ, and is that more than chance?", draw_presets)
    head = st.container()  # what was found stands above the controls that choose it
    with head:
        told = draw_preset_finding(loaded)
    draw_presets()
    views: dict[str, Callable[[Loaded, DeltaGenerator], None]] = {
        "two models": draw_pair,
        "along an axis": partial(draw_axis, told=told),
        "as in the papers": draw_published,
    }
    view = st.segmented_control(
        "Show",
        list(views),
        default="two models",
        required=True,
        key="compare_view",
        bind="query-params",
        help="Two models prompt by prompt; any number of runs along an axis; a table as the papers print it.",
    )
    views[view](loaded, head)


show(draw)
