"""The view of Risk that asks whether a lean is that of the occupation or that of the model."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.data import Loaded, remembered
from pcf_core.app.page import finding, foot, offer_scoring, picture
from pcf_core.app.stores import open_store
from pcf_core.audit.baseline import Baseline, baseline_of, baseline_run, has_baseline
from pcf_core.report import how_to_read
from pcf_core.report.rows import times_thousand
from pcf_core.report.sections.shared import bars_of, lean_table
from pcf_core.show.charts.lean import lean_bars
from pcf_core.show.findings.models import baseline_finding, lean_finding


def draw_lean(loaded: Loaded, thousand: bool) -> None:
    """Draw the three parts of every model's risk, and its neutral subjects or the offer to score them."""
    store = open_store()
    held = {name: has_baseline(store, item.run) for name, item in loaded.runs.items()}
    found = remembered(loaded, "baselines", [held], lambda: baselines_of(loaded))
    finding(*(lean_finding(name, report) for name, report in loaded.reports.items()))
    over = loaded.choice.over
    finding(*(baseline_finding(name, one, over) for name, one in found.items()))
    rows = bars_of(loaded.reports, found, over)
    if rows:
        picture(
            loaded,
            "lean_bars",
            "Stacked bars of what all occupations share, what differs between them, and caprice",
            lambda: lean_bars(rows, thousand=thousand),
            [thousand, *([row.label, row.neutral] for row in rows)],
        )
    asked = {name: baseline_run(item.run) for name, item in loaded.runs.items() if not held[name]}
    if wanted := {name: run for name, run in asked.items() if run is not None}:
        st.caption("What a model expects of neutral subjects (a person, a citizen …) takes a run of its own.")
        offer_scoring(wanted)
    table = lean_table(loaded.reports, found, over)
    foot(how_to_read.LEAN, lambda: times_thousand(table) if thousand else table, "lean", loaded)


def baselines_of(loaded: Loaded) -> dict[str, Baseline]:
    """Return the neutral subjects of every model that has them."""
    store, options = open_store(), loaded.choice.options
    several = {name: baseline_of(store, item.run, item.result, options) for name, item in loaded.runs.items()}
    return {name: one for name, one in several.items() if one is not None}
