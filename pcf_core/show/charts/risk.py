"""Risk as bars of its parts and as dots: models, reference lines, occupations, how much these differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import plotly.graph_objects as go

from pcf_core.core.risk import RiskReport
from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called, digits, percent, two_decimals, with_interval

MOST_ROWS = 20
ROW, AROUND = 34, 142  # pixels of a row of dots with room, and of all that stands around the rows
TWO_LINES = 2.6  # of plotly's text, in sizes of its letters
SMALLEST, USUAL = 9, 11  # letters, in pixels
PREJUDICE = theme.ModelStyle(theme.PREJUDICE, "", "")
CAPRICE = theme.ModelStyle(theme.CAPRICE, "", "/")
PARTS = {  # of a squared tilt: what is common to all occupations is the paler
    "common": ("common to all occupations", theme.ModelStyle(theme.SHARED, "", "")),
    "differing": ("differs between occupations", PREJUDICE),
}
SQUARES = "mean squared tilt (0 = even in every occupation)"
AXIS = "risk (0 = even) → more risk"
AXIS_THOUSAND = "risk × 1,000 (0 = even) → more risk"


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

    @property
    def interval(self) -> marks.Span | None:
        """The interval of ``overall``."""
        return None if self.low is None or self.high is None else marks.Span(self.low, self.high)

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


@dataclass(frozen=True)
class LeanBar:
    """One model: the square of its mean tilt and the variance of its tilts over occupations.

    ``neutral``: the squared tilt of neutral subjects, ``None`` where it is not known.
    """

    label: str
    common: float
    differing: float
    neutral: float | None = None


Keyed = Sequence[tuple[str, RiskBar]]


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
    ours = [(key, row) for key, row in keyed if row.kind != "published"]
    if ours:
        figure.add_traces([_part("prejudice", PREJUDICE, ours), _part("caprice", CAPRICE, ours)])
    if known := [(key, row) for key, row in ours if row.interval]:
        figure.add_traces(marks.rimmed(_overall(known, "overall risk with its interval", "line-ns-open", 8)))
    if published := [(key, row) for key, row in keyed if row.kind == "published"]:
        figure.add_trace(_overall(published, "published", "diamond-open", 10))
    labels = {key: theme.lines(label) for (label, _), key in places.items()}
    height = 130 + 30 * max(3, len(places))
    view = f"{thousand} {' '.join(row.label for row in rows)}"
    return _stacked(figure, labels, height, view, AXIS_THOUSAND if thousand else AXIS)


def occupation_bars(report: RiskReport, top: int = 20, *, thousand: bool = False) -> go.Figure:
    """Draw the ``top`` occupations by overall risk r_x, largest first, with r_x's interval where known."""
    ranked = sorted(report.occupations, key=lambda occupation: -occupation.overall_risk)[:top]
    rows = []
    for occupation in ranked:
        interval = next(iter(occupation.intervals.get("overall_risk", ())), None)
        rows.append(
            RiskBar(
                called(occupation.occupation),
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


def risk_dots(rows: Sequence[RiskBar], references: Mapping[str, float]) -> go.Figure:
    """Draw dots from top to bottom in the order given; published values are hollow diamonds.

    Parameters
    ----------
    rows
        Runs and published values; rows of kind ``reference`` are drawn as muted dots.
    references
        Labels of the vertical lines and where they stand on the axis of R.
    """
    figure = go.Figure()
    keyed = [(str(place), row) for place, row in enumerate(rows)]
    styles = {
        "run": ("overall risk with its interval", "circle", theme.ACCENT),
        "reference": ("reference model", "line-ns-open", theme.MUTED),
        "published": ("published", "diamond-open", theme.MUTED),
    }
    for kind, (name, symbol, color) in styles.items():
        if chosen := [(key, row) for key, row in keyed if row.kind == kind]:
            figure.add_trace(_overall(chosen, name, symbol, 11, color))
    furthest = max([1.0, *references.values(), *(row.high or row.overall for row in rows)])
    for label, place in references.items():
        marks.rule(figure, x=place)
        # Side by side two labels meet on a telephone, and to one side one would near its neighbour.
        where = {"x": place, "y": 1, "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
        marks.note(figure, theme.text(label).replace(" ", "<br>", 1), font_size=11, **where)
    figure.update_xaxes(title_text=AXIS, range=[-0.04, furthest + 0.06])
    fitting = int((theme.MAX_HEIGHT - AROUND) / max(1, len(rows)) / TWO_LINES)  # of two lines in a row
    written = theme.lines if fitting >= SMALLEST else theme.text
    marks.name_rows(figure, {key: written(row.label) for key, row in keyed}, grid=True)
    theme.base_layout(
        figure,
        AROUND + ROW * max(2, len(rows)),
        view=" ".join(row.label for row in rows),
        legend=len({row.kind for row in rows}) > 1,
        top=theme.BELOW_BUTTONS,
        right=28,
    )
    return figure.update_yaxes(tickfont_size=min(USUAL, max(SMALLEST, fitting)))


def lean_bars(rows: Sequence[LeanBar]) -> go.Figure:
    """Draw stacked bars from top to bottom, with a diamond at the squared tilt of neutral subjects."""
    figure = go.Figure()
    places = [str(place) for place in range(len(rows))]
    for part, (name, style) in PARTS.items():
        values = [getattr(row, part) for row in rows]
        hover = [
            marks.told(row.label, f"{name} {digits(value)}", f"{_share(value, row)} of the squared tilt")
            for row, value in zip(rows, values, strict=True)
        ]
        figure.add_trace(marks.bars(values, places, name, style, hover=hover))
    known = [
        (place, row, row.neutral) for place, row in zip(places, rows, strict=True) if row.neutral is not None
    ]
    if known:
        neutrals = marks.dots(
            [neutral for _, _, neutral in known],
            [place for place, _, _ in known],
            "neutral subjects",
            color=theme.OKABE_ITO[7],
            symbol="diamond",
            size=12,
            marker={"line": {"width": 2, "color": theme.MUTED}},
            hover=[marks.told(row.label, f"neutral subjects {digits(neutral)}") for _, row, neutral in known],
        )
        figure.add_traces(marks.rimmed(neutrals))
    labels = {place: theme.lines(row.label) for place, row in zip(places, rows, strict=True)}
    view = " ".join(row.label for row in rows)
    return _stacked(figure, labels, 130 + 40 * max(2, len(rows)), view, SQUARES)


def _share(value: float, row: LeanBar) -> str:
    whole = row.common + row.differing
    return percent(value / whole if whole > 0 else 0.0)


def _stacked(figure: go.Figure, labels: Mapping[str, str], height: float, view: str, axis: str) -> go.Figure:
    figure.update_xaxes(title_text=axis, rangemode="tozero")
    marks.name_rows(figure, labels)
    return theme.base_layout(figure, height, view=view, legend=True, barmode="stack", bargap=0.35)


def _overall(keyed: Keyed, name: str, symbol: str, size: float, color: str = theme.MUTED) -> go.Scatter:
    """Draw marks at R, with a whisker where a row has an interval; keys are places on the axis of names."""
    return marks.dots(
        [row.overall for _, row in keyed],
        [key for key, _ in keyed],
        name,
        color=color,
        symbol=symbol,
        size=size,
        marker={"line": {"width": 2 if symbol.endswith("-open") else 0}},
        across=[row.interval for _, row in keyed],
        hover=[_details(row) for _, row in keyed],
    )


def _part(part: Literal["prejudice", "caprice"], style: theme.ModelStyle, keyed: Keyed) -> go.Bar:
    return marks.bars(
        [getattr(row, part) for _, row in keyed],
        [key for key, _ in keyed],
        part,
        style,
        opacity=[0.4 if row.kind == "reference" else 1.0 for _, row in keyed],
        hover=[_details(row) for _, row in keyed],
    )


def _details(row: RiskBar) -> str:
    """Write hover text: the risks, the s.d. beside caprice, the interval, and where they come from."""
    corrected = "" if row.corrected is None else f", corrected {two_decimals(row.corrected)}"
    return marks.told(
        row.label,
        f"overall risk {with_interval(row.overall, row.interval)}",
        f"range from resampling {theme.text(row.drawn)}" if row.interval and row.drawn else "",
        f"prejudice {two_decimals(row.prejudice)}{corrected}",
        f"caprice {two_decimals(row.caprice)}",
        "" if row.deviation is None else f"s.d. of the stereotype {two_decimals(row.deviation)}",
        {"run": "", "published": "published", "reference": "reference model"}[row.kind],
        theme.text(row.source, 80),
    )
