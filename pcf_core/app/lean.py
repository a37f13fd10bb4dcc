"""The view of Risk that asks whether a lean is that of the occupation or that of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.page import draw_foot, draw_picture, finding, offer_scoring
from pcf_core.app.stores import open_store
from pcf_core.audit.baseline import Baseline, baseline_run, has_baseline
from pcf_core.report.sections.shared import baselines_of, lean_panel


def draw_lean(loaded: Loaded, thousand: bool) -> Callable[[], None]:
    """Draw the three parts of every model's risk, and its neutral subjects or the offer to score them.

    Returns
    -------
    Callable[[], None]
        What draws its foot.
    """
    store = open_store()
    held = {name: has_baseline(store, item.run) for name, item in loaded.runs.items()}
    found = loaded.remember(baselines_held, held)
    panel = lean_panel(loaded, found, thousand=thousand)
    finding(*panel.findings)
    draw_picture(panel)
    asked = {name: baseline_run(item.run) for name, item in loaded.runs.items() if not held[name]}
    if wanted := {name: run for name, run in asked.items() if run is not None}:
        st.caption("What a model expects of neutral subjects (a person, a citizen …) takes a run of its own.")
        offer_scoring(wanted)
    return partial(draw_foot, panel, loaded, "lean")


def baselines_held(loaded: Loaded, held: Mapping[str, bool]) -> dict[str, Baseline]:
    """Return the neutral subjects of every model of which they are ``held``, by name."""
    return baselines_of(loaded, open_store())
