"""Is prejudice normally distributed over occupations (PCF Fig. 7; BVF Fig. 10 and 16)?

The papers draw a normal curve, fitted to a histogram and in places moved by hand.  Here it is fitted to the
values by maximum likelihood, and tested.  Every occupation counts once, without weights.  scipy is imported
where it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.records import FloatArray
from pcf_core.records.tails import NormalFit, NormalShape
from pcf_core.stats.tails import FEWEST_VALUES, LEVEL, checked_risks, without_spread

RESAMPLES = 4999  # the ends of a band over all points are rare among samples
BLOCK = 1_000_000  # values drawn at a time: 8 MB, and a few copies
FEWEST_RANKS = 50
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

    One half of the samples gives the ends, the other tells how many lie inside.  All samples at once would
    take a gigabyte for 5,000 values, so blocks are drawn, and of the first half only the ends are kept: where
    a twentieth lies outside at every value, 95 % cannot lie inside everywhere.
    """
    generator = np.random.default_rng(seed)
    kept = max(1, min(resamples // 2, max(resamples // 20, FEWEST_RANKS)))
    lows, highs = _ends(_samples(generator, resamples, size), size, kept)
    depths = np.concatenate([_depths(block, lows, highs) for block in _samples(generator, resamples, size)])
    rank = 0
    while rank + 1 < kept and (depths > rank + 1).mean() >= LEVEL:
        rank += 1
    return lows[rank], highs[rank]


def _samples(generator: np.random.Generator, resamples: int, size: int) -> Iterator[FloatArray]:
    """Blocks [sample, value] of normal samples, sorted and standardised each by itself."""
    most = max(1, BLOCK // size)
    for start in range(0, resamples, most):
        draws = np.sort(generator.standard_normal((min(most, resamples - start), size)), axis=-1)
        yield (draws - draws.mean(axis=-1, keepdims=True)) / draws.std(axis=-1, keepdims=True)


def _ends(blocks: Iterable[FloatArray], size: int, kept: int) -> tuple[FloatArray, FloatArray]:
    """[rank, value] the lowest of all samples, rising, and the highest, falling, ``kept`` of each."""
    lows: FloatArray = np.empty((size, 0))
    highs = lows
    for block in blocks:
        lows = _lowest(lows, block.T, kept)
        highs = _lowest(highs, -block.T, kept)
    return np.sort(lows.T, axis=0), -np.sort(highs.T, axis=0)


def _lowest(before: FloatArray, fresh: FloatArray, kept: int) -> FloatArray:
    """[value, rank] the lowest of both, in no order."""
    both = np.concatenate([before, fresh], axis=1)
    return both if both.shape[1] <= kept else np.partition(both, kept - 1, axis=1)[:, :kept].copy()


def _depths(block: FloatArray, lows: FloatArray, highs: FloatArray) -> NDArray[np.int64]:
    """[sample] how many bands, of falling width, hold it wholly; found by halving."""
    depths = np.zeros(len(block), dtype=np.int64)
    step = 1 << (len(lows).bit_length() - 1)
    while step:
        tried = np.minimum(depths + step, len(lows)) - 1
        inside = ((block >= lows[tried]) & (block <= highs[tried])).all(axis=-1)
        depths = np.where(inside, tried + 1, depths)
        step //= 2
    return depths
