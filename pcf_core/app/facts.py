"""A table of what a number comes from, the same on every page that names a source."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pcf_core.app.text import plain

# Streamlit cuts a word that is wider than a cell of its tables, and breaks only code: a hash is told whole.
HASH = re.compile(r"[0-9a-f]{40,}")


def draw_facts(facts: Mapping[str, str]) -> None:
    """Draw rows of names and values; a value is never markup, and a long hash wraps."""
    values = [HASH.sub(r"`\g<0>`", plain(value)) for value in facts.values()]
    st.table(pd.DataFrame({"what": list(facts), "value": values}).set_index("what"))
