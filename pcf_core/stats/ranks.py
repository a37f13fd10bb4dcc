"""Rank correlation: whether two sets of weights put the same templates first.

Spearman's ρ with the interval of Bonett & Wright (2000, doi:10.1007/BF02294183), Kendall's τ-b with that of
Fieller, Hartley & Pearson (1957, doi:10.1093/biomet/44.3-4.470), both on the scale of Fisher's z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval

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

    Raises:
        CriterionError: the arrays are not of one length, or hold what is no number.
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
    """±1 where only rounding keeps it from that: a finer difference needs more pairs than there are."""
    return math.copysign(1.0, correlation) if abs(correlation) > 1 - ROUNDING else correlation


def _interval(correlation: float, error: float) -> Interval:
    """The interval of a correlation whose Fisher's z has this standard error; at ±1 it is the point."""
    if abs(correlation) >= 1:
        return Interval(low=correlation, high=correlation)
    middle = math.atanh(correlation)
    low, high = (math.tanh(middle + side * NORMAL_QUANTILE * error) for side in (-1, 1))
    return Interval(low=low, high=high)
