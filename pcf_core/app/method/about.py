"""The tabs About and What numbers support: sections of ``docs/about.md``, and tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import pandas as pd
import streamlit as st

import pcf_core
from pcf_core.app.caching import open_store
from pcf_core.app.data import results
from pcf_core.app.lists import named
from pcf_core.app.page import draw_commands, finding
from pcf_core.app.widgets import plain
from pcf_core.audit.case import held_against
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import build_run
from pcf_core.core.errors import AuditError
from pcf_core.core.families import FAMILIES
from pcf_core.core.sensitivity import QUANTITIES, Calibration, Planted
from pcf_core.core.settings import ROOT
from pcf_core.material.numbers import load_numbers
from pcf_core.measure.reference_models import reference_risks
from pcf_core.models.facts import planted_models
from pcf_core.models.registry import resolve
from pcf_core.report.reproducing import afresh
from pcf_core.show.findings.numbers import count, digits, two_decimals
from pcf_core.show.findings.reliability import (
    COLUMNS,
    afresh_note,
    calibration_finding,
    supported_rows,
    uncalibrated_note,
)
from pcf_core.store.store import Store

LINE = 800  # pixels: longer lines are hard to read
TEXT = ROOT / "docs" / "about.md"
LABELS = dict(zip(QUANTITIES, ("risk", "prejudice", "caprice"), strict=True))
BEFORE = (
    "A 95 % range should include the true value in 95 of 100 cases. Simulations in which the true value is "
    "known show how often it does, for each number."
)


def sections() -> dict[str, str]:
    """Map the headings of the file to their Markdown."""
    text = TEXT.read_text(encoding="utf8")
    # The app serves no documents, so a link to one would lead nowhere.
    text = re.sub(r"\[([^]]+)\]\([^):]+\.md\)", r"*\1* in the documentation", text)
    _, *parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def about_finding(store: Store) -> str:
    """Say the version, and what the store holds."""
    app = f"PCF Audit {pcf_core.__version__}"
    finished = [info.run for info in store.runs() if info.complete]
    if not finished:
        return f"{app} has no results here yet; “Run an audit” makes the first one."
    models = len({run.scoring.model for run in finished})
    cells = sum(run.cells for run in finished)
    return (
        f"{app} has {count(len(finished), 'result')} of {count(models, 'model')} here, from "
        f"{count(cells, 'test sentence')} in all. Each page of results shows, under “Method and "
        "provenance”, the commands that calculate its numbers again."
    )


def family_table() -> pd.DataFrame:
    """Make a table with one row per family: the quantity that its scorer computes."""
    return pd.DataFrame(
        {
            "family": [f"{family}: {facts.examples}" for family, facts in FAMILIES.items()],
            "probability of a word at [Y]": [facts.quantity for facts in FAMILIES.values()],
        }
    ).set_index("family")


def reference_table() -> pd.DataFrame:
    """Make a table of the papers' reference models with two groups."""
    risks = reference_risks(2)
    rows = [
        (name, *map(two_decimals, (risk.overall_risk, risk.prejudice_risk, risk.caprice_risk)))
        for name, risk in risks.items()
    ]
    return pd.DataFrame(rows, columns=["model", "risk", "prejudice", "caprice"]).set_index("model")


TABLES = {"Four models with a known risk": reference_table, "What each family computes": family_table}


def draw_about() -> None:
    """Draw the tab."""
    finding(about_finding(open_store()))
    with st.container(width=LINE):
        for heading, text in sections().items():
            st.subheader(heading)
            if heading == "Calibration":
                _draw_calibration()
            st.markdown(text)
            if heading in TABLES:
                st.table(TABLES[heading]())


def _calibration_of(planted: Planted) -> Calibration:
    """Load a calibration model's stored result under the default view options."""
    run = build_run(resolve(planted.model), *named(planted.topic, planted.evidence, planted.templates))
    item = results().report(run, ViewOptions())
    info = open_store().run_info(item.key)
    version = str(info.provenance.get("versions", {}).get("pcf_core", ""))
    return held_against(planted, item.result.preferences, item.report, info.created, version)


def _calibration_table(calibrated: Sequence[Calibration]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": f"{plain(one.planted.model)}, {label}",
                "planted": f"{getattr(one.planted, name):.6f}",
                "measured": f"{one.measured[name]:.6f}",
                "difference": digits(one.differences[name]),
            }
            for one in calibrated
            for name, label in LABELS.items()
        ]
    ).set_index("model")


def _score_command(models: Sequence[Planted]) -> str:
    options = [f"--model {shlex.quote(planted.model)}" for planted in models]
    return f"python -m pcf_core score {' '.join(options)} --topic {shlex.quote(models[0].topic)}"


def _draw_calibration() -> None:
    models = planted_models()
    calibrated: list[Calibration] = []
    not_yet: list[tuple[Planted, str]] = []
    for planted in models:
        try:
            calibrated.append(_calibration_of(planted))
        except AuditError as error:
            not_yet.append((planted, str(error)))
    if calibrated:
        finding(calibration_finding(calibrated))
        st.table(_calibration_table(calibrated))
        st.page_link(
            "pages/risk.py",
            label="Open the calibration on the page Risk",
            icon=":material/stacked_bar_chart:",
            query_params={
                "model": [one.planted.model for one in calibrated],
                **calibrated[0].planted.model_dump(include={"topic", "templates", "evidence"}),
            },
        )
        st.markdown(plain(afresh_note()))
        topics = dict.fromkeys(planted.topic for planted in models)
        by_topic = [[planted for planted in models if planted.topic == topic] for topic in topics]
        # They score all models again, even if results are stored.
        draw_commands("\n".join(map(afresh, [*map(_score_command, by_topic), "streamlit run app.py"])))
    for planted, reason in not_yet:
        st.markdown(plain(uncalibrated_note(planted.model, reason)))
        draw_commands(_score_command([planted]))


def draw_supported() -> None:
    """Draw the tab."""
    numbers = load_numbers()
    rows = supported_rows(numbers)
    st.markdown(BEFORE)
    with st.container(key="cards_of_numbers"):
        for name, supports, cannot, checks in rows:  # the shipped texts have Markdown
            with st.container(border=True):
                st.markdown(
                    f"**{name}**\n\n**Supports:** {supports}\n\n**Does not support:** {cannot}\n\n"
                    f"**In simulations whose true value is known:** {checks}"
                )
    with st.container(key="table_of_numbers"):
        st.table(pd.DataFrame(rows, columns=list(COLUMNS)).set_index(COLUMNS[0]))
    with st.expander("The commands that repeat these simulations", icon=":material/terminal:"):
        for key, source in numbers.source.items():
            checked = (one.name for one in numbers.number if any(check.source == key for check in one.checks))
            st.markdown(" · ".join(checked))
            st.code(source.command, language="bash", wrap_lines=True)
