"""What is reported of a run: risks, their intervals and what corrects them.

Also what is reported of comparisons, of two runs over the same templates and occupations and of runs along an
axis, and how the stereotype of one occupation is spread over contexts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray, LeftOut, Record
from pcf_core.core.run import CoverageSummary, SelfAudit

Scale = Literal["pcf", "bvf"]
Aggregation = Literal["sum", "mean"]
Over = Literal["templates", "occupations", "both"]
Items = Literal["pairs", "sentences", "terms", "items"]  # of a known benchmark, whose intervals are over them
Unit = Literal["template", "counts-only", "counts-only-mentions"]
# How far occupations are from neutral subjects, and from each other: in shares of groups, and in log-odds.
NeutralMeasure = Literal["distance", "spread", "log_odds_distance", "log_odds_spread"]


class Tested(Record):
    """A record with a p-value, ``adjusted`` if several are tested; each declares both fields itself."""

    if TYPE_CHECKING:
        p_value: float | None
        adjusted: float | None

    @property
    def controlled_p(self) -> float | None:
        """The p-value for the verdict, adjusted if there are several tests."""
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        """Whether the difference is beyond chance."""
        return self.controlled_p is not None and self.controlled_p <= SIGNIFICANCE


class Interval(Record):
    """A two-sided interval.

    ``over``: what would be other another time.  ``unit``: what was resampled: ``template``, ``document``,
    ``mention``, ``draw`` or ``occupation``; over ``both`` the first of them, as occupations are drawn as
    such.
    ``few``: these units count as fewer than ten, so that the interval may be wide, or hold less often than
    ``level``, see docs/measured-coverage.md; ``None`` where nothing is said of it.
    """

    over: Over | Items = "templates"
    level: float = 0.95
    low: float
    high: float
    unit: str = "template"
    few: bool | None = None


class Look(Record):
    """The result of a sampling plan after so many draws.

    ``draws``: of ``templates`` distinct ones out of ``available``, those with a count above 0.
    ``effective_draws``: (Σ w)² / Σ w² of the draws' importance weights, ``draws`` where the weights are the
    counts.  ``estimates`` and ``intervals``: of R, R^p and R^c, by quantity; prejudice and caprice are
    corrected for the bias of a sample.  ``half_width``: the widest of the three.  Once every template with a
    count was drawn, the values are those of the whole set and ``half_width`` is 0.
    """

    within: float
    draws: int
    effective_draws: float
    templates: int
    available: int
    half_width: float
    estimates: dict[str, float]
    intervals: dict[str, Interval]

    @property
    def whole(self) -> bool:
        """Whether every template with a count was drawn."""
        return self.templates == self.available


class CorrectedRisk(Record):
    """R^p and R^c corrected for the bias of few templates, beside the plug-in figures; R has none.

    ``sampling_prejudice``: the R^p that these templates would show on average if the true mean stereotype of
    every occupation were neutral, from their sampling alone; ``None`` where it was not computed.
    ``headline``: whether the report's own prejudice and caprice, also of each occupation, are the corrected
    ones; so it is where templates were drawn by a sampling plan.
    """

    prejudice_risk: float
    caprice_risk: float
    plug_in_prejudice_risk: float
    plug_in_caprice_risk: float
    headline: bool
    sampling_prejudice: float | None = None


class Lean(Record):
    """Whether occupations differ in their mean stereotypes (tilts), in two ways.

    ``mean_square`` and ``variance``: the mean square of the tilts is that of their mean plus their variance
    over occupations, each averaged over groups.  ``common`` and ``specific``: J of the mean tilt, and what
    R^p has beyond it; they sum to the plug-in R^p.  ``specific`` is 0 wherever all occupations prefer the
    same group, however much they differ.
    ``intervals``: of ``differing``, ``common_lean`` and ``specific_lean``, over templates (first), over
    occupations and over both.
    """

    common: float
    specific: float
    mean_square: float = 0.0
    variance: float = 0.0
    intervals: Mapping[str, tuple[Interval, ...]] = {}

    @property
    def differing(self) -> float | None:
        """The share of the mean square that differs between occupations; ``None`` where no tilt is."""
        whole = self.mean_square + self.variance
        return self.variance / whole if whole > 0 else None

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """Return the interval of a quantity over templates, occupations or both, ``None`` without one."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)


@dataclass(frozen=True)
class OccupationRisk:
    """Risk of one occupation: r_x = r_x^p + r_x^c, the s.d. of its stereotype, mean preferences by group.

    ``corrected_prejudice_risk``: r_x^p less the bias of few templates, between 0 and r_x.
    """

    occupation: str
    weight: float
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float
    stereotype: Mapping[str, float]
    preferences: Mapping[str, float]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    corrected_prejudice_risk: float | None = None


@dataclass(frozen=True)
class RiskReport:
    """R = R^p + R^c (PCF Eq. 7–9) with everything needed to read it.

    ``intervals``: by quantity, over templates (first), over occupations and over both, where they are known.
    ``lean``: whether occupations differ; ``None`` of a brief report and where templates were drawn by a plan.
    """

    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    effective_templates: float
    groups: tuple[str, ...]
    templates: tuple[str, ...]
    template_weights: FloatArray
    occupations: tuple[OccupationRisk, ...]
    intervals: Mapping[str, tuple[Interval, ...]] = field(default_factory=dict)
    criterion: str = ""
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    coverage: CoverageSummary | None = None
    self_audit: SelfAudit | None = None
    corrected: CorrectedRisk | None = None
    sampling: Look | None = None
    lean: Lean | None = None

    @property
    def stereotype_sd(self) -> float:
        """The s.d. of the stereotype over templates, averaged over occupations by weight: read beside R^c."""
        return float(sum(row.weight * row.stereotype_sd for row in self.occupations))

    @property
    def says_little(self) -> bool:
        """Whether the model hardly expects the topic's words in too many cells to answer anything."""
        return self.coverage is not None and self.coverage.is_low

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """Return the interval of R, R^p or R^c over templates, occupations or both, ``None`` without one."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)


# Records of comparisons: two runs over the same templates and occupations, and runs along an axis.


Verdict = Literal["first", "second", "equal", "unclear", "too few"]

SIGNIFICANCE = 0.05  # of a p-value, and the share of false discoveries that is accepted
COUNTS_ONLY = ("document", "mention")  # units of intervals that leave every template where it is
WHOLE_TEMPLATES = "templates", "template"  # what an interval is over, and its unit
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
    over both; both runs see the same draws.  Where the first draws counts only, the last one draws whole
    templates.  ``p_value``: of a permutation test that swaps the two runs
    template by template.  ``adjusted``: that of an occupation, controlled for false discoveries over all
    occupations (Benjamini–Hochberg), or that of a total where several comparisons are read together (Holm);
    ``None`` for the total of one.  ``least_p``: the smallest ``controlled_p`` that so few templates can give.
    ``margin``: the smallest difference worth reporting, in the same units; 0 takes every one for that.
    """

    first: float
    second: float
    intervals: tuple[Interval, ...]
    p_value: float
    least_p: float
    adjusted: float | None = None
    margin: float = 0.0

    @property
    def value(self) -> float:
        """``first`` − ``second``, in the units of the scale."""
        return self.first - self.second

    @property
    def controlled_p(self) -> float:
        """The p-value that a verdict rests on: controlled where there are several tests."""
        return self.p_value if self.adjusted is None else self.adjusted

    def interval(self, over: Over = "templates") -> Interval | None:
        """Return the interval over templates, occupations or both; ``None`` where there is none."""
        return next((found for found in self.intervals if found.over == over), None)

    @property
    def basis(self) -> Interval | None:
        """The interval that a verdict rests on: over whole templates, which are what the test swaps."""
        return next((one for one in self.intervals if (one.over, one.unit) == WHOLE_TEMPLATES), None)

    @property
    def verdict(self) -> Verdict:
        """Whose figure is higher, with these occupations, if other templates had been taken.

        ``first`` or ``second`` where the permutation test, controlled for false discoveries where there are
        many, rejects and the interval over whole templates leaves out 0; ``equal`` where nothing differs in
        any resample; ``too few`` where no outcome of so few templates could reject; else ``unclear``.
        """
        interval = self.basis
        ends = (0.0,) if interval is None else (interval.low, interval.high)
        if max(abs(value) for value in (self.value, *ends)) <= ROUNDING:
            return "equal"
        if self.least_p > SIGNIFICANCE:
            return "too few"
        if self.controlled_p > SIGNIFICANCE or (interval is not None and interval.low <= 0 <= interval.high):
            return "unclear"
        return "first" if self.value > 0 else "second"

    @property
    def differs(self) -> bool:
        """Whether the verdict is that one of the two is higher."""
        return self.verdict in ("first", "second")

    @property
    def negligible(self) -> bool:
        """Whether the interval that a verdict rests on lies inside ± ``margin``: what there is, is too small.

        The margin is an equivalence margin, also called the smallest effect size of interest (Schuirmann
        1987, doi:10.1007/BF01068419; Lakens, Scheel & Isager 2018, doi:10.1177/2515245918770963).  Two
        one-sided tests at 5 % ask for the interval of 90 %; that of 95 % is stricter.
        """
        interval = self.basis
        return interval is not None and max(-interval.low, interval.high) < self.margin

    @property
    def ordered(self) -> bool:
        """Whether it is said which of the two is higher: both differ, by as much as may matter.

        Nothing else that a person reads puts two models in an order.
        """
        return self.differs and not self.negligible


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
    """One of the two runs.

    ``name`` tells it from the other, ``left_out`` counts templates and occupations that only this run has.
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
        """Return the occupations whose difference survives the control of false discoveries."""
        return tuple(row for row in self.occupations if row.differences[quantity].differs)


@dataclass(frozen=True)
class SubjectShares:
    """What two models give one neutral subject.

    ``shares``: of the first and of the second model, [group] mean preferences.  ``without``: the difference
    in distance where this subject is left out.
    """

    subject: str
    shares: tuple[tuple[float, ...], ...]
    without: float


@dataclass(frozen=True)
class NeutralComparison:
    """Two runs, each held against its own neutral subjects, on their common templates and occupations.

    ``runs``: keys of the runs of the subjects.  ``differences``: by :data:`NeutralMeasure`, those in log-odds
    only where they are defined; the intervals of distances draw subjects with the templates.
    """

    runs: tuple[str, str]
    groups: tuple[str, ...]
    subjects: tuple[SubjectShares, ...]
    differences: Mapping[NeutralMeasure, Difference]


# How the stereotype of one occupation is spread over contexts, and how sure a mean tilt is.


@dataclass(frozen=True)
class StereotypeDistribution:
    """The stereotype s of one group over the contexts of one occupation (BVF section 3.3, step 2).

    ``values``: [context] s, ascending; ``weights``: [context] above 0, they sum to 1; ``templates``: the
    contexts in the same order.  ``mean``, ``sd``: weighted, E s and the s.d. of s.  ``overall_risk`` and
    ``prejudice_risk``: r_x and r_x^p of the occupation, over all its groups; what lies between them is the
    Jensen gap.  ``leads``: no other group has a larger mean.  ``mean_interval``: of E s over templates.
    ``effective``: of how many equally weighted contexts the shares are as sure.
    """

    occupation: str
    group: str
    values: FloatArray
    weights: FloatArray
    templates: tuple[str, ...]
    mean: float
    sd: float
    overall_risk: float
    prejudice_risk: float
    leads: bool
    mean_interval: Interval
    effective: float

    @property
    def jensen_gap(self) -> float:
        """Caprice r_x^c = r_x − r_x^p."""
        return self.overall_risk - self.prejudice_risk

    def share_above(self, threshold: float) -> float:
        """Return P(s > threshold): the weight of the contexts above the threshold, between 0 and 1."""
        return float(1 - self.cumulative([threshold])[0])

    def cumulative(self, at: ArrayLike) -> FloatArray:
        """Return P(s <= at), the weighted empirical distribution function, for each of [point] values."""
        summed = np.concatenate([[0.0], np.cumsum(self.weights)])
        summed[-1] = 1.0  # sums of thousands of weights err by about 1e-14
        return np.asarray(summed[np.searchsorted(self.values, np.asarray(at), side="right")])


@dataclass(frozen=True)
class Context:
    """One context at an end of a distribution: its template, weight and stereotype."""

    template: str
    weight: float
    stereotype: float


@dataclass(frozen=True)
class MeanTilt:
    """The mean stereotype towards one group, of a model and of each of its occupations.

    ``mean``: over occupations by their weight, with ``intervals`` over templates, occupations and both.
    ``occupations``: per occupation low and high of E s over templates, at the same level.
    """

    group: str
    mean: float
    intervals: Mapping[Over, Interval]
    occupations: Mapping[str, tuple[float, float]]

    def interval(self, occupation: str) -> Interval:
        """Return the interval over templates of one occupation's mean stereotype E s."""
        low, high = self.occupations[occupation]
        return self.intervals["templates"].model_copy(update={"low": low, "high": high})
