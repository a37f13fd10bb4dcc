"""How much, and is it prejudice or caprice: models, corrected parts, and occupations."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.report import how_to_read
from pcf_core.report.key_figures import interval_note, risk_figures
from pcf_core.report.loaded import Study
from pcf_core.report.notes import study_notes
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.report.rows import (
    corrected_table,
    occupation_numbers,
    published_rows,
    reference_rows,
    risk_table,
    run_rows,
)
from pcf_core.show.charts.corrected import corrected_dots
from pcf_core.show.charts.risk import occupation_bars, risk_bars
from pcf_core.show.findings.models import corrected_finding, risk_finding


def risk_parts(study: Study) -> Sequence[ReportPart]:
    """Write R of each model as prejudice and caprice, beside reference models and the papers' values."""
    reports, over, scale = study.reports, study.over, study.options.scale
    rows = run_rows(reports, over)
    drawn = rows + (reference_rows(len(study.groups), scale) if study.comparable else [])
    topic = study.first.run.topic
    drawn += published_rows(topic, scale, drawn=True) if study.comparable else []
    table = risk_table(drawn + published_rows(topic, scale, drawn=False))
    return [
        ReportPart(
            findings=said(
                [
                    *(risk_finding(name, report, over) for name, report in reports.items()),
                    study.order,
                ]
            ),
            numbers=tuple(risk_figures(reports, over)),
            figure=figure_of(
                risk_bars(drawn), "risk", "Stacked bars of prejudice and caprice for each model"
            ),
            how=how_to_read.RISK,
            tables=(table_of(table, "risk", "Risk of each model, with reference and published values"),),
            notes=said([interval_note(reports, over), *study_notes(study)]),
        )
    ]


def corrected_parts(study: Study) -> Sequence[ReportPart]:
    """Write prejudice and caprice without the bias of few templates, where that is known."""
    found = {name: report for name, report in study.reports.items() if report.corrected is not None}
    if not found:
        return []
    return [
        ReportPart(
            findings=said(corrected_finding(name, report) for name, report in found.items()),
            figure=figure_of(
                corrected_dots(found, study.over),
                "corrected",
                "Prejudice and caprice of each model, plug-in and corrected for few templates",
            ),
            how=how_to_read.CORRECTED,
            tables=(table_of(corrected_table(found), "corrected", "Plug-in and corrected parts"),),
        )
    ]


def occupation_parts(study: Study) -> Sequence[ReportPart]:
    """Write the riskiest occupations of each model, and all of them as a table."""
    return [
        ReportPart(
            title=name,
            figure=figure_of(occupation_bars(report), "occupations", f"The riskiest occupations of {name}"),
            how=how_to_read.OCCUPATIONS,
            tables=(
                table_of(
                    occupation_numbers(report).sort_values("overall_risk", ascending=False, kind="stable"),
                    "occupations",
                    f"All occupations of {name}, the riskiest first",
                ),
            ),
        )
        for name, report in study.reports.items()
    ]
