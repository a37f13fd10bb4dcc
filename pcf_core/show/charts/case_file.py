"""Occupations in two audits: preference in gaps against the gender in stories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from pcf_core.show.charts import marks, theme
from pcf_core.show.findings.numbers import called, mirrored, words_of
from pcf_core.texts.case_file import SharedOccupation, SharedOccupations

HEIGHT = 480
SAME, OTHER = "same preference", "other preference, or none"
MOST_LABELS = 8
LONGEST = 24  # columns of a name
ACROSS, UPWARDS = (-1.06, 1.06), (-0.06, 1.08)  # the axes
# Pixels per unit of the axes: across from a phone's picture to a wide screen's, upwards with a
# legend of two rows or of one.  Names have a fixed size.
WIDTHS = 260 / (ACROSS[1] - ACROSS[0]), 1600 / (ACROSS[1] - ACROSS[0])
HEIGHTS = 330 / (UPWARDS[1] - UPWARDS[0]), 385 / (UPWARDS[1] - UPWARDS[0])
FONT, CHARACTER, LINE = 11, 7.0, 15.0  # pixels: font size, width of a column, height of a line
RADIUS = 7.0  # of a point with its rim
THICKNESS = 3.0  # half that of a whisker
SAMPLES = 17  # positions on a whisker that names must avoid
CORNERS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of a name beside its point, clear of whiskers


def shared_scatter(occupations: SharedOccupations, group: str, other: str) -> go.Figure:
    """Draw a point per occupation: across its preference for ``group``'s words, upwards the stories' share.

    ``group``: the second of its topic, on the left; ``other``: the first.  Filled: the same preference in
    both; dotted: an even split.
    """
    figure = go.Figure()
    for same, name in ((True, SAME), (False, OTHER)):
        rows = [row for row in occupations.rows if (row.same_side is True) is same]
        if rows:
            figure.add_trace(_points(rows, same, name))
    for row, (right, up) in _labelled([_mirrored(row) for row in occupations.rows]):
        marks.note(
            figure,
            theme.text(called(row.occupation), LONGEST),
            x=row.tilt,
            y=row.share,
            xanchor="left" if right > 0 else "right",
            yanchor="middle",
            xshift=right * RADIUS,
            yshift=up * (RADIUS + LINE / 2),
            font_size=FONT,
        )
    marks.rule(figure, x=0, y=0.5)
    figure.update_xaxes(
        title_text=f"← {theme.text(words_of(group))} · {theme.text(words_of(other))} →<br>"
        "mean stereotype in gaps (−1 to 1)",
        range=list(ACROSS),
        nticks=6,
        **theme.SIGNED,
    )
    figure.update_yaxes(
        title_text="women in its stories → more",
        range=list(UPWARDS),
        tickformat=".0%",
        tickvals=[0, 0.25, 0.5, 0.75, 1],
    )
    return theme.base_layout(figure, HEIGHT, view=f"shared {len(occupations.rows)}", legend=True)


def _mirrored(row: SharedOccupation) -> SharedOccupation:
    ends = row.tilt_interval
    return row.model_copy(
        update={"tilt": -row.tilt, "tilt_interval": None if ends is None else mirrored(ends)}
    )


def _points(shared: list[SharedOccupation], same: bool, name: str) -> go.Scatter:
    rows = [_mirrored(row) for row in shared]
    return marks.dots(
        [row.tilt for row in rows],
        [row.share for row in rows],
        name,
        color=theme.ACCENT,
        symbol=marks.symbol("circle", same),
        rim=2,
        across=[row.tilt_interval for row in rows],
        upwards=[row.interval for row in rows],
        hover=[
            marks.told(
                called(row.occupation), f"stereotype {row.tilt:+.3g}", f"{100 * row.share:.0f}&#37; women"
            )
            for row in rows
        ],
    )


Corner = tuple[int, int]


@dataclass(frozen=True)
class _Box:
    """A rectangle in pixels around a point of the axes: offsets across and upwards, low and high."""

    tilt: float
    share: float
    across: tuple[float, float]
    upwards: tuple[float, float]

    def may_meet(self, other: _Box) -> bool:
        """Return whether the two overlap at any width and height that the picture may have."""
        return _overlap(self.across, other.across, other.tilt - self.tilt, WIDTHS) and _overlap(
            self.upwards, other.upwards, other.share - self.share, HEIGHTS
        )

    @property
    def inside(self) -> bool:
        """Whether it is inside the axes of the smallest picture."""
        left, right = ((end - self.tilt) * WIDTHS[0] for end in ACROSS)
        low, high = ((end - self.share) * HEIGHTS[0] for end in UPWARDS)
        return (
            left <= self.across[0]
            and self.across[1] <= right
            and low <= self.upwards[0]
            and self.upwards[1] <= high
        )


def _overlap(
    one: tuple[float, float], other: tuple[float, float], away: float, pixels: tuple[float, float]
) -> bool:
    """Return whether two ranges of pixels meet, ``away`` axis units apart, at either size of a unit."""
    least, most = sorted(away * unit for unit in pixels)
    return least + other[0] < one[1] and one[0] < most + other[1]


def _labelled(rows: Sequence[SharedOccupation]) -> list[tuple[SharedOccupation, Corner]]:
    """Choose which points to name and where: the most tilted first, without covering marks or names."""
    dot = (-RADIUS, RADIUS)
    points = [_Box(row.tilt, row.share, dot, dot) for row in rows]
    points += [box for row in rows for box in _whiskers(row)]
    names: list[_Box] = []
    chosen: list[tuple[SharedOccupation, Corner]] = []
    for row in sorted(rows, key=lambda each: -abs(each.tilt)):
        places = ((corner, _name_box(row, corner)) for corner in CORNERS)
        free = (
            (corner, box)
            for corner, box in places
            if box.inside and not any(box.may_meet(other) for other in (*points, *names))
        )
        if len(chosen) < MOST_LABELS and (index := next(free, None)):
            chosen.append((row, index[0]))
            names.append(index[1])
    return chosen


def _whiskers(row: SharedOccupation) -> Iterator[_Box]:
    """Yield boxes along the whiskers of a point."""
    line = (-THICKNESS, THICKNESS)
    if ends := row.tilt_interval:
        for tilt in np.linspace(ends.low, ends.high, SAMPLES).tolist():
            yield _Box(tilt, row.share, line, line)
    if ends := row.interval:
        for share in np.linspace(ends.low, ends.high, SAMPLES).tolist():
            yield _Box(row.tilt, share, line, line)


def _name_box(row: SharedOccupation, corner: Corner) -> _Box:
    """Return the box of a name at a corner of its point."""
    width = CHARACTER * min(LONGEST, theme.columns(row.occupation))
    near, far = RADIUS, RADIUS + width
    across = (near, far) if corner[0] > 0 else (-far, -near)
    upwards = (RADIUS, RADIUS + LINE) if corner[1] > 0 else (-RADIUS - LINE, -RADIUS)
    return _Box(row.tilt, row.share, across, upwards)
