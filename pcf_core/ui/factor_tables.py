"""The tables of the page Factors: every line, every point, what was left out; and how their columns read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pcf_core.findings import number
from pcf_core.records.factors import FactorPanel, LineFit

THREE_DIGITS = "%.3g"

LINE_COLUMNS = {
    "per": st.column_config.TextColumn("per", help="The slope is the difference in risk for so much more."),
    "line": st.column_config.TextColumn(
        "line", help="OLS: every point counts alike. WLS: by the people employed, or the file's weights."
    ),
    "slope": st.column_config.NumberColumn("slope", format=THREE_DIGITS, help="0 is no difference."),
    "low": st.column_config.NumberColumn("from", format=THREE_DIGITS, help="Lower end of the 95 % interval."),
    "high": st.column_config.NumberColumn("to", format=THREE_DIGITS, help="Upper end of the 95 % interval."),
    "error_hc3": st.column_config.NumberColumn(
        "standard error", format=THREE_DIGITS, help="Of the slope, of the kind HC3."
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

Panels = Mapping[str, tuple[FactorPanel, ...]]


def left_out_table(panels: Sequence[FactorPanel]) -> pd.DataFrame:
    """One row per occupation × reason, with the panels that lack it."""
    found: dict[tuple[str, str], list[str]] = {}
    for panel in panels:
        for item in panel.left_out:
            found.setdefault((item.name, item.reason), []).append(panel.scale.noun)
    return pd.DataFrame(
        [
            {"occupation": name, "left out of": ", ".join(nouns), "because": reason}
            for (name, reason), nouns in found.items()
        ],
        columns=["occupation", "left out of", "because"],
    )


def factors_table(panels: Panels) -> pd.DataFrame:
    """One row per model × factor × point."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "factor": panel.scale.noun,
                "point": point.label,
                "occupations": ", ".join(point.words),
                "value": point.value,
                panel.quantity: point.risk,
                "weight": point.weight,
            }
            for name, found in panels.items()
            for panel in found
            for point in panel.points
        ]
    )


def lines_table(panels: Panels) -> pd.DataFrame:
    """One row per model × factor × kind of line; slopes are per step of their factor, as on the page."""
    rows = []
    for name, found in panels.items():
        for panel in found:
            for kind, fit, reason in (("OLS", panel.ols, panel.no_ols), ("WLS", panel.wls, panel.no_wls)):
                row = {"model": name, "factor": panel.scale.noun, "per": panel.scale.per, "line": kind}
                rows.append(row | line_row(fit, reason, panel.scale.step))
    return pd.DataFrame(rows)


def line_row(fit: LineFit | None, reason: str, step: float) -> dict[str, object]:
    if fit is None:
        return {"note": reason}
    return {
        "slope": step * fit.slope,
        "low": step * fit.interval.low,
        "high": step * fit.interval.high,
        "error_hc3": step * fit.slope_error,
        "p": fit.p_value,
        "p_holm": fit.adjusted_p,
        "r_squared": fit.r_squared,
        "n": fit.n,
        "effective_n": fit.effective_n,
        "intercept": fit.intercept,
        "note": f"hangs on {fit.carrier.label}, leverage {number(fit.carrier.leverage)}"
        if fit.carried
        else "",
    }
