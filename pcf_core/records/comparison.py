"""Records of comparisons: two runs over the same templates and occupations, and runs along an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pcf_core.records.base import FloatArray, LeftOut
from pcf_core.records.risk import Interval, Over

Verdict = Literal["first", "second", "equal", "unclear", "too few"]

SIGNIFICANCE = 0.05  # of a permutation p-value, and the share of false discoveries that is accepted
ROUNDING = 1e-12  # of a difference of two risks that are sums over thousands of templates


@dataclass(frozen=True)
class AxisPoint:
    """One run, or one printed row, at its place on an axis of small multiples.

    ``line``: what it belongs to, mostly a model; ``place``: where it stands, a name or a number; ``values``:
    R, R^p and R^c by quantity, ``intervals``: theirs, where they are known.  ``published``: the source of a
    printed row, empty for a run of ours.
    """

    line: str
    place: str | float
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    published: str = ""


@dataclass(frozen=True)
class Difference:
    """One quantity of two runs; what is compared is ``first`` − ``second``, in the units of the scale.

    ``intervals``: of the difference, over templates (first), and where they are known over occupations and
    over both; both runs see the same draws.  ``p_value``: of a permutation test that swaps the two runs
    template by template.  ``adjusted``: that of an occupation, controlled for false discoveries over all
    occupations (Benjamini–Hochberg), or that of a total where several comparisons are read together (Holm);
    ``None`` for the total of one.  ``least_p``: the smallest ``controlled_p`` that so few templates can give.
    """

    first: float
    second: float
    intervals: tuple[Interval, ...]
    p_value: float
    least_p: float
    adjusted: float | None = None

    @property
    def value(self) -> float:
        return self.first - self.second

    @property
    def controlled_p(self) -> float:
        """The p-value that a verdict rests on: controlled where there are several tests."""
        return self.p_value if self.adjusted is None else self.adjusted

    def interval(self, over: Over = "templates") -> Interval | None:
        """The interval over templates, occupations or both; ``None`` where there is none."""
        return next((found for found in self.intervals if found.over == over), None)

    @property
    def verdict(self) -> Verdict:
        """Whose figure is higher, with these occupations, if other templates had been taken.

        ``first`` or ``second`` where the permutation test, controlled for false discoveries where there are
        many, rejects and the interval over templates leaves out 0; ``equal`` where nothing differs in any
        resample; ``too few`` where no outcome of so few templates could reject; else ``unclear``.
        """
        interval = self.interval()
        ends = (0.0,) if interval is None else (interval.low, interval.high)
        if max(abs(value) for value in (self.value, *ends)) <= ROUNDING:
            return "equal"
        if self.least_p > SIGNIFICANCE:
            return "too few"
        if self.controlled_p > SIGNIFICANCE or (interval is not None and interval.low <= 0 <= interval.high):
            return "unclear"
        return "first" if self.value > 0 else "second"


@dataclass(frozen=True)
class OccupationDifference:
    """The differences of one occupation in r_x, r_x^p and r_x^c, by quantity, and its normalised weight."""

    occupation: str
    weight: float
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class Permutations:
    """How labels were swapped: ``count`` ways beside the observed one, ``exact`` where these are all.

    ``least_p``: 1/(count + 1) where they were drawn; where they are all, swapping every template at once
    gives the same size again, so that 2/(count + 1) is the least.
    """

    count: int
    exact: bool
    least_p: float


@dataclass(frozen=True)
class Side:
    """One of the two runs: ``name`` tells it from the other, ``left_out`` counts templates and occupations
    that only this run has.
    """

    name: str
    run: str
    model: str
    dtype: str
    protocol: str
    templates_left_out: int = 0
    occupations_left_out: int = 0


@dataclass(frozen=True)
class Comparison:
    """Two runs on their common templates and occupations.

    ``differences``: of R, R^p and R^c, by quantity.  ``template_weights``: [template], sums to 1.
    """

    first: Side
    second: Side
    groups: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    effective_templates: float
    differences: Mapping[str, Difference]
    occupations: tuple[OccupationDifference, ...]
    permutations: Permutations
    criterion: str
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def surviving(self, quantity: str) -> tuple[OccupationDifference, ...]:
        """The occupations whose difference survives the control of false discoveries."""
        return tuple(
            row for row in self.occupations if row.differences[quantity].verdict in ("first", "second")
        )
