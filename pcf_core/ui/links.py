"""What a link says, before any widget takes it over."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pcf_core.ui.text import plain


def drop_infinite() -> None:
    """Take numbers without end, such as ``seed=1e400``, out of the link, and say so.

    Streamlit 1.67 makes a whole number of what a link has for a number before it looks at the bounds, which
    fails for an infinite one and would show a traceback.  Widgets take their first value from a copy of the
    link that ``st.query_params`` does not reach, hence the way through the session's own state.
    """
    endless = {name: text for name in st.query_params if is_endless(text := st.query_params[name])}
    context = get_script_run_ctx()
    if not endless or context is None:
        return
    with context.session_state.query_params() as link:
        for name in endless:
            link.remove_param(name)
        link.set_initial_query_params_from_current()
    for name, text in endless.items():
        st.warning(
            f"The link has {plain(name)} = {plain(text)}, which is no finite number: it is left out.",
            icon=":material/link_off:",
        )


def is_endless(text: str) -> bool:
    """Whether a text is read as an infinite number: "1e400", "-inf"; a text that is no number is not."""
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
