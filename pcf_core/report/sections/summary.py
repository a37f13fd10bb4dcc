"""All chosen runs at once: the sentence that a reader takes away, and every risk with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.charts import risk_dots
from pcf_core.findings import overview_finding, whiskers_note
from pcf_core.findings.fairpair import fairpair_finding
from pcf_core.records.fairpair_run import FairPairResult
from pcf_core.records.report import ReportPart
from pcf_core.report.key_figures import risk_figures
from pcf_core.report.loaded import Study
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.rows import reference_lines, risk_table, run_rows
from pcf_core.report.tilts import opening_of

HOW = """
Each dot is the discrimination risk R of one model with its interval. 0 is a fair model, 1 a fully stereotyped
one; the papers' *randomly initialised* model, uniform preferences, is at ½.
"""


def headline(studies: Sequence[Study], fairpairs: Sequence[FairPairResult]) -> tuple[str, ...]:
    """The first things to say, plainly: of the first study, else of the first text audit; empty for none."""
    if studies:
        first = studies[0]
        opening = opening_of(first.runs, first.reports, first.options)
        return said([opening, overview_finding(first.reports, first.over)])
    return said(fairpair_finding(next(iter(result.reports.values()))) for result in fairpairs[:1])


def summary_parts(studies: Sequence[Study]) -> list[ReportPart]:
    """Every study: what it measured, its sentences, and its risks."""
    parts = []
    for study in studies:
        rows = run_rows(study.reports, study.over)
        lines = reference_lines(len(study.groups), study.options.scale) if study.comparable else {}
        parts.append(
            ReportPart(
                title=study.title,
                findings=said(
                    [
                        opening_of(study.runs, study.reports, study.options),
                        overview_finding(study.reports, study.over),
                    ]
                ),
                numbers=tuple(risk_figures(study.reports, study.over)),
                figure=figure_of(
                    risk_dots(rows, lines), "summary", "Overall risk of every model with its interval"
                ),
                how=HOW,
                tables=(table_of(risk_table(rows), "summary", "Risk of every model"),),
                notes=said([whiskers_note({row.label: row.drawn for row in rows if row.drawn})]),
            )
        )
    return parts
