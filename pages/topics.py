"""The page Topics: which groups are compared, by which words, and how models handle these."""

import streamlit as st

from pcf_core.app.shell import show
from pcf_core.app.topics.edit import draw_edit
from pcf_core.app.topics.page import (
    draw_check,
    draw_head,
    draw_lists,
    draw_new,
    draw_preview,
    draw_see,
    shown_topic,
)

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
