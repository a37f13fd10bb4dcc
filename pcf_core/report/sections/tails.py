"""The tails: whether few occupations have most of the caprice, and whether prejudice is normal."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.report import how_to_read
from pcf_core.report.key_figures import MOST, parts_of
from pcf_core.report.loaded import Study
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.report.tails import (
    caprice_figures,
    fits_table,
    largest_caprice,
    normal_fits_table,
    normal_table,
    prejudice_figures,
    tails_table,
)
from pcf_core.show.charts.tails import caprice_histogram, prejudice_histogram, qq_plot, survival_plot
from pcf_core.show.findings.numbers import listed
from pcf_core.show.findings.tails import bound_finding, normal_finding, shape_finding, tails_finding


def tail_parts(study: Study) -> Sequence[ReportPart]:
    """Write caprice with what was fitted to it, then prejudice; of the first models alone."""
    shown = study.most(MOST)
    left = list(study.runs)[MOST:]
    note = f"Fitted and drawn are the first models alone; not shown: {listed(left)}." if left else ""
    return [*caprice_parts(shown, note), *prejudice_parts(shown)]


def caprice_parts(study: Study, note: str) -> Sequence[ReportPart]:
    """Draw the histogram and, where values above 0 could be fitted, the survival plot."""
    reports, over = study.reports, study.over
    largest = largest_caprice(study.options, len(study.groups))
    values = parts_of(reports, "caprice_risk")
    shapes = {name: tail_shape(several, largest) for name, several in values.items()}
    fitted = any(shape.fits for shape in shapes.values())
    findings = []
    for name, several in values.items():
        tail = caprice_tail(several)
        findings += [tails_finding(name, reports[name], tail.zero_share, tail.excess_kurtosis)]
        findings += [shape_finding(name, shapes[name])]
    first = ReportPart(
        title="Caprice",
        findings=said([*findings, bound_finding(largest) if fitted else ""]),
        numbers=tuple(caprice_figures(reports, shapes, over)),
        figure=figure_of(
            caprice_histogram(reports, log_count=False),
            "caprice",
            "Histogram of caprice over occupations with a rug",
            source=study.source,
            title="Caprice of the occupations, counted",
        ),
        how=how_to_read.CAPRICE,
        tables=(table_of(tails_table(reports), "tails", "The parts of risk of every occupation"),),
        notes=said([note]),
    )
    if not fitted:
        return [first]
    second = ReportPart(
        title="Caprice, the values above 0",
        figure=figure_of(
            survival_plot(reports, shapes),
            "survival",
            "Survival plot of caprice on logarithmic axes with the fitted distributions",
            source=study.source,
            title="Caprice of the occupations, with fitted curves",
        ),
        tables=(table_of(fits_table(shapes), "fits", "Fits of the values above 0"),),
    )
    return [first, second]


def prejudice_parts(study: Study) -> Sequence[ReportPart]:
    """Draw the histogram with its normal fit, and the QQ plot."""
    reports = study.reports
    shapes = {name: normal_shape(values) for name, values in parts_of(reports, "prejudice_risk").items()}
    curves = {name: (shape.fit.mean, shape.fit.sd) for name, shape in shapes.items()}
    return [
        ReportPart(
            title="Prejudice",
            findings=said(normal_finding(name, shape) for name, shape in shapes.items()),
            numbers=tuple(prejudice_figures(reports, shapes, study.over)),
            figure=figure_of(
                prejudice_histogram(reports, curves),
                "prejudice",
                "Histogram of prejudice over occupations with its normal fit",
                source=study.source,
                title="Prejudice of the occupations, with a normal curve",
            ),
            how=how_to_read.PREJUDICE,
            tables=(table_of(normal_fits_table(shapes), "normal-fits", "Normal fits of prejudice"),),
        ),
        ReportPart(
            title="Prejudice against its normal fit",
            figure=figure_of(
                qq_plot(reports, shapes),
                "prejudice-qq",
                "QQ plot of prejudice against its normal fit",
                source=study.source,
            ),
            tables=(
                table_of(
                    normal_table(reports, shapes), "normal", "Prejudice and what its normal fit expects"
                ),
            ),
        ),
    ]
