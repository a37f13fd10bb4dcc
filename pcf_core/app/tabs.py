"""Pages with tabs, of which the open one alone is drawn; it is in the address, as every other choice is.

``st.tabs`` would work out all of them on every run, and have none in the address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from pcf_core.app.addresses import TAB_OF, TABS


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
    name = st.segmented_control(
        f"Parts of {title}",
        TABS[page],
        default=TABS[page][0],
        required=True,
        key=TAB_OF[page],
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    st.markdown(f"##### {tabs[name].question}")
    tabs[name].draw()
