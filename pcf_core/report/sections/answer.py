"""The two pages that a report begins with: the answer, against whom, how sure, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from pcf_core.report.loaded import Study
from pcf_core.report.notes import instead_note, warnings_of
from pcf_core.report.panels import figure_in
from pcf_core.report.parts import facts_table, figure_of, said, table_of
from pcf_core.report.records import ReportPart, RunFacts
from pcf_core.report.rows import run_rows
from pcf_core.report.sections.leaning import tilt_panel
from pcf_core.report.sections.summary import text_findings
from pcf_core.show.charts.risk import risk_bars
from pcf_core.show.charts.theme import TITLE_ROOM
from pcf_core.show.findings.notes import low_coverage_note
from pcf_core.show.overview import figures_table, lean_sentence, ranges_sentence
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult

READING = (
    "A **risk** of 0 is a fair model, of 1 a fully stereotyped one. It is the sum of **prejudice**, what the "
    "model always does, and **caprice**, what changes with the sentence.",
)
NOT_SURE = (
    "The ranges do not cover another training of the same model, other occupations, or other words for the "
    "groups.",
    "Word probabilities are not behaviour: a low risk does not make a model safe to use, and a high one does "
    "not say why.",
    "Do not certify a model with one number: give its range, the sentences and what was left out with it.",
)


def answer_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write the risks of every study as a picture and a table, then a sentence for each text audit."""
    parts = [
        ReportPart(
            title=study.title if len(studies) > 1 else "",
            prose=READING if place == 0 else (),
            figure=figure_of(
                answer_chart(study),
                "answer",
                "Risk of each model, split into prejudice and caprice, with its range",
                source=study.source,
                title="Risk of each model: prejudice and caprice",
            ),
            tables=(table_of(figures_table(study.rows), "answer", "Risk of each model", folded=False),),
        )
        for place, study in enumerate(studies)
    ]
    sentences = text_findings(fairpairs, criteria)
    written = [ReportPart(title="Texts that models write", findings=sentences)] if sentences else []
    return [*parts, *written]


def answer_chart(study: Study) -> go.Figure:
    """Draw the risk of each model, its rows closer by what the title takes: the answer fits two sheets."""
    drawn = risk_bars(run_rows(study.reports, study.over))
    return drawn.update_layout(height=drawn.layout.height - TITLE_ROOM)


def against_parts(studies: Sequence[Study]) -> list[ReportPart]:
    """Write for every model whom it favours in which occupations, with the picture of all occupations."""
    parts = []
    for study in studies:
        panel = tilt_panel(study)
        parts.append(
            ReportPart(
                title=study.title if len(studies) > 1 else "",
                findings=said(lean_sentence(name, report) for name, report in study.even.items()),
                figure=figure_in(panel, "against"),
                how=panel.how,
            )
        )
    return parts


def sure_parts(studies: Sequence[Study]) -> list[ReportPart]:
    """Write the range of every risk in words, what could make it wrong, and what it does not cover."""
    parts = [
        ReportPart(
            title=study.title if len(studies) > 1 else "",
            findings=said([ranges_sentence(study.rows)]),
            notes=said(
                [
                    instead_note(study),
                    low_coverage_note({name: report.coverage for name, report in study.reports.items()})
                    if len(studies) > 1  # of one the headline says it
                    else "",
                    *warnings_of(study.reports),
                ]
            ),
        )
        for study in studies
    ]
    return [*parts, ReportPart(notes=NOT_SURE)]


def check_parts(facts: Sequence[RunFacts]) -> list[ReportPart]:
    """Write for each run its key, and the commands that make its numbers again."""
    rows = {f"{one.label}\nrun {one.run}": "\n".join(one.commands) for one in facts}
    return [ReportPart(tables=(facts_table("check", "How to check this", rows),))]
