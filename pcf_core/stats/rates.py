"""Intervals of shares of answers, and of differences between two, where answers come in clusters.

Repeats of one question are not independent: asked twenty times, it says little more than asked once.  Two
intervals therefore answer two questions.

- *These prompts, asked again*: Wilson's (1927, doi:10.1080/01621459.1927.10502953) over texts.  With the
  prompts given, each has a share of its own, and their sum varies less than a binomial one: it is not too
  narrow.
- *Other questions of the kind*: Wilson's with the number of independent answers that would vary as much as
  the clusters do, n' = p (1 − p) / var(p), times (z / t)² for few clusters (Korn & Graubard 1998; Dean &
  Pagano 2015, doi:10.1093/jssam/smv024).  var(p) is that of a ratio over clusters, U / (U − 1) Σ (y − p m)² /
  (Σ m)².  Where p is 0 or 1 no cluster differs, which is not certainty: then n' = (Σ m)² / Σ m², each cluster
  one answer.

Differences between two pronouns: clusters are drawn again, within those that have the same truths (so that
each draw has both), and percentiles are expanded for few clusters.  Both pronouns come with a cluster, so
what makes a question hard for both leaves the difference.  With under ten clusters of a kind percentiles are
too narrow all the same, and t times the standard error of the linearised difference stands instead, with
Satterthwaite's (1946, doi:10.2307/3002019) degrees of freedom over the kinds, and no more than the scarcer
of the two pronouns has: with answers to four of sixteen questions under one, three.  (Of models that are
valid in 15 to 25 % of the questions under one pronoun, nominal 95 % intervals by the questions under any held
.85 to .91 of the truths, so .93 to .99.)  Where a rate is 0 or 1
neither can see how it varies, and Newcombe's square-and-add interval (1998, method 10) of the two clustered
Wilson intervals is taken; it is wider than it need be, as it takes the two for independent.

Tests are in :mod:`pcf_core.stats.exchange`.

How often the intervals hold the truth is simulated in tests/stats/test_rates.py and
tests/criteria/test_fair_models.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval
from pcf_core.stats.percentiles import percentiles

FEWEST = 2  # clusters: of a single one nothing can be learned of others
MOST_UNDEFINED = 0.05  # of the draws, for an interval of those that are defined
Bounds = tuple[float, float]


def wilson(part: float, whole: float, level: float = 0.95) -> Bounds:
    """Low and high of Wilson's interval of ``part`` out of ``whole``, 0 to 1: 0 of 10 gives 0 to 0.278.

    Neither need be a whole number.

    Raises:
        CriterionError: no answers, more than there are, or a level outside (0, 1).
    """
    if not (0 < whole < math.inf and -1e-9 <= part <= whole * (1 + 1e-9)):
        raise CriterionError(f"A share needs 0 to {whole:g} of at least some answers; got {part:g}.")
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(min(max(part, 0.0), whole), whole, alpha=1 - level, method="wilson")
    share = part / whole
    return max(0.0, min(float(low), share)), min(1.0, max(float(high), share))


def clustered_wilson(
    part: FloatArray, whole: FloatArray, level: float = 0.95, *, chance: bool = True
) -> Bounds | None:
    """Low and high of Σ part / Σ whole over clusters; ``None`` with fewer than two that have answers.

    Args:
        part: [cluster] answers that count, or their probabilities.
        whole: [cluster] answers, >= 0.
        level: share of the intervals that are to hold the truth, inside (0, 1).
        chance: whether answers are texts, which are 0 or 1 and can be worth no more than their number.
    """
    size = effective_answers(part, whole, level, chance=chance)
    return None if size is None else wilson(float(part.sum() / whole.sum()) * size, size, level)


def effective_answers(
    part: FloatArray, whole: FloatArray, level: float = 0.95, *, chance: bool = True
) -> float | None:
    """n' of the module: how many independent answers say as much as these do about other clusters."""
    from scipy.stats import norm, t

    used = whole > 0
    clusters = int(used.sum())
    if clusters < FEWEST:
        return None
    total = float(whole.sum())
    share = float(part.sum()) / total
    alike = total**2 / float(np.sum(whole**2))
    if min(share, 1 - share) < 1e-12:
        return alike
    deviations = (part - share * whole)[used]
    variance = clusters / (clusters - 1) * float(np.sum(deviations**2)) / total**2
    few = (norm.ppf((1 + level) / 2) / t.ppf((1 + level) / 2, clusters - 1)) ** 2
    binomial = share * (1 - share)
    most = total if chance else math.inf
    size = min(binomial / variance, most) if variance > binomial * 1e-12 else total
    return float(size * few)


def newcombe(first: float, second: float, first_bounds: Bounds, second_bounds: Bounds) -> Bounds:
    """Low and high of ``first`` − ``second`` from the bounds of either: square and add.

    Of 56/70 against 48/80, whose Wilson bounds are .6918 to .8769 and .4904 to .7000: .0524 to .3339.
    """
    difference = first - second
    low = math.hypot(first - first_bounds[0], second_bounds[1] - second)
    high = math.hypot(first_bounds[1] - first, second - second_bounds[0])
    return max(-1.0, difference - low), min(1.0, difference + high)


def drawn_clusters(tallies: FloatArray, strata: list[int], resamples: int, seed: int) -> FloatArray:
    """[resample, …] sums of [cluster, …] tallies over clusters drawn with replacement within strata.

    ``strata``: [cluster] a number for each; those that have the same are drawn from together.
    """
    generator = np.random.default_rng(seed)
    flat = tallies.reshape(len(tallies), -1)
    sums = np.zeros((resamples, flat.shape[1]))
    for stratum in sorted(set(strata)):
        places = np.flatnonzero(np.asarray(strata) == stratum)
        weights = generator.multinomial(len(places), np.full(len(places), 1 / len(places)), size=resamples)
        sums += weights @ flat[places]
    return sums.reshape(resamples, *tallies.shape[1:])


def difference_interval(
    replicates: FloatArray,
    value: float,
    clusters: int,
    level: float = 0.95,
    *,
    unit: str,
    fixed: Bounds | None = None,
) -> Interval | None:
    """The interval of a difference, which holds ``value``.

    Args:
        replicates: [resample] differences, NaN where one of the two is undefined.
        value: the difference itself.
        clusters: the fewest that were drawn from in a stratum, or that one of the two has answers in.
        level: share of the intervals that are to hold the truth, inside (0, 1).
        unit: what was drawn.
        fixed: bounds to use instead of percentiles, where a rate is 0 or 1.

    Returns:
        ``None`` with fewer than two clusters, or where over a twentieth of the draws has no difference.
    """
    if clusters < FEWEST:
        return None
    if fixed is not None:
        low, high = fixed
    else:
        defined = replicates[np.isfinite(replicates)]
        if len(defined) < (1 - MOST_UNDEFINED) * len(replicates):
            return None
        low, high = map(float, percentiles(defined, level, clusters))
    return Interval(level=level, low=min(low, value), high=max(high, value), unit=unit)


def t_bounds(
    influence: FloatArray, strata: Sequence[int], value: float, most: float = math.inf, level: float = 0.95
) -> Bounds | None:
    """Low and high of a difference from what each cluster adds to it; ``None`` where none differs.

    Of influences −.1, 0 and .1 in one stratum the variance is 3/2 · (.01 + .01) = .03, and t with 2 degrees
    of freedom 4.303: the value ± .745.

    Args:
        influence: [cluster] what the cluster moves the value by; for a share (y − p m) / Σ m.
        strata: [cluster] a number for each; clusters of the same one are alike.
        value: the difference itself, −1 to 1.
        most: degrees of freedom, >= 1, that there can be; fewer than Satterthwaite's where one of two shares
            rests on few of the clusters.
        level: share of the intervals that are to hold the truth, inside (0, 1).
    """
    from scipy.stats import t

    kinds, variances, freedoms = np.asarray(strata), [], []
    for kind in sorted(set(strata)):
        mine = influence[kinds == kind]
        if len(mine) >= FEWEST:
            variances.append(len(mine) * float(np.var(mine, ddof=1)))
            freedoms.append(len(mine) - 1)
    whole = sum(variances)
    if whole < 1e-20:
        return None
    freedom = whole**2 / sum(each**2 / left for each, left in zip(variances, freedoms, strict=True))
    freedom = min(freedom, most)
    half = float(t.ppf((1 + level) / 2, freedom)) * math.sqrt(whole)
    return max(-1.0, value - half), min(1.0, value + half)
