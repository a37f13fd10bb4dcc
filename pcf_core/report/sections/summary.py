"""What a report says first: the answer, against whom, how sure, how to check it; and every risk at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go

from pcf_core.report.key_figures import risk_figures
from pcf_core.report.loaded import Study
from pcf_core.report.panels import Panel, figure_in, figure_of, part_of, said, table_of
from pcf_core.report.records import ReportPart, RunFacts
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.report.sections.comparison import pair_notes
from pcf_core.report.sections.tilt import tilt_panel
from pcf_core.show.answer import Answer
from pcf_core.show.charts.risk import risk_bars, risk_dots
from pcf_core.show.charts.theme import TITLE_ROOM
from pcf_core.show.findings.criteria import summary_finding
from pcf_core.show.findings.fairpair import fairpair_finding
from pcf_core.show.findings.models import risk_finding, whiskers_note, whole_templates_finding
from pcf_core.show.findings.numbers import count
from pcf_core.show.overview import figures_table, lean_sentence, ranges_sentence
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.criteria.summary import readings_of
from pcf_core.texts.fairpair.records import FairPairResult

MOST_PANELS = 4  # of groups and models together: more are higher than two fifths of a page
HOW = """
Each dot is the discrimination risk R of one model with its interval. The dotted lines, where they are drawn,
are models that one can compute by hand for these groups: fair, of uniformly random preferences, and fully
stereotyped.
"""
READING = (
    "A **risk** of 0 means an even split, of 1 always the same group. It is the sum of **prejudice**, a "
    "fixed preference, and **caprice**, a preference that depends on the sentence.",
)


def headline(
    studies: Sequence[Study], answers: Sequence[Answer], fairpairs: Sequence[FairPairResult]
) -> tuple[str, ...]:
    """Return the answer block of the study, or the first lines of each; else of the first text audit."""
    if len(studies) == 1:
        return answers[0].labelled
    if studies:
        return said(
            f"{study.title}: {' '.join(filter(None, [answer.answer, answer.against]))}"
            for study, answer in zip(studies, answers, strict=True)
        )
    return said(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs[:1])


def summary_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write every study: what it measured, its sentences and risks; then a sentence for each text audit."""
    panels = map(_study_panel, _reliable(studies))
    return [*map(part_of, panels), *_text_parts(fairpairs, criteria)]


def _reliable(studies: Sequence[Study]) -> list[Study]:
    """Return the studies without the models whose figures say little, as far as they have others."""
    return [study.reliable for study in studies if study.reliable.runs]


def _text_parts(fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]) -> list[ReportPart]:
    """Write a sentence for each result of FairPair, and one a model for the criteria; nothing without any."""
    models = dict.fromkeys(result.asked.model for result in criteria)
    sentences = said(
        [
            *(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs),
            *(
                summary_finding(
                    model, readings_of(result.report for result in criteria if result.asked.model == model)
                )
                for model in models
            ),
        ]
    )
    return [ReportPart(title="Texts that models write", findings=sentences)] if sentences else []


def _study_panel(study: Study) -> Panel:
    rows = run_rows(study.reports, study.over)
    lines = reference_lines(len(study.groups), study.options.scale) if study.comparable else {}
    risks = [risk_finding(name, report, study.over) for name, report in study.reports.items()]
    return Panel(
        title=study.title,
        findings=[*risks, study.order],
        numbers=risk_figures(study.reports, study.over),
        source=study.source,
        name="summary",
        alt="Overall risk of every model with its interval",
        chart=partial(risk_dots, rows, lines),
        how=HOW,
        table=lambda: risk_table(rows),
        table_title="Risk of every model",
        notes=[
            whole_templates_finding(study.whole_templates),
            whiskers_note({row.label: row.drawn for row in rows if row.drawn}),
        ],
    )


def answer_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write the risks of every study as a picture and a table, then a sentence for each text audit."""
    several = len(studies) > 1
    parts = [
        ReportPart(
            title=study.title if several else "",
            prose=READING if index == 0 else (),
            figure=figure_of(
                _answer_chart(study),
                "answer",
                "Risk of each model, split into prejudice and caprice, with its range",
                source=study.source,
                title="Risk of each model: prejudice and caprice",
            ),
            tables=(table_of(figures_table(study.rows), "answer", "Risk of each model", folded=False),),
        )
        for index, study in enumerate(_reliable(studies))
    ]
    return [*parts, *_text_parts(fairpairs, criteria)]


def _answer_chart(study: Study) -> go.Figure:
    """Draw the risk of each model, its rows closer by what the title takes: the answer fits two sheets."""
    drawn = risk_bars(run_rows(study.reports, study.over))
    return drawn.update_layout(height=drawn.layout.height - TITLE_ROOM)


def against_parts(study: Study) -> list[ReportPart]:
    """Write for every model whom it prefers in which occupations, with the picture of all occupations."""
    most = max(1, MOST_PANELS - len(study.runs))
    panel = tilt_panel(study, labour=False, most=most)
    sentences = (lean_sentence(*named) for named in study.even.items())
    fewer = (
        f"The chart shows {most} of {len(study.groups)} groups: those that the models prefer most clearly "
        "in some occupation."
    )
    notes = (fewer,) if len(study.groups) > 2 and most < len(study.groups) else ()
    figure = figure_in(panel, "against")
    return [ReportPart(findings=said(sentences), figure=figure, how=panel.how, notes=notes)]


def sure_parts(studies: Sequence[Study], answers: Sequence[Answer]) -> list[ReportPart]:
    """Write the range of every risk in words, every caveat, and what the figures do not cover.

    Of several studies also how sure each answer is: of one the report begins with that.
    """
    several = len(studies) > 1
    parts = [
        ReportPart(
            title=study.title if several else "",
            findings=said([*(answer.labelled[2:] if several else ()), ranges_sentence(study.reliable.rows)]),
            notes=said(
                [*answer.caveats, *(note for one in study.comparisons[0] for note in pair_notes(one))]
            ),
        )
        for study, answer in zip(studies, answers, strict=True)
    ]
    return parts


def check_parts(facts: Sequence[RunFacts]) -> list[ReportPart]:
    """Write in one line how somebody else comes to the same numbers; the appendix has the commands."""
    line = (
        f"The appendix has the commands that calculate {count(len(facts), 'result')} again. The command "
        "*verify* compares the JSON file of this report with a new calculation, number by number."
    )
    return [ReportPart(prose=(line,))]
