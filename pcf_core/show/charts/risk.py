"""Risks as bars of their parts and as dots: models, reference lines, occupations, corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pcf_core.core.risk import Over, RiskReport
from pcf_core.show.charts import marks, rows, theme
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.numbers import called, digits, percent, two_decimals, with_interval

MOST_ROWS = 20
AROUND, ROW = 136, 34  # pixels around the rows of dots, and of a row
BELOW_LABELS = 34  # pixels above the plot, for two lines that name a reference
HIGH_ROW = 46  # pixels of a row whose label has three lines
TWO_LINES = 2.6  # of plotly's text, in font sizes
SMALLEST, USUAL = 9, 11  # font sizes in pixels
PREJUDICE = theme.ModelStyle(theme.PREJUDICE, "", "")
CAPRICE = theme.ModelStyle(theme.CAPRICE, "", "/")
WORDING = theme.ModelStyle(theme.CAPRICE, "", "x")
NAMES = {"prejudice": "prejudice", "context": "caprice", "wording": "caprice from rewording alone"}
PARTS = {  # of a squared preference
    "common": ("common to all occupations", theme.ModelStyle(theme.SHARED, "", "")),
    "differing": ("differs between occupations", PREJUDICE),
}
RANGED = "risk with its range"
SQUARES = "mean squared preference (0 = even in every occupation)"
AXIS = "risk (0 = even) → more"  # fits a telephone, also enlarged for a room
AXIS_THOUSAND = "risk × 1,000 (0 = even) → more"


@dataclass(frozen=True)
class RiskBar:
    """One row: R = R^p + R^c of a run, a reference model, or a published value.

    ``low``, ``high``: interval of ``overall``.  ``source``: the publication or run.  ``deviation``: of the
    stereotype.  ``corrected``: prejudice without the bias of few templates.  ``drawn``: what was resampled.
    ``by_chance``: R that so few answers would show without any risk.
    ``wording``: the part of caprice that other words for the same make, if it is known.
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
    by_chance: float | None = None
    wording: float | None = None

    @property
    def context(self) -> float:
        """Caprice without its part of the wording."""
        return self.caprice - (self.wording or 0.0)

    @property
    def interval(self) -> marks.Span | None:
        """The interval of ``overall``."""
        return None if self.low is None or self.high is None else marks.Span(self.low, self.high)

    def times(self, factor: float) -> RiskBar:
        """Return the row in another unit, such as × 1,000; the deviation keeps its own."""
        ends = (self.low, self.high, self.corrected, self.by_chance, self.wording)
        low, high, corrected, by_chance, wording = (None if end is None else factor * end for end in ends)
        return replace(
            self,
            prejudice=factor * self.prejudice,
            caprice=factor * self.caprice,
            overall=factor * self.overall,
            low=low,
            high=high,
            corrected=corrected,
            by_chance=by_chance,
            wording=wording,
        )


@dataclass(frozen=True)
class LeanBar:
    """A model's squared mean tilt, variance of tilts over occupations, and tilt² of neutral subjects."""

    label: str
    common: float
    differing: float
    neutral: float | None = None


Keyed = Sequence[tuple[str, RiskBar]]


def risk_bars(shown: Sequence[RiskBar], *, thousand: bool = False) -> go.Figure:
    """Draw stacked bars from top to bottom; the whisker is the interval of R.

    A muted tick is the risk that so few answers would show by chance alone.  Reference models are muted,
    published values hollow diamonds.  With more than ``MOST_ROWS`` rows, those of one source share a row.
    ``thousand``: risks × 1,000, as in PCF's tables.
    """
    figure = go.Figure()
    unit = 1000.0 if thousand else 1.0
    shown = [row.times(1000) for row in shown] if thousand else shown
    places: dict[tuple[str, int | None], str] = {}
    keyed = []
    for index, row in enumerate(shown):
        shared = row.kind == "published" and bool(row.source) and len(shown) > MOST_ROWS
        place = (row.source, None) if shared else (row.label, index)
        keyed.append((places.setdefault(place, str(len(places))), row))
    ours = [(key, row) for key, row in keyed if row.kind != "published"]
    if ours:
        figure.add_traces([_part("prejudice", PREJUDICE, ours), _part("context", CAPRICE, ours)])
        if any(row.wording for _, row in ours):
            figure.add_trace(_part("wording", WORDING, ours))
    if measured := [(key, row) for key, row in ours if row.interval]:
        ranges = _overall(measured, RANGED, "line-ns-open", marks.INK, size=8)
        figure.add_traces(marks.rimmed(ranges.update(showlegend=False)))
        figure.add_trace(marks.explained(RANGED, "line-ns-open", color=marks.INK, ranged=True))
    ticks = [
        rows.Mark(key, row.by_chance, f"risk by chance alone {two_decimals(row.by_chance)}")
        for key, row in ours
        if row.by_chance is not None
    ]
    if ticks:
        figure.add_trace(rows.dots(ticks, "by chance alone", rows.TICK, size=26, rim=2.5))
    if published := [(key, row) for key, row in keyed if row.kind == "published"]:
        figure.add_trace(_overall(published, "published", "diamond-open", size=10))
    labels = {key: theme.lines(label) for (label, _), key in places.items()}
    view = f"{thousand} {' '.join(row.label for row in shown)}"
    values = [rows.Mark(key, row.overall, ends=row.interval) for key, row in keyed]
    ends = [end for row in shown for end in (row.overall, row.high)]
    title = AXIS_THOUSAND if thousand else AXIS
    look: dict[str, Any] = {"axis": theme.risk_axis(ends, unit), "pixels": (130, 30), "least": 3}
    return _stacked(figure, labels, title, view, values, **look)


def occupation_bars(report: RiskReport, top: int = 20, *, thousand: bool = False) -> go.Figure:
    """Draw the ``top`` occupations by risk r_x, largest first, with intervals if known."""
    ranked = sorted(report.occupations, key=lambda occupation: -occupation.overall_risk)[:top]
    bars = []
    for occupation in ranked:
        interval = next(iter(occupation.intervals.get("overall_risk", ())), None)
        bars.append(
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
    return risk_bars(bars, thousand=thousand)


def risk_dots(shown: Sequence[RiskBar], references: Mapping[str, float]) -> go.Figure:
    """Draw dots from top to bottom; ``references``: labels of vertical lines and their values of R."""
    figure = go.Figure()
    keyed = rows.keyed(shown)
    for kind, name, symbol, color in (
        ("run", RANGED, "circle", theme.ACCENT),
        ("reference", "reference model", "line-ns-open", theme.MUTED),
        ("published", "published", "diamond-open", theme.MUTED),
    ):
        if chosen := [(key, row) for key, row in keyed if row.kind == kind]:
            figure.add_trace(_overall(chosen, name, symbol, color, size=11))
    ends = [*references.values(), *(end for row in shown for end in (row.low, row.high, row.overall))]
    for label, index in references.items():
        marks.rule(figure, x=index)
        # Two lines, centred above the rule: longer or shifted labels would meet on a telephone.
        where = {"x": index, "y": 1, "yref": "paper", "xanchor": "center", "yanchor": "bottom"}
        marks.note(figure, theme.text(label).replace(" ", "<br>", 1), font_size=11, **where)
    # Pixels that a row may have: two lines of a name, since many names differ only at their ends.
    most = max((theme.MAX_HEIGHT - AROUND) / max(1, len(shown)), TWO_LINES * SMALLEST)
    labels = {key: _label(row.label, most) for key, row in keyed}
    row_height = HIGH_ROW if any(label.count("<br>") > 1 for label in labels.values()) else ROW
    values = [rows.Mark(key, row.overall, ends=row.interval) for key, row in keyed]
    look: dict[str, Any] = {"grid": True, "axis": theme.risk_axis(ends), "written": rows.value_texts(values)}
    look |= {"legend": len({row.kind for row in shown}) > 1, "right": 28}
    look["tallest"] = max(theme.MAX_HEIGHT, AROUND + most * len(shown))
    look["top"] = BELOW_LABELS if references else theme.ABOVE_PLOT
    view = " ".join(row.label for row in shown)
    rows.finish(figure, labels, AXIS, view=view, pixels=(AROUND, row_height), **look)
    return figure.update_yaxes(tickfont_size=min(USUAL, int(most / TWO_LINES)))


def _label(label: str, most: float) -> str:
    """Break a label into the lines that fit into a row of ``most`` pixels."""
    return theme.lines(label, 24, most=3) if most >= HIGH_ROW else theme.lines(label, 32)


def lean_bars(shown: Sequence[LeanBar]) -> go.Figure:
    """Draw stacked bars from top to bottom; a diamond is the squared preference for neutral subjects."""
    figure = go.Figure()
    keyed = rows.keyed(shown)
    for part, (name, style) in PARTS.items():
        values = [getattr(row, part) for row in shown]
        hover = [
            marks.told(
                row.label, f"{name} {digits(value)}", f"{_share(value, row)} of the squared preference"
            )
            for row, value in zip(shown, values, strict=True)
        ]
        figure.add_trace(marks.bars(values, [key for key, _ in keyed], name, style, hover=hover))
    measured = [
        rows.Mark(key, row.neutral, marks.told(row.label, f"neutral subjects {digits(row.neutral)}"))
        for key, row in keyed
        if row.neutral is not None
    ]
    if measured:
        style = theme.ModelStyle(theme.MODEL_COLORS[7], "diamond", "")
        rim = {"line": {"width": 2, "color": theme.MUTED}}
        figure.add_traces(marks.rimmed(rows.dots(measured, "neutral subjects", style, size=12, marker=rim)))
    labels = {key: theme.lines(row.label) for key, row in keyed}
    values = [rows.Mark(key, row.common + row.differing) for key, row in keyed]
    look: dict[str, Any] = {"axis": {"rangemode": "tozero"}, "pixels": (130, 40)}
    return _stacked(figure, labels, SQUARES, " ".join(row.label for row in shown), values, **look)


def _share(value: float, row: LeanBar) -> str:
    whole = row.common + row.differing
    return percent(value / whole if whole > 0 else 0.0)


def _stacked(
    figure: go.Figure,
    labels: Mapping[str, str],
    title: str,
    view: str,
    values: Sequence[rows.Mark],
    **look: Any,
) -> go.Figure:
    stacked: dict[str, Any] = {"barmode": "stack", "bargap": 0.35, "written": rows.value_texts(values)}
    return rows.finish(figure, labels, title, view=view, **stacked, **look)


def _overall(keyed: Keyed, name: str, symbol: str, color: str = theme.MUTED, *, size: float) -> go.Scatter:
    drawn = [rows.Mark(key, row.overall, _details(row), row.interval) for key, row in keyed]
    look: dict[str, Any] = {"marker": {"line": {"width": 2 if symbol.endswith("-open") else 0}}}
    if color == marks.INK:
        look["whisker"] = color
    return rows.dots(drawn, name, theme.ModelStyle(color, symbol, ""), size=size, **look)


def _part(part: Literal["prejudice", "context", "wording"], style: theme.ModelStyle, keyed: Keyed) -> go.Bar:
    return marks.bars(
        [getattr(row, part) or 0.0 for _, row in keyed],
        [key for key, _ in keyed],
        _part_name(part, keyed),
        style,
        opacity=[0.4 if row.kind == "reference" else 1.0 for _, row in keyed],
        hover=[_details(row) for _, row in keyed],
    )


def _part_name(part: str, keyed: Keyed) -> str:
    """Name a part of the bars; beside that of rewording, the rest of caprice is not all of it."""
    split = any(row.wording is not None for _, row in keyed)
    return "other caprice" if part == "context" and split else NAMES[part]


def _details(row: RiskBar) -> str:
    corrected = "" if row.corrected is None else f", corrected {two_decimals(row.corrected)}"
    return marks.told(
        row.label,
        f"risk {with_interval(row.overall, row.interval)}",
        f"range from resampling {theme.text(row.drawn)}" if row.interval and row.drawn else "",
        f"prejudice {two_decimals(row.prejudice)}{corrected}",
        f"caprice {two_decimals(row.caprice)}"
        + ("" if row.wording is None else f", of which {two_decimals(row.wording)} from rewording alone"),
        "" if row.deviation is None else f"s.d. of the stereotype {two_decimals(row.deviation)}",
        {"run": "", "published": "published", "reference": "reference model"}[row.kind],
        theme.text(row.source, 80),
    )


SHIFT = 0.16  # of the plug-in and the corrected mark from the middle of a row
COLORS = {"prejudice": theme.PREJUDICE, "caprice": theme.CAPRICE}
KINDS = {"as counted": "plug_in_", "corrected": ""}  # name -> prefix of the fields


def corrected_dots(
    reports: Mapping[str, RiskReport], over: Over = "templates", *, thousand: bool = False
) -> go.Figure:
    """Draw prejudice above caprice, a row per model: as counted (filled), and corrected for few templates.

    The whisker is that of the report's headline figure.  A muted tick is the prejudice expected from the
    sampling of sentences if every occupation were neutral.
    """
    shown = {name: report for name, report in reports.items() if report.corrected}
    factor = 1000.0 if thousand else 1.0
    spacing = 0.28 / max(2, len(shown)) + 0.08
    figure = make_subplots(rows=2, cols=1, subplot_titles=list(COLORS), vertical_spacing=spacing)
    for row, part in enumerate(COLORS, start=1):
        for kind in KINDS:
            figure.add_trace(_corrected(shown, part, kind, over, factor), row=row, col=1)
    ticks = [
        rows.Mark(index, value, f"expected from the sampling of sentences alone {two_decimals(value)}")
        for index, report in enumerate(shown.values())
        if report.corrected and report.corrected.sampling_prejudice is not None
        for value in [factor * report.corrected.sampling_prejudice]
    ]
    if ticks:
        expected = rows.dots(ticks, "expected from sampling alone", rows.TICK, size=26, rim=2.5)
        figure.add_trace(expected, row=1, col=1)
    unit = " × 1,000" if thousand else ""
    ends = [end for trace in figure.data for end in _ends(trace)]
    figure.update_xaxes(theme.risk_axis(ends, factor))
    figure.update_xaxes(title_text=f"part of the risk{unit} (0 = none) → more", row=2)
    names = [theme.lines(name, 16) for name in shown]
    marks.number_rows(figure, names)
    deviations = [f"s.d. {report.stereotype_sd:.2g}" for report in shown.values()]
    figure.update_yaxes(ticktext=list(map("<br>".join, zip(names, deviations, strict=True))), row=2)
    figure.update_annotations(font_size=12)
    height = 190 + 2 * 56 * max(1, len(shown))
    view = f"{over} {thousand} {' '.join(shown)}"
    return theme.base_layout(figure, height, view=view, legend=True, top=theme.BELOW_PANEL_NAMES)


def _ends(trace: go.Scatter) -> list[float]:
    ends = list(trace.x)
    for sign, lengths in ((1, trace.error_x.array), (-1, trace.error_x.arrayminus)):
        if lengths is not None:
            ends += [value + sign * (length or 0.0) for value, length in zip(trace.x, lengths, strict=True)]
    return ends


def _corrected(
    shown: Mapping[str, RiskReport], part: str, kind: str, over: Over, factor: float
) -> go.Scatter:
    """Draw plug-in values filled and corrected ones hollow, on either side of the rows."""
    hollow = kind == "corrected"
    drawn = []
    for index, (model, report) in enumerate(shown.items()):
        value = factor * getattr(report.corrected, f"{KINDS[kind]}{part}_risk")
        ends = shown_interval(report, f"{part}_risk", over)
        span = None
        if ends and report.corrected and report.corrected.headline is hollow:
            span = marks.Span(factor * ends.low, factor * ends.high)
        hover = f"{theme.text(model)}<br>{part}, {kind} {with_interval(value, span)}"
        drawn.append(rows.Mark(index + (SHIFT if hollow else -SHIFT), value, hover, span))
    style = theme.ModelStyle(COLORS[part], marks.symbol("diamond", not hollow), "")
    look: dict[str, Any] = {"rim": 2 if hollow else None, "whisker": style.color, "cliponaxis": False}
    return rows.dots(drawn, kind, style, legendgroup=kind, showlegend=part == "prejudice", **look)
