"""The card of the tab About: what was planted in the calibration models, and what this app measures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.data import read_run
from pcf_core.app.lists import named
from pcf_core.app.page import draw_commands, finding
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.audit.case import held_against
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.core.errors import AuditError
from pcf_core.core.sensitivity import QUANTITIES, Calibration, Planted
from pcf_core.models.registry import planted_models, resolve
from pcf_core.show.findings.numbers import digits
from pcf_core.show.findings.reliability import afresh_note, calibration_finding, uncalibrated_note

LABELS = dict(zip(QUANTITIES, ("risk R", "prejudice", "caprice"), strict=True))
AFRESH = "PCF_SHIPPED_RESULTS=0 PCF_CACHE=cache/afresh"


def calibrations(models: Sequence[Planted]) -> tuple[list[Calibration], list[tuple[Planted, str]]]:
    """Return the models that can be held against their truth, and why the others cannot."""
    found, not_yet = [], []
    for planted in models:
        try:
            found.append(calibrated(planted))
        except AuditError as error:
            not_yet.append((planted, str(error)))
    return found, not_yet


def calibrated(planted: Planted) -> Calibration:
    """Load a calibration model as the store has it, under the default view options.

    Raises
    ------
    AuditError
        Its run is not finished, or is not of the shipped lists.
    """
    run = build_run(resolve(planted.model), *named(planted.topic, planted.evidence, planted.templates))
    item = read_run(run, ViewOptions())
    info = open_store().run_info(item.key)
    version = str(info.provenance.get("versions", {}).get("pcf_core", ""))
    return held_against(planted, item.result.preferences, item.report, info.created, version)


def calibration_table(found: Sequence[Calibration]) -> pd.DataFrame:
    """Make a table with one row per model and risk, six decimals."""
    return pd.DataFrame(
        [
            {
                "model": f"{plain(one.planted.model)}, {label}",
                "planted": f"{getattr(one.planted, name):.6f}",
                "measured": f"{one.measured[name]:.6f}",
                "difference": digits(one.differences[name]),
            }
            for one in found
            for name, label in LABELS.items()
        ]
    ).set_index("model")


def lists_of(planted: Planted) -> dict[str, str]:
    """Name the lists, as links and commands do."""
    return planted.model_dump(include={"topic", "templates", "evidence"})


def score_command(models: Sequence[Planted]) -> str:
    """Write the command that scores these models, of one topic, on the lists of it."""
    options = [f"--model {shlex.quote(planted.model)}" for planted in models]
    return f"python -m pcf_core score {' '.join(options)} --topic {shlex.quote(models[0].topic)}"


def afresh_commands(models: Sequence[Planted]) -> str:
    """Write the commands that score all models again and show the tab About.

    They do so whatever the store holds.
    """
    topics = dict.fromkeys(planted.topic for planted in models)
    by_topic = [[planted for planted in models if planted.topic == topic] for topic in topics]
    commands = [*map(score_command, by_topic), "streamlit run app.py"]
    return "\n".join(f"{AFRESH} {command}" for command in commands)


def draw_calibration() -> None:
    """Draw sentence and table, what is missing, and the commands that measure that and all of it again.

    Raises
    ------
    ModelError
        A shipped truth is damaged.
    """
    models = planted_models()
    found, not_yet = calibrations(models)
    if found:
        finding(calibration_finding(found))
        st.table(calibration_table(found))
        st.page_link(
            "pages/risk.py",
            label="Open the calibration on the page Risk",
            icon=":material/stacked_bar_chart:",
            query_params={"model": [one.planted.model for one in found], **lists_of(found[0].planted)},
        )
        st.markdown(plain(afresh_note()))
        draw_commands(afresh_commands(models))
    for planted, reason in not_yet:
        st.markdown(plain(uncalibrated_note(planted.model, reason)))
        draw_commands(score_command([planted]))
