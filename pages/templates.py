"""The page Templates: sentences, how often people write them, and how their choice changes the risk."""

import streamlit as st

from pcf_core.app.shell import show
from pcf_core.app.templates.effect import draw_compare, draw_preview
from pcf_core.app.templates.keeping import draw_list, draw_new
from pcf_core.app.templates.mine import draw_mine
from pcf_core.app.templates.page import draw_edit, draw_head, draw_see, draw_set

WITHOUT_A_SET = {"list": draw_list, "new": draw_new, "mine": draw_mine}
DRAWN = {"see": draw_see, "edit": draw_edit, "preview": draw_preview, "compare": draw_compare}


def draw() -> None:
    """Draw the page."""
    st.title("Templates")
    st.markdown("##### In which sentences are the models tested, and how often do people write them?")
    name, view = draw_head()
    if view in WITHOUT_A_SET:
        WITHOUT_A_SET[view]()
    else:
        DRAWN[view](draw_set(name))


show(draw)
