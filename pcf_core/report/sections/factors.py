"""The relation of an occupation's risk to its pay, education, women's share and the word's frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pcf_core.core.factors import FactorPanel
from pcf_core.report import how_to_read
from pcf_core.report.factors import (
    capital,
    factors_table,
    left_out_table,
    lines_table,
    panels_in,
    slope_figures,
)
from pcf_core.report.key_figures import MOST
from pcf_core.report.loaded import Runs, Study
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.parts import said, table_of
from pcf_core.report.records import ReportPart
from pcf_core.show.charts.factors import factor_plot, risk_span
from pcf_core.show.findings.factors import (
    factors_finding,
    figures_note,
    line_notes,
    link_strength,
    slopes_note,
    templates_note,
)
from pcf_core.show.findings.numbers import listed


def factor_panels(runs: Runs, name: str, panels: Sequence[FactorPanel]) -> list[Panel]:
    """Show the risk of a model's occupations against each factor, on one axis, with two fitted lines."""
    span = risk_span(panels)
    return [
        Panel(
            title=f"{name}: {capital(panel.scale.noun)}",
            heading=f"Risk against {panel.scale.noun}",
            source=runs.source,
            findings=[link_strength(panel)],
            key=f"factor_{panel.scale.name}",
            name=f"factor-{panel.scale.name}",
            alt=f"Risk of each occupation against {panel.scale.noun}, {name}, with two fitted lines",
            chart=partial(factor_plot, panel, name, list(runs.runs), span),
            notes=line_notes(panel),
        )
        for panel in panels
    ]


def factor_parts(study: Study) -> Sequence[ReportPart]:
    """Write sentences and tables of all models, and the panels of the first; nothing without a point."""
    every = {name: panels_in(item, study.options, "overall_risk") for name, item in study.runs.items()}
    if not any(panel.points for panels in every.values() for panel in panels):
        return []
    drawn = {name: panels for name, panels in every.items() if name in list(every)[:MOST]}
    hidden = [name for name in every if name not in drawn]
    parts = [
        ReportPart(
            findings=said(
                [
                    *(factors_finding(name, panels) for name, panels in every.items()),
                    *(slopes_note(panels) for panels in list(every.values())[:1]),
                    *(templates_note(panels) for panels in list(every.values())[:1]),
                ]
            ),
            how=how_to_read.FACTORS,
            notes=said([f"The panels of {listed(hidden)} are not drawn." if hidden else ""]),
        )
    ]
    for name, panels in drawn.items():
        for place, panel in enumerate(factor_panels(study, name, panels)):
            if panels[place].points:
                first = place == 0
                panel = replace(panel, numbers=slope_figures(panels) if first else ())
                parts.append(part_of(panel, notes=[figures_note(name, panels) if first else ""]))
    tables = (
        table_of(lines_table(every), "factor-lines", "The lines of all models"),
        table_of(factors_table(every), "factor-points", "Every point"),
        table_of(left_out_table(next(iter(every.values()))), "factor-left-out", "Left out, and why"),
    )
    return [*parts, ReportPart(tables=tables)]
