"""What a report says first: the answer, against whom, how sure, how to check it; and every risk at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go

from pcf_core.report.key_figures import risk_figures
from pcf_core.report.loaded import Study, instead_note, warnings_of
from pcf_core.report.panels import Panel, figure_in, figure_of, part_of, said, table_of
from pcf_core.report.records import ReportPart, RunFacts
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.report.sections.comparison import scales_of
from pcf_core.report.sections.tilt import opening_of, tilt_panel
from pcf_core.show.charts.risk import risk_bars, risk_dots
from pcf_core.show.charts.theme import TITLE_ROOM
from pcf_core.show.compare import Standing, how_sure, pair_answer
from pcf_core.show.findings.criteria import summary_finding
from pcf_core.show.findings.fairpair import fairpair_finding
from pcf_core.show.findings.models import (
    overview_finding,
    risk_finding,
    whiskers_note,
    whole_templates_finding,
)
from pcf_core.show.findings.notes import low_coverage_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.overview import figures_table, lean_sentence, overview_answer, ranges_sentence, risk_answer
from pcf_core.store.store import Store
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
    store: Store, studies: Sequence[Study], fairpairs: Sequence[FairPairResult], short: bool
) -> tuple[str, ...]:
    """Return the first things to say of each study, else of the first text audit; empty for none.

    ``short``: as the pages Overview and, of two models, Compare say them.
    """
    if short and studies:
        if len(studies) > 1:
            return said(
                f"{study.title}: {overview_answer(study.rows) or _low_coverage_of(study)}"
                for study in studies
            )
        first = studies[0]
        low = _low_coverage_of(first)
        which, sure = pair_sentences(first, store) or (risk_answer(first.rows), "")
        return said([low, which, overview_answer(first.rows), sure])
    if len(studies) > 1:
        return said(f"{study.title}: {_risks_and_order(study)}" for study in studies)
    if studies:
        first = studies[0]
        opening = opening_of(first.runs, first.reports, first.options)
        return said([_low_coverage_of(first), _risks_and_order(first), opening])
    return said(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs[:1])


def _low_coverage_of(study: Study) -> str:
    return low_coverage_note({name: report.coverage for name, report in study.reports.items()})


def _risks_and_order(study: Study) -> str:
    return overview_finding(study.reports, study.over, study.order, study.risks_told)


def pair_sentences(study: Study, store: Store) -> tuple[str, str] | None:
    """Say of two models which is closer to even, and how sure that is, as the page Compare does.

    ``None`` for another number of models, and where the two cannot be compared.
    """
    if len(study.runs) != 2 or not study.comparisons[0]:
        return None
    (first, second), compared = study.runs, study.comparisons[0][0]
    standing = Standing.of((first, second), compared, scales_of(study, (first, second), store), study.reports)
    return pair_answer(standing), how_sure(standing, compared)


def summary_parts(
    studies: Sequence[Study], fairpairs: Sequence[FairPairResult], criteria: Sequence[CriteriaResult]
) -> list[ReportPart]:
    """Write every study: what it measured, its sentences and risks; then a sentence for each text audit."""
    panels = map(_study_panel, studies)
    return [*map(part_of, panels), *_text_parts(fairpairs, criteria)]


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
    parts = [
        ReportPart(
            title=study.title if len(studies) > 1 else "",
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
        for index, study in enumerate(studies)
    ]
    return [*parts, *_text_parts(fairpairs, criteria)]


def _answer_chart(study: Study) -> go.Figure:
    """Draw the risk of each model, its rows closer by what the title takes: the answer fits two sheets."""
    drawn = risk_bars(run_rows(study.reports, study.over))
    return drawn.update_layout(height=drawn.layout.height - TITLE_ROOM)


def against_parts(study: Study) -> list[ReportPart]:
    """Write for every model whom it favours in which occupations, with the picture of all occupations."""
    most = max(1, MOST_PANELS - len(study.runs))
    panel = tilt_panel(study, labour=False, most=most)
    sentences = (lean_sentence(*named) for named in study.even.items())
    fewer = (
        f"Drawn are {most} of {len(study.groups)} groups, those that some occupation prefers most clearly."
    )
    notes = (fewer,) if len(study.groups) > 2 and most < len(study.groups) else ()
    figure = figure_in(panel, "against")
    return [ReportPart(findings=said(sentences), figure=figure, how=panel.how, notes=notes)]


def sure_parts(studies: Sequence[Study]) -> list[ReportPart]:
    """Write the range of every risk in words, what could make it wrong, and what it does not cover."""
    parts = [
        ReportPart(
            title=study.title if len(studies) > 1 else "",
            findings=said([ranges_sentence(study.rows)]),
            notes=said(
                [
                    instead_note(study),
                    _low_coverage_of(study) if len(studies) > 1 else "",  # of one the headline says it
                    *warnings_of(study.reports),
                ]
            ),
        )
        for study in studies
    ]
    return parts


def check_parts(facts: Sequence[RunFacts]) -> list[ReportPart]:
    """Write in one line how somebody else comes to the same numbers; the appendix has the commands."""
    line = (
        f"The appendix has the commands that calculate {count(len(facts), 'result')} again. The command "
        "*verify* compares the JSON file of this report with a new calculation, number by number."
    )
    return [ReportPart(prose=(line,))]
