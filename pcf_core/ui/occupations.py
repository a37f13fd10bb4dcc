"""The occupations of one model: the riskiest as bars, all of them in a table with bars in its cells."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pcf_core.charts import occupation_bars
from pcf_core.records import RiskReport
from pcf_core.report import occupation_table
from pcf_core.ui.data import Loaded
from pcf_core.ui.page import foot, picture
from pcf_core.ui.rows import times_thousand

PARTS = {
    "overall_risk": ("Risk", "r_x, the mean over the contexts of the criterion J."),
    "prejudice_risk": ("Prejudice", "r_x^p, what remains when the contexts are averaged."),
    "caprice_risk": ("Caprice", "r_x^c, what changes its sign with the context; risk less prejudice."),
}


HOW = """
The split of the risk for single occupations, the riskiest first. Caprice is exactly 0 for an occupation whose
stereotype keeps its sign over all templates; the s.d. of the stereotype in the table shows how much it
moves. The whisker is the interval of the occupation's risk over templates.
"""


def draw_occupations(loaded: Loaded, thousand: bool) -> None:
    """The view *occupations* of the page Risk."""
    model = st.selectbox(
        "Model", list(loaded.runs), key="risk_model", bind="query-params", help="Whose occupations to show."
    )
    report = loaded.reports[model]
    picture(
        loaded,
        "occupation_bars",
        f"The riskiest occupations of {model}",
        lambda: occupation_bars(report, thousand=thousand),
        [model, thousand],
    )
    draw_occupation_bars(report, thousand=thousand)

    def table() -> pd.DataFrame:
        numbers = occupation_numbers(report)
        return times_thousand(numbers) if thousand else numbers

    foot(HOW, table, "occupations", loaded)


def draw_occupation_bars(report: RiskReport, *, thousand: bool) -> None:
    """The table; the bars of all three risks have one scale, so that they can be compared."""
    table = occupation_bars_table(report, 1000.0 if thousand else 1.0)
    unit, digits = (" × 1,000", "%.1f") if thousand else ("", "%.3f")
    top = max(1000.0 if thousand else 1.0, float(table["overall_risk"].max()))
    columns = {
        name: st.column_config.ProgressColumn(
            f"{label}{unit}", help=what, format=digits, min_value=0, max_value=top
        )
        for name, (label, what) in PARTS.items()
    }
    number = st.column_config.NumberColumn
    st.caption(
        "All occupations, the riskiest first: search with the magnifying glass, sort by a column's head."
    )
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "occupation": st.column_config.TextColumn("Occupation", pinned=True),
            **columns,
            "low": number(
                "Low", width=70, format=digits, help="Lower end of the interval of the risk over templates."
            ),
            "high": number("High", width=70, format=digits, help="Upper end of that interval."),
            "corrected": number(
                "Corrected",
                width=80,
                format=digits,
                help="Prejudice less the estimated bias of few templates.",
            ),
            "stereotype_sd": number(
                "s.d.", width=60, format="%.3f", help="Standard deviation of the stereotype over templates."
            ),
        },
        placeholder="–",
        alt=f"Risk, prejudice and caprice of {len(table):,} occupations",
        key="occupation_bars_table",
    )


def occupation_bars_table(report: RiskReport, factor: float = 1.0) -> pd.DataFrame:
    """One row per occupation, the riskiest first; risks times ``factor``, the s.d. as it is."""
    rows = []
    for row in sorted(report.occupations, key=lambda row: -row.overall_risk):
        interval = next(iter(row.intervals.get("overall_risk", ())), None)
        corrected = row.corrected_prejudice_risk
        rows.append(
            {
                "occupation": row.occupation,
                "overall_risk": factor * row.overall_risk,
                "low": factor * interval.low if interval else None,
                "high": factor * interval.high if interval else None,
                "prejudice_risk": factor * row.prejudice_risk,
                "corrected": None if corrected is None else factor * corrected,
                "caprice_risk": factor * row.caprice_risk,
                "stereotype_sd": row.stereotype_sd,
            }
        )
    return pd.DataFrame(rows)


def occupation_numbers(report: RiskReport) -> pd.DataFrame:
    """The table of the report with corrected prejudice and the intervals of prejudice and caprice."""
    table = occupation_table(report)
    table["corrected_prejudice_risk"] = [row.corrected_prejudice_risk for row in report.occupations]
    for part in ("prejudice", "caprice"):
        found = [next(iter(row.intervals.get(f"{part}_risk", ())), None) for row in report.occupations]
        table[f"{part}_low"] = [one.low if one else None for one in found]
        table[f"{part}_high"] = [one.high if one else None for one in found]
    return table
