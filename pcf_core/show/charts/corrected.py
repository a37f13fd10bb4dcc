"""Plug-in and corrected prejudice and caprice side by side, with what sampling templates alone gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import CorrectedRisk, Interval, Over, RiskReport
from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.show.findings.numbers import two_decimals, with_interval

SHIFT = 0.16  # how far from the middle of a row the plug-in and the corrected mark stand


@dataclass(frozen=True)
class _Series:
    """The plug-in or the corrected figures of one part, a model each, in the unit that is drawn.

    ``intervals``: of those models of which this is the figure that the report gives first.
    """

    part: Literal["prejudice", "caprice"]
    kind: Literal["plug-in", "corrected"]
    models: list[str]
    values: list[float]
    intervals: list[Interval | None]

    @property
    def hover(self) -> list[str]:
        return [
            f"{theme.text(model)}<br>{self.part}, {self.kind} {with_interval(value, interval)}"
            for model, value, interval in zip(self.models, self.values, self.intervals, strict=True)
        ]


def corrected_dots(
    reports: Mapping[str, RiskReport], over: Over = "templates", *, thousand: bool = False
) -> go.Figure:
    """Draw two panels, prejudice above caprice; a row a model.

    Filled: plug-in, hollow: corrected for the bias of few templates; the whisker belongs to the one the
    report gives first.  A muted tick is the prejudice that these templates would show by their sampling
    alone if every occupation were neutral; the s.d. of the stereotype stands beside the models' names.

    Parameters
    ----------
    reports
        Per model; those without corrected figures are left out.
    over
        Which interval is drawn, where it is known.
    thousand
        Risks × 1,000.
    """
    shown = {name: report for name, report in reports.items() if report.corrected}
    found = {name: report.corrected for name, report in shown.items() if report.corrected}
    figure = make_subplots(
        rows=2,
        cols=1,
        subplot_titles=["prejudice", "caprice"],
        vertical_spacing=0.28 / max(2, len(shown)) + 0.08,
    )
    factor = 1000.0 if thousand else 1.0
    for series in _all_series(shown, found, over, factor):
        figure.add_trace(_dots(series), row=1 if series.part == "prejudice" else 2, col=1)
    ticks = [one.sampling_prejudice for one in found.values()]
    if any(tick is not None for tick in ticks):
        figure.add_trace(_ticks(ticks, factor), row=1, col=1)
    unit = " × 1,000" if thousand else ""
    figure.update_xaxes(rangemode="tozero")
    figure.update_xaxes(title_text=f"part of the risk{unit} (0 = none) → more", row=2)
    places = list(range(len(shown)))
    figure.update_yaxes(tickvals=places, range=[len(shown) - 0.5, -0.5], showgrid=False)
    figure.update_yaxes(ticktext=[theme.lines(name, 14) for name in shown], row=1)
    figure.update_yaxes(
        ticktext=[
            f"{theme.lines(name, 14)}<br>s.d. {report.stereotype_sd:.2g}" for name, report in shown.items()
        ],
        row=2,
    )
    figure.update_annotations(font_size=12)
    return theme.base_layout(
        figure,
        190 + 2 * 56 * max(1, len(shown)),
        view=f"{over} {thousand} {' '.join(shown)}",
        legend=True,
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
    )


def _all_series(
    reports: Mapping[str, RiskReport], found: Mapping[str, CorrectedRisk], over: Over, factor: float
) -> list[_Series]:
    several = list(found.values())
    figures: list[tuple[Literal["prejudice", "caprice"], Literal["plug-in", "corrected"], list[float]]] = [
        ("prejudice", "plug-in", [one.plug_in_prejudice_risk for one in several]),
        ("prejudice", "corrected", [one.prejudice_risk for one in several]),
        ("caprice", "plug-in", [one.plug_in_caprice_risk for one in several]),
        ("caprice", "corrected", [one.caprice_risk for one in several]),
    ]
    return [
        _Series(
            part,
            kind,
            list(found),
            [factor * value for value in values],
            [
                _interval(report, f"{part}_risk", over, factor)
                if found[model].headline is (kind == "corrected")
                else None
                for model, report in reports.items()
            ],
        )
        for part, kind, values in figures
    ]


def _interval(report: RiskReport, quantity: str, over: Over, factor: float) -> Interval | None:
    known = report.interval(quantity, over) or report.interval(quantity)
    return known and known.model_copy(update={"low": factor * known.low, "high": factor * known.high})


def _dots(series: _Series) -> go.Scatter:
    """Draw plug-in filled and corrected hollow, on either side of the model's row."""
    color = theme.ACCENT if series.part == "prejudice" else theme.CAPRICE
    marker: dict[str, Any] = {"symbol": "diamond", "size": 10, "color": color}
    if series.kind == "corrected":
        marker |= {"symbol": "diamond-open", "line": {"width": 2}}
    shift = SHIFT if series.kind == "corrected" else -SHIFT
    return go.Scatter(
        x=series.values,
        y=[place + shift for place in range(len(series.values))],
        mode="markers",
        cliponaxis=False,
        marker=marker,
        error_x=whiskers(
            series.values,
            [one.low if one else None for one in series.intervals],
            [one.high if one else None for one in series.intervals],
            color,
        ),
        customdata=series.hover,
        hovertemplate="%{customdata}<extra></extra>",
        name=series.kind,
        legendgroup=series.kind,
        showlegend=series.part == "prejudice",
    )


def _ticks(ticks: list[float | None], factor: float) -> go.Scatter:
    """Draw ticks at the prejudice expected from the sampling of templates alone, where computed."""
    places = [place for place, tick in enumerate(ticks) if tick is not None]
    values = [factor * tick for tick in ticks if tick is not None]
    return go.Scatter(
        x=values,
        y=places,
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 26, "color": theme.MUTED, "line": {"width": 2.5}},
        customdata=[f"expected from template sampling alone {two_decimals(value)}" for value in values],
        hovertemplate="%{customdata}<extra></extra>",
        name="expected from sampling alone",
    )
