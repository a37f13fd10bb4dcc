"""Tables of the page Compare: their headers in words, and the rows of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pcf_core.core.risk import AxisPoint
from pcf_core.report.comparison import RISKS

COMPARISON_COLUMNS = {
    "occupation": st.column_config.TextColumn("Occupation", help="Empty for the mean over all."),
    "weight": st.column_config.NumberColumn(
        "Weight", format="%.4f", help="Of the occupation; they sum to 1."
    ),
    "quantity": st.column_config.TextColumn(
        "Quantity", help="The whole risk, or its part prejudice or caprice."
    ),
    "difference": st.column_config.NumberColumn("Difference", format="%.4f", help="First less second."),
    "low": st.column_config.NumberColumn(
        "Lower end", format="%.4f", help="Of the 95 % interval of the difference."
    ),
    "high": st.column_config.NumberColumn(
        "Upper end", format="%.4f", help="Of the 95 % interval of the difference."
    ),
    "over": st.column_config.TextColumn("Interval over", help="That of one occupation is over templates."),
    "p_value": st.column_config.NumberColumn("p", format="%.4f", help="Of the test that swaps templates."),
    "adjusted_p_value": st.column_config.NumberColumn(
        "p, controlled", format="%.4f", help="For false discoveries over all occupations; none for the mean."
    ),
    "verdict": st.column_config.TextColumn(
        "Verdict", help="Which of the two is higher, if that can be told."
    ),
}


def _axis_columns() -> dict[str, Any]:
    """Return headers in words of the table of an axis."""
    columns: dict[str, Any] = {
        "line": st.column_config.TextColumn("Model", help="Whose figures these are."),
        "place": st.column_config.Column("Place", help="Where on the axis it stands."),
        "published": st.column_config.TextColumn(
            "Printed in", help="Paper and table; empty for our own runs."
        ),
    }
    for name, word in RISKS.items():
        for suffix, end in (("", ""), ("_low", ", lower end"), ("_high", ", upper end")):
            said = (
                f"{end[2:].capitalize()} of the 95 % interval."
                if end
                else "Mean over occupations; 0 is none."
            )
            columns[f"{name}{suffix}"] = st.column_config.NumberColumn(
                f"{word}{end}", format="%.4f", help=said
            )
    return columns


AXIS_COLUMNS = _axis_columns()


SEVERAL_COLUMNS = {
    "first": st.column_config.TextColumn("First", help="Whose figure the other's is taken from."),
    "second": st.column_config.TextColumn("Second", help="What it is held against."),
    **{name: COMPARISON_COLUMNS[name] for name in ("quantity", "difference", "p_value", "verdict")},
    "first_value": st.column_config.NumberColumn("Of the first", format="%.4f", help="Its figure."),
    "second_value": st.column_config.NumberColumn("Of the second", format="%.4f", help="Its figure."),
    "low": st.column_config.NumberColumn(
        "Lower end", format="%.4f", help="Of the interval of the difference over what the sidebar says."
    ),
    "high": st.column_config.NumberColumn(
        "Upper end", format="%.4f", help="Of the interval of the difference over what the sidebar says."
    ),
    "adjusted_p_value": st.column_config.NumberColumn(
        "p, controlled", format="%.4f", help="For several comparisons (Holm); none where there is one."
    ),
}


def axis_table(points: Sequence[AxisPoint]) -> pd.DataFrame:
    """Make a table with one row per point, with the bounds of each interval."""
    rows = []
    for point in points:
        row: dict[str, object] = {"line": point.line, "place": point.place, "published": point.published}
        for name in RISKS:
            interval = point.intervals.get(name)
            row[name] = point.values[name]
            row[f"{name}_low"] = None if interval is None else interval.low
            row[f"{name}_high"] = None if interval is None else interval.high
        rows.append(row)
    return pd.DataFrame(rows)
