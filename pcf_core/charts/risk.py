"""Bars that split overall risk into prejudice and caprice, for models and for occupations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from pcf_core.charts import theme
from pcf_core.records import RiskReport

MOST_ROWS = 20
AXIS = "risk (0 = unbiased) → more risk"


@dataclass(frozen=True)
class RiskBar:
    """One row: R = R^p + R^c of a run of ours, a reference model, or a value printed in a paper.

    ``low`` and ``high`` are the interval of ``overall``; ``source`` names the publication or the run.
    """

    label: str
    kind: Literal["run", "reference", "published"]
    prejudice: float
    caprice: float
    overall: float
    low: float | None = None
    high: float | None = None
    source: str = ""


def risk_bars(rows: Sequence[RiskBar]) -> go.Figure:
    """Stacked bars from top to bottom in the order given; the whisker is the interval of R.

    Reference models are muted; published values are hollow diamonds at R without a bar.  With more than
    ``MOST_ROWS`` rows those of one source share a line, and the names are on hover.
    """
    figure = go.Figure()
    places: dict[tuple[str, int | None], str] = {}
    keyed = []
    for index, row in enumerate(rows):
        shared = row.kind == "published" and bool(row.source) and len(rows) > MOST_ROWS
        place = (row.source, None) if shared else (row.label, index)
        keyed.append((places.setdefault(place, str(len(places))), row))
    bars = [(key, row) for key, row in keyed if row.kind != "published"]
    if bars:
        figure.add_trace(_part("prejudice", bars))
        figure.add_trace(_part("caprice", bars))
    whiskers = [(key, row) for key, row in bars if row.low is not None and row.high is not None]
    if whiskers:
        figure.add_trace(overall_trace(whiskers, name="overall risk with its interval"))
    published = [(key, row) for key, row in keyed if row.kind == "published"]
    if published:
        figure.add_trace(overall_trace(published, name="published", symbol="diamond-open", size=10))
    figure.update_xaxes(title_text=AXIS, rangemode="tozero")
    figure.update_yaxes(theme.name_axis({key: theme.lines(label) for (label, _), key in places.items()}))
    figure.update_yaxes(autorange="reversed")
    return theme.base_layout(
        figure,
        130 + 30 * max(3, len(places)),
        view=" ".join(row.label for row in rows),
        legend=True,
        barmode="stack",
        bargap=0.35,
    )


def occupation_bars(report: RiskReport, top: int = 20) -> go.Figure:
    """The ``top`` occupations by overall risk r_x, largest first, with the interval of r_x where known."""
    ranked = sorted(report.occupations, key=lambda occupation: -occupation.overall_risk)[:top]
    rows = []
    for occupation in ranked:
        interval = next(iter(occupation.intervals.get("overall_risk", ())), None)
        rows.append(
            RiskBar(
                occupation.occupation,
                "run",
                occupation.prejudice_risk,
                occupation.caprice_risk,
                occupation.overall_risk,
                interval.low if interval else None,
                interval.high if interval else None,
            )
        )
    return risk_bars(rows)


def overall_trace(
    keyed: Sequence[tuple[str, RiskBar]],
    *,
    name: str,
    symbol: str = "line-ns-open",
    size: float = 8,
    **marker: Any,
) -> go.Scatter:
    """Marks at R, with a whisker where a row has an interval; keys are places on the axis of names."""
    return go.Scatter(
        y=[key for key, _ in keyed],
        x=[row.overall for _, row in keyed],
        mode="markers",
        marker={
            "symbol": symbol,
            "size": size,
            "color": theme.MUTED,
            "line": {"width": 2 if symbol.endswith("-open") else 0},
            **marker,
        },
        error_x=_whiskers([row for _, row in keyed]),
        customdata=[_details(row) for _, row in keyed],
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
    )


def _whiskers(rows: Sequence[RiskBar]) -> dict[str, Any] | None:
    """Lengths from R to the ends of its interval; no whisker, not one of length 0, where there is none."""
    if all(row.low is None or row.high is None for row in rows):
        return None
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if row.high is None else row.high - row.overall for row in rows],
        "arrayminus": [None if row.low is None else row.overall - row.low for row in rows],
        "color": theme.MUTED,
        "thickness": 1.5,
        "width": 4,
    }


def _part(part: Literal["prejudice", "caprice"], keyed: Sequence[tuple[str, RiskBar]]) -> go.Bar:
    color, pattern = (theme.ACCENT, "") if part == "prejudice" else (theme.CAPRICE, "/")
    return go.Bar(
        orientation="h",
        y=[key for key, _ in keyed],
        x=[row.prejudice if part == "prejudice" else row.caprice for _, row in keyed],
        marker={
            "color": color,
            "opacity": [0.4 if row.kind == "reference" else 1.0 for _, row in keyed],
            "pattern": {"shape": pattern, "fillmode": "replace"},
            "line": {"color": color, "width": 1},
        },
        customdata=[_details(row) for _, row in keyed],
        hovertemplate="%{customdata}<extra></extra>",
        name=part,
    )


def _details(row: RiskBar) -> str:
    """Hover text: the three risks to three significant digits, the interval, and where they come from."""
    whole = f"overall risk {row.overall:#.3g}"
    if row.low is not None and row.high is not None:
        whole += f" ({row.low:#.3g}–{row.high:#.3g})"
    lines = [
        f"<b>{theme.text(row.label)}</b>",
        whole,
        f"prejudice {row.prejudice:#.3g}",
        f"caprice {row.caprice:#.3g}",
    ]
    if row.kind != "run":
        lines.append("published" if row.kind == "published" else "reference model")
    if row.source:
        lines.append(theme.text(row.source, 80))
    return "<br>".join(lines)
