"""Is prejudice normally distributed over occupations (PCF Fig. 7; BVF Fig. 10 and 16)?

The papers draw a normal curve, fitted to a histogram and in places moved by hand.  Here it is fitted to the
values by maximum likelihood, and tested.  Every occupation counts once, without weights.  scipy is imported
where it is used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.records import FloatArray
from pcf_core.records.tails import NormalFit, NormalShape
from pcf_core.stats.tails import FEWEST_VALUES, LEVEL, checked_risks, without_spread

RESAMPLES = 4999  # the ends of a band over all points are rare among samples
MOST_SHAPIRO = 5000  # Royston's p-value of W was made for samples up to this size (doi:10.2307/2347973)


def normal_fit(prejudice: ArrayLike) -> NormalFit:
    """Fit a normal distribution to prejudice by maximum likelihood.

    Args:
        prejudice: [occupation] r_x^p, finite and >= 0.

    Raises:
        CriterionError: values that are not allowed.
    """
    from scipy import stats

    values = checked_risks(prejudice, "prejudice")
    mean, sd = stats.norm.fit(values)
    return NormalFit(mean=float(mean), sd=float(sd), n=values.size)


def normal_shape(prejudice: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> NormalShape:
    """The normal fit of prejudice, Shapiro and Wilk's test, and a QQ plot with its band.

    The band holds 95 % of normal samples with all their points together (Aldor-Noiman et al. 2013,
    doi:10.1080/00031305.2013.847865): pointwise bands of one level, as narrow as that allows.

    Args:
        prejudice: [occupation] r_x^p, finite and >= 0.
        resamples: normal samples behind the band.
        seed: decides them.

    Raises:
        CriterionError: values that are not allowed.
    """
    from scipy import stats

    fit = normal_fit(prejudice)
    ordered = np.sort(checked_risks(prejudice, "prejudice"))
    scores = stats.norm.ppf((np.arange(1, fit.n + 1) - 0.375) / (fit.n + 0.25))  # Blom's
    expected = fit.mean + fit.sd * scores
    if fit.n < FEWEST_VALUES or without_spread(ordered):
        return NormalShape(fit, ordered, expected)
    tested = stats.shapiro(ordered / ordered.max()) if fit.n <= MOST_SHAPIRO else None
    low, high = normal_band(fit.n, resamples, seed)
    return NormalShape(
        fit,
        ordered,
        expected,
        statistic=None if tested is None else float(tested.statistic),
        p_value=None if tested is None else float(tested.pvalue),
        low=fit.mean + fit.sd * low,
        high=fit.mean + fit.sd * high,
    )


def normal_band(size: int, resamples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """[value] ends between which 95 % of normal samples lie wholly, each standardised by itself, sorted.

    One half of the samples gives the ends, the other tells how many lie inside.
    """
    draws = np.sort(np.random.default_rng(seed).standard_normal((2, resamples, size)), axis=-1)
    draws = (draws - draws.mean(axis=-1, keepdims=True)) / draws.std(axis=-1, keepdims=True)
    ranked, fresh = np.sort(draws[0], axis=0), draws[1]

    def held(rank: int) -> bool:
        inside = (fresh >= ranked[rank]) & (fresh <= ranked[resamples - 1 - rank])
        return bool(inside.all(axis=-1).mean() >= LEVEL)

    rank = 0
    while rank + 1 < resamples // 2 and held(rank + 1):
        rank += 1
    return ranked[rank], ranked[resamples - 1 - rank]
