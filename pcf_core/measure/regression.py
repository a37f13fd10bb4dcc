"""Straight lines through risk and a factor: ordinary and weighted least squares (PCF Eq. 12; BVF C.2).

Risks of occupations do not scatter evenly, so errors are of the kind HC3 (MacKinnon & White 1985,
doi:10.1016/0304-4076(85)90158-7), advised for under 250 points by Long & Ervin (2000,
doi:10.1080/00031305.2000.10474549).  Several slopes are tested together by Holm's method (1979), valid
however they depend on each other.  statsmodels is imported where it is used: it takes two seconds.

**Rank correlation: whether two sets of weights put the same templates first.**  Spearman's ρ with the
interval of Bonett & Wright (2000, doi:10.1007/BF02294183), Kendall's τ-b with that of Fieller, Hartley &
Pearson (1957, doi:10.1093/biomet/44.3-4.470), both on the scale of Fisher's z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import MOST_LEVERAGE, Carrier, LineFit
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval

FEWEST_POINTS = 10  # below, an interval of the kind HC3 promises more than it keeps
WHOLE_LEVERAGE = 0.999  # a point with more has next to no residual, and HC3 divides by what is left
SMALLEST_SPREAD = 1e-9  # beside the values, less is rounding
LARGEST = 1e100  # squares and quotients of sizes up to here, and down to 1 / LARGEST, are numbers
MOST_UNEQUAL = 1e30  # among weights; beyond, a point has none beside the heaviest
PLACES = 41


class _Standardised(NamedTuple):
    """A factor as ``mean`` + ``sd`` · ``x``; x is orthogonal to a constant, and both weigh the same."""

    x: FloatArray
    mean: float
    sd: float


def why_no_line(x: ArrayLike, risks: ArrayLike, weights: ArrayLike | None = None) -> str:
    """Say why no line is fitted to these points, as the end of a sentence; empty where one is.

    Parameters
    ----------
    x, risks
        [point].
    weights
        [point], ``None`` for equal ones.
    """
    values, found, shares = _checked(x, risks, weights)
    if len(values) < FEWEST_POINTS:
        return f"{len(values)} points, fewer than {FEWEST_POINTS}"
    for what, numbers in (("factor", values), ("risk", found)):
        if np.abs(numbers).max() > LARGEST:
            return f"the numbers of the {what} are too large to reckon with"
        if _same(numbers):
            return f"the {what} is the same for all points"
        if np.ptp(numbers) < 1 / LARGEST:
            return f"the numbers of the {what} are too close together to reckon with"
    if shares.max() > MOST_UNEQUAL * shares.min():
        return "the weights are too unequal to reckon with"
    if _leverage(values, shares).max() > WHOLE_LEVERAGE:
        return "a single point decides the slope alone"
    return ""


def fit_line(
    x: ArrayLike,
    risks: ArrayLike,
    weights: ArrayLike | None = None,
    labels: Sequence[str] = (),
    *,
    level: float = 0.95,
) -> LineFit:
    """Fit risk = intercept + slope · x.

    Parameters
    ----------
    x, risks
        [point] finite; the factor on the scale that is fitted, and a risk of at least 0.
    weights
        [point] > 0, of which only ratios matter; ``None`` for equal ones.
    labels
        [point] names, of which the carrier's is kept.
    level
        Of the interval and the band.

    Raises
    ------
    CriterionError
        Points that are not allowed, or through which :func:`why_no_line` draws no line.
    """
    values, found, shares = _checked(x, risks, weights)
    if reason := why_no_line(x, risks, weights):
        raise CriterionError(f"No line can be fitted: {reason}; give more, or more varied, points.")
    scaled = _standardised(values, shares)
    result = _fitted(scaled.x, found, shares)
    with np.errstate(divide="ignore"):  # points on one line have no error, and a p value of 0
        p_value = float(result.pvalues[1])
    grid = np.linspace(scaled.x.min(), scaled.x.max(), PLACES)
    low, high = result.get_prediction(_design(grid)).conf_int(alpha=1 - level).T
    names = labels or [str(place) for place in range(len(values))]
    return LineFit(
        n=len(values),
        effective_n=float(1 / (shares @ shares)),
        intercept=float(result.params[0] - result.params[1] * (scaled.mean / scaled.sd)),
        slope=float(result.params[1] / scaled.sd),
        slope_error=float(result.bse[1] / scaled.sd),
        interval=_slope_interval(result, scaled.sd, level),
        p_value=p_value,
        r_squared=float(result.rsquared),
        x=np.linspace(values.min(), values.max(), PLACES),
        mean=result.params[0] + result.params[1] * grid,
        low=low,
        high=high,
        carrier=_carrier(values, found, shares, names, level),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for being tested together (Holm), in the same order.

    Written out, because statsmodels' own collects garbage at every call, which an app with data feels.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(np.minimum(1, p[order] * np.arange(len(p), 0, -1)))
    return [float(value) for value in corrected]


def _checked(
    x: ArrayLike, risks: ArrayLike, weights: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Check the points, and normalise their weights, which then sum to 1."""
    values, found = np.asarray(x, dtype=np.float64), np.asarray(risks, dtype=np.float64)
    given = np.ones(values.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.ndim != 1 or not values.shape == found.shape == given.shape:
        raise CriterionError(
            "A line takes lists of one length, a factor, a risk and, if wanted, a weight for each point; "
            f"got {values.size}, {found.size} and {given.size}."
        )
    finite = np.isfinite([values, found, given]).all()
    if not finite or (found < 0).any() or (given <= 0).any():
        raise CriterionError(
            "A line takes finite numbers, risks of at least 0 and weights above 0; leave out the points "
            "that have none."
        )
    if len(given):
        given = given / given.max()  # first, because a sum can be too large for a number
        given = given / given.sum()
    return values, found, given


def _same(values: FloatArray) -> bool:
    return bool(np.ptp(values) <= SMALLEST_SPREAD * np.abs(values).max())


def _design(x: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(x)), x])


def _standardised(x: FloatArray, shares: FloatArray) -> _Standardised:
    """Standardise x: subtract its weighted mean, divide by its weighted standard deviation.

    Beside a constant of 1, a factor such as 10⁸ + i or 10¹⁴ · i would be lost in the pseudo-inverse.
    """
    reference = x[np.argmax(shares)]  # differences from a point keep the digits that a mean would round off
    away = x - reference
    centre = shares @ away
    away = away - centre
    sd = float(np.sqrt(shares @ away**2))
    return _Standardised(away / sd, float(reference + centre), sd)


def _fitted(z: FloatArray, risks: FloatArray, shares: FloatArray) -> Any:
    """Fit a standardised factor with statsmodels; equal shares give ordinary least squares."""
    from statsmodels.regression.linear_model import WLS

    return WLS(risks, _design(z), weights=shares * len(shares)).fit(cov_type="HC3", use_t=True)


def _slope_interval(result: Any, sd: float, level: float) -> Interval:
    low, high = result.conf_int(alpha=1 - level)[1] / sd
    return Interval(over="occupations", level=level, low=float(low), high=float(high), unit="occupation")


def _leverage(x: FloatArray, shares: FloatArray) -> FloatArray:
    """Return [point] the diagonal of the hat matrix: w_i (1 + (x_i − x̄)² / s²), w summing to 1."""
    return np.asarray(shares * (1 + _standardised(x, shares).x ** 2))


def _carrier(
    x: FloatArray, risks: FloatArray, shares: FloatArray, labels: Sequence[str], level: float
) -> Carrier:
    """Find the point with the most influence on the slope, and the line through the others."""
    z = _standardised(x, shares).x
    residuals = risks - shares @ risks - (shares * z) @ risks * z
    leverage = _leverage(x, shares)
    change = shares * z * residuals / (1 - leverage)
    place = int(np.argmax(leverage if leverage.max() > MOST_LEVERAGE else np.abs(change)))
    label, own = labels[place], float(leverage[place])
    others = np.arange(len(x)) != place
    rest = x[others], risks[others], shares[others] / shares[others].sum()
    if _same(rest[0]) or _leverage(rest[0], rest[2]).max() > WHOLE_LEVERAGE:
        return Carrier(label, own, None, None)
    scaled = _standardised(rest[0], rest[2])
    result = _fitted(scaled.x, *rest[1:])
    slope = float(result.params[1] / scaled.sd)
    return Carrier(label, own, slope, _slope_interval(result, scaled.sd, level))


# Rank correlation: whether two sets of weights put the same templates first.


FEWEST = 5  # Kendall's interval divides by n − 4
ROUNDING = 1e-15
NORMAL_QUANTILE = 1.959963984540054  # of a two-sided 95 % interval


@dataclass(frozen=True)
class RankCorrelation:
    """Both correlations over ``n`` pairs, between −1 and 1, with 95 % intervals; ties share a rank."""

    n: int
    spearman: float
    kendall: float
    spearman_interval: Interval
    kendall_interval: Interval


def rank_correlation(first: FloatArray, second: FloatArray) -> RankCorrelation | None:
    """Correlate two arrays [pair] by their ranks.

    ``None`` where nothing can be said: under five pairs, or all values of one array are equal.

    Raises
    ------
    CriterionError
        The arrays are not of one length, or hold what is no number.
    """
    from scipy.stats import kendalltau, spearmanr

    if first.ndim != 1 or first.shape != second.shape or not math.isfinite(float((first + second).sum())):
        raise CriterionError(
            "A rank correlation takes two lists of finite numbers, one as long as the other; got "
            f"{first.size} and {second.size}."
        )
    if len(first) < FEWEST or first.min() == first.max() or second.min() == second.max():
        return None
    rho = _whole_at_one(float(spearmanr(first, second).statistic))
    tau = _whole_at_one(float(kendalltau(first, second).statistic))
    n = len(first)
    return RankCorrelation(
        n=n,
        spearman=rho,
        kendall=tau,
        spearman_interval=_interval(rho, math.sqrt((1 + rho**2 / 2) / (n - 3))),
        kendall_interval=_interval(tau, math.sqrt(0.437 / (n - 4))),
    )


def _whole_at_one(correlation: float) -> float:
    """Set to ±1 what only rounding keeps from it: a finer difference needs more pairs than there are."""
    return math.copysign(1.0, correlation) if abs(correlation) > 1 - ROUNDING else correlation


def _interval(correlation: float, error: float) -> Interval:
    """Return the interval of a correlation whose Fisher's z has this standard error; at ±1 the point."""
    if abs(correlation) >= 1:
        return Interval(low=correlation, high=correlation)
    middle = math.atanh(correlation)
    low, high = (math.tanh(middle + side * NORMAL_QUANTILE * error) for side in (-1, 1))
    return Interval(low=low, high=high)
