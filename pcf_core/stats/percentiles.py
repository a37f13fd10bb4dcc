"""Percentiles of a bootstrap, wider where there are few units, and farther on the side of the long tail.

Percentile intervals are too narrow for small samples, as those of a normal with the variance divided by n.
Expanded percentiles mend both: α' = Φ(−√(n/(n−1)) t_{α,n−1}) stands for the tail α (Hesterberg 2015, sec.
5.3, doi:10.1080/00031305.2015.1089789), with n the number of units; where their weights differ, as many as
there are if all weigh as much as the heaviest (``TemplateUnit.fewest``).  For large n, α' is α.

A skew statistic errs in the same direction as its replicates do: with a sixth of its skewness, a, the normal
quantile z of a bound becomes a + (a + z) / (1 − a(a + z)) (BCa of a mean, whose z0 is a; Efron 1987,
doi:10.1080/01621459.1987.10478410).  Caprice is such a one: most contexts bring none, a few much.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval, Over


def percentiles(
    replicates: FloatArray,
    level: float,
    units: float = math.inf,
    acceleration: ArrayLike | None = None,
) -> FloatArray:
    """[2, …] low and high percentile over the first axis.

    Args:
        replicates: [resample, …].
        level: share of the intervals that are to hold the truth, inside (0, 1).
        units: how many there are, n of the module.
        acceleration: […] a of each, see the module; none is 0.

    Raises:
        CriterionError: a level that is not allowed.
    """
    alpha = tail(level, units)
    if acceleration is None or alpha == 0:
        return np.asarray(np.quantile(replicates, [alpha, 1 - alpha], axis=0))
    from scipy.special import ndtr

    skew, z = np.asarray(acceleration, dtype=np.float64), -NormalDist().inv_cdf(alpha)
    ordered = np.sort(replicates, axis=0)
    bounds = []
    for quantile in (-z, z):
        left = 1 - skew * (skew + quantile)
        moved = skew + (skew + quantile) / np.where(left > 0, left, 1.0)
        bounds.append(at_share(ordered, np.where(left > 0, ndtr(moved), float(quantile > 0))))
    return np.stack(bounds)


def at_share(ordered: FloatArray, share: FloatArray) -> FloatArray:
    """[…] the value under which the given share […] of [resample, …] sorted values lies, interpolated."""
    place = share * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    low, high = (np.take_along_axis(ordered, rank[np.newaxis], axis=0)[0] for rank in (below, above))
    return np.asarray(low + (high - low) * (place - below))


def tail(level: float, units: float) -> float:
    """α', the share of replicates beyond either bound, for so many units.

    Args:
        level: share of the intervals that are to hold the truth, inside (0, 1).
        units: how many there are, at least 1; of a single one nothing can be learned, and the bounds are
            the extremes.

    Raises:
        CriterionError: a level that is not allowed.
    """
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    if math.isinf(units):
        return (1 - level) / 2
    if units <= 1 + 1e-9:
        return 0.0
    from scipy.special import stdtrit

    quantile = float(stdtrit(units - 1, (1 - level) / 2))
    return NormalDist().cdf(math.sqrt(units / (units - 1)) * quantile)


def interval(bounds: FloatArray, level: float, over: Over, unit: str) -> Interval:
    """The interval of [low, high]."""
    return Interval(over=over, level=level, low=float(bounds[0]), high=float(bounds[1]), unit=unit)
