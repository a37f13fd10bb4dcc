"""Sampling plan: when to look, and how wide intervals are there.

The plan looks at fixed sizes, 100 draws and then twice as many each time, K looks.  The error of 5 % is
divided equally among them, so each interval has level 1 − 0.05/K.  By Bonferroni the chance that any of them
misses is at most 5 %, so the interval at which one stops is a 95 % interval, whatever the stopping rule.

K is the smallest number with which the last look always meets the goal: on the PCF scale with the uniform
reference no draw moves a value by more than 2, and no standard deviation exceeds 1.  The allowance for bias
at a kink (see below) is less than one further standard error.

**Risk from templates drawn with replacement.**  A draw picks a template in proportion to its count, so a
plain mean over draws estimates the mean over the whole set; other weights enter as importance weights.
Standard errors come from the influence of a single draw (:mod:`pcf_core.measure.bootstrap`), plus one
imaginary draw for contexts too rare to be drawn, the most distant possible one (one group for certain, or
neutral), after Agresti & Coull's added observations (1998, doi:10.1080/00031305.1998.10480550).  It vanishes
as 1/n.

At a kink of J (E s = 0, or groups that tie) the correction leaves up to 2.1 times as much bias as it removes,
with two groups 0.54 standard errors and 0.26, so intervals of r^p reach 2.1 more corrections down, and those
of r^c as much up (:data:`pcf_core.measure.corrected.BIAS_LEFT`).  Away from kinks the correction is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import RISKS, RiskIntervals, influences
from pcf_core.measure.corrected import (
    REACH_DOWN,
    REACH_UP,
    corrected_prejudice,
    mean_covariance,
    sampling_bias,
)
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import Decomposition, RiskTotal, decompose, total

FIRST_LOOK = 100
LEVEL = 0.95
NARROWEST, WIDEST = 0.001, 0.1


@dataclass(frozen=True)
class Looks:
    """A sampling plan: draws at each look, and the level and half-width (in standard errors) of intervals."""

    sizes: tuple[int, ...]
    level: float
    quantile: float


def looks(within: float) -> Looks:
    """Plan the looks that end once intervals have half-widths of at most ``within``.

    Raises CriterionError for a half-width outside 0.001 to 0.1.
    """
    if not NARROWEST <= within <= WIDEST:
        raise CriterionError(
            f"The half-width of --within must lie between {NARROWEST:g} and {WIDEST:g}; {within:g} was "
            "given: choose a value in between, or score every template."
        )
    for number in count(1):
        level = 1 - (1 - LEVEL) / number
        quantile = NormalDist().inv_cdf((1 + level) / 2)
        last = FIRST_LOOK * 2 ** (number - 1)
        if (quantile + 1) * math.sqrt(1 / (last - 1) + (2 / last) ** 2) <= within:
            break
    return Looks(tuple(FIRST_LOOK * 2**look for look in range(number)), level, quantile)


# Risk from templates drawn with replacement.


@dataclass(frozen=True)
class DrawnRisk:
    """Risk estimated from draws, with r^p and r^c corrected for sampling bias.

    ``plug_in``: R^p and R^c uncorrected.  ``errors`` [occupation] and ``total_errors``: standard errors by
    quantity, in the units of the criterion's scale.  ``corrections`` [occupation]: subtracted from the
    plug-in r^p. ``effective_draws``: (Σ w)² / Σ w² over draws.  ``sampling_prejudice``: the R^p that such
    draws would show on average for a neutral model.
    """

    parts: Decomposition
    totals: RiskTotal
    plug_in: RiskTotal
    errors: Mapping[str, FloatArray]
    total_errors: Mapping[str, float]
    corrections: FloatArray
    effective_draws: float
    sampling_prejudice: float

    def intervals(self, quantile: float, level: float) -> RiskIntervals:
        """Return estimates ± ``quantile`` standard errors and the remaining bias, at least 0.

        ``level``: the nominal level of these intervals.
        """
        values = (self.parts.overall, self.parts.prejudice, self.parts.caprice)
        occupations = {
            name: bounds(name, value, quantile * self.errors[name], self.corrections).clip(min=0)
            for name, value in zip(RISKS, values, strict=True)
        }
        totals = {name: self._bounds(name, quantile).clip(min=0).tolist() for name in RISKS}
        return RiskIntervals(
            parts=self.parts,
            intervals={
                name: (Interval(level=level, low=low, high=high, unit="draw"),)
                for name, (low, high) in totals.items()
            },
            occupations=occupations,
        )

    def half_width(self, quantile: float) -> float:
        """Return half the width of the widest interval of R, R^p and R^c, before clipping at 0."""
        return max(float(np.ptp(self._bounds(name, quantile))) / 2 for name in RISKS)

    def _bounds(self, name: str, quantile: float) -> FloatArray:
        """Return [low, high] of R, R^p or R^c."""
        taken = self.plug_in.prejudice_risk - self.totals.prejudice_risk
        return bounds(name, getattr(self.totals, name), quantile * self.total_errors[name], taken)


def draw_templates(counts: ArrayLike, draws: int, seed: int) -> NDArray[np.int_]:
    """Draw templates with replacement in proportion to their counts; return [template] how often.

    ``counts`` [template] finite, >= 0, positive sum.  More draws with the same seed begin with the same ones.
    Raises CriterionError for counts that are not allowed.
    """
    shares = normalised(counts, np.size(counts), "template_weights")
    ends = np.cumsum(shares)
    uniform = np.random.Generator(np.random.PCG64(seed)).random(draws)
    drawn = np.searchsorted(ends / ends[-1], uniform, side="right")
    return np.bincount(drawn, minlength=shares.size)


def drawn_risk(
    values: ArrayLike,
    times: ArrayLike,
    importance: ArrayLike,
    occupation_weights: ArrayLike,
    criterion: Criterion,
) -> DrawnRisk:
    """Estimate R, R^p and R^c of the set that the templates were drawn from.

    ``values`` [occupation, template, group] preferences, rows sum to 1 ± 1e-6; ``times`` [template] how often
    each was drawn, at least 2 in total; ``importance`` [template] desired weight over probability of being
    drawn, up to a factor; ``occupation_weights`` [occupation] finite, >= 0, positive sum.  Raises
    CriterionError if any of these is not allowed.
    """
    preferences = criterion.checked(values)
    repeats = checked_times(times, preferences.shape[1])
    relative = normalised(importance, repeats.size, "importance")
    weights = normalised(repeats * relative, repeats.size, "template_weights")
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    plug_in = decompose(preferences, weights, criterion)
    # [template] squared weights, summed over each template's draws
    squares = weights**2 / np.maximum(repeats, 1)
    effective = round(1 / float(squares.sum()), 9)
    squares *= repeats.sum() / (repeats.sum() - 1)
    stereotypes = criterion.stereotypes(preferences)
    covariance = mean_covariance(stereotypes, plug_in.stereotype[:, np.newaxis], squares)
    noisier = plug_in.prejudice + sampling_bias(plug_in.stereotype, covariance, criterion)
    prejudice = corrected_prejudice(plug_in.prejudice, noisier, shares)
    caprice = plug_in.overall - prejudice
    parts = replace(plug_in, overall=prejudice + caprice, prejudice=prejudice, caprice=caprice)
    moves, rare = influences(stereotypes, plug_in, criterion), farthest(plug_in, criterion)
    spread = {name: standard_error(moves[name], rare[name], squares, effective) for name in RISKS}
    totals = {
        name: float(standard_error(shares @ moves[name], shares @ rare[name], squares, effective))
        for name in RISKS
    }
    neutral = sampling_bias(np.zeros_like(plug_in.stereotype), covariance, criterion)
    return DrawnRisk(
        parts=parts,
        totals=total(parts, shares),
        plug_in=total(plug_in, shares),
        errors=spread,
        total_errors=totals,
        corrections=plug_in.prejudice - prejudice,
        effective_draws=effective,
        sampling_prejudice=float(shares @ neutral),
    )


def bounds(
    name: str, value: FloatArray | float, margin: FloatArray | float, correction: FloatArray | float
) -> FloatArray:
    """Return [..., low and high] of a quantity, allowing for the bias that the correction may have left."""
    low = value - margin - REACH_DOWN.get(name, 0.0) * correction
    high = value + margin + REACH_UP.get(name, 0.0) * correction
    return np.stack([low, high], axis=-1)


def checked_times(times: ArrayLike, templates: int) -> FloatArray:
    """Check [template] how often each was drawn, at least twice in total."""
    repeats = np.asarray(times, dtype=np.float64)
    if repeats.shape != (templates,) or (repeats < 0).any() or not repeats.sum() >= 2:
        raise CriterionError(
            f"`times` must say how often each of {templates} templates was drawn, at least 2 draws in all; "
            f"got the shape {list(repeats.shape)} and {repeats.sum():g} draws."
        )
    return repeats


def farthest(parts: Decomposition, criterion: Criterion) -> dict[str, FloatArray]:
    """Return [occupation] how far the most extreme context would move each quantity.

    The extremes are certainty of one group, and a neutral context.
    """
    occupations, groups = parts.stereotype.shape
    certain = criterion.stereotypes(np.broadcast_to(np.eye(groups), (occupations, groups, groups)))
    neutral = np.zeros((occupations, 1, groups))
    moves = influences(np.concatenate([certain, neutral], axis=1), parts, criterion)
    return {name: np.abs(move).max(axis=1) for name, move in moves.items()}


def standard_error(moves: FloatArray, rare: FloatArray, squares: FloatArray, effective: float) -> FloatArray:
    """Estimate standard errors [...] from influences [..., template] and one imaginary draw [...].

    ``squares`` [template]: squared weights of the draws.
    """
    return np.asarray(np.sqrt(moves**2 @ squares + (rare / effective) ** 2))
