"""Headers of tables in words: the column of a number or a text, with what it means."""

from __future__ import annotations

from typing import Any

import streamlit as st

THREE_DIGITS, FOUR_DECIMALS = "%.3g", "%.4f"


def numeric(label: str | None, meaning: str | None, form: str | None = THREE_DIGITS, **more: Any) -> Any:
    """Return the header of numbers; ``form``: how they are written, as printf or Streamlit says it."""
    return st.column_config.NumberColumn(label, format=form, help=meaning, **more)


def textual(label: str | None, meaning: str | None = None, **more: Any) -> Any:
    """Return the header of texts."""
    return st.column_config.TextColumn(label, help=meaning, **more)
