"""A control that Streamlit leaves without a value for some addresses, and a row that keeps its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

Option = TypeVar("Option")


def choose_one(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    default: Option | None = None,
    place: DeltaGenerator | None = None,
    **more: Any,
) -> Option:
    """Draw a row of options, one of which is always chosen, and which is in the address.

    Where an address names it without a value (``?key=``), Streamlit's control has none, required or not.

    Parameters
    ----------
    label
        What is chosen.
    options
        One at least.
    key
        Of the session, and in the address.
    default
        Chosen at first; ``None`` for the first option.
    place
        Where it is drawn; ``None`` for here.
    more
        Further settings of ``st.segmented_control``; a ``width`` in pixels, that of its words, keeps its
        place in a row until it is drawn.
    """
    first = options[0] if default is None else default
    drawn = st if place is None else place
    found = drawn.segmented_control(
        label, options, default=first, required=True, key=key, bind="query-params", **more
    )
    return first if found is None else found


def controls(name: str) -> DeltaGenerator:
    """Return a row for fields with their labels, whose height is kept until they are drawn.

    ``name``: of the row, one on a page; :mod:`pcf_core.app.mended` knows such rows by their key.
    """
    return st.container(horizontal=True, vertical_alignment="bottom", key=f"controls_{name}")
