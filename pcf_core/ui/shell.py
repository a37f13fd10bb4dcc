"""The frame of the app: page config, navigation, and the shared choice in the sidebar.

``app.py`` opens it on every run.  One case needs care: until ``st.navigation`` is called for the first time,
a fresh server takes ``pages/`` for the old kind of multipage app.  It then runs a page's file on its own, and
gives widgets identities that the next run does not know, so that the first click would be lost.  The frame
therefore starts the script again where it finds the old kind, and a page opens the frame where nobody did.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.pages_manager import PagesManager

from pcf_core.errors import AuditError
from pcf_core.settings import settings
from pcf_core.ui.choice import draw_choice
from pcf_core.ui.links import drop_infinite
from pcf_core.ui.mended import MENDED
from pcf_core.ui.presets import follow_preset
from pcf_core.ui.roles import draw_who, draw_why_not, is_inside, login_page, may_audit
from pcf_core.ui.text import plain
from pcf_core.ui.topics_draft import take_written

OPENED = "frame_opened"
SECTIONS = {
    "Start": [("overview", "Overview", "home")],
    "Measure": [
        ("score", "Score", "play_circle"),
        ("probe", "Probe", "bolt"),
        ("knowledge", "Knowledge", "lightbulb"),
    ],
    "Read": [
        ("heat_map", "Heat map", "grid_on"),
        ("tilt", "Tilt", "candlestick_chart"),
        ("risk", "Risk", "stacked_bar_chart"),
        ("tails", "Tails", "bar_chart"),
        ("factors", "Factors", "scatter_plot"),
        ("sensitivity", "Sensitivity", "tune"),
    ],
    "Compare": [
        ("compare", "Compare", "compare_arrows"),
        ("case_file", "Case file", "folder_open"),
    ],
    "Text audits": [("fairpair", "FairPair", "difference"), ("criteria", "Criteria", "balance")],
    "Set up": [
        ("topics", "Topics", "category"),
        ("templates", "Templates", "list_alt"),
        ("models", "Models", "deployed_code"),
    ],
    "Understand": [
        ("how_it_works", "How it works", "school"),
        ("report", "Report", "description"),
        ("about", "About", "menu_book"),
    ],
}
FOR_AUDITORS = ("score", "probe")  # pages on which a viewer could do nothing


def open_frame() -> StreamlitPage:
    """Draw what surrounds every page and return the page that was asked for.

    Who has to log in first gets no further, nor does anybody where the settings cannot be read.
    """
    try:
        return _open_frame()
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.stop()


def _open_frame() -> StreamlitPage:
    st.set_page_config(page_title="PCF Audit", page_icon=settings().assets / "favicon.png", layout="wide")
    old_kind = PagesManager.uses_pages_directory
    inside = is_inside()
    closed = () if inside and may_audit() else FOR_AUDITORS
    page = st.navigation(
        {
            section: [
                st.Page(
                    f"pages/{name}.py",
                    title=title,
                    icon=f":material/{icon}:",
                    url_path=name,
                    default=name == "overview",
                    visibility="hidden" if name in closed else "visible",
                )
                for name, title, icon in pages
            ]
            for section, pages in SECTIONS.items()
        },
        position="sidebar" if inside else "hidden",
        expanded=True,
    )
    if old_kind:
        st.rerun()
    login_page()
    drop_infinite()
    draw_choice()
    take_written()
    follow_preset(page)
    draw_who()
    st.html(MENDED)
    if page.url_path in closed:  # by a link
        st.title(page.title)
        draw_why_not()
        st.stop()
    st.session_state[OPENED] = True
    return page


def show(draw: Callable[[], None]) -> None:
    """Draw a page in its frame; a refusal becomes one sentence, never a traceback."""
    if not st.session_state.pop(OPENED, False):
        open_frame()
    try:
        draw()
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
    _keep_loaded(draw.__code__.co_filename)


@st.cache_resource(show_spinner=False)
def _keep_loaded(page: str) -> None:
    """What a page loads when it is first drawn stays, and the garbage collector need not look at it again.

    Streamlit collects garbage after each run of a script while all other visitors wait; most of that time
    went into modules, which are never garbage.
    """
    gc.collect()
    gc.freeze()
