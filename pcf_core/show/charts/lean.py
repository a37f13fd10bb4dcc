"""Bars that split a risk into what all occupations share, what differs between them, and caprice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from pcf_core.core.risk import Interval
from pcf_core.show.charts import theme
from pcf_core.show.charts.risk import AXIS, AXIS_THOUSAND
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.show.findings.numbers import two_decimals

PARTS = {  # name -> colour and pattern; what is shared is the paler prejudice
    "common": ("shared by all occupations", theme.OKABE_ITO[4], ""),
    "specific": ("differs between occupations", theme.ACCENT, ""),
    "caprice": ("caprice", theme.CAPRICE, "/"),
}


@dataclass(frozen=True)
class LeanBar:
    """One model: R = ``common`` + ``specific`` + ``caprice``; ``neutral``: the lean for neutral subjects.

    ``neutral`` is ``None`` where they are not scored, ``interval`` is its own.
    """

    label: str
    common: float
    specific: float
    caprice: float
    neutral: float | None = None
    interval: Interval | None = None


def lean_bars(rows: Sequence[LeanBar], *, thousand: bool = False) -> go.Figure:
    """Draw stacked bars from top to bottom, a diamond with its interval at the lean for neutral subjects.

    ``thousand`` shows risks × 1,000.
    """
    figure, factor = go.Figure(), 1000 if thousand else 1
    places = [str(place) for place in range(len(rows))]
    for part, (name, color, pattern) in PARTS.items():
        figure.add_bar(
            orientation="h",
            y=places,
            x=[factor * getattr(row, part) for row in rows],
            marker={
                "color": color,
                "pattern": {"shape": pattern, "fillmode": "replace"},
                "line": {"color": color, "width": 1},
            },
            customdata=[[theme.text(row.label), two_decimals(factor * getattr(row, part))] for row in rows],
            hovertemplate=f"<b>%{{customdata[0]}}</b><br>{name} %{{customdata[1]}}<extra></extra>",
            name=name,
        )
    known = [(place, row) for place, row in zip(places, rows, strict=True) if row.neutral is not None]
    if known:
        figure.add_scatter(
            y=[place for place, _ in known],
            x=[factor * (row.neutral or 0.0) for _, row in known],
            mode="markers",
            marker={
                "symbol": "diamond",
                "size": 12,
                "color": theme.OKABE_ITO[7],
                "line": {"width": 2, "color": theme.MUTED},
            },
            error_x=whiskers(
                [factor * (row.neutral or 0.0) for _, row in known],
                [None if row.interval is None else factor * row.interval.low for _, row in known],
                [None if row.interval is None else factor * row.interval.high for _, row in known],
                "#222222",
            ),
            customdata=[
                [theme.text(row.label), two_decimals(factor * (row.neutral or 0.0))] for _, row in known
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>neutral subjects %{customdata[1]}<extra></extra>",
            name="lean for neutral subjects",
        )
    figure.update_xaxes(title_text=AXIS_THOUSAND if thousand else AXIS, rangemode="tozero")
    labels = {place: theme.lines(row.label) for place, row in zip(places, rows, strict=True)}
    figure.update_yaxes(theme.name_axis(labels))
    figure.update_yaxes(autorange="reversed")
    return theme.base_layout(
        figure,
        130 + 40 * max(2, len(rows)),
        view=f"{thousand} " + " ".join(row.label for row in rows),
        legend=True,
        barmode="stack",
        bargap=0.35,
    )
