"""Choices of one page that stay while another is open: Streamlit forgets a widget that was not drawn."""

from __future__ import annotations

import streamlit as st


def recall(prefix: str, first: str) -> None:
    """Give the widgets of a page what they said when it was left; a link that says anything goes before.

    Parameters
    ----------
    prefix
        Of the keys of all its widgets.
    first
        The key of one that is always drawn: where it is known the page was not left.
    """
    state = st.session_state
    if first not in state and not any(name.startswith(prefix) for name in st.query_params):
        state.update(state.get(_place(prefix), {}))


def remember(prefix: str) -> None:
    """Keep what the widgets of a page say; call it once they are drawn."""
    state = st.session_state
    said = {str(key): value for key, value in state.items() if str(key).startswith(prefix)}
    state[_place(prefix)] = {**state.get(_place(prefix), {}), **said}


def _place(prefix: str) -> str:
    return f"stayed {prefix}"
