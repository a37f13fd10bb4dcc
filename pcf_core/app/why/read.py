"""Shipped models beside their training text: a tab of *Why?*, and a row of Tilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app.addresses import READ_TAB
from pcf_core.app.caching import kept, once
from pcf_core.app.data import Loaded, finished_runs
from pcf_core.app.links import draw_instead
from pcf_core.app.lists import stamp_of
from pcf_core.app.page import (
    PROVENANCE,
    draw_provenance,
    draw_table,
    finding,
    foot,
    key_figures,
    open_results,
    picture,
)
from pcf_core.app.results.reliable import only_reliable
from pcf_core.app.titles import model_titles
from pcf_core.app.widgets import numeric, plain, textual
from pcf_core.audit.factors import read_against, read_leans
from pcf_core.core.errors import AuditError
from pcf_core.core.factors import Amplification, ReadTable, TrainingText
from pcf_core.core.run import RunSpec
from pcf_core.material.factors import read_counts
from pcf_core.models.facts import training_of
from pcf_core.report.records import KeyFigure
from pcf_core.report.sections.tilt import even_stereotypes, tilts_of, unit_in
from pcf_core.show.charts.why import read_scatter
from pcf_core.show.findings.numbers import ends, two_decimals
from pcf_core.show.findings.why import (
    drawn_besides,
    other_topic_finding,
    read_finding,
    read_intervals_note,
    read_notes,
    read_occupations_finding,
    text_note,
    uncompared_finding,
    unread_finding,
)

HOW = """
Each point is an occupation. The horizontal axis shows the training text: biographies whose first sentences
name the occupation, from −1 (all use mostly *she*) to +1 (all use mostly *he*). The vertical axis shows the
model: its mean stereotype over the sentences. The area of a point is the number of documents. On the
**dotted** line the model has the same preference as its text. The **solid** line is fitted and corrected for
the spread that small numbers of documents add; around it is its 95 % band. If the solid line is flatter than
the dotted line, the model **flattens** the differences between occupations; if it is steeper, the model
**amplifies** them; if it falls, the model **reverses** them. We say so only if the ranges with and without
the correction both lie on one side of 1, or both below 0. The ranges allow for other occupations and
biographies, and for everything named in the sentence under the figures. We say **copies** if each range
includes 1 and lies within 0.8 to 1.25. The range of the rank correlation allows for other occupations with
the same sentences. The text is counted by its pronouns, the model by all words of the topic. A first sentence
may name somebody else's occupation, and a model also read other texts. The distance between the two does not
explain its cause.
"""
ORDER = "The range of the order allows for other occupations with the same sentences."
MALE = "male"


@dataclass(frozen=True)
class Unread:
    """Why nothing can be shown of what the models read; ``instead``: models whose training text is known."""

    problem: str
    instead: tuple[str, ...] = ()


@dataclass(frozen=True)
class Read:
    """What is known of the models' training text: counts, comparisons, and models without counts."""

    table: ReadTable
    trainings: Mapping[str, TrainingText]
    compared: Mapping[str, Amplification]
    unknown: tuple[str, ...]

    @property
    def note(self) -> str:
        """What was counted, and whose text is unknown."""
        training_note = text_note(list(self.trainings.values()), self.table.card)
        return f"{training_note} {unread_finding(self.unknown)}" if self.unknown else training_note


def read_of(loaded: Loaded) -> Read | Unread:
    """Compare the chosen models with their training text, if it was counted."""
    names, first = list(loaded.runs), loaded.first.run
    if set(loaded.groups) != {"male", "female"}:
        return Unread(other_topic_finding(first.topic.title))
    try:
        table = _counts_now()
        texts = {name: _counted_text(loaded.runs[name].run, table) for name in names}
        trainings = {name: one for name, one in texts.items() if one}
    except AuditError as error:
        return Unread(str(error))
    if not trainings:
        known = [run.scoring.name for run in _alike(first) if _counted_text(run, table)]
        return Unread(unread_finding(names), tuple(dict.fromkeys(known)))
    every = {name: loaded.remember(_against_text, name, table) for name in trainings}
    compared = {name: one for name, one in every.items() if one}
    if not compared:
        return Unread(uncompared_finding(first.evidence.title))
    return Read(table, trainings, compared, tuple(name for name in names if name not in trainings))


def _counted_text(run: RunSpec, table: ReadTable) -> TrainingText | None:
    """Describe the training text of a run's model if it was counted, all of it."""
    text = training_of(run.scoring.identity)
    return text if text and set(table.card.files) <= set(text.files) else None


def _alike(shown: RunSpec) -> list[RunSpec]:
    """List the finished runs on the same topic, occupations and sentences."""

    def lists(run: RunSpec) -> tuple[str, str, str]:
        return run.topic.hash, run.evidence.hash, run.templates.hash

    return [run for run in finished_runs(shown) if lists(run) == lists(shown)]


@kept(state=lambda: stamp_of("factors"))
def _counts_now() -> ReadTable:
    return read_counts()


def _against_text(loaded: Loaded, name: str, table: ReadTable) -> Amplification | None:
    item, report, tilts = loaded.runs[name], loaded.even[name], tilts_of(loaded)[name]
    names = [row.occupation for row in report.occupations]
    unit = unit_in(item, report, loaded.options)
    return read_against(names, report.groups, even_stereotypes(item, names), unit, tilts[MALE], table)


def text_row(loaded: Loaded, read: Read, high: str) -> dict[str, float]:
    """Return each occupation's lean towards ``high`` in the training text, for the row of Tilt."""
    sign = 1 if high == MALE else -1
    return {name: sign * lean for name, lean in read_leans(loaded.first.run.evidence, read.table).items()}


def draw_read() -> None:
    """Draw the tab."""
    loaded = only_reliable(open_results())
    with st.spinner("Comparing with the training text …"):  # the first time loads scipy's tests
        read = read_of(loaded)
    if isinstance(read, Unread):
        st.info(plain(read.problem), icon=":material/info:")
        draw_instead(READ_TAB, read.instead, loaded.choice.parameters)
        with st.expander(PROVENANCE):
            draw_provenance(loaded)
        return
    head = st.container()
    model = st.selectbox(
        "Model",
        list(read.compared),
        format_func=model_titles(read.compared),
        key="read_model",
        bind="query-params",
        help="The picture shows one model; the tables have all models whose training text is known.",
    )
    amplification = read.compared[model]
    with head:
        finding(read_finding(model, amplification))
    picture(
        partial(read_scatter, amplification, model, list(loaded.runs)),
        "read_scatter",
        f"Mean stereotype of {model} against that of its training text, one point for each occupation",
        title=f"{model} beside its training text",
        source=loaded.source,
        table=partial(_read_table, {model: amplification}),
    )
    finding(read_occupations_finding(model, amplification))
    finding(*(read_finding(name, one) for name, one in read.compared.items() if name != model))
    with st.expander("How sure?"):
        key_figures(
            _read_figures(amplification),
            loaded,
            [f"{read_intervals_note({model: amplification})} {ORDER}"],
            loaded.even,
        )
    st.caption("  \n".join(plain(note) for note in [*read_notes(amplification), read.note]))
    with st.expander("The slopes of all models whose text is known"):
        draw_table(_read_lines(read.compared), "read_lines", LINE_COLUMNS)
    rows = [(item.name, item.reason) for item in amplification.left_out]
    with st.expander(f"Occupations left out, and why ({len(rows):,})"):
        missing = pd.DataFrame(rows, columns=["occupation", "because"])
        draw_table(missing, "read_left_out", alt="Occupations not compared")
    with st.expander("Source"):
        card = read.table.card
        st.markdown(plain(f"{card.title}. {card.source}. {card.method} Licence: {card.licence}."))
    foot(HOW, partial(once(_read_table), read.compared), "read", loaded, READ_COLUMNS)


def _read_figures(amplification: Amplification) -> list[KeyFigure]:
    line, ranks = amplification.line, amplification.ranks
    differing = sum(row.differs for row in amplification.occupations)
    return [
        KeyFigure(
            "Slope",
            two_decimals(line.slope) if line else "–",
            "Difference between two occupations in the model, per difference of 1 in its text: 1 is a copy, "
            "0 is no link. Corrected for small numbers of documents. Below: its range, for other occupations "
            f"and biographies, and for {drawn_besides(amplification)}.",
            f"{ends(line.interval, line.slope)} · {line.verdict}"
            if line
            else f"none, {amplification.no_line}",
        ),
        KeyFigure(
            "Shift to words for men",
            two_decimals(amplification.shift),
            "The model minus its text, averaged over occupations, both from −1 (she) to 1 (he); 0 is no "
            "shift.",
            ends(amplification.shift_interval, amplification.shift),
        ),
        KeyFigure(
            "Same order",
            two_decimals(ranks[0]) if ranks else "–",
            "Spearman's rank correlation of the two: 1 is the same order of occupations, 0 no agreement. "
            "Below: its range over occupations, with the same sentences.",
            f"{ends(ranks[1], ranks[0])} over occupations" if ranks else "too few occupations",
        ),
        KeyFigure(
            "Differ from the text",
            f"{differing:,} of {len(amplification.occupations):,}",
            "Occupations in which model and text differ by more than chance, false discoveries controlled.",
        ),
    ]


READ_COLUMNS = {
    "he": numeric("he", "Documents with more masculine pronouns.", None),
    "she": numeric("she", "Documents with more feminine pronouns.", None),
    "neither": numeric("tie", "Documents with as many of both, or none.", None),
    "share_he": numeric("share of he", "Of the documents with a majority, 0 to 1."),
    "text": numeric("text", "From −1 (all she) to 1 (all he): 2 · share − 1."),
    "text_low": numeric("text from", "Lower end of its 95 % range (Wilson)."),
    "text_high": numeric("text to", "Upper end of its 95 % range."),
    "model_says": numeric("model", "Mean stereotype towards words for men over the sentences, −1 to 1."),
    "says_low": numeric("model from", "Lower end of its 95 % range over sentences."),
    "says_high": numeric("model to", "Upper end of its 95 % range over sentences."),
    "difference": numeric("difference", "The model minus its text."),
    "low": numeric("from", "Lower end of the 95 % range of the difference, from both."),
    "high": numeric("to", "Upper end of the 95 % range of the difference."),
    "p": numeric("p alone", "Small if so large a difference would be rare by chance."),
    "p_controlled": numeric("p controlled", "For false discoveries over all occupations."),
    "verdict": textual(
        "verdict",
        "amplifies: a stronger preference than the text. flattens: a weaker one. reverses: the other group. "
        "copies: within 0.2 of the text. Otherwise we cannot tell.",
    ),
}
LINE_COLUMNS = {
    "slope": numeric("slope", "1 is a copy; corrected for small numbers of documents."),
    "low": numeric("from", "Lower end of its 95 % range; see under the figures what it allows for."),
    "high": numeric("to", "Upper end of that range."),
    "plain": numeric("plain slope", "With the counted shares taken as they are."),
    "plain_low": numeric("plain from", "Lower end of its 95 % range."),
    "plain_high": numeric("plain to", "Upper end of its 95 % range."),
    "shift": numeric("shift", "Mean of the model minus the text."),
    "shift_low": numeric("shift from", "Lower end of its 95 % range."),
    "shift_high": numeric("shift to", "Upper end of its 95 % range."),
    "rank_correlation": numeric("same order", "Spearman's rank correlation; 1 is the same order."),
    "occupations": numeric("occupations", "How many are compared.", None),
}


def _read_table(by_model: Mapping[str, Amplification]) -> pd.DataFrame:
    """Make a table with one row per model and occupation, the largest differences first."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "occupation": row.count.occupation,
                "he": row.count.he,
                "she": row.count.she,
                "neither": row.count.neither,
                "share_he": row.count.share,
                "text": row.count.lean,
                "text_low": row.lean_interval.low,
                "text_high": row.lean_interval.high,
                "model_says": row.tilt,
                "says_low": row.tilt_interval.low,
                "says_high": row.tilt_interval.high,
                "difference": row.difference,
                "low": row.interval.low,
                "high": row.interval.high,
                "p": row.p_value,
                "p_controlled": row.adjusted,
                "verdict": row.verdict,
            }
            for name, one in by_model.items()
            for row in sorted(one.occupations, key=lambda row: -abs(row.difference))
        ]
    )


def _read_lines(by_model: Mapping[str, Amplification]) -> pd.DataFrame:
    rows = []
    for name, one in by_model.items():
        row: dict[str, object] = {"model": name, "occupations": len(one.occupations)}
        if (line := one.line) is not None:
            row |= {"verdict": line.verdict, "slope": line.slope}
            row |= {"low": line.interval.low, "high": line.interval.high, "plain": line.plain}
            row |= {"plain_low": line.plain_interval.low, "plain_high": line.plain_interval.high}
        row |= {
            "shift": one.shift,
            "shift_low": one.shift_interval.low,
            "shift_high": one.shift_interval.high,
        }
        rows.append(row | {"rank_correlation": one.ranks[0] if one.ranks else None, "note": one.no_line})
    return pd.DataFrame(rows)
