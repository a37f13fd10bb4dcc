"""The key figures under a finding: three to five per page, each with range, direction and neutral point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pcf_core.findings import mean_deviation, number, percent, with_interval
from pcf_core.records import FloatArray, Interval, RiskReport
from pcf_core.stats import CapriceTail
from pcf_core.ui.data import LoadedRun

MOST = 4


@dataclass(frozen=True)
class KeyFigure:
    """One figure; ``help`` says range, direction and neutral point, ``detail`` is the line below it."""

    label: str
    value: str
    help: str
    detail: str = ""


def risk_figures(reports: Mapping[str, RiskReport]) -> list[KeyFigure]:
    """R of each model with its interval over templates."""
    return [
        KeyFigure(
            f"Risk R · {name}",
            number(report.overall_risk),
            "Discrimination risk: 0 is fair, on the PCF scale 1 is stereotyped. Interval over templates.",
            f"{bounds(report.overall_risk, report.intervals['overall_risk'][0])} · "
            f"{share(report.prejudice_risk, report.overall_risk)} prejudice",
        )
        for name, report in list(reports.items())[:MOST]
    ]


def bounds(value: float, interval: Interval) -> str:
    """An interval without its estimate, written as the findings write it."""
    return with_interval(value, interval).partition(" ")[2].strip("()")


def share(part: float, whole: float) -> str:
    """A part in percent of a whole, a dash where the whole is 0."""
    return percent(part / whole) if whole > 0 else "–"


def tilt_figures(reports: Mapping[str, RiskReport], high: str) -> list[KeyFigure]:
    """Mean stereotype of a model towards one group, weighted by occupation."""
    figures = []
    for name, report in list(reports.items())[:MOST]:
        stereotypes = np.array([row.stereotype[high] for row in report.occupations])
        weights = np.array([row.weight for row in report.occupations])
        figures.append(
            KeyFigure(
                f"Mean tilt · {name}",
                signed(float(stereotypes @ weights)),
                f"From −1 to +1: +1 means only {high} words, 0 is neutral. Mean over occupations.",
                f"{int((stereotypes > 0).sum()):,} of {len(stereotypes):,} occupations towards {high}",
            )
        )
    return figures


def signed(value: float) -> str:
    return ("+" if value > 0 else "") + number(value)


def tail_figures(reports: Mapping[str, RiskReport], tails: Mapping[str, CapriceTail]) -> list[KeyFigure]:
    """Share of exact zeros of caprice, with R^c and the mean s.d. of the stereotype."""
    figures = []
    for name, report in list(reports.items())[:MOST]:
        figures.append(
            KeyFigure(
                f"No caprice at all · {name}",
                percent(tails[name].zero_share),
                "Share of occupations whose stereotype keeps its sign over all templates: caprice is 0.",
                f"caprice {with_interval(report.caprice_risk, report.intervals['caprice_risk'][0])}, "
                f"stereotype s.d. {number(mean_deviation(report))}",
            )
        )
    return figures


def heat_figures(runs: Mapping[str, LoadedRun], group: str) -> list[KeyFigure]:
    """The range of P(group) over all cells of a model."""
    figures = []
    for name, item in list(runs.items())[:MOST]:
        preferences = item.result.preferences
        cells = preferences.values[..., preferences.groups.index(group)]
        figures.append(
            KeyFigure(
                f"P({group}) · {name}",
                number(float(np.median(cells))),
                "Median over all cells, 0 to 1; neutral is one over the number of groups.",
                f"{number(float(cells.min()))} to {number(float(cells.max()))}, {cells.size:,} cells",
            )
        )
    return figures


def parts_of(reports: Mapping[str, RiskReport], part: str) -> dict[str, FloatArray]:
    """[occupation] values of one part of the risk, by model."""
    return {
        name: np.array([getattr(row, part) for row in report.occupations]) for name, report in reports.items()
    }
