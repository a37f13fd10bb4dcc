"""How far R, R^p, R^c and each r_x move when templates, occupations or both are drawn again.

Over templates, the unit of :class:`~pcf_core.measure.resampling.TemplateUnit` is drawn with replacement and
the occupations stay as they are; over occupations, these are drawn, each carrying its weight, and the
templates stay; over both, whole templates and occupations are drawn independently, whatever the unit over
templates is (the pigeonhole bootstrap, Owen 2007, doi:10.1214/07-AOAS122), which is wider than it need be
where they do not interact.  None says anything of contexts that nobody wrote.

Bounds are expanded percentiles with an acceleration for skewness (:mod:`pcf_core.measure.resampling`), but
where J has a kink, at E s = 0 or where groups tie, these cover nothing: the plug-in r^p lies above the truth
there, and so do all replicates.

- r_x^p: a test turned round.  With m the mean stereotype, se its bootstrap s.d. and c the quantile of
  max_y |m* − m| / se, the means μ with max_y |m − μ| / se <= c are not rejected, and since J grows with each
  stereotype, J over them fills [J(m − c se), J(m + c se)].  Exact for two groups, where the lower end is 0 if
  0 is not rejected; wider than it need be for more.
- r_x^c = r − J(μ), and J lies above its tangents: r^c <= r − ∇J(m)·μ, so the upper end is that of the
  replicates r* − ∇J(m)·m*, which far from a kink are those of r^c itself.  Where resamples disagree on the
  group that leads, it is the upper end of r_x less the lower end of r_x^p.  Where no context brought any
  caprice it is 0: contexts that were not drawn leave no trace.
- R^p and R^c: the replicates are centred on the estimate that is corrected for bias
  (:mod:`pcf_core.measure.corrected`), and reach as far as a correction may have left bias.

Every interval holds the plug-in estimate.

Two things make 95 % intervals hold less often (tests/measure/test_coverage.py).  Few templates that carry
most of the weight: percentiles are widened as if all units weighed like the heaviest, and still, with Pareto
weights of index 1.5, 200 templates that count as 58 hold R, R^p and R^c in 92, 91 and 93 of 100 simulations
(60 that count as 24: 94, 95, 96; r_x^c in 92 to 94).  Few contexts with a change of sign, with equal weights
too: with two or so, r_x^c is held in 82 (of 12), 77 (of 30), 83 (of 100 templates) of 100, r_x and r_x^p in
94 to 96.

**How a single context moves r, r^p and r^c, and how skew that makes them.**  The infinitesimal jackknife
(Efron & Tibshirani 1993, ch. 21, doi:10.1201/9780429246593): with m the mean stereotype and ∇ the gradient of
J there, a draw moves r by J(s) − r, r^p by ∇ · (s − m), and r^c by the difference.

**How far R moves when templates, occupations or both are drawn again, where nothing else is asked for.**  The
same intervals of R as those above, from the same draws: R is a mean of J(s) over
templates and occupations, so that its replicates need neither mean stereotypes nor their norms, which are
what intervals of prejudice, of caprice and of single occupations take their time for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Lean, Over
from pcf_core.measure.corrected import REACH_DOWN, REACH_UP, Correction, correction
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.decomposition import Decomposition, decompose, jensen_gap
from pcf_core.measure.lean import Draws, lean_of
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    percentiles,
    resampled_occupation_weights,
    resampled_template_weights,
    tail,
)

# How a single context moves r, r^p and r^c, and how skew that makes them.


def influences(stereotypes: FloatArray, parts: Decomposition, criterion: Criterion) -> dict[str, FloatArray]:
    """Return how a draw of a template moves r, r^p and r^c (plug-in), each [occupation, template].

    Parameters
    ----------
    stereotypes
        [occupation, template, group].
    parts
        Plug-in risks and mean stereotypes.
    criterion
        Its norm.
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
    """Return [...] variance and third central moment of a weighted mean, from influences [..., item].

    Both add up over what is drawn independently.
    """
    carried = unit.weights / np.maximum(unit.sizes, 1)
    return moves**2 @ (unit.sizes * carried**2), moves**3 @ (unit.sizes * carried**3)


def acceleration(*drawn: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return [...] a sixth of the skewness, from the moments of all that is drawn; 0 where nothing moves.

    Efron 1987, eq. 4.4 and 6.6 (doi:10.1080/01621459.1987.10478410).
    """
    variance, third = (np.sum(several, axis=0) for several in zip(*drawn, strict=True))
    cubed = variance**1.5  # of the s.d.; it underflows long before the variance does
    still = cubed <= np.finfo(float).tiny
    return np.asarray(np.where(still, 0.0, third / (6 * np.where(still, 1.0, cubed))))


RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


@dataclass(frozen=True)
class RiskIntervals:
    """Intervals, under the keys ``overall_risk``, ``prejudice_risk`` and ``caprice_risk``.

    ``parts``: the risks of each occupation that they are around.
    ``intervals``: of R, R^p and R^c, over templates first, then over occupations and over both where they are
    known.  ``occupations``: [occupation, 2] low and high of r_x, r_x^p and r_x^c over templates.  A quantity
    of which nothing was asked is in neither.
    ``correction``: what the sampling of templates does to r^p; ``None`` where it is told elsewhere.
    ``lean``: R^p split once more; ``None`` where R alone was asked for.
    """

    parts: Decomposition
    intervals: Mapping[str, tuple[Interval, ...]]
    occupations: Mapping[str, FloatArray]
    correction: Correction | None = None
    lean: Lean | None = None


@dataclass(frozen=True)
class Replicates:
    """Risks and mean stereotypes of the resamples.

    ``risks``: by quantity, [resample, occupation] r_x, r_x^p and r_x^c; ``means``: [resample, occupation,
    group] mean stereotypes.
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
    """Intervals of R, R^p, R^c and of r_x, r_x^p, r_x^c, and r^p without the bias of few templates.

    Parameters
    ----------
    values
        [occupation, template, group] preferences; rows sum to 1 ± 1e-6 over groups.
    unit
        what is drawn of the templates, with their weights.
    occupation_weights
        [occupation] finite, >= 0, positive sum.
    criterion
        norm, scale and reference.
    resamples
        how many times templates and occupations are drawn again.
    level
        share of the intervals that are to hold the truth, inside (0, 1).
    seed
        the same seed gives the same intervals.
    brief
        give the intervals of R alone, from the same draws and in a fraction of the time.

    Raises
    ------
    CriterionError
        anything of the above that is not allowed.
    """
    preferences = checked_preferences(values)
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    parts = decompose(preferences, unit.weights, criterion)
    stereotypes = criterion.stereotypes(preferences)
    corrected = correction(stereotypes, unit.weights, unit.variance_weights, criterion)
    blocks = resampled_template_weights(unit, resamples, seed)
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    moves = influences(stereotypes, parts, criterion)
    totals = across = Totals(parts, corrected.prejudice, shares, unit, level)
    risks: Mapping[str, FloatArray]
    lean = None
    if brief:
        risks, occupations = overall_replicates(stereotypes, blocks, criterion), dict[str, FloatArray]()
    else:
        found = replicates_of(stereotypes, blocks, criterion)
        largest = criterion.stereotypes(np.ones_like(parts.stereotype))
        risks, again = found.risks, found
        occupations = occupation_bounds(found, parts, moves, largest, unit, criterion, level)
    wide, whole = risks, unit.whole
    if whole is not unit:
        of_whole = correction(stereotypes, whole.weights, whole.variance_weights, criterion)
        blocks = resampled_template_weights(whole, resamples, seed)
        across = Totals(parts, of_whole.prejudice, shares, whole, level)
        if brief:
            wide = overall_replicates(stereotypes, blocks, criterion)
        else:
            again = replicates_of(stereotypes, blocks, criterion)
            wide = again.risks
    if not brief:
        lean = lean_of(
            parts,
            shares,
            criterion,
            Draws(unit, found.means, risks["prejudice_risk"]),
            Draws(whole, again.means, wide["prejudice_risk"]),
            drawn,
            level,
        )
    intervals = {
        name: (
            totals.over_templates(name, replicates, moves[name]),
            totals.over_occupations(name, drawn),
            across.over_both(name, wide[name], moves[name], drawn),
        )
        for name, replicates in risks.items()
    }
    return RiskIntervals(parts, intervals, occupations, corrected, lean)


@dataclass(frozen=True)
class Totals:
    """Intervals of R, R^p and R^c.

    ``parts``: plug-in risks.  ``corrected``: [occupation] corrected r^p.  ``shares``: [occupation] weights,
    sum to 1.  ``unit``: what is drawn of the templates.
    """

    parts: Decomposition
    corrected: FloatArray
    shares: FloatArray
    unit: TemplateUnit
    level: float

    def over_templates(self, name: str, risks: FloatArray, moves: FloatArray) -> Interval:
        """Make intervals from [resample, occupation] risks and [occupation, template] influences."""
        skew = acceleration(moments(self.shares @ moves, self.unit))
        replicates = risks @ self.shares
        bounds = percentiles(replicates, self.level, self.unit.fewest, skew)
        return self._unbiased(name, replicates, bounds, "templates")

    def over_both(self, name: str, risks: FloatArray, moves: FloatArray, drawn: FloatArray) -> Interval:
        """Make intervals from [resample, occupation] risks, weights, [occupation, template] influences."""
        occupations, deviations = self._occupations(name)
        skew = acceleration(moments(self.shares @ moves, self.unit), moments(deviations, occupations))
        replicates = np.einsum("bx,bx->b", risks, drawn)
        fewest = min(self.unit.fewest, occupations.fewest)
        return self._unbiased(name, replicates, percentiles(replicates, self.level, fewest, skew), "both")

    def over_occupations(self, name: str, drawn: FloatArray) -> Interval:
        """Make intervals from [resample, occupation] weights; with fixed templates there is no bias."""
        occupations, deviations = self._occupations(name)
        skew = acceleration(moments(deviations, occupations))
        values = part(self.parts, name)
        low, high = percentiles(drawn @ values, self.level, occupations.fewest, skew)
        value = float(self.shares @ values)
        bounds = np.array([min(low, value), max(high, value)])
        return interval(bounds, self.level, "occupations", "occupation")

    def _occupations(self, name: str) -> tuple[TemplateUnit, FloatArray]:
        """Return the resampling unit of occupations, all alike, and [occupation] deviations from the mean."""
        values = part(self.parts, name)
        return TemplateUnit.templates(self.shares), values - self.shares @ values

    def _unbiased(self, name: str, replicates: FloatArray, bounds: FloatArray, over: Over) -> Interval:
        """Return bounds around the corrected estimate that allow for bias and hold the plug-in estimate."""
        value = float(self.shares @ part(self.parts, name))
        low, high = bounds
        if name != "overall_risk":
            taken = float(self.shares @ (self.parts.prejudice - self.corrected))
            corrected = value - taken if name == "prejudice_risk" else value + taken
            shift = corrected - float(replicates.mean())
            low += shift - REACH_DOWN.get(name, 0.0) * taken
            high += shift + REACH_UP.get(name, 0.0) * taken
        return interval(
            np.array([min(max(low, 0.0), value), max(high, value)]), self.level, over, self.unit.name
        )


def part(parts: Decomposition, name: str) -> FloatArray:
    """Return [occupation] r_x, r_x^p or r_x^c."""
    return dict(zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True))[name]


def occupation_bounds(
    found: Replicates,
    parts: Decomposition,
    moves: Mapping[str, FloatArray],
    largest: FloatArray,
    unit: TemplateUnit,
    criterion: Criterion,
    level: float,
) -> dict[str, FloatArray]:
    """Return [occupation, 2] low and high of r_x, r_x^p and r_x^c over templates; see the module.

    Parameters
    ----------
    found
        Replicates over templates.
    parts
        The plug-in decomposition.
    moves
        Influences [occupation, template] by quantity.
    largest
        [occupation, group] the largest stereotype that the scale allows.
    unit
        What was drawn.
    criterion
        Its norm.
    level
        Share of the intervals that are to hold the truth.
    """
    skew = {name: acceleration(moments(moves[name], unit)) for name in RISKS}
    overall = percentiles(found.risks["overall_risk"], level, unit.fewest, skew["overall_risk"]).T
    prejudice = prejudice_bounds(found.means, parts, largest, criterion, level, unit.fewest)
    tangent = np.einsum("bxg,xg->bx", found.means, criterion.gradient(parts.stereotype))
    above = jensen_gap(found.risks["overall_risk"], tangent)
    low, _ = percentiles(found.risks["caprice_risk"], level, unit.fewest)
    _, high = percentiles(above, level, unit.fewest, skew["caprice_risk"])
    leads = found.means.argmax(axis=-1) == parts.stereotype.argmax(axis=-1)
    doubtful = (~leads).mean(axis=0) > tail(level, unit.fewest)
    high = np.where(doubtful, overall[:, 1] - prejudice[:, 0], np.minimum(high, overall[:, 1]))
    return {
        "overall_risk": holding(overall[:, 0], overall[:, 1], parts.overall),
        "prejudice_risk": prejudice,
        "caprice_risk": holding(low, high, parts.caprice),
    }


def prejudice_bounds(
    means: FloatArray,
    parts: Decomposition,
    largest: FloatArray,
    criterion: Criterion,
    level: float,
    fewest: float,
) -> FloatArray:
    """Return [occupation, 2] low and high of r_x^p: J over the means that are not rejected; see the module.

    Parameters
    ----------
    means
        [resample, occupation, group] mean stereotypes of the resamples.
    parts
        The plug-in decomposition.
    largest
        [occupation, group] the largest stereotype that the scale allows.
    criterion
        Its norm.
    level
        Share of the intervals that are to hold the truth.
    fewest
        How many units percentiles are widened for.
    """
    spread = means.std(axis=0)
    distance = np.abs(means - parts.stereotype) / np.where(spread > 0, spread, 1.0)
    reach = np.quantile(distance.max(axis=-1), 1 - 2 * tail(level, fewest), axis=0)[:, np.newaxis] * spread
    low = criterion.of_stereotypes(parts.stereotype - reach)
    high = criterion.of_stereotypes(np.minimum(parts.stereotype + reach, largest))
    return holding(low, high, parts.prejudice)


def holding(low: FloatArray, high: FloatArray, value: FloatArray) -> FloatArray:
    """Widen […, 2] bounds to hold the estimate, which rounding or bias may have put outside."""
    return np.stack([np.minimum(low, value), np.maximum(high, value)], axis=-1)


def overall_replicates(
    stereotypes: FloatArray, blocks: Iterator[FloatArray], criterion: Criterion
) -> dict[str, FloatArray]:
    """Return the r_x of :func:`replicates_of` alone: a mean of J(s) needs no mean stereotypes."""
    risks = criterion.of_stereotypes(stereotypes).T
    return {"overall_risk": np.concatenate([block @ risks for block in blocks])}


def replicates_of(stereotypes: FloatArray, blocks: Iterator[FloatArray], criterion: Criterion) -> Replicates:
    """Compute risks and mean stereotypes under each row of template weights.

    Parameters
    ----------
    stereotypes
        [occupation, template, group].
    blocks
        [resample, template] weights, rows sum to 1.
    criterion
        Its norm.
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
