"""Bootstrap intervals of R, R^p, R^c and each r_x over templates, occupations or both.

Over templates, the unit of :class:`~pcf_core.measure.resampling.TemplateUnit` is resampled and occupations
are fixed; over occupations, the reverse; over both, whole templates and occupations are resampled
independently, whatever the unit (the pigeonhole bootstrap, Owen 2007, doi:10.1214/07-AOAS122), which is
conservative where they do not interact.  No interval covers contexts outside the template set.

Bounds are stretched percentiles with an acceleration for skewness (:mod:`pcf_core.measure.resampling`).
Where J has a kink (E s = 0, or groups that tie) these fail: the plug-in r^p and all its replicates lie above
the truth.  Therefore:

- r_x^p: an inverted test (:func:`pcf_core.measure.resampling.bounds_of_means`).
- r_x^c = r − J(μ), and J lies above its tangents: r^c <= r − ∇J(m)·μ.  The upper end is that of the
  replicates r* − ∇J(m)·m*, which far from a kink are those of r^c.  Where resamples disagree on the leading
  group, it is the upper end of r_x less the lower end of r_x^p.  It is 0 where no context contributes
  caprice.
- R^p (:func:`prejudice_ends`): let P be the plug-in value, P̃ the corrected one
  (:mod:`pcf_core.measure.corrected`) and P + d an end of stretched percentiles about P.  The end is P̃ + d,
  or P + d corrected as P is, √((P + d)² − (E² − P²)), which is much farther away near a kink and 0 if P is no
  more than a neutral model shows.  The lower end is the lesser of the two; the upper one moves from the first
  to the second as P̃ / P goes from 0 (all of P may be noise) to 1.  With strata it is at least P + d: few
  templates of opposite slots may hide a prejudice that the correction then takes for noise (88 % coverage).
- R^c (:func:`caprice_ends`): about the corrected R − P̃.  Its s.d. is roughly proportional to itself, so the
  distances d are multiplied by corrected / plug-in caprice, on the scale of the square root, (√c + d / 2√c)².
  The upper end takes the larger of two sets of replicates (mean stereotypes as estimated, and shrunk until
  R^p is at its lower end), reaches up by as much as that lies below P̃ + d, and never exceeds the upper end
  of R.  Where R^p may be 0, all of R may be caprice: if the lower end of R^p is 0 with half of the error, the
  upper end is that of R with half of the error, as either can fail.

Every interval contains the plug-in estimate.  ``python -m benchmarks.coverage`` measures coverage and width
(docs/measured-coverage.md).  Few contexts with a change of sign lower the coverage of caprice, with equal
weights too: with two or so, r_x^c is covered in 82 (of 12), 77 (of 30), 83 (of 100 templates) of 100, r_x and
r_x^p in 94 to 96 (tests/measure/test_coverage.py).

**Influence of one context** (infinitesimal jackknife, Efron & Tibshirani 1993, ch. 21,
doi:10.1201/9780429246593): with m the mean stereotype and ∇ the gradient of J there, a draw moves r by J(s) −
r, r^p by ∇ · (s − m), and r^c by the difference.

**R alone** has the same intervals from the same draws, much faster: as a mean of J(s) it needs no mean
stereotypes or norms of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Lean, Over
from pcf_core.measure.corrected import Correction, cleared, correction
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import Decomposition, TemplateDraws, decompose, jensen_gap, lean_of, total
from pcf_core.measure.resampling import (
    TemplateUnit,
    bounds_of_means,
    holding,
    interval,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    seldom,
    stretch_and_few,
    stretched,
)

# Influence of a single context on r, r^p and r^c, and the skewness that follows.


def influences(stereotypes: FloatArray, parts: Decomposition, criterion: Criterion) -> dict[str, FloatArray]:
    """Return how a draw of a template moves the plug-in r, r^p and r^c, each [occupation, template].

    ``stereotypes`` [occupation, template, group].
    """
    slope = criterion.gradient(parts.stereotype)
    deviations = stereotypes - parts.stereotype[:, np.newaxis]
    overall = criterion.of_stereotypes(stereotypes) - parts.overall[:, np.newaxis]
    prejudice = (deviations @ slope[:, :, np.newaxis])[:, :, 0]
    return {
        "overall_risk": overall,
        "prejudice_risk": prejudice,
        "caprice_risk": overall - prejudice,
    }


def moments(moves: FloatArray, unit: TemplateUnit) -> tuple[FloatArray, FloatArray]:
    """Return [...] variance and third central moment of a weighted mean, from influences [..., template].

    Both add up over what is drawn independently, and are about the means of strata if there are any.  With
    slots of unequal weight the third moment is set to 0: it would depend on one outlier in the heaviest slot,
    and the replicates themselves are skewed.
    """
    moves = unit.means(moves)
    if (strata := unit.drawn_strata) is not None:
        moves = moves - strata.means(moves)
    if unit.places and not unit.alike:
        variance = (
            moves**2 @ unit.items / unit.effective
            if strata is None
            else moves**2 @ (strata.within * strata.squares[strata.of])
        )
        return variance, np.zeros_like(variance)
    carried = unit.items / np.maximum(unit.sizes, 1)
    return moves**2 @ (unit.sizes * carried**2), moves**3 @ (unit.sizes * carried**3)


def acceleration(*drawn: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return [...] a sixth of the skewness from the summed moments of all draws; 0 where nothing moves.

    Efron 1987, eq. 4.4 and 6.6 (doi:10.1080/01621459.1987.10478410).
    """
    variance, third = (np.sum(several, axis=0) for several in zip(*drawn, strict=True))
    cubed = variance**1.5  # of the s.d.; it underflows long before the variance does
    still = cubed <= np.finfo(float).tiny
    return np.asarray(np.where(still, 0.0, third / (6 * np.where(still, 1.0, cubed))))


RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


@dataclass(frozen=True)
class RiskIntervals:
    """Intervals by quantity: ``overall_risk``, ``prejudice_risk``, ``caprice_risk``, as far as requested.

    ``parts``: the decomposition they belong to.  ``intervals``: of R, R^p and R^c over templates, occupations
    and both.  ``occupations`` [occupation, 2]: low and high of r_x, r_x^p and r_x^c over templates.
    ``correction``: for sampling whole templates, or ``None`` if stored elsewhere.  ``lean``: ``None`` if only
    R was requested.
    """

    parts: Decomposition
    intervals: Mapping[str, tuple[Interval, ...]]
    occupations: Mapping[str, FloatArray]
    correction: Correction | None = None
    lean: Lean | None = None


@dataclass(frozen=True)
class Replicates:
    """Hold risks [resample, occupation] by quantity, and mean stereotypes [resample, occupation, group].

    With r_x alone, ``means`` is empty.
    """

    risks: Mapping[str, FloatArray]
    means: FloatArray


def risk_intervals(
    values: ArrayLike,
    unit: TemplateUnit,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    brief: bool = False,
) -> RiskIntervals:
    """Compute intervals of R, R^p, R^c and r_x, r_x^p, r_x^c, and r^p corrected for few templates.

    ``values`` [occupation, template, group] preferences, rows sum to 1 ± 1e-6; ``unit`` resampled of the
    templates, with their weights; ``occupation_weights`` [occupation] finite, >= 0, positive sum; ``level``
    inside (0, 1); ``brief``: R alone, from the same draws and in a fraction of the time.  Raises
    CriterionError if any of these is not allowed.
    """
    preferences = criterion.checked(values)
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    parts = decompose(preferences, unit.weights, criterion)
    stereotypes = criterion.stereotypes(preferences)
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    moves = influences(stereotypes, parts, criterion)

    def again(some: TemplateUnit) -> Replicates:
        blocks = resampled_template_weights(some, resamples, seed)
        return (overall_replicates if brief else replicates_of)(stereotypes, blocks, criterion)

    whole = unit.whole
    replicates = wide = again(unit)
    totals = across = Totals(parts, stereotypes, shares, unit, criterion, level)
    if whole is not unit:
        wide, across = again(whole), replace(totals, unit=whole)
    lean, occupations = None, dict[str, FloatArray]()
    if not brief:
        occupations = occupation_bounds(replicates, parts, moves, unit, criterion, level)
        lean = lean_of(
            parts,
            shares,
            criterion,
            TemplateDraws(unit, replicates.means, replicates.risks["prejudice_risk"]),
            TemplateDraws(whole, wide.means, wide.risks["prejudice_risk"]),
            drawn,
            level,
        )
    over_templates, over_both = totals.over_templates(replicates, moves), across.over_both(wide, moves, drawn)
    intervals = {
        name: (over_templates[name], totals.over_occupations(name, drawn), over_both[name])
        for name in over_templates
    }
    return RiskIntervals(parts, intervals, occupations, across.correction, lean)


@dataclass(frozen=True)
class Totals:
    """Make intervals of R, R^p and R^c.

    ``stereotypes`` [occupation, template, group]; ``shares`` [occupation] weights, sum to 1; ``unit``
    resampled.
    """

    parts: Decomposition
    stereotypes: FloatArray
    shares: FloatArray
    unit: TemplateUnit
    criterion: Criterion
    level: float

    @cached_property
    def correction(self) -> Correction:
        """The correction of r^p for sampling the unit."""
        drawn = self.unit.means(self.stereotypes, axis=1)
        return correction(drawn, self.unit, self.shares, self.criterion)

    def over_templates(self, replicates: Replicates, moves: Mapping[str, FloatArray]) -> dict[str, Interval]:
        """Return intervals by quantity, from replicates and influences [occupation, template]."""
        skew = acceleration(moments(self.shares @ moves["overall_risk"], self.unit))
        return self._intervals(replicates, self.shares[np.newaxis], skew, (self.unit,), "templates")

    def over_both(
        self, replicates: Replicates, moves: Mapping[str, FloatArray], drawn: FloatArray
    ) -> dict[str, Interval]:
        """Return intervals by quantity, from replicates, influences and weights [resample, occupation]."""
        occupations, deviations = self._occupations("overall_risk")
        by_template = moments(self.shares @ moves["overall_risk"], self.unit)
        skew = acceleration(by_template, moments(deviations, occupations))
        return self._intervals(replicates, drawn, skew, (self.unit, occupations), "both")

    def over_occupations(self, name: str, drawn: FloatArray) -> Interval:
        """Return an interval from weights [resample, occupation]; with fixed templates there is no bias."""
        occupations, deviations = self._occupations(name)
        skew = acceleration(moments(deviations, occupations))
        replicates = drawn @ part(self.parts, name)
        bounds = stretched(replicates, self.level, occupations.stretch(self.level), skew)
        return self._held(name, bounds, "occupations", "occupation", rough(occupations.effective))

    def _occupations(self, name: str) -> tuple[TemplateUnit, FloatArray]:
        """Return the resampling unit of occupations, and [occupation] deviations from the mean."""
        values = part(self.parts, name)
        return TemplateUnit.templates(self.shares), values - self.shares @ values

    def _intervals(
        self,
        resampled: Replicates,
        weights: FloatArray,
        skew: FloatArray,
        units: tuple[TemplateUnit, ...],
        over: Over,
    ) -> dict[str, Interval]:
        """Return intervals of all quantities with replicates, under weights [resample or 1, occupation]."""
        stretch, few = stretch_and_few(units, self.level)

        def averaged(risks: FloatArray) -> FloatArray:
            return np.asarray((risks * weights).sum(axis=1))

        def reach(replicates: FloatArray, level: float = self.level) -> FloatArray:
            stretch, _ = stretch_and_few(units, level)
            return np.asarray(stretched(replicates, level, stretch) - replicates.mean())

        risk, prejudice, caprice = (float(self.shares @ part(self.parts, name)) for name in RISKS)
        replicates = {name: averaged(risks) for name, risks in resampled.risks.items()}
        moved = replicates["overall_risk"]
        ends = {"overall_risk": stretched(moved, self.level, stretch, skew)}
        if "prejudice_risk" in replicates:
            corrected = float(self.shares @ self.correction.prejudice)
            moves = reach(replicates["prejudice_risk"])
            ends["prejudice_risk"] = prejudice_ends(prejudice, corrected, self.correction.added, moves)
            if self.unit.drawn_strata is not None:
                ends["prejudice_risk"][1] = max(ends["prejudice_risk"][1], prejudice + moves[1])
            low = ends["prejudice_risk"][0]
            shrunk = self.parts.stereotype * (low / prejudice if prejudice > 0 else 0.0)
            neutral = self.criterion.of_stereotypes(shrunk + resampled.means - resampled.means.mean(axis=0))
            distances = np.stack([reach(replicates["caprice_risk"]), reach(moved - averaged(neutral))])
            ends["caprice_risk"] = caprice_ends(
                caprice,
                risk - corrected,
                np.array([distances[0, 0], distances[:, 1].max()]),
                max(0.0, corrected + moves[0]) - low,
                ends["overall_risk"][1],
            )
            half = (1 + self.level) / 2
            surely = reach(replicates["prejudice_risk"], half)
            if prejudice_ends(prejudice, corrected, self.correction.added, surely)[0] <= 0:
                farther, _ = stretch_and_few(units, half)
                ends["caprice_risk"][1] = stretched(moved, half, farther, skew)[1]
        return {name: self._held(name, several, over, self.unit.name, few) for name, several in ends.items()}

    def _held(self, name: str, ends: FloatArray, over: Over, unit: str, few: bool) -> Interval:
        """Clip to the possible range and include the plug-in estimate."""
        value = getattr(total(self.parts, self.shares), name)
        most = float(self.shares @ self.criterion.largest(*self.parts.stereotype.shape))
        low, high = np.clip(ends, 0.0, most)
        bounds = np.array([min(low, value), max(high, value)])
        return interval(bounds, self.level, over, unit, few)


def prejudice_ends(plug_in: float, corrected: float, added: float, moves: FloatArray) -> FloatArray:
    """Return low and high of R^p (see the module).

    ``plug_in``, ``corrected``: P and P̃.  ``added``: E² − P².  ``moves``: [low, high] distances of the
    stretched percentiles from the mean of the replicates.
    """
    plain = np.maximum(corrected + moves, 0.0)
    undone = np.array([cleared(max(0.0, plug_in + move), added) for move in moves])
    clear = corrected / plug_in if plug_in > 0 else 0.0
    return np.array([plain.min(initial=undone[0]), plain[1] + clear * max(0.0, undone[1] - plain[1])])


def caprice_ends(
    plug_in: float, corrected: float, moves: FloatArray, farther: float, highest: float
) -> FloatArray:
    """Return low and high of R^c (see the module).

    ``plug_in``, ``corrected``: R^c and R − P̃.  ``moves``: [low, high] distances of the stretched percentiles
    from the mean of the replicates.  ``farther``: how far the lower end of R^p lies below its stretched
    percentiles. ``highest``: upper end of R.
    """
    if plug_in <= 0:
        return np.array([0.0, corrected])
    roots = math.sqrt(corrected) + moves * corrected / plug_in / (2 * math.sqrt(corrected))
    low, high = np.maximum(roots, 0.0) ** 2
    return np.array([low, min(high + farther, highest)])


def part(parts: Decomposition, name: str) -> FloatArray:
    """Return [occupation] r_x, r_x^p or r_x^c."""
    return dict(zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True))[name]


def occupation_bounds(
    resampled: Replicates,
    parts: Decomposition,
    moves: Mapping[str, FloatArray],
    unit: TemplateUnit,
    criterion: Criterion,
    level: float,
) -> dict[str, FloatArray]:
    """Return [occupation, 2] low and high of r_x, r_x^p and r_x^c over templates (see the module).

    ``resampled``: replicates over ``unit``.  ``moves``: influences [occupation, template] by quantity.
    """
    skew = {name: acceleration(moments(moves[name], unit)) for name in RISKS}
    stretch, most = unit.stretch(level), criterion.largest(*parts.stereotype.shape)

    def ends(replicates: FloatArray, skew: FloatArray | None = None) -> FloatArray:
        return np.clip(stretched(replicates, level, stretch, skew), 0.0, most)

    overall = ends(resampled.risks["overall_risk"], skew["overall_risk"]).T
    limits = criterion.limits(parts.stereotype)
    of_means = bounds_of_means(resampled.means, parts.stereotype, limits, criterion, level, stretch)
    prejudice = holding(of_means[0], np.minimum(of_means[1], most), parts.prejudice)
    tangent = np.einsum("bxg,xg->bx", resampled.means, criterion.gradient(parts.stereotype))
    above = jensen_gap(resampled.risks["overall_risk"], tangent)
    low, _ = ends(resampled.risks["caprice_risk"])
    _, high = ends(above, skew["caprice_risk"])
    leads = criterion.leading(resampled.means) == criterion.leading(parts.stereotype)
    high = np.where(
        (~leads).mean(axis=0) > seldom(level, stretch),
        overall[:, 1] - prejudice[:, 0],
        np.minimum(high, overall[:, 1]),
    )
    return {
        "overall_risk": holding(overall[:, 0], overall[:, 1], parts.overall),
        "prejudice_risk": prejudice,
        "caprice_risk": holding(low, high, parts.caprice),
    }


def overall_replicates(
    stereotypes: FloatArray, blocks: Iterator[FloatArray], criterion: Criterion
) -> Replicates:
    """Return only the r_x of :func:`replicates_of`: a mean of J(s) needs no mean stereotypes."""
    risks = criterion.of_stereotypes(stereotypes).T
    overall = np.concatenate([block @ risks for block in blocks])
    return Replicates({"overall_risk": overall}, np.empty((len(overall), 0, 0)))


def replicates_of(stereotypes: FloatArray, blocks: Iterator[FloatArray], criterion: Criterion) -> Replicates:
    """Compute risks and mean stereotypes for each row of template weights.

    ``stereotypes`` [occupation, template, group]; ``blocks`` of [resample, template] weights, rows sum to 1.
    """
    occupations, templates, groups = stereotypes.shape
    risks = criterion.of_stereotypes(stereotypes).T
    columns = stereotypes.transpose(1, 0, 2).reshape(templates, occupations * groups)
    means, prejudice, gaps = [], [], []
    for block in blocks:
        means.append((block @ columns).reshape(len(block), occupations, groups))
        prejudice.append(criterion.of_stereotypes(means[-1]))
        gaps.append(jensen_gap(block @ risks, prejudice[-1]))
    r_p, r_c = np.concatenate(prejudice), np.concatenate(gaps)
    return Replicates(
        risks={"overall_risk": r_p + r_c, "prejudice_risk": r_p, "caprice_risk": r_c},
        means=np.concatenate(means),
    )
