"""The tab of *Method* that says what each number can and cannot support."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pcf_core.material.numbers import load_numbers
from pcf_core.show.findings.reliability import COLUMNS, supported_rows

BEFORE = (
    "A 95 % interval should hold the truth in 95 of 100 cases. The last column says how often it did in "
    "simulations whose truth is known."
)


def draw_supported() -> None:
    """Draw the tab."""
    numbers = load_numbers()
    st.markdown(BEFORE)
    st.table(pd.DataFrame(supported_rows(numbers), columns=list(COLUMNS)).set_index(COLUMNS[0]))
    with st.expander("Which command gives each figure", icon=":material/terminal:"):
        for source in numbers.source.values():
            st.markdown(f"`{source.file}`")
            st.code(source.command, language="bash", wrap_lines=True)
