"""The frame of the app: page config, navigation, and the shared choice in the sidebar.

``app.py`` opens it on every run.  One case needs care: Streamlit runs a file of ``pages/`` on its own when
that page is the first that anybody asks a fresh server for, because only ``st.navigation`` tells it that the
folder is not the old kind of multipage app.  A page therefore opens the frame itself where nobody did.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pcf_core.errors import AuditError
from pcf_core.settings import settings
from pcf_core.ui.choice import draw_choice
from pcf_core.ui.text import plain

OPENED = "frame_opened"
SECTIONS = {
    "Start": [("overview", "Overview", "home")],
    "Measure": [("score", "Score", "play_circle")],
    "Read": [
        ("heat_map", "Heat map", "grid_on"),
        ("tilt", "Tilt", "candlestick_chart"),
        ("risk", "Risk", "stacked_bar_chart"),
        ("tails", "Tails", "bar_chart"),
    ],
}


def open_frame() -> StreamlitPage:
    """Draw what surrounds every page and return the page that was asked for."""
    st.set_page_config(page_title="PCF Audit", page_icon=settings().assets / "favicon.png", layout="wide")
    page = st.navigation(
        {
            section: [
                st.Page(
                    f"pages/{name}.py",
                    title=title,
                    icon=f":material/{icon}:",
                    url_path=name,
                    default=name == "overview",
                )
                for name, title, icon in pages
            ]
            for section, pages in SECTIONS.items()
        }
    )
    draw_choice()
    st.session_state[OPENED] = True
    return page


def show(draw: Callable[[], None]) -> None:
    """Draw a page in its frame; a refusal becomes one sentence, never a traceback."""
    if not st.session_state.pop(OPENED, False):
        open_frame()
        st.session_state.pop(OPENED)
    try:
        draw()
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
