"""Plug-in and corrected prejudice and caprice side by side, with what sampling templates alone gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.charts import theme
from pcf_core.charts.risk import digits
from pcf_core.charts.whiskers import whiskers
from pcf_core.records import CorrectedRisk, Over, RiskReport

SHIFT = 0.16  # how far from the middle of a row the plug-in and the corrected mark stand


@dataclass(frozen=True)
class _Part:
    """One part of the risk: its panel, and per model the plug-in and the corrected figure."""

    name: Literal["prejudice", "caprice"]
    panel: int
    plug_in: list[float]
    corrected: list[float]


def corrected_dots(
    reports: Mapping[str, RiskReport], over: Over = "templates", *, thousand: bool = False
) -> go.Figure:
    """Two panels, prejudice above caprice; a row a model.

    Filled: plug-in, hollow: corrected for the bias of few templates; the whisker belongs to the one the
    report gives first.  A muted tick is the prejudice that these templates would show by their sampling
    alone if every occupation were neutral; the s.d. of the stereotype stands beside the models' names.

    Args:
        reports: per model; those without corrected figures are left out.
        over: which interval is drawn, where it is known.
        thousand: risks × 1,000.
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
    for panel, part in enumerate(_parts(found), start=1):
        for trace in _dots(part, shown, found, over, factor):
            figure.add_trace(trace, row=panel, col=1)
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


def _parts(found: Mapping[str, CorrectedRisk]) -> list[_Part]:
    several = list(found.values())
    return [
        _Part(
            "prejudice",
            1,
            [one.plug_in_prejudice_risk for one in several],
            [one.prejudice_risk for one in several],
        ),
        _Part(
            "caprice", 2, [one.plug_in_caprice_risk for one in several], [one.caprice_risk for one in several]
        ),
    ]


def _dots(
    part: _Part,
    reports: Mapping[str, RiskReport],
    found: Mapping[str, CorrectedRisk],
    over: Over,
    factor: float,
) -> list[go.Scatter]:
    """The plug-in and the corrected marks of one panel, the whisker on the one that is the headline."""
    color = theme.ACCENT if part.name == "prejudice" else theme.CAPRICE
    traces = []
    for name, values, shift in (("plug-in", part.plug_in, -SHIFT), ("corrected", part.corrected, SHIFT)):
        scaled = [factor * value for value in values]
        lows: list[float | None] = []
        highs: list[float | None] = []
        hover = []
        for value, (model, report) in zip(scaled, reports.items(), strict=True):
            interval = report.interval(f"{part.name}_risk", over) or report.interval(f"{part.name}_risk")
            first = found[model].headline is (name == "corrected")
            known = interval if first else None
            lows.append(factor * known.low if known else None)
            highs.append(factor * known.high if known else None)
            ends = f" ({digits(factor * known.low)}–{digits(factor * known.high)})" if known else ""
            hover.append(f"{theme.text(model)}<br>{part.name}, {name} {digits(value)}{ends}")
        hollow = "" if name == "plug-in" else "-open"
        traces.append(_marks(scaled, shift, name, hover, part.panel == 1, color, hollow, lows, highs))
    return traces


def _marks(
    values: list[float],
    shift: float,
    name: str,
    hover: list[str],
    legend: bool,
    color: str,
    hollow: str,
    lows: list[float | None],
    highs: list[float | None],
) -> go.Scatter:
    marker: dict[str, Any] = {"symbol": f"diamond{hollow}", "size": 10, "color": color}
    return go.Scatter(
        x=values,
        y=[place + shift for place in range(len(values))],
        mode="markers",
        cliponaxis=False,
        marker=marker | ({"line": {"width": 2}} if hollow else {}),
        error_x=whiskers(values, lows, highs, color),
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
        legendgroup=name,
        showlegend=legend,
    )


def _ticks(ticks: list[float | None], factor: float) -> go.Scatter:
    """The prejudice expected from the sampling of templates alone, where it was computed."""
    places = [place for place, tick in enumerate(ticks) if tick is not None]
    values = [factor * tick for tick in ticks if tick is not None]
    return go.Scatter(
        x=values,
        y=places,
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 26, "color": theme.MUTED, "line": {"width": 2.5}},
        customdata=[f"expected from template sampling alone {digits(value)}" for value in values],
        hovertemplate="%{customdata}<extra></extra>",
        name="expected from sampling alone",
    )
