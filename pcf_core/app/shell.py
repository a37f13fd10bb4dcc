"""The frame of the app: page config, navigation, the sidebar, and pages with tabs.

Until ``st.navigation`` is called for the first time, a fresh server takes ``pages/`` for an old-style
multipage app and runs a page's file alone, so that the first click would be lost.  The frame then starts the
script again, and a page opens the frame if nobody has.

Only the open tab is drawn, and the address has it; ``st.tabs`` does neither.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.components.v2 import component
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.addresses import OLD, TAB_OF, TABS, leads_to
from pcf_core.app.caching import open_store
from pcf_core.app.choice import current_choice, draw_choice, follow_pinned
from pcf_core.app.compare.presets import follow_preset
from pcf_core.app.inside import NAMES, StopException, StreamlitPage, takes_folder_for_pages
from pcf_core.app.links import (
    TAKEN,
    drop_infinite,
    follow,
    follow_pressed,
    is_new_page,
    link_first,
    open_page_name,
    say_mistakes,
)
from pcf_core.app.present import draw_presented, draw_style, draw_tools, in_full, take_short_form
from pcf_core.app.request_cache import request_cache
from pcf_core.app.roles import draw_who, draw_why_not, is_inside, login_page, may_audit
from pcf_core.app.styles import STYLES, front
from pcf_core.app.widgets import TOPIC_DRAFTS, choose_one, plain
from pcf_core.core.errors import AuditError
from pcf_core.core.settings import settings
from pcf_core.models.folder import wait_for_hashes
from pcf_core.show.names import speaking_of

OPENED = "frame_opened"
FIRST = "overview"
SECTIONS = {
    "Results": [
        ("overview", "Overview", "home"),
        ("compare", "Compare", "compare_arrows"),
        ("tilt", "Tilt", "candlestick_chart"),
        ("heat_map", "Heat map", "grid_on"),
        ("risk", "Risk", "stacked_bar_chart"),
        ("caprice", "Caprice", "bar_chart"),
        ("why", "Why?", "lightbulb"),
    ],
    "Measure": [
        ("run_an_audit", "Run an audit", "play_circle"),
        ("try_a_sentence", "Try a sentence", "bolt"),
    ],
    "Texts": [("written_text", "Written text", "difference")],
    "Material": [
        ("models", "Models", "deployed_code"),
        ("topics", "Topics", "category"),
        ("templates", "Templates", "list_alt"),
    ],
    "Share": [("report", "Report", "description"), ("method", "Method", "school")],
}
BOARD = ("board", "Public board", "table_chart")  # before the others, if the app opens on it
SIDEBAR = 320  # pixels, enough for the usual titles; also in sidebar.css
PATIENCE = 2.0  # seconds that a page waits for hashes of large files
NAMES_BY_TITLE = component("pcf_audit_names", js=front("names.js"))  # puts names into addresses
FOR_AUDITORS = ("run_an_audit", "try_a_sentence")  # pages on which a viewer could do nothing


def open_frame() -> StreamlitPage:
    """Draw what surrounds every page and return the requested page.

    Ends the script if the visitor has to log in, or the settings cannot be read.
    """
    try:
        return _open_frame()
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.stop()


def _open_frame() -> StreamlitPage:
    wait_for_hashes(PATIENCE)
    st.set_page_config(
        page_title="PCF Audit",
        page_icon=settings().assets / "favicon.png",
        layout="wide",
        initial_sidebar_state=SIDEBAR,
    )
    old_kind = takes_folder_for_pages()
    inside = is_inside()
    closed = () if inside and may_audit() else FOR_AUDITORS
    on_board = inside and settings().read_only and _opens_on_board()
    first = BOARD[0] if on_board else FIRST
    sections = {
        section: [
            st.Page(
                f"pages/{name}.py",
                title=title,
                icon=f":material/{icon}:",
                url_path="" if name == first else name,
                default=name == first,
                visibility="hidden" if name in closed else "visible",
            )
            for name, title, icon in ([BOARD] if on_board and section == "Results" else []) + pages
        ]
        for section, pages in SECTIONS.items()
    }
    moved = {name: target for name, target in OLD.items() if name != FIRST or first == FIRST}
    # Last, because a link to a page's file leads to the first page with it.
    old = [
        st.Page(target.file, title=titles()[target.page], url_path=name, visibility="hidden")
        for name, target in moved.items()
    ]
    *others, (last, pages) = sections.items()
    page = st.navigation(
        {**dict(others), last: [*pages, *old]},
        position="top" if inside else "hidden",  # the sidebar begins with what is shown
    )
    if old_kind:
        st.rerun()
    of_overview = on_board and not page.url_path and "model" in st.query_params  # a link of before
    if (page.url_path in moved or of_overview) and is_new_page():  # going back would lead forward again
        address = in_full({name: st.query_params.get_all(name) for name in st.query_params})
        follow(*((FIRST, address) if of_overview else leads_to(page.url_path, address)))
    login_page()
    drop_infinite()
    take_short_form()
    draw_style(page.url_path)
    from_elsewhere = TAKEN not in st.session_state and "model" in st.query_params  # says what it compares
    opened = is_new_page() and not from_elsewhere
    with link_first(), request_cache(), open_store().steady():
        draw_choice()
        draw_tools()
    follow_pressed(current_choice().parameters)
    if TOPIC_DRAFTS in st.session_state:
        from pcf_core.app.topics.draft import take_written  # only with drafts of topics

        take_written()
    follow_preset()
    if opened and page.url_path == "compare":
        follow_pinned()
    draw_who()
    st.html(STYLES)
    draw_presented(page.url_path or first)
    if (moved[page.url_path].page if page.url_path in moved else page.url_path) in closed:  # by a link
        st.title(page.title)
        draw_why_not()
        st.stop()
    st.session_state[OPENED] = st.container()  # for mistakes in the link, above the page
    return page


def _opens_on_board() -> bool:
    from pcf_core.app.board import has_board  # only in read-only apps

    return has_board()


def titles() -> dict[str, str]:
    """Return the menu's page titles by file name."""
    return {name: title for pages in SECTIONS.values() for name, title, _ in pages}


def show(draw: Callable[[], None]) -> None:
    """Draw a page in the frame, below warnings about damaged files; errors become one sentence."""
    if OPENED not in st.session_state:
        open_frame()
    above = st.session_state.pop(OPENED)
    try:
        for sentence in open_store().warnings():
            st.warning(plain(sentence), icon=":material/warning:")
        with request_cache(), open_store().steady(), speaking_of():  # the next page may be of another topic
            draw()
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
    except StopException:
        _finish(above)
        raise
    _finish(above)
    _keep_loaded(draw.__code__.co_filename)


def _finish(above: DeltaGenerator) -> None:
    """Report mistakes in the link, and send the browser the names behind the menus' titles."""
    say_mistakes(above)
    NAMES_BY_TITLE(key="names_by_title", data={"names": st.session_state.get(NAMES, {})})


@st.cache_resource(show_spinner=False)
def _keep_loaded(page: str) -> None:
    """Exclude a page's imports from garbage collection, which Streamlit runs while all visitors wait."""
    gc.collect()
    gc.freeze()


def open_tab(page: str, title: str, questions: Mapping[str, str]) -> str:
    """Draw title, tabs and the open tab's question; return that tab's name."""
    st.title(title)
    old, address = open_page_name(), {name: st.query_params.get_all(name) for name in st.query_params}
    from_old = leads_to(old, address)[1].get(TAB_OF[page]) if old in OLD else None
    name = choose_one(
        f"Parts of {title}",
        TABS[page],
        default=str(from_old or TABS[page][0]),
        key=TAB_OF[page],
        label_visibility="collapsed",
        wrap=True,
    )
    st.markdown(f"##### {questions[name]}")
    return name
