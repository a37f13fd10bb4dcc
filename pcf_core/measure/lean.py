"""Whether occupations differ: the squares of their tilts, and prejudice split once more.

**By squares.**  With s_x the mean stereotypes (tilts) of occupation x, in each group

    E_x s_x²  =  (E_x s_x)²  +  Var_x s_x

averaged over groups: what is common to all occupations, and what differs between them.  ``differing`` is the
second as a share of both.  With two groups and one neutral point it is the same for either group, on any
scale.  Few templates make both parts too large.  Bounds are those of a share of squares that are moved twice
by the difference of the value and the mean of its draws, as in :mod:`pcf_core.measure.neutral`.

**By J.**  R^p is the mean over occupations of J(E_t s_x) (PCF Eq. 8).  J is convex, so it is at least J of
the mean stereotype of all occupations together, as r_x is at least r_x^p for one occupation:

    R  =  J(E_x E_t s)  +  [E_x J(E_t s) − J(E_x E_t s)]  +  caprice
          common lean      occupation-specific lean

All three are at least 0.  With two groups the common lean is the size of the mean tilt; the specific lean is
0 where every occupation leans the same way, *however much they differ in how far*, and grows with the
occupations that lean the other way.  So it does not tell whether occupations differ, and no page says it
does.  Both splits are ours; the papers stop at R^p.  Intervals over templates, occupations and both come
from the same draws as those of R^p (:mod:`pcf_core.measure.bootstrap`).

J of the mean of all occupations has the same kink as J of one: where they share no lean, the plug-in figure
lies above 0, as do all replicates.  The common lean therefore has the interval of an r_x^p, a test turned
round.  The specific lean has stretched percentiles; where resamples disagree on the group that all
occupations lean to, it may be as much as R^p is at most, less what the common lean is at least.

A worked example: two occupations of equal weight, stereotypes towards men of +0.6 and −0.2 in every context.
R = R^p = 0.4, the mean stereotype is +0.2, so 0.2 is common and 0.2 is specific.  By squares, (0.36 + 0.04)
/ 2 = 0.2 is 0.2² = 0.04 and a variance of 0.4² = 0.16: 80 % differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Lean, Over
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import Decomposition, jensen_gap
from pcf_core.measure.resampling import (
    TemplateUnit,
    bounds_of_means,
    holding,
    interval,
    percentiles,
    rough,
    seldom,
    stretched,
)


@dataclass(frozen=True)
class Draws:
    """What came of the templates that were drawn again.

    ``unit``: what was drawn; ``means``: [resample, occupation, group] mean stereotypes over templates;
    ``prejudice``: [resample, occupation] J of them.
    """

    unit: TemplateUnit
    means: FloatArray
    prejudice: FloatArray


def split(
    stereotype: FloatArray, prejudice: FloatArray, weights: FloatArray, criterion: Criterion
) -> tuple[FloatArray, FloatArray]:
    """Split R^p into J of the mean stereotype of all occupations and the rest; both at least 0.

    Parameters
    ----------
    stereotype
        [..., occupation, group] mean stereotypes.
    prejudice
        [..., occupation] J of them.
    weights
        [..., occupation], sum to 1.
    criterion
        Its norm.

    Returns
    -------
    tuple
        [...] common and specific lean; they sum to R^p.
    """
    common = criterion.of_stereotypes((weights[..., np.newaxis, :] @ stereotype)[..., 0, :])
    return common, jensen_gap((weights * prejudice).sum(axis=-1), common)


def squares(stereotype: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return [...] square of the mean stereotype and variance over occupations, averaged over groups.

    Parameters
    ----------
    stereotype
        [..., occupation, group] mean stereotypes.
    weights
        [..., occupation], sum to 1.
    """
    rows = weights[..., np.newaxis, :]
    centre = rows @ stereotype
    variance = (rows @ (stereotype - centre) ** 2)[..., 0, :]
    return (centre[..., 0, :] ** 2).mean(axis=-1), variance.mean(axis=-1)


def differing_bounds(
    parts: tuple[float, float], drawn: tuple[FloatArray, FloatArray], level: float, fewest: float
) -> FloatArray:
    """Return low and high of the variance as a share of both parts, which hold the value.

    Parameters
    ----------
    parts
        (square of the mean, variance) as counted, not both 0.
    drawn
        The same, [resample] each.
    level
        Share of the intervals that are to hold the truth.
    fewest
        How many units the scarcest of what was drawn counts as.
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
    alone: Draws,
    across: Draws,
    occupations: FloatArray,
    level: float,
) -> Lean:
    """Return how far the occupations of a run differ, with intervals.

    Parameters
    ----------
    parts
        The plug-in decomposition.
    shares
        [occupation] weights, sum to 1.
    criterion
        Its norm.
    alone, across
        What came of the templates drawn where the occupations stay, and where these are drawn too.
    occupations
        [resample, occupation] weights, rows sum to 1.
    level
        Share of the intervals that are to hold the truth.
    """
    common, specific = split(parts.stereotype, parts.prejudice, shares, criterion)
    many = TemplateUnit.templates(shares)
    most = float(shares @ criterion.largest(*parts.stereotype.shape))
    still = shares[np.newaxis]
    ways: tuple[tuple[Over, FloatArray, FloatArray, FloatArray, tuple[TemplateUnit, ...], str], ...] = (
        ("templates", alone.means, alone.prejudice, still, (alone.unit,), alone.unit.name),
        ("occupations", parts.stereotype, parts.prejudice, occupations, (many,), "occupation"),
        ("both", across.means, across.prejudice, occupations, (across.unit, many), across.unit.name),
    )
    mean = shares @ parts.stereotype
    limits = shares @ criterion.stereotypes(np.ones_like(parts.stereotype))
    mean_square, variance = (float(part) for part in squares(parts.stereotype, shares))
    found: dict[str, list[Interval]] = {"differing": [], "common_lean": [], "specific_lean": []}
    for over, means, prejudice, weights, units, name in ways:
        stretch = max(unit.stretch(level) for unit in units)
        drawn = (weights[:, np.newaxis, :] @ means)[:, 0]
        of_all, of_each = split(means, prejudice, weights, criterion)
        lowest, highest = (
            float(end[0])
            for end in bounds_of_means(
                drawn[:, np.newaxis], mean[np.newaxis], limits[np.newaxis], criterion, level, stretch
            )
        )
        low, high = stretched(of_each, level, stretch)
        if (drawn.argmax(axis=-1) != mean.argmax()).mean() > seldom(level, stretch):
            high = max(high, stretched(of_all + of_each, level, stretch)[1] - lowest)
        few = any(rough(unit.effective) for unit in units)
        if mean_square + variance > 0:
            fewest = min(unit.fewest for unit in units)
            drawn_squares = squares(means, weights)
            share = differing_bounds((mean_square, variance), drawn_squares, level, fewest)
            found["differing"].append(interval(share, level, over, name, few))
        for quantity, ends, value in (
            ("common_lean", (lowest, highest), common),
            ("specific_lean", (low, high), specific),
        ):
            bounds = holding(np.clip(ends[0], 0.0, most), np.clip(ends[1], 0.0, most), value)
            found[quantity].append(interval(bounds, level, over, name, few))
    return Lean(
        common=float(common),
        specific=float(specific),
        mean_square=mean_square,
        variance=variance,
        intervals={quantity: tuple(several) for quantity, several in found.items()},
    )
