"""The tails: whether few occupations have most of the caprice, and whether prejudice is normal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pcf_core.core.tails import NormalShape, TailShape
from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.report import how_to_read
from pcf_core.report.key_figures import MOST, parts_of
from pcf_core.report.loaded import Runs, Study
from pcf_core.report.panels import Panel, part_of
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
    fitted = any(shape.fits for shape in tail_shapes(shown).values())
    others = [*([survival_panel(shown)] if fitted else []), prejudice_panel(shown), qq_panel(shown)]
    return [part_of(caprice_panel(shown), notes=[note]), *map(part_of, others)]


def tail_shapes(runs: Runs) -> dict[str, TailShape]:
    """Return caprice by model with what is fitted to it."""
    return runs.remember(fitted_tails)


def fitted_tails(runs: Runs) -> dict[str, TailShape]:
    """Fit caprice by model."""
    largest = largest_caprice(runs.options, len(runs.groups))
    values = parts_of(runs.reports, "caprice_risk")
    return {name: tail_shape(several, largest) for name, several in values.items()}


def normal_shapes(runs: Runs) -> dict[str, NormalShape]:
    """Return prejudice by model with its normal fit."""
    return runs.remember(fitted_normals)


def fitted_normals(runs: Runs) -> dict[str, NormalShape]:
    """Fit the normal distribution of prejudice by model."""
    values = parts_of(runs.reports, "prejudice_risk")
    return {name: normal_shape(several) for name, several in values.items()}


def caprice_panel(runs: Runs, *, log_count: bool = False) -> Panel:
    """Show caprice over occupations as a histogram, with what was fitted to it in words."""
    reports, shapes = runs.reports, tail_shapes(runs)
    findings = []
    for name, values in parts_of(reports, "caprice_risk").items():
        tail = caprice_tail(values)
        findings += [tails_finding(name, reports[name], tail.zero_share, tail.excess_kurtosis)]
        findings += [shape_finding(name, shapes[name])]
    if any(shape.fits for shape in shapes.values()):
        findings += [bound_finding(largest_caprice(runs.options, len(runs.groups)))]
    return Panel(
        title="Caprice",
        findings=findings,
        numbers=caprice_figures(reports, shapes, runs.over),
        heading="Caprice of the occupations, counted",
        source=runs.source,
        key="caprice_histogram",
        name="caprice",
        alt="Histogram of caprice over occupations with a rug",
        chart=partial(caprice_histogram, reports, log_count=log_count),
        how=how_to_read.CAPRICE,
        table=lambda: tails_table(reports),
        table_title="The parts of risk of every occupation",
        table_name="tails",
    )


def survival_panel(runs: Runs) -> Panel:
    """Show the share of occupations at or above each caprice, with the fits of the values above 0."""
    reports, shapes = runs.reports, tail_shapes(runs)
    return Panel(
        title="Caprice, the values above 0",
        heading="Caprice of the occupations, with fitted curves",
        source=runs.source,
        key="survival_plot",
        name="survival",
        alt="Survival plot of caprice on logarithmic axes with the fitted distributions",
        chart=partial(survival_plot, reports, shapes),
        table=lambda: fits_table(shapes),
        table_title="Fits of the values above 0",
        table_name="fits",
    )


def prejudice_panel(runs: Runs) -> Panel:
    """Show prejudice over occupations as a histogram with its normal fit."""
    reports, shapes = runs.reports, normal_shapes(runs)
    curves = {name: (shape.fit.mean, shape.fit.sd) for name, shape in shapes.items()}
    return Panel(
        title="Prejudice",
        findings=[normal_finding(name, shape) for name, shape in shapes.items()],
        numbers=prejudice_figures(reports, shapes, runs.over),
        heading="Prejudice of occupations, with a normal curve",
        source=runs.source,
        key="prejudice_histogram",
        name="prejudice",
        alt="Histogram of prejudice over occupations with its normal fit",
        chart=partial(prejudice_histogram, reports, curves),
        how=how_to_read.PREJUDICE,
        table=lambda: normal_fits_table(shapes),
        table_title="Normal fits of prejudice",
        table_name="normal-fits",
    )


def qq_panel(runs: Runs) -> Panel:
    """Show the prejudice of every occupation against what its normal fit expects."""
    reports, shapes = runs.reports, normal_shapes(runs)
    return Panel(
        title="Prejudice against its normal fit",
        source=runs.source,
        key="qq_plot",
        name="prejudice-qq",
        alt="QQ plot of prejudice against its normal fit",
        chart=partial(qq_plot, reports, shapes),
        table=lambda: normal_table(reports, shapes),
        table_title="Prejudice and what its normal fit expects",
        table_name="normal",
    )
