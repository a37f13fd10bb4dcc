"""The page How it works: how probabilities become a risk, and what makes it prejudice or caprice."""

import streamlit as st

from pcf_core.app.how_it_works import PARTS
from pcf_core.app.shell import show


def draw() -> None:
    """Draw the page."""
    st.title("How it works")
    st.markdown("##### How do probabilities become a risk, and is it prejudice or caprice?")
    part = st.segmented_control(
        "Part",
        list(PARTS),
        default="one occupation",
        required=True,
        key="how_part",
        bind="query-params",
        help="Made-up examples to move, from one occupation to three groups, and the words of the field.",
    )
    PARTS[part]()


show(draw)
