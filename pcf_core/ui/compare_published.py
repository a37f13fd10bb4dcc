"""The table as the papers print it: printed rows of the same models beside our own, and why they differ."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.findings import number, with_interval
from pcf_core.records import Scale
from pcf_core.risk import reference_risks
from pcf_core.topics import PublishedRisk, published_name, published_of_topic, speaks_of
from pcf_core.ui.data import Loaded
from pcf_core.ui.page import draw_provenance, draw_table, finding
from pcf_core.ui.rows import source_of

QUANTITIES = {"R": "overall_risk", "R^p": "prejudice_risk", "R^c": "caprice_risk"}
REASONS = """
Matching a printed figure to the third digit is no test of either. The papers publish no uncertainty, and
what was computed for them differs from what they write in ways that no reader can undo:

- **No uncertainty is published** anywhere; our intervals have nothing to be held against.
- **Gender**: the authors' script takes R as the mean of the dominant side's stereotypes alone and
  volatility as that of the other side. Prejudice then agrees with the paper's formula, caprice is half of
  it, and R is smaller.
- **Race**: the script adds the positive stereotypes up (l¹, not l∞), divides by five, and averages a
  group's words instead of adding them up; only contexts counted ten times or more are used.
- **More than two groups**: the demo library takes the largest stereotype without its sign.
- **Words**: gendered words are looked up without the marker of a word's beginning, so that for all models
  but BERT and distilBERT pieces inside words are read; the list has 568 entries, not the 40 pairs.
- **Causal models**: prompts are padded without a mask and the last position is read, which for the shorter
  prompts of a batch is padding. Words of several tokens are not handled.
- **Models**: "BERT (110M)" is bert-large-uncased in the script. LLaMA2's gender row is 0.527 in one version
  of the paper and 0.708 in the next.
- **Templates and occupations** are others: tables of different context sources or languages are not
  comparable with each other either. The rows that do not add up to R are shown as printed.
"""
HOW = """
R = R^p + R^c for each model, the mean over occupations, as in the papers' Tables 1 to 5; the last rows are
the reference models, in closed form. *×1,000* shows the figures as the first paper prints them. Printed rows
carry their table; those whose scale is not stated, or another one than chosen, say so.
"""


def draw_published(loaded: Loaded, head: DeltaGenerator) -> None:
    """The view of the papers' table; what was found goes into ``head``."""
    with st.container(horizontal=True):
        thousand = st.toggle(
            "×1,000",
            False,
            key="compare_thousand",
            bind="query-params",
            help="As the first paper prints them.",
        )
        every = st.toggle(
            "All printed rows",
            False,
            key="compare_printed",
            bind="query-params",
            help="Every row that the papers print for this topic, not only those of the chosen models.",
        )
    rows = published_of_topic(loaded.first.run.topic)
    same = {name: [row for row in rows if speaks_of(row, name)] for name in loaded.runs}
    with head:
        finding(*sentences(loaded, same))
    table = paper_table(loaded, rows if every else [row for found in same.values() for row in found])
    shown = table.copy()
    for quantity in QUANTITIES:
        shown[quantity] = [f"{1000 * value:.2f}" if thousand else f"{value:.4f}" for value in table[quantity]]
    st.dataframe(
        shown, hide_index=True, placeholder="–", alt=f"R, R^p and R^c in the papers' form, {len(shown)} rows"
    )
    names = ["How to read this", "Why printed rows differ", "Data", "Provenance"]
    left, why, middle, right = st.tabs(names)
    left.markdown(HOW)
    why.markdown(REASONS)
    with middle:
        draw_table(table, "paper_table")
    with right:
        draw_provenance(loaded)


def sentences(loaded: Loaded, same: dict[str, list[PublishedRisk]]) -> list[str]:
    """Each model's R beside what the papers print for it."""
    said = []
    for name, rows in same.items():
        report = loaded.reports[name]
        ours = with_interval(report.overall_risk, report.interval("overall_risk", loaded.choice.over))
        if not rows:
            continue
        printed = ", ".join(f"{number(row.overall_risk)} ({source_of(row)})" for row in rows)
        entry = published_name(name)
        note = f" Note: {entry.note}." if entry and entry.note else ""
        said.append(f"The risk of {name} is {ours} here; the papers print {printed}.{note}")
    if not said:
        said.append("None of the chosen models is one that the papers print a row for on this topic.")
    return [
        *said,
        "Printed figures and ours rest on other templates, words and code, and are not expected to agree.",
    ]


def paper_table(loaded: Loaded, rows: list[PublishedRisk] | tuple[PublishedRisk, ...]) -> pd.DataFrame:
    """Models, then printed rows, then the reference models: R, R^p and R^c."""
    scale: Scale = loaded.choice.options.scale
    lines = [
        {"model": name}
        | {column: getattr(report, quantity) for column, quantity in QUANTITIES.items()}
        | {"source": f"this run, {len(report.templates):,} templates"}
        for name, report in loaded.reports.items()
    ]
    lines += [
        {"model": row.model}
        | {column: getattr(row, quantity) for column, quantity in QUANTITIES.items()}
        | {"source": printed_source(row, scale)}
        for row in rows
    ]
    if loaded.comparable:
        groups = len(loaded.first.report.groups)
        lines += [
            {"model": name}
            | {column: getattr(risk, quantity) for column, quantity in QUANTITIES.items()}
            | {"source": "reference model, closed form"}
            for name, risk in reference_risks(groups, scale).items()
        ]
    return pd.DataFrame(lines)


def printed_source(row: PublishedRisk, scale: Scale) -> str:
    """Paper and table, and its scale where that is another one."""
    other = "" if row.scale in ("equal", "unknown", scale) else f", {row.scale} scale"
    return f"{source_of(row)}{other}"
