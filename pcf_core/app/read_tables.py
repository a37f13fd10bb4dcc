"""The tables of what was read against what is said: every occupation, every slope, what was left out."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pcf_core.core.factors import Amplification

THREE_DIGITS = "%.3g"


def _digits(label: str, what: str) -> object:
    return st.column_config.NumberColumn(label, format=THREE_DIGITS, help=what)


READ_COLUMNS = {
    "he": st.column_config.NumberColumn("he", help="Documents with more masculine pronouns."),
    "she": st.column_config.NumberColumn("she", help="Documents with more feminine pronouns."),
    "neither": st.column_config.NumberColumn("tie", help="Documents with as many of both, or none."),
    "share_he": _digits("share of he", "Of the documents with a majority, 0 to 1."),
    "text": _digits("text", "Lean of the text, −1 (all she) to 1 (all he): 2 · share − 1."),
    "text_low": _digits("text from", "Lower end of its 95 % interval (Wilson)."),
    "text_high": _digits("text to", "Upper end of its 95 % interval."),
    "model_says": _digits("model says", "Mean stereotype towards male words over the templates, −1 to 1."),
    "says_low": _digits("says from", "Lower end of its 95 % interval over templates."),
    "says_high": _digits("says to", "Upper end of its 95 % interval over templates."),
    "difference": _digits("difference", "What the model says less what its text says."),
    "low": _digits("from", "Lower end of the 95 % interval of the difference, from both."),
    "high": _digits("to", "Upper end of the 95 % interval of the difference."),
    "p": _digits("p alone", "Small where so large a difference would be rare without any."),
    "p_controlled": _digits("p controlled", "For false discoveries over all occupations."),
    "verdict": st.column_config.TextColumn(
        "verdict",
        help="amplifies: leans farther than the text. flattens: less far. reverses: the other way. copies: "
        "within 0.2 of it. Else it cannot be told.",
    ),
}
LINE_COLUMNS = {
    "slope": _digits("slope", "1 is a copy; corrected for small numbers of documents."),
    "low": _digits("from", "Lower end of its 95 % interval; what it allows for stands under the figures."),
    "high": _digits("to", "Upper end of that interval."),
    "plain": _digits("plain slope", "With the counted shares taken as they are."),
    "plain_low": _digits("plain from", "Lower end of its 95 % interval."),
    "plain_high": _digits("plain to", "Upper end of its 95 % interval."),
    "shift": _digits("shift", "Mean of what the model says less what the text says."),
    "shift_low": _digits("shift from", "Lower end of its 95 % interval."),
    "shift_high": _digits("shift to", "Upper end of its 95 % interval."),
    "rank_correlation": _digits("same order", "Spearman's rank correlation; 1 is the same order."),
    "occupations": st.column_config.NumberColumn("occupations", help="How many are compared."),
}


def read_table(found: Mapping[str, Amplification]) -> pd.DataFrame:
    """Make a table with one row per model × occupation, the largest differences first."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "occupation": row.count.occupation,
                "he": row.count.he,
                "she": row.count.she,
                "neither": row.count.neither,
                "share_he": row.count.share,
                "text": row.count.lean,
                "text_low": row.lean_interval.low,
                "text_high": row.lean_interval.high,
                "model_says": row.tilt,
                "says_low": row.tilt_interval.low,
                "says_high": row.tilt_interval.high,
                "difference": row.difference,
                "low": row.interval.low,
                "high": row.interval.high,
                "p": row.p_value,
                "p_controlled": row.adjusted,
                "verdict": row.verdict,
            }
            for name, one in found.items()
            for row in sorted(one.occupations, key=lambda row: -abs(row.difference))
        ]
    )


def read_lines(found: Mapping[str, Amplification]) -> pd.DataFrame:
    """Make a table with one row per model: both slopes, the mean shift, the rank correlation."""
    rows = []
    for name, one in found.items():
        row: dict[str, object] = {"model": name, "occupations": len(one.occupations)}
        line = one.line
        if line is not None:
            row |= {"verdict": line.verdict, "slope": line.slope}
            row |= {"low": line.interval.low, "high": line.interval.high, "plain": line.plain}
            row |= {"plain_low": line.plain_interval.low, "plain_high": line.plain_interval.high}
        row |= {
            "shift": one.shift,
            "shift_low": one.shift_interval.low,
            "shift_high": one.shift_interval.high,
        }
        rows.append(row | {"rank_correlation": one.ranks[0] if one.ranks else None, "note": one.no_line})
    return pd.DataFrame(rows)


def left_out_table(found: Amplification) -> pd.DataFrame:
    """Make a table with one row per occupation that is not compared."""
    rows = [{"occupation": item.name, "because": item.reason} for item in found.left_out]
    return pd.DataFrame(rows, columns=["occupation", "because"])
