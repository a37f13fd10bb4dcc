"""Decompose risk into prejudice and caprice, and measure whether occupations differ in their prejudice.

Sources: PCF (arXiv 2402.15481v1) Eq. 4–9; BVF (NeurIPS 2024) Eq. 3–7, where they are bias and volatility. The
two splits of prejudice below are our own.

**By squares.**  With s_x the mean stereotypes (tilts) of occupation x, in each group

    E_x s_x²  =  (E_x s_x)²  +  Var_x s_x

averaged over groups: what is common to all occupations, and what differs between them.  ``differing`` is the
second as a share of both.  With two groups and one neutral point it is the same for either group, on any
scale.  Few templates make both parts too large.  Bounds are those of a share of squares that are shifted by
twice the difference of the value and the mean of its draws, as in :mod:`pcf_core.measure.neutral`.

**By J.**  R^p is the mean over occupations of J(E_t s_x) (PCF Eq. 8).  As J is convex, it is at least J of
the mean stereotype of all occupations:

    R  =  J(E_x E_t s)  +  [E_x J(E_t s) − J(E_x E_t s)]  +  caprice
          common lean      occupation-specific lean

All three are at least 0.  With two groups the common lean is the size of the mean tilt; the specific lean
grows with the occupations that lean the other way and is 0 where all lean the same way, *however much they
differ in size*, so it does not measure whether occupations differ.  Intervals use the same draws as R^p
(:mod:`pcf_core.measure.bootstrap`).

J of the mean of all occupations has the same kink as J of one: where they share no lean, the plug-in value
and all replicates lie above 0.  The common lean therefore has the interval of an r_x^p, an inverted test.
The specific lean has stretched percentiles; where resamples disagree on the leading group of all occupations,
its upper end is that of R^p less the lower end of the common lean.

Example: two equally weighted occupations with stereotypes towards men of +0.6 and −0.2 in every context. R =
R^p = 0.4, the mean stereotype is +0.2, so 0.2 is common and 0.2 is specific.  By squares, (0.36 + 0.04) / 2 =
0.2 is 0.2² = 0.04 and a variance of 0.4² = 0.16: 80 % differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Lean, Over
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.resampling import (
    TemplateUnit,
    bounds_of_means,
    holding,
    interval,
    percentiles,
    seldom,
    stretch_and_few,
    stretched,
)

# A Jensen gap below this times max(1, E J) is rounding: sums over thousands of templates err by about 1e-14.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Decomposition:
    """Risk of each occupation, in the units of the criterion's scale.

    ``overall``, ``prejudice``, ``caprice`` [occupation]: r_x = r_x^p + r_x^c to the last bit, none below 0.
    ``stereotype_sd`` [occupation]: weighted s.d. over templates of the stereotype of the first of two groups,
    or of the group that leads on average.  It shows variation without a change of sign, where caprice is 0.
    ``stereotype`` [occupation, group]: E_t s. ``mean_preferences`` [occupation, group]: E_t p, rows sum to 1.
    """

    overall: FloatArray
    prejudice: FloatArray
    caprice: FloatArray
    stereotype_sd: FloatArray
    stereotype: FloatArray
    mean_preferences: FloatArray


@dataclass(frozen=True)
class RiskTotal:
    """R = R^p + R^c to the last bit (PCF Eq. 7–9), in the units of the criterion's scale."""

    overall_risk: float
    prejudice_risk: float
    caprice_risk: float


def jensen_gap(mean_risk: FloatArray, risk_of_mean: FloatArray) -> FloatArray:
    """Compute caprice E J(p) − J(E p) (PCF Eq. 6); within ±1e-12 · max(1, E J) it becomes exactly 0.

    J is convex, so the gap is at least 0, and exactly 0 where one of two groups always leads.
    """
    gap = mean_risk - risk_of_mean
    return np.where(np.abs(gap) <= ROUNDING * np.maximum(1.0, mean_risk), 0.0, gap)


def decompose(values: ArrayLike, template_weights: ArrayLike, criterion: Criterion) -> Decomposition:
    """Split the risk of each occupation into prejudice and caprice.

    r_x = E_t J(p) (PCF Eq. 4), r_x^p = J(E_t p) (Eq. 5), r_x^c = r_x − r_x^p (Eq. 6).

    ``values`` [occupation, template, group] preferences, rows sum to 1 ± 1e-6; ``template_weights``
    [template] finite, >= 0, positive sum (normalised here).  Raises CriterionError for preferences, weights
    or a reference that are not allowed, or do not fit each other.
    """
    preferences = criterion.checked(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    stereotypes = criterion.stereotypes(preferences)
    mean_stereotype = weights @ stereotypes
    # s is linear in p, so J(E p) is J of the mean stereotype; averaging s rounds both sums alike.
    prejudice = criterion.of_stereotypes(mean_stereotype)
    caprice = jensen_gap(criterion.of_stereotypes(stereotypes) @ weights, prejudice)
    return Decomposition(
        overall=prejudice + caprice,
        prejudice=prejudice,
        caprice=caprice,
        stereotype_sd=stereotype_sd(stereotypes, mean_stereotype, weights),
        stereotype=mean_stereotype,
        mean_preferences=weights @ preferences,
    )


def stereotype_sd(stereotypes: FloatArray, mean: FloatArray, weights: FloatArray) -> FloatArray:
    """Return [occupation] weighted s.d. of one group's stereotype, see :class:`Decomposition`."""
    groups = mean.shape[-1]
    shown = np.zeros(len(mean), dtype=np.intp) if groups == 2 else mean.argmax(axis=-1)
    rows = np.arange(len(mean))
    deviations = stereotypes[rows, :, shown] - mean[rows, shown][:, np.newaxis]
    return np.asarray(np.sqrt(deviations**2 @ weights))


def total(decomposition: Decomposition, occupation_weights: ArrayLike) -> RiskTotal:
    """Average over occupations (PCF Eq. 7–9).

    ``occupation_weights`` [occupation] finite, >= 0, positive sum (normalised here).  Raises CriterionError
    for weights that are not allowed.
    """
    weights = normalised(occupation_weights, len(decomposition.overall), "occupation_weights")
    prejudice = float(weights @ decomposition.prejudice)
    caprice = float(weights @ decomposition.caprice)
    return RiskTotal(prejudice + caprice, prejudice, caprice)


# The common and the occupation-specific lean.


@dataclass(frozen=True)
class TemplateDraws:
    """Hold resampled mean stereotypes ``means`` [resample, occupation, group] and their J, ``prejudice``."""

    unit: TemplateUnit
    means: FloatArray
    prejudice: FloatArray


def split_prejudice(
    stereotype: FloatArray, prejudice: FloatArray, weights: FloatArray, criterion: Criterion
) -> tuple[FloatArray, FloatArray]:
    """Split R^p into [...] J of the mean stereotype of all occupations, and the rest; both at least 0.

    ``stereotype`` [..., occupation, group] mean stereotypes; ``prejudice`` [..., occupation] J of them;
    ``weights`` [..., occupation], sum to 1.
    """
    common = criterion.of_stereotypes((weights[..., np.newaxis, :] @ stereotype)[..., 0, :])
    return common, jensen_gap((weights * prejudice).sum(axis=-1), common)


def tilt_squares(stereotype: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return [...] square of the mean stereotype and variance over occupations, averaged over groups.

    ``stereotype`` [..., occupation, group] mean stereotypes; ``weights`` [..., occupation], sum to 1.
    """
    rows = weights[..., np.newaxis, :]
    centre = rows @ stereotype
    variance = (rows @ (stereotype - centre) ** 2)[..., 0, :]
    return (centre[..., 0, :] ** 2).mean(axis=-1), variance.mean(axis=-1)


def differing_bounds(
    parts: tuple[float, float], drawn: tuple[FloatArray, FloatArray], level: float, fewest: float
) -> FloatArray:
    """Return low and high of the variance as a share of both parts; they include the estimate.

    ``parts``: (square of the mean, variance), not both 0.  ``drawn``: the same, [resample] each.  ``fewest``:
    how many units the scarcest sample counts as.
    """
    moved = [
        np.maximum(several + 2 * (value - several.mean()), 0.0)
        for value, several in zip(parts, drawn, strict=True)
    ]
    whole, value = moved[0] + moved[1], parts[1] / (parts[0] + parts[1])
    shares = np.where(whole > 0, moved[1] / np.where(whole > 0, whole, 1.0), value)
    low, high = percentiles(shares, level, fewest)
    return np.array([min(low, value), max(high, value)])


def lean_of(
    parts: Decomposition,
    shares: FloatArray,
    criterion: Criterion,
    alone: TemplateDraws,
    across: TemplateDraws,
    occupations: FloatArray,
    level: float,
) -> Lean:
    """Return how far the occupations of a run differ, with intervals.

    ``shares`` [occupation] weights, sum to 1; ``alone``, ``across``: draws of templates with fixed and with
    resampled occupations; ``occupations`` [resample, occupation] weights, rows sum to 1.
    """
    common, specific = split_prejudice(parts.stereotype, parts.prejudice, shares, criterion)
    many = TemplateUnit.templates(shares)
    most = float(shares @ criterion.largest(*parts.stereotype.shape))
    still = shares[np.newaxis]
    ways: tuple[tuple[Over, FloatArray, FloatArray, FloatArray, tuple[TemplateUnit, ...], str], ...] = (
        ("templates", alone.means, alone.prejudice, still, (alone.unit,), alone.unit.name),
        ("occupations", parts.stereotype, parts.prejudice, occupations, (many,), "occupation"),
        ("both", across.means, across.prejudice, occupations, (across.unit, many), across.unit.name),
    )
    mean = shares @ parts.stereotype
    limits = shares @ criterion.limits(parts.stereotype)
    mean_square, variance = (float(part) for part in tilt_squares(parts.stereotype, shares))
    intervals: dict[str, list[Interval]] = {"differing": [], "common_lean": [], "specific_lean": []}
    for over, means, prejudice, weights, units, name in ways:
        stretch, few = stretch_and_few(units, level)
        drawn = (weights[:, np.newaxis, :] @ means)[:, 0]
        of_all, of_each = split_prejudice(means, prejudice, weights, criterion)
        lowest, highest = (
            float(end[0])
            for end in bounds_of_means(
                drawn[:, np.newaxis], mean[np.newaxis], limits[np.newaxis], criterion, level, stretch
            )
        )
        low, high = stretched(of_each, level, stretch)
        if (criterion.leading(drawn) != criterion.leading(mean)).mean() > seldom(level, stretch):
            high = max(high, stretched(of_all + of_each, level, stretch)[1] - lowest)
        if mean_square + variance > 0:
            fewest = min(unit.fewest for unit in units)
            drawn_squares = tilt_squares(means, weights)
            share = differing_bounds((mean_square, variance), drawn_squares, level, fewest)
            intervals["differing"].append(interval(share, level, over, name, few))
        for quantity, ends, value in (
            ("common_lean", (lowest, highest), common),
            ("specific_lean", (low, high), specific),
        ):
            bounds = holding(np.clip(ends[0], 0.0, most), np.clip(ends[1], 0.0, most), value)
            intervals[quantity].append(interval(bounds, level, over, name, few))
    return Lean(
        common=float(common),
        specific=float(specific),
        mean_square=mean_square,
        variance=variance,
        intervals={quantity: tuple(several) for quantity, several in intervals.items()},
    )
