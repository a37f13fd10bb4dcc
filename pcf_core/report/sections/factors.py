"""An occupation's risk against its pay, education, women's share and word frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pcf_core.audit import factors as measured
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import Report
from pcf_core.core.factors import FactorPanel, FactorScale, LineFit, Matching, OwnFactor, Quantity
from pcf_core.report import how_to_read
from pcf_core.report.documents import picked
from pcf_core.report.loaded import Study
from pcf_core.report.panels import MOST, Panel, part_of, said, table_of
from pcf_core.report.records import KeyFigure, ReportPart
from pcf_core.report.sections.tilt import unit_in
from pcf_core.show.charts.why import factor_plot, risk_span
from pcf_core.show.findings.factors import (
    MATCHED,
    factor_title,
    factors_finding,
    figures_note,
    line_notes,
    link_strength,
    slope,
    slope_with_interval,
    slopes_note,
    templates_note,
)
from pcf_core.show.findings.numbers import begun, listed, p_value, risk_name, two_decimals

LONGEST_NOUN = 14  # characters of a key figure's label
SHORT = {"women_share": "Women"}
LONGEST_VALUE = 8  # characters of a key figure; longer values are powers of ten

Panels = Mapping[str, tuple[FactorPanel, ...]]


def factor_panels(runs: Study, name: str, panels: Sequence[FactorPanel]) -> list[Panel]:
    """Show the occupations' risk against each factor, on one axis, with two fitted lines."""
    span = risk_span(panels)
    return [
        Panel(
            title=f"{name}: {begun(panel.scale.noun)}",
            heading=f"{begun(risk_name(panel.quantity))} of an occupation against {panel.scale.noun}",
            claim=factor_title(panel),
            source=runs.source,
            findings=[link_strength(name, panel)],
            key=f"factor_{panel.scale.name}",
            name=f"factor-{panel.scale.name}",
            alt=f"Risk of each occupation against {panel.scale.noun}, {name}, with two fitted lines",
            chart=partial(factor_plot, panel, name, list(runs.runs), span),
            notes=line_notes(panel),
        )
        for panel in panels
    ]


def factor_parts(study: Study) -> Sequence[ReportPart]:
    """Write sentences and tables of all models, and the panels of the first ones."""
    every = {name: panels_in(item, study.options, "overall_risk") for name, item in study.runs.items()}
    if not any(panel.points for panels in every.values() for panel in panels):
        return []
    drawn = {name: panels for name, panels in every.items() if name in list(every)[:MOST]}
    hidden = [name for name in every if name not in drawn]
    first_panels = next(iter(every.values()))
    sentences = [factors_finding(name, panels) for name, panels in every.items()]
    parts = [
        ReportPart(
            findings=said([*sentences, slopes_note(first_panels), templates_note(first_panels)]),
            how=how_to_read.FACTORS,
            notes=said([f"The panels of {listed(hidden)} are not drawn." if hidden else ""]),
        )
    ]
    for name, panels in drawn.items():
        for index, panel in enumerate(factor_panels(study, name, panels)):
            if panels[index].points:
                first = index == 0
                panel = replace(panel, numbers=slope_figures(panels) if first else ())
                parts.append(part_of(panel, notes=[figures_note(name, panels) if first else ""]))
    tables = (
        table_of(lines_table(every), "factor-lines", "The lines of all models"),
        table_of(factors_table(every), "factor-points", "Every point"),
        table_of(left_out_table(first_panels), "factor-left-out", "Left out, and why"),
    )
    return [*parts, ReportPart(tables=tables)]


def panels_in(
    item: Report,
    options: ViewOptions,
    quantity: Quantity,
    matching: Matching = "close",
    own: OwnFactor | None = None,
) -> tuple[FactorPanel, ...]:
    """Make the panels of a loaded run, whose slopes allow for other templates."""
    reading = RunView(item.run, item.result, options)
    noise = measured.noise_of(reading, unit_in(item, item.report, options), quantity)
    return measured.factor_panels(item.report, quantity, matching=matching, own=own, noise=noise)


def slope_figures(panels: Sequence[FactorPanel]) -> list[KeyFigure]:
    """Make key figures of the unweighted slopes."""
    figures = []
    for panel in panels:
        if panel.ols is None:
            value, interval = "–", f"no line, {panel.no_ols}"
        else:
            value, _, interval = slope_with_interval(panel.scale, panel.ols).partition(" ")
            interval = f"{interval.strip('()')} · {short_p(panel.ols)}"
            if len(value) > LONGEST_VALUE:
                value = slope(panel.scale, panel.ols)
        figures.append(
            KeyFigure(
                _step_label(panel.scale),
                value,
                f"Slope: difference in risk for occupations {panel.scale.whose}, with all points counted "
                "equally; 0 is none. Below: its own 95 % range with other occupations and sentences, and its "
                "p-value, corrected for all slopes.",
                interval,
            )
        )
    return figures


def _step_label(scale: FactorScale) -> str:
    """Write the step of a slope: "Wage +10,000 US$"."""
    noun = SHORT.get(scale.name, begun(scale.noun))
    noun = noun if len(noun) <= LONGEST_NOUN else f"{noun[: LONGEST_NOUN - 1].rstrip()}…"
    return f"{noun} {scale.added}"


def short_p(fit: LineFit) -> str:
    """Write the corrected p-value, after a range."""
    return p_value(fit.p_value if fit.adjusted_p is None else fit.adjusted_p)


def left_out_table(panels: Sequence[FactorPanel]) -> pd.DataFrame:
    """Make a table with one row per occupation and reason, with the panels that lack it."""
    missing: dict[tuple[str, str], list[str]] = {}
    for panel in panels:
        for item in panel.left_out:
            missing.setdefault((item.name, item.reason), []).append(panel.scale.noun)
    rows = [(name, ", ".join(nouns), reason) for (name, reason), nouns in missing.items()]
    return pd.DataFrame(rows, columns=["occupation", "left out of", "because"])


def factors_table(panels: Panels) -> pd.DataFrame:
    """Make a table with one row per model, factor and point."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "factor": panel.scale.noun,
                "point": point.label,
                "occupations": ", ".join(point.words),
                "value": point.value,
                panel.quantity: point.risk,
                "weight": point.weight,
            }
            for name, several in panels.items()
            for panel in several
            for point in panel.points
        ]
    )


def lines_table(panels: Panels) -> pd.DataFrame:
    """Make a table with one row per model, factor and kind of line, slopes per step of the factor."""
    rows = []
    for name, several in panels.items():
        for panel in several:
            for kind, fit, reason in (("OLS", panel.ols, panel.no_ols), ("WLS", panel.wls, panel.no_wls)):
                row = {"model": name, "factor": panel.scale.noun, "per": panel.scale.per, "line": kind}
                rows.append(row | _line_row(fit, reason, panel.scale.step))
    return pd.DataFrame(rows)


def matching_table(panels: Mapping[Matching, Panels]) -> pd.DataFrame:
    """Make a table with one row per model, factor, kind of line and matching."""
    tables = [lines_table(several).assign(matching=MATCHED[matching]) for matching, several in panels.items()]
    whole, lead = pd.concat(tables, ignore_index=True), ["model", "factor", "per", "line", "matching"]
    ordered = whole.sort_values(["model", "factor", "line"], kind="stable", ignore_index=True)
    return ordered[[*lead, *(name for name in whole if name not in lead)]]


def _line_row(fit: LineFit | None, reason: str, step: float) -> dict[str, object]:
    if fit is None:
        return {"note": reason}
    return {
        "slope": step * fit.slope,
        "low": step * fit.interval.low,
        "high": step * fit.interval.high,
        "error": step * fit.slope_error,
        "error_hc3": step * fit.occupation_error,
        "error_templates": None if fit.template_error is None else step * fit.template_error,
        "p": fit.p_value,
        "p_holm": fit.adjusted_p,
        "r_squared": fit.r_squared,
        **picked(fit, "n", "effective_n", "intercept"),
        "note": f"hangs on {fit.carrier.label}, leverage {two_decimals(fit.carrier.leverage)}"
        if fit.carried
        else "",
    }
