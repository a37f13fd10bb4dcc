"""Template sets: counts by rank, two sets side by side, and the effect of a choice on R."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import RiskReport
from pcf_core.show.charts import marks, rows, theme

MOST_POINTS = 400
TEMPLATE_LENGTH = 70
PLAIN = ",~r"  # 10,000 rather than 10k
BETWEEN = 56  # pixels between two panels, for an axis
ONLY = 2.5  # factor below the smallest share where templates that a set lacks are drawn


@dataclass(frozen=True)
class TemplateShare:
    """A template's share of the weight in two sets, 0 if a set lacks it."""

    text: str
    first: float
    second: float


@dataclass(frozen=True)
class RiskMove:
    """One run read with two choices of templates."""

    label: str
    before: RiskReport
    after: RiskReport


def zipf_plot(texts: Sequence[str], counts: Sequence[float], kept: int | None = None) -> go.Figure:
    """Draw counts by rank, both logarithmic, above cumulative shares; heaviest first; ``kept``: a cut."""
    weights = np.array([count for count in counts if count > 0])
    shares = np.cumsum(weights) / weights.sum()
    ranks = _thinned(len(weights))
    places = ranks - 1
    names = [theme.text(texts[index], TEMPLATE_LENGTH) for index in places]
    figure = make_subplots(rows=2, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.55, 0.45])
    down_to = [f"up to here {share:.3g}" for share in shares[places]]
    curves = (
        (weights, "count", "circle", [f"{count:,.6g} times" for count in weights[places]]),
        (shares, "weight of the most common", "diamond", down_to),
    )
    for row, (values, name, symbol, facts) in enumerate(curves, start=1):
        trace = marks.dots(
            ranks,
            values[places],
            name,
            color=theme.ACCENT,
            symbol=symbol,
            size=4,
            mode="lines+markers",
            line={"color": theme.ACCENT, "width": 1},
            hover=[
                f"<b>{text}</b><br>rank {rank:,}<br>{fact}"
                for text, rank, fact in zip(names, ranks.tolist(), facts, strict=True)
            ],
            showlegend=False,
        )
        figure.add_trace(trace, row=row, col=1)
    if kept is not None and 0 < kept < len(weights):
        label = f"cut: the {kept:,} most common of {len(weights):,} have {100 * shares[kept - 1]:.3g} %"
        look: dict[str, Any] = {"color": theme.CONTRAST, "width": 2, "dash": "dash"}
        for row, ends in enumerate(([float(weights[-1]), float(weights[0])], [0.0, 1.0]), start=1):
            cut = marks.line([kept, kept], ends, label, showlegend=row == 1, **look)
            figure.add_trace(cut, row=row, col=1)
    figure.update_xaxes(type="log", dtick=1, tickformat=PLAIN)
    figure.update_xaxes(title_text="rank, most common first (log) → rarer", row=2, col=1)
    figure.update_yaxes(type="log", dtick=1, tickformat=PLAIN, title_text="count (log)", row=1, col=1)
    figure.update_yaxes(range=[0, 1.03], tickformat=".0%", title_text="share of the weight", row=2, col=1)
    return theme.base_layout(figure, 480, view=f"{len(weights)} {weights[0]:g}", legend=kept is not None)


def _thinned(size: int) -> Any:
    """Return ranks from 1 to ``size``, ever sparser as on a log axis."""
    if size <= MOST_POINTS:
        return np.arange(1, size + 1)
    return np.unique(np.geomspace(1, size, MOST_POINTS).round().astype(int))


def share_scatter(shares: Sequence[TemplateShare], first: str, second: str, most: int = 1000) -> go.Figure:
    """Draw shares of the ``most`` heaviest templates in two sets, on log axes; missing ones on an edge."""
    drawn = sorted(shares, key=lambda share: -max(share.first, share.second))[:most]
    positive = [value for share in drawn for value in (share.first, share.second) if value > 0]
    lowest, highest = min(positive), max(positive)
    edge = lowest / ONLY
    kinds: tuple[tuple[Literal["both", "first", "second"], str, str, str], ...] = (
        ("both", "in both sets", "circle", theme.ACCENT),
        ("first", f"only in {first}", "triangle-down", theme.CONTRAST),
        ("second", f"only in {second}", "triangle-left", theme.MUTED),
    )
    figure = go.Figure()
    same = [lowest, highest]
    figure.add_trace(marks.line(same, same, "the same share", dash="dot"))
    for kind, name, symbol, color in kinds:
        if chosen := [share for share in drawn if _side(share) == kind]:
            figure.add_trace(
                marks.dots(
                    [share.first or edge for share in chosen],
                    [share.second or edge for share in chosen],
                    theme.text(name, 60),
                    color=color,
                    symbol=symbol,
                    size=6,
                    hover=[_shares_text(share, first, second) for share in chosen],
                )
            )
    for axes, name in ((figure.update_xaxes, first), (figure.update_yaxes, second)):
        axes(type="log", title_text=f"share in {theme.text(name)} (log) → more", **_percent_ticks(lowest))
        axes(range=[np.log10(edge) - 0.12, np.log10(highest) + 0.15])
    return theme.base_layout(figure, 560, view=f"{first} {second}", legend=True)


def _side(share: TemplateShare) -> Literal["both", "first", "second"]:
    if share.first > 0 and share.second > 0:
        return "both"
    return "first" if share.first > 0 else "second"


def _shares_text(share: TemplateShare, first: str, second: str) -> str:
    return marks.told(
        share.text,
        f"{theme.text(first)} {100 * share.first:.3g} %",
        f"{theme.text(second)} {100 * share.second:.3g} %",
        length=TEMPLATE_LENGTH,
    )


def _percent_ticks(lowest: float) -> dict[str, Any]:
    powers = [10.0**power for power in range(0, int(np.floor(np.log10(lowest))) - 1, -1)]
    return {"tickvals": powers, "ticktext": [f"{100 * power:g} %" for power in powers]}


def risk_moves(moves: Sequence[RiskMove], before: str, after: str) -> go.Figure:
    """Draw R and its parts with intervals, a panel each, for two choices of templates by name."""
    plot = len(theme.RISKS) * (BETWEEN + 34 * len(moves))
    figure = make_subplots(rows=len(theme.RISKS), vertical_spacing=BETWEEN / plot)
    sides = (
        (before, [move.before for move in moves], -0.16, theme.ModelStyle(theme.MUTED, "circle-open", "")),
        (after, [move.after for move in moves], 0.16, theme.ModelStyle(theme.ACCENT, "diamond", "")),
    )
    for row, (risk, title) in enumerate(theme.RISKS.items(), start=1):
        for name, reports, offset, style in sides:
            values = [getattr(report, risk) for report in reports]
            ends = [report.intervals[risk][0] for report in reports]
            hover = [
                marks.told(move.label, theme.text(name), f"{value:#.3g}{marks.within(end, '#.3g', '–')}")
                for move, value, end in zip(moves, values, ends, strict=True)
            ]
            whiskers = marks.reaching(values, ends)
            found = [
                rows.Mark(index + offset, *drawn)
                for index, drawn in enumerate(zip(values, hover, whiskers, strict=True))
            ]
            look: dict[str, Any] = {"rim": 2, "whisker": style.color, "showlegend": row == 1}
            trace = rows.dots(found, theme.text(name, 60), style, legendgroup=style.marker, **look)
            figure.add_trace(trace, row=row, col=1)
        drawn = [report for move in moves for report in (move.before, move.after)]
        drawn_ends = [end for one in drawn for has in one.intervals[risk][:1] for end in (has.low, has.high)]
        axis = theme.risk_axis([*drawn_ends, *(getattr(report, risk) for report in drawn)])
        figure.update_xaxes(title_text=title, nticks=6, **axis, row=row, col=1)
    marks.number_rows(figure, [theme.lines(move.label) for move in moves])
    height, view = 110 + plot, " ".join(move.label for move in moves)
    return theme.base_layout(figure, height, tallest=height, view=view, legend=True)  # names have two lines
