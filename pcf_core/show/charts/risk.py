"""Bars that split overall risk into prejudice and caprice, for models and for occupations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import plotly.graph_objects as go

from pcf_core.core.risk import Interval, RiskReport
from pcf_core.show.charts import theme
from pcf_core.show.charts.whiskers import whiskers
from pcf_core.show.findings.numbers import two_decimals, with_interval

MOST_ROWS = 20
AXIS = "risk (0 = unbiased) → more risk"
AXIS_THOUSAND = "risk × 1,000 (0 = unbiased) → more risk"


@dataclass(frozen=True)
class RiskBar:
    """One row: R = R^p + R^c of a run of ours, a reference model, or a value printed in a paper.

    ``low`` and ``high`` are the interval of ``overall``; ``source`` names the publication or the run.
    ``deviation``: s.d. of the stereotype, read beside caprice; ``corrected``: prejudice without the bias of
    few templates; ``drawn``: what was drawn again for the interval, such as "documents".
    """

    label: str
    kind: Literal["run", "reference", "published"]
    prejudice: float
    caprice: float
    overall: float
    low: float | None = None
    high: float | None = None
    source: str = ""
    deviation: float | None = None
    corrected: float | None = None
    drawn: str = ""

    def times(self, factor: float) -> RiskBar:
        """Return the row in another unit, as the papers' risks × 1,000; the s.d. keeps its own."""
        ends = (self.low, self.high, self.corrected)
        low, high, corrected = (None if end is None else factor * end for end in ends)
        return replace(
            self,
            prejudice=factor * self.prejudice,
            caprice=factor * self.caprice,
            overall=factor * self.overall,
            low=low,
            high=high,
            corrected=corrected,
        )


def risk_bars(rows: Sequence[RiskBar], *, thousand: bool = False) -> go.Figure:
    """Draw stacked bars from top to bottom in the order given; the whisker is the interval of R.

    Reference models are muted; published values are hollow diamonds at R without a bar.  With more than
    ``MOST_ROWS`` rows those of one source share a line, and the names are on hover.  ``thousand`` shows risks
    × 1,000, as PCF's tables do.
    """
    figure = go.Figure()
    rows = [row.times(1000) for row in rows] if thousand else rows
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
    figure.update_xaxes(title_text=AXIS_THOUSAND if thousand else AXIS, rangemode="tozero")
    figure.update_yaxes(theme.name_axis({key: theme.lines(label) for (label, _), key in places.items()}))
    figure.update_yaxes(autorange="reversed")
    return theme.base_layout(
        figure,
        130 + 30 * max(3, len(places)),
        view=f"{thousand} {' '.join(row.label for row in rows)}",
        legend=True,
        barmode="stack",
        bargap=0.35,
    )


def occupation_bars(report: RiskReport, top: int = 20, *, thousand: bool = False) -> go.Figure:
    """Draw the ``top`` occupations by overall risk r_x, largest first, with r_x's interval where known."""
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
                deviation=occupation.stereotype_sd,
                corrected=occupation.corrected_prejudice_risk,
            )
        )
    return risk_bars(rows, thousand=thousand)


def overall_trace(
    keyed: Sequence[tuple[str, RiskBar]],
    *,
    name: str,
    symbol: str = "line-ns-open",
    size: float = 8,
    **marker: Any,
) -> go.Scatter:
    """Draw marks at R, with a whisker where a row has an interval; keys are places on the axis of names."""
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
        error_x=whiskers(
            [row.overall for _, row in keyed],
            [row.low for _, row in keyed],
            [row.high for _, row in keyed],
            theme.MUTED,
        ),
        customdata=[_details(row) for _, row in keyed],
        hovertemplate="%{customdata}<extra></extra>",
        name=name,
    )


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
    """Write hover text: the risks, the s.d. beside caprice, the interval, and where they come from."""
    whole = f"overall risk {two_decimals(row.overall)}"
    if row.low is not None and row.high is not None:
        whole = f"overall risk {with_interval(row.overall, Interval(low=row.low, high=row.high))}"
        whole += f"<br>range from resampling {theme.text(row.drawn)}" if row.drawn else ""
    prejudice = f"prejudice {two_decimals(row.prejudice)}"
    if row.corrected is not None:
        prejudice += f", corrected {two_decimals(row.corrected)}"
    lines = [f"<b>{theme.text(row.label)}</b>", whole, prejudice, f"caprice {two_decimals(row.caprice)}"]
    if row.deviation is not None:
        lines.append(f"s.d. of the stereotype {two_decimals(row.deviation)}")
    if row.kind != "run":
        lines.append("published" if row.kind == "published" else "reference model")
    if row.source:
        lines.append(theme.text(row.source, 80))
    return "<br>".join(lines)
