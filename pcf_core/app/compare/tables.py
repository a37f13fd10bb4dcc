"""Tables of the page Compare: the rows of an axis, and printed rows of the papers beside our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.data import Loaded, load
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_provenance,
    draw_table,
    draw_tabs,
    finding,
    with_called,
)
from pcf_core.app.widgets import FOUR_DECIMALS, numeric, textual
from pcf_core.audit.options import word_scoring
from pcf_core.core.risk import AxisPoint, Interval, Scale
from pcf_core.material.published import PublishedRisk, published_name, published_of_topic, speaks_of
from pcf_core.measure.reference_models import reference_risks
from pcf_core.report.documents import RISKS
from pcf_core.report.rows import source_of
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.numbers import two_decimals, with_interval

COMPARISON_COLUMNS = {
    "occupation": textual("Occupation", "Empty for the mean over all occupations."),
    "weight": numeric("Weight", "Of the occupation; they sum to 1.", FOUR_DECIMALS),
    "quantity": textual("Quantity", "The whole risk, or its part prejudice or caprice."),
    "difference": numeric("Difference", "The first minus the second.", FOUR_DECIMALS),
    "low": numeric("Lower end", "Of the 95 % range of the difference.", FOUR_DECIMALS),
    "high": numeric("Upper end", "Of the 95 % range of the difference.", FOUR_DECIMALS),
    "over": textual("Range over", "For a single occupation, the range is over sentences."),
    "p_value": numeric("p", "From the test that swaps sentences between the models.", FOUR_DECIMALS),
    "adjusted_p_value": numeric(
        "p, controlled", "For false discoveries over all occupations; none for the mean.", FOUR_DECIMALS
    ),
    "verdict": textual("Verdict", "Which of the two is higher, where they differ by more than chance."),
    "negligible": st.column_config.CheckboxColumn(
        "Too small", help="Whether the whole range is smaller than the least difference worth reporting."
    ),
    "ordered": st.column_config.CheckboxColumn(
        "Order stated",
        help="Whether the difference is large enough to matter; if not, no page states an order.",
    ),
}
OURS = ("fitting", "equal-tokens")  # selections of words that the papers do not make
QUANTITIES = {"R": "overall_risk", "R^p": "prejudice_risk", "R^c": "caprice_risk"}
HEADERS = {
    "R": ("Risk R", "Discrimination risk, the mean over occupations; 0 is even."),
    "R^p": ("Prejudice Rᵖ", "The part of R that stays the same in every sentence."),
    "R^c": ("Caprice Rᶜ", "The part of R that depends on the sentence."),
}
NOTHING = 1e-9  # rounding error of a risk that is 0
REASONS = """
Two figures that agree to the third digit prove nothing about either. The papers publish no uncertainty, and
their code differs from their text in ways that a reader cannot undo:

- **No uncertainty is published**, so our ranges cannot be compared with theirs.
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
- **Sentences and occupations** differ, so tables from other sources or languages cannot be compared with
  each other either. Rows whose parts do not add up to R are shown as printed.
"""
HOW = """
Each row shows the risk R = Rᵖ + Rᶜ of a model, averaged over occupations, as in the papers' Tables 1 to 5.
The last rows are reference models, calculated exactly. *× 1,000* shows the figures as the first paper prints
them. Our own results have 95 % ranges (see *Ranges over* in the sidebar); the papers print none. Each
printed row names its table, and says so where its scale is unknown or differs from the chosen one.
"""


def _axis_columns() -> dict[str, Any]:
    columns: dict[str, Any] = {
        "line": textual("Model", "Whose figures these are."),
        "place": st.column_config.Column("Place", help="Its place on the axis."),
        "published": textual("Printed in", "Paper and table; empty for our own results."),
    }
    for name, word in RISKS.items():
        columns[name] = numeric(word, "Mean over occupations; 0 is none.", FOUR_DECIMALS)
        for end, called in (("low", "lower end"), ("high", "upper end")):
            meaning = f"{called.capitalize()} of the 95 % range."
            columns[f"{name}_{end}"] = numeric(f"{word}, {called}", meaning, FOUR_DECIMALS)
    return columns


AXIS_COLUMNS = _axis_columns()
OF_INTERVAL = "Of the range of the difference, over what the sidebar says."
SEVERAL_COLUMNS = {
    "first": textual("First", "The model from which the other is subtracted."),
    "second": textual("Second", "The model that is subtracted."),
    **{name: COMPARISON_COLUMNS[name] for name in ("quantity", "difference", "p_value", "verdict")},
    "first_value": numeric("Of the first", "Its figure.", FOUR_DECIMALS),
    "second_value": numeric("Of the second", "Its figure.", FOUR_DECIMALS),
    "low": numeric("Lower end", OF_INTERVAL, FOUR_DECIMALS),
    "high": numeric("Upper end", OF_INTERVAL, FOUR_DECIMALS),
    "adjusted_p_value": numeric(
        "p, controlled",
        "Corrected for several comparisons (Holm); empty for one.",
        FOUR_DECIMALS,
    ),
}


def axis_table(points: Sequence[AxisPoint]) -> pd.DataFrame:
    """Make a table with one row per point, with the bounds of each interval."""
    rows = []
    for point in points:
        row: dict[str, object] = {"line": point.line, "place": point.place, "published": point.published}
        for name in RISKS:
            interval = point.intervals.get(name)
            row[name] = point.values[name]
            row[f"{name}_low"] = None if interval is None else interval.low
            row[f"{name}_high"] = None if interval is None else interval.high
        rows.append(row)
    return pd.DataFrame(rows)


def draw_published(loaded: Loaded, head: DeltaGenerator) -> None:
    """Draw the view of the papers' table; findings go into ``head``."""
    loaded = _with_the_papers_words(loaded)
    with st.container(horizontal=True):
        thousand = st.toggle(
            "× 1,000",
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
    same = {
        name: [row for row in rows if speaks_of(row, item.run.scoring.model)]
        for name, item in loaded.runs.items()
    }
    with head:
        finding(*_sentences(loaded, same))
    factor = 1000 if thousand else 1
    chosen = rows if every else [row for beside in same.values() for row in beside]
    table = paper_table(loaded, chosen, factor)
    shown = printed_form(table, 2 if thousand else 4)
    st.dataframe(
        with_called(shown),
        hide_index=True,
        column_config=paper_columns(factor, as_text=True),
        placeholder="–",
        alt=f"R, prejudice and caprice in the papers' form, {len(shown)} rows",
    )
    draw_tabs(
        "paper_table",
        {
            READING: HOW,
            "Why printed rows differ": REASONS,
            DATA: partial(draw_table, table, "paper_table", paper_columns(factor)),
            PROVENANCE: partial(draw_provenance, loaded),
        },
    )


def _with_the_papers_words(loaded: Loaded) -> Loaded:
    """Load the runs with all words of the topic, as in the papers, if only some count."""
    options = loaded.options
    if options.protocol not in OURS:
        return loaded
    fewer = word_scoring(options.protocol)
    st.caption(f"All words of the topic count here, as in the papers, not only the {fewer}.")
    exact = options.model_copy(update={"protocol": "exact"})
    return load(replace(loaded.choice, options=exact))


def _sentences(loaded: Loaded, same: dict[str, list[PublishedRisk]]) -> list[str]:
    lines = []
    for name, rows in same.items():
        report = loaded.reports[name]
        if report.says_little:
            continue
        ours = with_interval(report.overall_risk, report.interval("overall_risk", loaded.over))
        if not rows:
            continue
        printed = ", ".join(f"{two_decimals(row.overall_risk)} ({source_of(row)})" for row in rows)
        entry = published_name(loaded.runs[name].run.scoring.model)
        note = f" Note: {entry.note}." if entry and entry.note else ""
        lines.append(f"The risk of {name} is {ours} here; the papers print {printed}.{note}")
    if not lines:
        lines.append("The papers print no row for any of the chosen models on this topic.")
    return [
        *lines,
        "Printed figures and ours come from different sentences, words and code, so they need not agree.",
    ]


def paper_table(loaded: Loaded, rows: Sequence[PublishedRisk], factor: float = 1) -> pd.DataFrame:
    """Make a table of models, printed rows and reference models: ``factor`` times R, R^p and R^c."""
    scale, over = loaded.options.scale, loaded.over
    lines = []
    for name, report in loaded.reliable.reports.items():
        columns_of = {quantity: shown_interval(report, quantity, over) for quantity in QUANTITIES.values()}
        source = f"this result, {len(report.templates):,} sentences"
        lines.append(paper_row(name, report, source, factor, columns_of))
    lines += [paper_row(row.model, row, printed_source(row, scale), factor) for row in rows]
    if loaded.comparable:
        references = reference_risks(len(loaded.groups), scale)
        lines += [
            paper_row(name, risk, "reference model, closed form", factor) for name, risk in references.items()
        ]
    return pd.DataFrame(lines)


def paper_row(
    name: str,
    risks: object,
    source: str,
    factor: float,
    intervals: Mapping[str, Interval | None] = MappingProxyType({}),
) -> dict[str, object]:
    """Make one row: ``factor`` times each of the three ``risks``, and the ends of its interval."""
    row: dict[str, object] = {"model": name}
    for column, quantity in QUANTITIES.items():
        interval = intervals.get(quantity)
        row[column] = factor * getattr(risks, quantity)
        row[f"{column}_low"] = None if interval is None else factor * interval.low
        row[f"{column}_high"] = None if interval is None else factor * interval.high
    return row | {"source": source}


def printed_form(table: pd.DataFrame, decimals: int) -> pd.DataFrame:
    """Return the table as text, an interval or "nothing seen" behind each figure."""
    shown = table[["model", *QUANTITIES, "source"]].copy()
    for column in QUANTITIES:
        cells = []
        for value, low, high in zip(
            table[column], table[f"{column}_low"], table[f"{column}_high"], strict=True
        ):
            cell = f"{value:.{decimals}f}"
            if pd.notna(low) and max(value, high) < NOTHING:
                cell = f"{cell} (in no sentence here)"
            elif pd.notna(low):
                cell = f"{cell} ({low:.{decimals}f}–{high:.{decimals}f})"
            cells.append(cell)
        shown[column] = cells
    return shown


def paper_columns(factor: float, *, as_text: bool = False) -> dict[str, Any]:
    """Return headers in words, with as many decimals as the papers print."""
    times, decimals = (" × 1,000", 2) if factor != 1 else ("", 4)
    columns: dict[str, Any] = {
        "model": textual("Model", "From this result, as printed, or a reference model."),
        "source": textual("Source", "This result, or the paper and its table."),
    }
    for column, (word, meaning) in HEADERS.items():
        if as_text:
            columns[column] = textual(f"{word}{times}", meaning)
            continue
        columns[column] = numeric(f"{word}{times}", meaning, f"%.{decimals}f")
        for suffix, end in (("low", "lower"), ("high", "upper")):
            what = f"{end.capitalize()} end of the 95 % range; the papers print none."
            columns[f"{column}_{suffix}"] = numeric(f"{word}{times}, {end} end", what, f"%.{decimals}f")
    return columns


def printed_source(row: PublishedRisk, scale: Scale) -> str:
    """Name paper and table, and the scale if it is another one."""
    other = "" if row.scale in ("equal", "unknown", scale) else f", {row.scale} scale"
    return f"{source_of(row)}{other}"
