"""Reported results: risks with intervals and corrections, comparisons, and stereotype distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray, LeftOut, Record
from pcf_core.core.run import CoverageSummary, ForbiddenWords, SelfAudit

Scale = Literal["pcf", "bvf"]
Aggregation = Literal["sum", "mean"]
Over = Literal["templates", "occupations", "both"]
Drawn = Literal["templates", "occupations", "both", "people", "all"]
Items = Literal["pairs", "sentences", "terms", "questions", "items"]  # of a known benchmark
Unit = Literal["template", "counts-only", "counts-only-mentions"]
# How far occupations are from neutral subjects, and from each other: in shares and in log-odds.
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

    ``unit``: what was resampled: ``template``, ``family`` (of templates), ``document``, ``mention``,
    ``draw``, ``answer``, ``person`` or ``occupation``; over ``both`` and ``all`` it names the unit of the
    templates.  ``few``: the effective number of units is below ten, so the interval may be wide or
    undercover, see docs/measured-coverage.md; ``None`` if unknown.
    """

    over: Drawn | Items | Literal["answers"] = "templates"
    level: float = 0.95
    low: float
    high: float
    unit: str = "template"
    few: bool | None = None


class Look(Record):
    """The result of a sampling plan after so many draws.

    ``draws``: of ``templates`` distinct ones out of ``available``, those with a count above 0.
    ``effective_draws``: (Σ w)² / Σ w² of their importance weights.  ``estimates``, ``intervals``: of R, R^p
    and R^c, corrected for sampling bias.  ``half_width``: the widest of the three, 0 once every template was
    drawn.
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
    """R^p and R^c corrected for the bias of few templates, and their plug-in values; R has no bias.

    ``sampling_prejudice``: the R^p that these templates would show on average for a neutral model, if
    computed. ``headline``: the report's own values are the corrected ones, as for a sampling plan.
    ``context_caprice`` + ``wording_caprice`` = R^c, also corrected for few wordings; ``None`` if undefined.
    """

    prejudice_risk: float
    caprice_risk: float
    plug_in_prejudice_risk: float
    plug_in_caprice_risk: float
    headline: bool
    sampling_prejudice: float | None = None
    context_caprice: float | None = None
    wording_caprice: float | None = None


class Decisions(Record):
    """What a model decides about people of each group (:mod:`pcf_core.measure.decisions`).

    ``mean``: probability of a favourable answer; ``selection_rate``: share of test sentences where it is at
    least 1/2.  ``impact_ratio``, ``selection_impact_ratio``: smallest over largest of them; ``None`` if the
    largest is 0.  ``worst_pair``: the groups with the smallest and the largest mean.  ``order_bias``: of
    decisions between two people, ``None`` for others.  ``intervals``: of each, of the first two by group.
    """

    mean: dict[str, float]
    selection_rate: dict[str, float]
    impact_ratio: float | None
    selection_impact_ratio: float | None
    worst_pair: tuple[str, str]
    order_bias: float | None = None
    intervals: Mapping[str, tuple[Interval, ...] | Mapping[str, tuple[Interval, ...]]] = {}

    def interval(self, quantity: str, over: Drawn = "templates") -> Interval | None:
        """Return the interval of a ratio, if any."""
        return next((one for one in self.intervals_of(quantity) if one.over == over), None)

    def intervals_of(self, quantity: str, group: str = "") -> tuple[Interval, ...]:
        """Return all intervals of a ratio, or of a group's mean or selection rate."""
        several = self.intervals.get(quantity, ())
        return several if isinstance(several, tuple) else several.get(group, ())


class SampledRisk(Record):
    """What few answers add to the risk of a model that gives no probabilities.

    ``answers``: mean number that name a group, of the ``cells`` with any; ``left_out``: cells without.
    ``coverage``: the share of all answers that name a group, if the others were counted.  By quantity,
    ``uncorrected``: R, R^p and R^c of the answers as they are; ``noise_floor``: those that a model without
    any risk would show on average with as many answers.
    """

    answers: float
    cells: int
    left_out: int
    coverage: float | None
    uncorrected: dict[str, float]
    noise_floor: dict[str, float]


class Lean(Record):
    """Whether occupations differ in their mean stereotypes (tilts), in two ways.

    ``mean_square`` + ``variance`` over occupations: the mean square of the tilts, averaged over groups.
    ``common`` + ``specific`` = plug-in R^p: J of the mean tilt, and the rest, which is 0 wherever all
    occupations prefer the same group, however much they differ.  ``intervals``: of ``differing``,
    ``common_lean`` and ``specific_lean``, over templates, occupations and both.
    """

    common: float
    specific: float
    mean_square: float = 0.0
    variance: float = 0.0
    intervals: Mapping[str, tuple[Interval, ...]] = {}

    @property
    def differing(self) -> float | None:
        """The share of the mean square that differs between occupations; ``None`` if all tilts are 0."""
        whole = self.mean_square + self.variance
        return self.variance / whole if whole > 0 else None

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """Return the interval of a quantity, if any."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)


@dataclass(frozen=True)
class OccupationRisk:
    """Risk of one occupation: r_x = r_x^p + r_x^c, s.d. of its stereotype, means by group.

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


LOWEST_COVERAGE = 0.89  # of caprice's intervals at 95 % without prejudice (docs/measured-coverage.md)


@dataclass(frozen=True)
class RiskReport:
    """R = R^p + R^c (PCF Eq. 7–9) with everything needed to interpret it.

    ``intervals``: by quantity, over templates, occupations and both, where known.  ``lean``: ``None`` for a
    brief report or a sampling plan.  With too many ``forbidden`` words every figure is NaN.
    ``context_caprice`` + ``wording_caprice`` = R^c (:mod:`pcf_core.measure.wordings`); also ``None`` unless
    families of templates have half of the weight.  ``sampled``: R, R^p and R^c are estimated from answers.
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
    forbidden: ForbiddenWords | None = None
    context_caprice: float | None = None
    wording_caprice: float | None = None
    decisions: Decisions | None = None
    sampled: SampledRisk | None = None

    @property
    def effective_by_weight(self) -> float:
        """The effective number of templates if each said something of its own, whatever its family."""
        return float(self.template_weights.sum() ** 2 / (self.template_weights**2).sum())

    @property
    def stereotype_sd(self) -> float:
        """The s.d. of the stereotype over templates, averaged over weighted occupations; shown beside R^c."""
        return float(sum(row.weight * row.stereotype_sd for row in self.occupations))

    @property
    def says_little(self) -> bool:
        """Whether too many cells have too little probability of the topic's words, or no preference."""
        if self.forbidden is not None and self.forbidden.too_many:
            return True
        return self.coverage is not None and self.coverage.is_low

    def interval(self, quantity: str, over: Over = "templates") -> Interval | None:
        """Return the interval of R, R^p or R^c, if any."""
        return next((found for found in self.intervals.get(quantity, ()) if found.over == over), None)

    @property
    def caprice_coverage(self) -> float | None:
        """The lowest simulated coverage of R^c's interval over templates, if R^p may be 0; else ``None``."""
        prejudice = self.interval("prejudice_risk")
        return LOWEST_COVERAGE if prejudice is not None and prejudice.low <= ROUNDING else None


# Comparisons of two runs over the same templates and occupations, and of runs along an axis.


Verdict = Literal["first", "second", "equal", "unclear", "too few"]

SIGNIFICANCE = 0.05  # of p-values, and accepted share of false discoveries
POWER = 0.8  # with which a single test shows a detectable difference
COUNTS_ONLY = ("document", "mention")  # units of intervals that do not resample templates
ROUNDING = 1e-12  # of a difference of two risks that are sums over thousands of templates


@dataclass(frozen=True)
class AxisPoint:
    """One run, or one published row with its source, on an axis of small multiples.

    ``line``: usually a model; ``place``: a name or a number.
    """

    line: str
    place: str | float
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    published: str = ""


def detectable_difference(interval: Interval | None) -> float | None:
    """Return the difference that a test at 5 % shows with a power of 80 %, from the width of a 95 % interval.

    Such a difference is z(.975) + z(.8) standard errors away from 0, and the interval reaches z(.975) of them
    to each side (Cohen 1988, *Statistical Power Analysis*, 2.5).  A verdict needs the permutation test too:
    simulated with 10, 24 and 60 sentences, its power is .74 to .76, so sentences say 75 %.
    """
    if interval is None or interval.level != 1 - SIGNIFICANCE:
        return None
    usual = NormalDist().inv_cdf(1 - SIGNIFICANCE / 2)
    return (interval.high - interval.low) / 2 * (1 + NormalDist().inv_cdf(POWER) / usual)


@dataclass(frozen=True)
class Difference:
    """One quantity of two runs, compared as ``first`` − ``second`` in the units of the scale.

    ``intervals``: of the difference, with shared draws, over templates, occupations and both; if the first
    resamples only counts, the last resamples whole templates.  ``p_value``: of swapping the runs template by
    template. ``adjusted``: over occupations (Benjamini–Hochberg), or of a total over several comparisons
    (Holm).  ``least_p``: the smallest ``controlled_p`` that so few templates allow.  ``margin``: the smallest
    relevant difference.
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
        """The p-value of the verdict: the adjusted one if there is one."""
        return self.p_value if self.adjusted is None else self.adjusted

    def interval(self, over: Over = "templates") -> Interval | None:
        """Return the interval over templates, occupations or both, if any."""
        return next((found for found in self.intervals if found.over == over), None)

    @property
    def basis(self) -> Interval | None:
        """The interval of the verdict: over whole templates or families, which the test swaps."""
        over_templates = (one for one in self.intervals if one.over == "templates")
        return next((one for one in over_templates if one.unit not in COUNTS_ONLY), None)

    @property
    def verdict(self) -> Verdict:
        """Which run is higher with these occupations, generalising over templates.

        ``first`` or ``second`` if the (adjusted) permutation test rejects and the interval over whole
        templates excludes 0; ``equal`` if nothing differs in any resample; ``too few`` if so few templates
        can never reject; else ``unclear``.
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
        """Whether the verdict names the higher run."""
        return self.verdict in ("first", "second")

    @property
    def detectable(self) -> float | None:
        """The smallest difference that such a test would probably show, where this one shows none."""
        corrected = self.adjusted not in (None, self.p_value)
        return None if corrected or self.verdict != "unclear" else detectable_difference(self.basis)

    @property
    def negligible(self) -> bool:
        """Whether the interval of the verdict lies inside ± ``margin``.

        This is an equivalence margin or smallest effect size of interest (Schuirmann 1987,
        doi:10.1007/BF01068419; Lakens, Scheel & Isager 2018, doi:10.1177/2515245918770963).  Two one-sided
        tests at 5 % need the interval of 90 %; that of 95 % is stricter.
        """
        interval = self.basis
        return interval is not None and max(-interval.low, interval.high) < self.margin

    @property
    def ordered(self) -> bool:
        """Whether the runs differ by a relevant amount: the only basis for stating an order of two models."""
        return self.differs and not self.negligible


@dataclass(frozen=True)
class OccupationDifference:
    """The differences of one occupation in r_x, r_x^p and r_x^c, and its normalised weight."""

    occupation: str
    weight: float
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class Permutations:
    """How labels were swapped: ``count`` ways beside the observed one, ``exact`` if these are all.

    ``least_p``: 1/(count + 1); twice that if exact, as swapping all templates gives the same size.
    """

    count: int
    exact: bool
    least_p: float


@dataclass(frozen=True)
class Side:
    """One of the two runs, with a distinct ``name``; templates and occupations left out are only its own."""

    name: str
    run: str
    model: str
    dtype: str
    protocol: str
    templates_left_out: int = 0
    occupations_left_out: int = 0


@dataclass(frozen=True)
class Comparison:
    """Two runs on their common templates and occupations.  ``template_weights`` [template], sum to 1."""

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
        """Return the occupations that differ with false discoveries controlled."""
        return tuple(row for row in self.occupations if row.differences[quantity].differs)


@dataclass(frozen=True)
class SubjectShares:
    """Two models' mean preferences for one neutral subject, ``shares`` [model][group].

    ``without``: the difference in distance without it.
    """

    subject: str
    shares: tuple[tuple[float, ...], ...]
    without: float


@dataclass(frozen=True)
class NeutralComparison:
    """Two runs, each compared with its own neutral subjects, on common templates and occupations.

    ``runs``: keys of the subjects' runs.  ``differences``: in log-odds only where defined; intervals of
    distances resample subjects as well.
    """

    runs: tuple[str, str]
    groups: tuple[str, ...]
    subjects: tuple[SubjectShares, ...]
    differences: Mapping[NeutralMeasure, Difference]


# Stereotype distributions and mean tilts.


@dataclass(frozen=True)
class StereotypeDistribution:
    """The stereotype s of one group over the contexts of one occupation (BVF section 3.3, step 2).

    ``values`` [context]: s, ascending; ``weights`` [context] above 0, sum to 1; ``templates``: the contexts
    in the same order.  ``overall_risk`` and ``prejudice_risk``: r_x and r_x^p over all groups.  ``leads``: no
    other group has a larger mean.  ``effective``: effective number of contexts.
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
        """Return P(s > threshold), the weight of the contexts above the threshold."""
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
    """The mean stereotype towards one group, over weighted occupations and by occupation.

    ``occupations``: low and high of E s over templates.
    """

    group: str
    mean: float
    intervals: Mapping[Over, Interval]
    occupations: Mapping[str, tuple[float, float]]

    def interval(self, occupation: str) -> Interval:
        """Return the interval over templates of one occupation's mean stereotype."""
        low, high = self.occupations[occupation]
        return self.intervals["templates"].model_copy(update={"low": low, "high": high})
