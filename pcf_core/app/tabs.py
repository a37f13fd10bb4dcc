"""Pages with tabs, of which the open one alone is drawn; it is in the address, as every other choice is.

``st.tabs`` would work out all of them on every run, and have none in the address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.addresses import OLD, TAB_OF, TABS, leads_to
from pcf_core.app.links import open_page_name
from pcf_core.app.widgets import choose_one


@dataclass(frozen=True)
class Tab:
    """What a tab answers, and the function that draws it below its question."""

    question: str
    draw: Callable[[], None]


def draw_tabs(page: str, title: str, tabs: Mapping[str, Tab]) -> None:
    """Draw a page: its title, the names of its tabs, and the open one.

    What was chosen on the others stays: their widgets are bound to the address, and Streamlit then keeps what
    they said until they are drawn again.
    """
    st.title(title)
    old, said = open_page_name(), {name: st.query_params.get_all(name) for name in st.query_params}
    asked = leads_to(old, said)[1].get(TAB_OF[page]) if old in OLD else None
    name = choose_one(
        f"Parts of {title}",
        TABS[page],
        default=str(asked or TABS[page][0]),
        key=TAB_OF[page],
        label_visibility="collapsed",
        wrap=True,
    )
    st.markdown(f"##### {tabs[name].question}")
    tabs[name].draw()
