"""Whether few occupations have most of the caprice, and whether prejudice is normally distributed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from pcf_core.audit.options import ViewOptions
from pcf_core.core.risk import Over, RiskReport
from pcf_core.core.tails import NormalShape, TailShape, UpperTail
from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.report import how_to_read
from pcf_core.report.documents import RISKS, picked
from pcf_core.report.loaded import Study
from pcf_core.report.panels import MOST, Panel, beside, interval_words, part_of, parts_of
from pcf_core.report.records import KeyFigure, ReportPart
from pcf_core.show.charts.tails import caprice_histogram, prejudice_histogram, qq_plot, survival_plot
from pcf_core.show.findings.models import (
    bound_finding,
    caprice_coverage_note,
    fitted_to,
    normal_finding,
    shape_finding,
    shown_interval,
    tails_finding,
    unseen_share,
)
from pcf_core.show.findings.numbers import count, digits, ends, listed, percent, two_decimals, with_interval
from pcf_core.show.titles import caprice_title

SIGNIFICANT = 0.05


def tail_parts(study: Study) -> Sequence[ReportPart]:
    """Write caprice with its fits, then prejudice, of the first models."""
    shown = study.most(MOST)
    left = list(study.runs)[MOST:]
    note = f"Not drawn: {listed(left)}. A picture has room for {count(MOST, 'model')}." if left else ""
    fitted = any(shape.fits for shape in tail_shapes(shown).values())
    others = [*([survival_panel(shown)] if fitted else []), prejudice_panel(shown), qq_panel(shown)]
    return [part_of(caprice_panel(shown), notes=[note]), *map(part_of, others)]


def tail_shapes(runs: Study) -> dict[str, TailShape]:
    """Return each model's caprice with its fits."""
    return runs.remember(_fitted_tails)


def _fitted_tails(runs: Study) -> dict[str, TailShape]:
    largest = largest_caprice(runs.options, len(runs.groups))
    values = parts_of(runs.reports, "caprice_risk")
    return {name: tail_shape(several, largest) for name, several in values.items()}


def normal_shapes(runs: Study) -> dict[str, NormalShape]:
    """Return each model's prejudice with its normal fit."""
    return runs.remember(_fitted_normals)


def _fitted_normals(runs: Study) -> dict[str, NormalShape]:
    values = parts_of(runs.reports, "prejudice_risk")
    return {name: normal_shape(several) for name, several in values.items()}


def caprice_panel(runs: Study, *, log_count: bool = False) -> Panel:
    """Show caprice over occupations as a histogram, with its fits in words."""
    reports, shapes = runs.reports, tail_shapes(runs)
    findings = []
    for name, values in parts_of(reports, "caprice_risk").items():
        tail = caprice_tail(values)
        findings += [tails_finding(name, reports[name], tail.zero_share, tail.excess_kurtosis)]
        findings += [shape_finding(name, shapes[name])]
    if any(shape.fits for shape in shapes.values()):
        findings += [bound_finding(largest_caprice(runs.options, len(runs.groups)))]
    if note := caprice_coverage_note(reports):
        findings.append(note)
    return Panel(
        title="Caprice",
        findings=findings,
        numbers=caprice_figures(reports, shapes, runs.over),
        heading="Caprice of the occupations, counted",
        claim=caprice_title(reports),
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


def survival_panel(runs: Study) -> Panel:
    """Show the share of occupations at or above each caprice, with fits of positive values."""
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


def prejudice_panel(runs: Study) -> Panel:
    """Show prejudice over occupations as a histogram with its normal fit."""
    reports, shapes = runs.reports, normal_shapes(runs)
    curves = {name: (shape.fit.mean, shape.fit.sd) for name, shape in shapes.items()}
    return Panel(
        title="Prejudice",
        findings=[normal_finding(name, shape) for name, shape in shapes.items()],
        numbers=_prejudice_figures(reports, shapes, runs.over),
        heading="Prejudice of occupations, with a normal curve",
        source=runs.source,
        key="prejudice_histogram",
        name="prejudice",
        alt="Histogram of prejudice over occupations with its normal fit",
        chart=partial(prejudice_histogram, reports, curves),
        how=how_to_read.PREJUDICE,
        table=lambda: _normal_fits_table(shapes),
        table_title="Normal fits of prejudice",
        table_name="normal-fits",
    )


def qq_panel(runs: Study) -> Panel:
    """Show every occupation's prejudice against its normal fit."""
    reports, shapes = runs.reports, normal_shapes(runs)
    return Panel(
        title="Prejudice against its normal fit",
        source=runs.source,
        key="qq_plot",
        name="prejudice-qq",
        alt="QQ plot of prejudice against its normal fit",
        chart=partial(qq_plot, reports, shapes),
        table=lambda: _normal_table(reports, shapes),
        table_title="Prejudice and what its normal fit expects",
        table_name="normal",
    )


def largest_caprice(options: ViewOptions, groups: int) -> float | None:
    """Return the bound of caprice, as convex J is largest if one group has all probability."""
    if options.scale == "pcf":
        return 1.0
    return groups - 1.0 if options.reference == "uniform" else None


def caprice_figures(
    reports: Mapping[str, RiskReport], shapes: Mapping[str, TailShape], over: Over
) -> list[KeyFigure]:
    """Make key figures: share of exact zeros with R^c, and the tail's shape if fitted."""
    figures = []
    for name, report in reports.items():
        zeros = 1 - shapes[name].positive.size / len(report.occupations)
        interval = shown_interval(report, "caprice_risk", over)
        mean = with_interval(report.caprice_risk, interval)
        if report.caprice_risk == 0:  # an interval from 0 to 0 would look certain
            mean = f"0, up to {percent(unseen_share(report.effective_templates))} unseen"
        figures.append(
            KeyFigure(
                f"No caprice at all · {name}",
                percent(zeros),
                "Share of occupations whose stereotype keeps its sign over all templates: caprice is 0. "
                f"Below it is caprice R^c, the mean over occupations. {interval_words(interval)} Where it "
                "is 0, sentences that change the sign may be unseen.",
                f"Rᶜ {mean}",
            )
        )
    for name, shape in shapes.items():
        tail = shape.tail
        if tail is not None and len(figures) < MOST:
            figures.append(
                KeyFigure(
                    f"Tail shape ξ · {name}",
                    two_decimals(tail.shape),
                    "Shape of the generalised Pareto fit to the upper values, from −1: 0 is exponential, "
                    f"above 0 it is heavier. {fitted_to(tail)} {interval_words(tail.shape_interval)}",
                    ends(tail.shape_interval, tail.shape),
                )
            )
    return figures


def _prejudice_figures(
    reports: Mapping[str, RiskReport], shapes: Mapping[str, NormalShape], over: Over
) -> list[KeyFigure]:
    figures = []
    for name, report in reports.items():
        interval = shown_interval(report, "prejudice_risk", over)
        bounds = ends(interval, report.prejudice_risk) if interval else ""
        figures.append(
            KeyFigure(
                f"Prejudice · {name}",
                two_decimals(report.prejudice_risk),
                f"The mean over occupations by their weight: 0 is even. {interval_words(interval)} s.d. is "
                "the standard deviation over occupations.",
                beside(bounds, f"s.d. {two_decimals(shapes[name].fit.sd)}"),
            )
        )
    return figures


def fits_table(shapes: Mapping[str, TailShape]) -> pd.DataFrame:
    """Make a table with one row per model and distribution, and one for the upper tail."""
    rows = []
    for name, shape in shapes.items():
        for fit in shape.fits:
            ratio = shape.against(fit.distribution)
            parameters = (f"{key} {digits(value)}" for key, value in fit.parameters.items())
            rows.append(
                {
                    "model": name,
                    "distribution": fit.distribution,
                    "threshold": 0.0,
                    "values": shape.positive.size,
                    "verdict": "not rejected" if fit.p_value > SIGNIFICANT else "does not fit",
                    "parameters": ", ".join(parameters),
                    **picked(fit, "log_likelihood", "aic", "distance", "p_value"),
                    "ratio": ratio.statistic if ratio else None,
                    "ratio_p": ratio.p_value if ratio else None,
                    "beyond": fit.beyond,
                }
            )
        if shape.tail is not None:
            rows.append({"model": name, **_tail_row(shape.tail)})
    return pd.DataFrame(rows)


def _tail_row(tail: UpperTail) -> dict[str, object]:
    return {
        "distribution": "generalised Pareto, upper tail",
        "threshold": tail.threshold,
        "values": tail.size,
        "verdict": "not rejected",
        "parameters": f"shape {digits(tail.shape)}, scale {digits(tail.scale)}",
        "distance": tail.distance,
        "p_value": tail.goodness,
        "ratio": tail.ratio,
        "ratio_p": tail.p_value,
    }


def _normal_fits_table(shapes: Mapping[str, NormalShape]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": name,
                "mean": shape.fit.mean,
                "sd": shape.fit.sd,
                "occupations": shape.fit.n,
                "shapiro_wilk": shape.statistic,
                "p_value": shape.p_value,
                "outside": shape.outside,
            }
            for name, shape in shapes.items()
        ]
    )


def _normal_table(reports: Mapping[str, RiskReport], shapes: Mapping[str, NormalShape]) -> pd.DataFrame:
    rows = []
    for name, report in reports.items():
        shape = shapes[name]
        ranked = sorted(report.occupations, key=lambda row: row.prejudice_risk)
        nothing = [None] * len(ranked)
        low, high = (nothing if ends is None else ends.tolist() for ends in (shape.low, shape.high))
        rows += [
            {
                "model": name,
                **picked(row, "occupation", "prejudice_risk"),
                "expected": expected,
                "low": least,
                "high": most,
            }
            for row, expected, least, most in zip(ranked, shape.expected.tolist(), low, high, strict=True)
        ]
    return pd.DataFrame(rows)


def tails_table(reports: Mapping[str, RiskReport]) -> pd.DataFrame:
    """Make a table with one row per model and occupation: parts of risk, and deviation."""
    return pd.DataFrame(
        [
            {"model": name, **picked(row, "occupation", *RISKS, "stereotype_sd")}
            for name, report in reports.items()
            for row in report.occupations
        ]
    )
