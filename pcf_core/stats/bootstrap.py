"""The template bootstrap: how far R, R^p, R^c and each r_x move when the templates are drawn again.

The unit is the template: T templates are drawn with replacement, each as likely as any other, and each
carries its weight along; the occupations stay as they are.  Intervals are percentiles (Efron & Tibshirani
1993, ch. 13, doi:10.1201/9780429246593).  They say nothing of templates that nobody wrote.  Where a mean
stereotype is near 0, the plug-in r^p is biased up and r^c down, and a percentile interval of either may not
hold the estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval
from pcf_core.risk import Criterion, checked_preferences, jensen_gap, normalised

FEW_TEMPLATES = 10
# Cells of a block of resamples: about 130 MB with its temporary copies, whatever the number of templates.
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class RiskIntervals:
    """Intervals, under the keys ``overall_risk``, ``prejudice_risk`` and ``caprice_risk``.

    ``intervals``: of R, R^p and R^c.  ``occupations``: [occupation, 2] low and high of r_x, r_x^p and r_x^c.
    """

    intervals: Mapping[str, Interval]
    occupations: Mapping[str, FloatArray]


def effective_number(weights: ArrayLike) -> float:
    """Effective number of weighted units, (Σ w)² / Σ w² (Kish 1965): n where all weights are equal.

    Args:
        weights: [unit] finite, >= 0, positive sum; normalised here.

    Raises:
        CriterionError: weights that are not allowed.
    """
    shares = normalised(weights, np.size(weights), "weights")
    return float(1 / (shares @ shares))


def rough(effective: float) -> bool:
    """Whether an interval over so few effective templates is rough."""
    return effective < FEW_TEMPLATES


def template_bootstrap(
    values: ArrayLike,
    template_weights: ArrayLike,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> RiskIntervals:
    """Intervals of R, R^p, R^c and of r_x, r_x^p, r_x^c over templates.

    Args:
        values: [occupation, template, group] preferences; rows sum to 1 ± 1e-6 over groups.
        template_weights: [template] finite, >= 0, positive sum.  A template of weight 0 is no part of the
            context distribution and is not drawn.
        occupation_weights: [occupation] finite, >= 0, positive sum.
        criterion: norm, scale and reference.
        resamples: how many times the templates are drawn again.
        level: share of the resampled values between the bounds, inside (0, 1).
        seed: the same seed gives the same intervals.

    Raises:
        CriterionError: anything of the above that is not allowed.
    """
    preferences = checked_preferences(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    drawn = weights > 0
    stereotypes = criterion.stereotypes(preferences)[:, drawn]
    blocks = resampled_weights(weights[drawn], resamples, seed)
    replicates = resampled_risks(stereotypes, blocks, criterion)
    return RiskIntervals(
        intervals={name: interval(risks @ shares, level) for name, risks in replicates.items()},
        occupations={name: percentiles(risks, level).T for name, risks in replicates.items()},
    )


def resampled_weights(weights: FloatArray, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Draw templates again and again, each carrying its weight.

    Args:
        weights: [template] positive weights.
        resamples: how many rows the blocks have together.
        seed: the rows do not depend on how they are cut into blocks.

    Yields:
        Blocks [resample, template] of count × weight, each row divided by its sum.

    Raises:
        CriterionError: no resample is asked for.
    """
    if resamples < 1:
        raise CriterionError(f"A bootstrap needs at least 1 resample; got {resamples}.")
    templates = weights.size
    generator = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // templates)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = generator.integers(templates, size=(rows, templates))
        drawn += templates * np.arange(rows)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=rows * templates).reshape(rows, templates)
        carried = counts * weights
        carried /= carried.sum(axis=1, keepdims=True)
        yield carried


def resampled_risks(
    stereotypes: FloatArray, blocks: Iterator[FloatArray], criterion: Criterion
) -> dict[str, FloatArray]:
    """[resample, occupation] r_x, r_x^p and r_x^c under each row of template weights.

    Args:
        stereotypes: [occupation, template, group].
        blocks: [resample, template] weights, rows sum to 1.
        criterion: its norm.
    """
    occupations, templates, groups = stereotypes.shape
    risks = criterion.of_stereotypes(stereotypes).T
    columns = stereotypes.transpose(1, 0, 2).reshape(templates, occupations * groups)
    means, gaps = [], []
    for block in blocks:
        mean_stereotypes = (block @ columns).reshape(len(block), occupations, groups)
        means.append(criterion.of_stereotypes(mean_stereotypes))
        gaps.append(jensen_gap(block @ risks, means[-1]))
    prejudice, caprice = np.concatenate(means), np.concatenate(gaps)
    return {"overall_risk": prejudice + caprice, "prejudice_risk": prejudice, "caprice_risk": caprice}


def preference_difference(
    values: ArrayLike,
    template_weights: ArrayLike,
    first: int,
    second: int,
    group: int,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, Interval]:
    """How much more the model prefers a group for one occupation than for another, over the same templates.

    Args:
        values: [occupation, template, group] preferences of one run.
        template_weights: [template] as in :func:`template_bootstrap`.
        first: position of an occupation.
        second: position of the occupation it is compared with.
        group: position of the group.
        resamples: how many times the templates are drawn again.
        level: share of the resampled differences between the bounds, inside (0, 1).
        seed: the same seed gives the same interval.

    Returns:
        E_t p of ``first`` less that of ``second``, in probability, and its interval; both occupations see the
        same resampled templates.

    Raises:
        CriterionError: a position outside the axes, or values, weights, a level that are not allowed.
    """
    preferences = checked_preferences(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    for name, position, length in (
        ("first occupation", first, preferences.shape[0]),
        ("second occupation", second, preferences.shape[0]),
        ("group", group, preferences.shape[2]),
    ):
        if not 0 <= position < length:
            raise CriterionError(f"The {name} must be a position from 0 to {length - 1}; got {position}.")
    difference = preferences[first, :, group] - preferences[second, :, group]
    drawn = weights > 0
    blocks = resampled_weights(weights[drawn], resamples, seed)
    replicates = np.concatenate([block @ difference[drawn] for block in blocks])
    return float(weights @ difference), interval(replicates, level)


def percentiles(replicates: FloatArray, level: float) -> FloatArray:
    """[2, …] low and high percentile over the first axis."""
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    return np.asarray(np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0))


def interval(replicates: FloatArray, level: float) -> Interval:
    """Percentile interval of [resample] values."""
    low, high = percentiles(replicates, level)
    return Interval(over="templates", level=level, low=float(low), high=float(high), unit="template")
