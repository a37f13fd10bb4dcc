"""The tables of the tab Factors: every line, every point, what was left out; and how their columns read."""

from __future__ import annotations

import streamlit as st

THREE_DIGITS = "%.3g"

LINE_COLUMNS = {
    "per": st.column_config.TextColumn("per", help="The slope is the difference in risk for so much more."),
    "line": st.column_config.TextColumn(
        "line", help="OLS: every point counts alike. WLS: by the people employed, or the file's weights."
    ),
    "slope": st.column_config.NumberColumn("slope", format=THREE_DIGITS, help="0 is no difference."),
    "low": st.column_config.NumberColumn("from", format=THREE_DIGITS, help="Lower end of the 95 % interval."),
    "high": st.column_config.NumberColumn("to", format=THREE_DIGITS, help="Upper end of the 95 % interval."),
    "error": st.column_config.NumberColumn(
        "standard error", format=THREE_DIGITS, help="Of the slope, from the two sources that follow."
    ),
    "error_hc3": st.column_config.NumberColumn(
        "from occupations", format=THREE_DIGITS, help="From the scatter about the line, of the kind HC3."
    ),
    "error_templates": st.column_config.NumberColumn(
        "from templates",
        format=THREE_DIGITS,
        help="What the templates, which all occupations share, add; empty for a single template.",
    ),
    "p": st.column_config.NumberColumn(
        "p alone", format=THREE_DIGITS, help="Small where so steep a slope would be rare without any link."
    ),
    "p_holm": st.column_config.NumberColumn(
        "p corrected", format=THREE_DIGITS, help="By Holm's method, for all slopes of the model."
    ),
    "r_squared": st.column_config.NumberColumn(
        "R²", format=THREE_DIGITS, help="Share of the variation in risk that the line takes up."
    ),
    "n": st.column_config.NumberColumn("points", help="Lines of the statistics, or words."),
    "effective_n": st.column_config.NumberColumn(
        "effective points", format="%.1f", help="As how many alike points they count by their weights."
    ),
    "intercept": st.column_config.NumberColumn(
        "intercept", format=THREE_DIGITS, help="Risk that the line has where the factor is 0."
    ),
}
POINT_COLUMNS = {
    "value": st.column_config.NumberColumn("value", format="%.4g", help="The factor, in its own unit."),
    "weight": st.column_config.NumberColumn(
        "weight", format="%.4g", help="Thousands employed; the weight in a file of your own."
    ),
    **{
        name: st.column_config.NumberColumn(
            noun, format=THREE_DIGITS, help="Mean over the occupations; 0 is fair."
        )
        for name, noun in (
            ("overall_risk", "risk"),
            ("prejudice_risk", "prejudice"),
            ("caprice_risk", "caprice"),
        )
    },
}
