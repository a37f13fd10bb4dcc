"""The page Topics: which groups are compared, by which words, and what the models make of them."""

import streamlit as st

from pcf_core.app.shell import show
from pcf_core.app.topics import draw_head, draw_new, draw_preview, draw_see, shown_topic
from pcf_core.app.topics_check import draw_check
from pcf_core.app.topics_edit import draw_edit
from pcf_core.app.topics_lists import draw_lists

DRAWN = {"see": draw_see, "preview": draw_preview, "check": draw_check}


def draw() -> None:
    """Draw the page."""
    st.title("Topics")
    st.markdown("##### Which groups are compared, and by which words?")
    name, view = draw_head()
    if view == "new":
        draw_new()
        return
    if view == "lists":
        draw_lists()
        return
    topic = shown_topic(name, view)
    if topic is None:
        return
    if view == "edit":
        draw_edit(name)
    else:
        DRAWN[view](topic)


show(draw)
