"""Plug-in and corrected prejudice and caprice side by side, with what sampling templates alone gives."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import Over, RiskReport
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import two_decimals, with_interval

SHIFT = 0.16  # how far from the middle of a row the plug-in and the corrected mark stand
PARTS = {"prejudice": theme.PREJUDICE, "caprice": theme.CAPRICE}
KINDS = {"plug-in": "plug_in_", "corrected": ""}  # name -> of the fields


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
        subplot_titles=list(PARTS),
        vertical_spacing=0.28 / max(2, len(shown)) + 0.08,
    )
    factor = 1000.0 if thousand else 1.0
    for row, part in enumerate(PARTS, start=1):
        for kind, field in KINDS.items():
            values = {name: factor * getattr(one, f"{field}{part}_risk") for name, one in found.items()}
            spans = [
                _interval(shown[name], f"{part}_risk", over, factor)
                if one.headline is (kind == "corrected")
                else None
                for name, one in found.items()
            ]
            figure.add_trace(_dots(values, spans, part, kind), row=row, col=1)
    ticks = {
        place: factor * one.sampling_prejudice
        for place, one in enumerate(found.values())
        if one.sampling_prejudice is not None
    }
    if ticks:  # at the prejudice expected from the sampling of templates alone
        expected = marks.dots(
            list(ticks.values()),
            list(ticks),
            "expected from sampling alone",
            color=theme.MUTED,
            symbol="line-ns-open",
            size=26,
            rim=2.5,
            hover=[f"expected from template sampling alone {two_decimals(tick)}" for tick in ticks.values()],
        )
        figure.add_trace(expected, row=1, col=1)
    unit = " × 1,000" if thousand else ""
    figure.update_xaxes(rangemode="tozero")
    figure.update_xaxes(title_text=f"part of the risk{unit} (0 = none) → more", row=2)
    names = [theme.lines(name, 14) for name in shown]
    marks.number_rows(figure, names)
    deviations = [f"s.d. {report.stereotype_sd:.2g}" for report in shown.values()]
    figure.update_yaxes(ticktext=list(map("<br>".join, zip(names, deviations, strict=True))), row=2)
    figure.update_annotations(font_size=12)
    height = 190 + 2 * 56 * max(1, len(shown))
    view = f"{over} {thousand} {' '.join(shown)}"
    return theme.base_layout(figure, height, view=view, legend=True, top=theme.BELOW_PANEL_NAMES)


def _interval(report: RiskReport, quantity: str, over: Over, factor: float) -> marks.Span | None:
    known = report.interval(quantity, over) or report.interval(quantity)
    return None if known is None else marks.Span(factor * known.low, factor * known.high)


def _dots(values: Mapping[str, float], spans: list[marks.Span | None], part: str, kind: str) -> go.Scatter:
    """Draw plug-in filled and corrected hollow, on either side of the model's row."""
    corrected = kind == "corrected"
    shift = SHIFT if corrected else -SHIFT
    return marks.dots(
        list(values.values()),
        [place + shift for place in range(len(values))],
        kind,
        color=PARTS[part],
        symbol=marks.symbol("diamond", not corrected),
        rim=2 if corrected else None,
        across=spans,
        whisker=PARTS[part],
        hover=[
            f"{theme.text(model)}<br>{part}, {kind} {with_interval(value, span)}"
            for (model, value), span in zip(values.items(), spans, strict=True)
        ],
        cliponaxis=False,
        legendgroup=kind,
        showlegend=part == "prejudice",
    )
