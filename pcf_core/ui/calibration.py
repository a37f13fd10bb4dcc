"""The card of the page About: what was planted in the calibration models, and what this app measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pcf_core.audit import ViewOptions, build_run, held_against
from pcf_core.errors import AuditError
from pcf_core.findings import calibration_finding, number, uncalibrated_note
from pcf_core.models import resolve
from pcf_core.models.planted import planted_models
from pcf_core.records.calibration import QUANTITIES, Calibration, Planted
from pcf_core.ui.data import read_run
from pcf_core.ui.lists import named
from pcf_core.ui.page import finding
from pcf_core.ui.text import plain

LABELS = dict(zip(QUANTITIES, ("risk R", "prejudice", "caprice"), strict=True))


def calibrations() -> tuple[list[Calibration], Mapping[str, str]]:
    """The models that can be held against their truth, and why the others cannot, by name.

    Raises:
        ModelError: a shipped truth is damaged.
    """
    found, not_yet = [], {}
    for planted in planted_models():
        try:
            found.append(calibrated(planted))
        except AuditError as error:
            not_yet[planted.model] = str(error)
    return found, not_yet


def calibrated(planted: Planted) -> Calibration:
    """A calibration model as the store has it, under the default view options.

    Raises:
        AuditError: its run is not finished, or is not of the shipped lists.
    """
    run = build_run(resolve(planted.model), *named(planted.topic, planted.evidence, planted.templates))
    item = read_run(run, ViewOptions())
    return held_against(planted, item.result.preferences, item.report)


def calibration_table(found: Sequence[Calibration]) -> pd.DataFrame:
    """One row a model and risk, six decimals."""
    return pd.DataFrame(
        [
            {
                "model": f"{plain(one.planted.model)}, {label}",
                "planted": f"{getattr(one.planted, name):.6f}",
                "measured": f"{one.measured[name]:.6f}",
                "difference": number(one.differences[name]),
            }
            for one in found
            for name, label in LABELS.items()
        ]
    ).set_index("model")


def lists_of(planted: Planted) -> dict[str, str]:
    """The names of the lists, as links and commands give them."""
    return planted.model_dump(include={"topic", "templates", "evidence"})


def draw_calibration() -> None:
    """The sentence, the table, and what is missing, each with the command that makes it."""
    found, not_yet = calibrations()
    if found:
        finding(calibration_finding(found))
        st.table(calibration_table(found))
        st.page_link(
            "pages/risk.py",
            label="Open the calibration on the page Risk",
            icon=":material/stacked_bar_chart:",
            query_params={"model": [one.planted.model for one in found], **lists_of(found[0].planted)},
        )
    for model, reason in not_yet.items():
        st.markdown(plain(uncalibrated_note(model, reason)))
        st.code(f"python -m pcf_core score --model {model} --topic calibration", language="bash")
