"""Categories of words of one's own, on the page FairPair: brought in, taken out, deleted."""

from __future__ import annotations

import streamlit as st

from pcf_core.app import own
from pcf_core.app.text import plain
from pcf_core.show.findings.numbers import count, listed
from pcf_core.texts.fairpair.categories import OWN, SHELF, SHIPPED, categories_toml, load_categories
from pcf_core.texts.fairpair.records import CategorySet

NEXT = "fairpair_categories_next"
FORMS = (
    "CSV with the columns category and word, or TOML as the download is. A word counts as it is, in small or "
    "large letters; with * at its end, whatever begins so."
)


def categories_finding(several: CategorySet) -> str:
    """Say what a set is."""
    each = [f"{category.title} ({len(category.words):,})" for category in several.categories]
    return f"{count(len(each), 'category', 'categories')} with so many words: {listed(each)}."


def draw_own_categories(chosen: CategorySet | None) -> None:
    """Draw what can be done with the set that is chosen, and another brought in."""
    with own.expander("Categories of words"):
        shown = load_categories(SHIPPED) if chosen is None else chosen
        with st.container(horizontal=True):
            st.download_button(
                f"Download {plain(shown.name)}",
                lambda: categories_toml(shown),
                f"{shown.name}.toml",
                "application/toml",
                key="download_categories",
                on_click="ignore",
                icon=":material/download:",
                help="The chosen categories as a TOML file: a beginning for a set of yours, and what the "
                "command fairpair reads as --categories.",
            )
            own.draw_delete(shown.name, OWN.names(), OWN.delete, lambda: go_to(SHIPPED), "delete_categories")
        st.caption(plain(FORMS))
        own.draw_upload(OWN, SHELF.accepts, OWN.read_upload, categories_finding, go_to, "One file.")


def go_to(name: str) -> None:
    """Sort words into another set from now on."""
    st.session_state[NEXT] = name
    st.rerun()


def adopt_next_categories() -> None:
    """Take over what :func:`go_to` said, before the page's widgets are drawn."""
    if NEXT in st.session_state:
        st.session_state["fp_categories"] = st.session_state.pop(NEXT)
