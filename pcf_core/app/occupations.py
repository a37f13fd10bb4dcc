"""The occupations of one model: the riskiest as bars, all of them in a table with bars in its cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.page import draw_foot, draw_picture
from pcf_core.core.risk import RiskReport
from pcf_core.report.rows import occupation_bars_table
from pcf_core.report.sections.risk import occupation_panel

PARTS = {
    "overall_risk": ("Risk", "r_x, the mean over the contexts of the criterion J."),
    "prejudice_risk": ("Prejudice", "r_x^p, what remains when the contexts are averaged."),
    "caprice_risk": ("Caprice", "r_x^c, what changes its sign with the context; risk less prejudice."),
}


def draw_occupations(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw the view *occupations* of the page Risk; return what draws its foot."""
    model = st.selectbox(
        "Model", list(loaded.runs), key="risk_model", bind="query-params", help="Whose occupations to show."
    )
    panel = occupation_panel(loaded, model, thousand=thousand)
    draw_picture(panel)
    draw_occupation_bars(loaded.reports[model], thousand=thousand)
    return partial(draw_foot, panel, loaded, "occupations")


def draw_occupation_bars(report: RiskReport, *, thousand: bool) -> None:
    """Draw the table; the bars of all three risks have one scale, so that they can be compared."""
    table = occupation_bars_table(report, 1000.0 if thousand else 1.0)
    unit, digits = (" × 1,000", "%.1f") if thousand else ("", "%.2f")
    top = max(1000.0 if thousand else 1.0, float(table["overall_risk"].max()))
    formats = {} if thousand else {"caprice_risk": "%.2g"}  # only what is exactly 0 reads 0
    columns = {
        name: st.column_config.ProgressColumn(
            f"{label}{unit}", help=what, format=formats.get(name, digits), min_value=0, max_value=top
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
                "s.d.", width=60, format="%.2f", help="Standard deviation of the stereotype over templates."
            ),
        },
        placeholder="–",
        alt=f"Risk, prejudice and caprice of {len(table):,} occupations",
        key="occupation_bars_table",
    )
