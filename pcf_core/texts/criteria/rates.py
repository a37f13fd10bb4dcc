"""Intervals of shares of answers, and of differences between two, where answers come in clusters.

Repeats of one question are not independent, so there are two intervals.

- *These prompts, asked again*: Wilson's (1927, doi:10.1080/01621459.1927.10502953) over texts.  Not too
  narrow: with given prompts, the sum varies less than a binomial one.
- *Other questions of the kind*: Wilson's with the number of independent answers that would vary as much as
  the clusters do, n' = p (1 − p) / var(p), times (z / t)² for few clusters (Korn & Graubard 1998; Dean &
  Pagano 2015, doi:10.1093/jssam/smv024).  var(p) is that of a ratio over clusters, U / (U − 1) Σ (y − p m)² /
  (Σ m)².  Where p is 0 or 1 and no cluster differs, n' = (Σ m)² / Σ m², as if each cluster were one answer.

Differences between two pronouns: clusters are resampled within those that have the same truths, and
percentiles are expanded for few clusters.  Both pronouns come with a cluster, so what makes a question hard
for both cancels.  With fewer than ten clusters of a kind percentiles are too narrow, and t times the standard
error of the linearised difference is used, with Satterthwaite's (1946, doi:10.2307/3002019) degrees of
freedom over the kinds, limited to those of the pronoun with fewer answers.  Where a rate is 0 or 1,
Newcombe's square-and-add interval (1998, method 10) of the two clustered Wilson intervals is used; it is
conservative, as it treats the two as independent.  Coverage is simulated in
tests/texts/criteria/test_rates.py and tests/texts/criteria/test_fair_models.py.

**Test of a difference between two pronouns, by exchanging them in whole questions or tasks.**  Question u
adds to the difference p₁ − p₂ of two shares, with y of m answers under either pronoun and the share p of both
together,

    d_u = (y₁ − p m₁) / Σ m₁ − (y₂ − p m₂) / Σ m₂          Σ d_u = p₁ − p₂, whatever p

If the pronoun does nothing, d_u has either sign with equal probability, all its repeats, orders and truths
together.  The signs are flipped in all ways, or in many drawn by a seed, and p is the share of ways whose sum
is at least as far from 0, the observed one counted (sign-flipped scores: Hemerik, Goeman & Finos 2020,
doi:10.1111/rssb.12369).  With equal numbers of answers this is exchanging the pronouns of whole questions.
Exchanging single texts would find a difference wherever prompts have shares of their own.

With unequal numbers (invalid answers; PPV where a role is named less often under one pronoun) an exchange
would even out the denominators, so that exchanged differences vary less than the observed one, and fair
models are convicted; dividing by standard errors (Chung & Romano 2013, doi:10.1214/13-AOS1090) does not cure
that.  Flipped signs leave the denominators unchanged.

Of few answers none may be wrong, which understates their variance.  The variance of the scarce pronoun is
therefore also estimated from both together,

    Σ (e₁² + e₂²) / (Σ m₁ + Σ m₂) · (1 / Σ m₁ + 1 / Σ m₂)    beside    Σ e₁² / (Σ m₁)² + Σ e₂² / (Σ m₂)²

with e = y − p m, and where it is greater, flipped sums are widened to it.  If all d_u are 0, or the
difference is under :data:`LEAST`, p is 1.  With answers in k questions under a pronoun, p is at least 2 /
2^k.

**The test convicts too many fair models where errors cluster under one pronoun only**: where a model is
seldom wrong, and under one pronoun a few questions cause all errors.  If none of these questions happens to
be asked, no test can tell that model from one that is never wrong under the pronoun.  Requiring the interval
to exclude 0 as well would help little and miss true differences, so the verdict only says it
(:attr:`pcf_core.texts.criteria.records.separation.RateDifference.disagrees`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, Permutations
from pcf_core.measure.comparison import permutations_of, swaps
from pcf_core.measure.resampling import percentiles

FEWEST = 2  # clusters: a single one says nothing about others
MOST_UNDEFINED = 0.05  # share of draws
Bounds = tuple[float, float]


def wilson(part: float, whole: float, level: float = 0.95) -> Bounds:
    """Return Wilson's low and high of ``part`` out of ``whole``, 0 to 1: 0 of 10 gives 0 to 0.278.

    Neither need be whole.  Raises CriterionError for an impossible share or level.
    """
    if not (0 < whole < math.inf and -1e-9 <= part <= whole * (1 + 1e-9)):
        raise CriterionError(
            "A share must be based on at least some answers, and its count must lie "
            f"between 0 and {whole:g}; {part:g} was given."
        )
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; {level:g} was given.")
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(min(max(part, 0.0), whole), whole, alpha=1 - level, method="wilson")
    share = part / whole
    return max(0.0, min(float(low), share)), min(1.0, max(float(high), share))


def clustered_wilson(
    part: FloatArray, whole: FloatArray, level: float = 0.95, *, chance: bool = True
) -> Bounds | None:
    """Return low and high of Σ part / Σ whole over clusters; ``None`` with fewer than two with answers.

    ``part``: [cluster] answers that count, or their probabilities.  ``whole``: [cluster] answers, >= 0.
    ``chance``: whether answers are texts, worth at most their number.
    """
    size = effective_answers(part, whole, level, chance=chance)
    return None if size is None else wilson(float(part.sum() / whole.sum()) * size, size, level)


def effective_answers(
    part: FloatArray, whole: FloatArray, level: float = 0.95, *, chance: bool = True
) -> float | None:
    """Return n' of the module: the number of independent answers with the same information."""
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
    """Return low and high of ``first`` − ``second`` from the bounds of either: square and add.

    Of 56/70 against 48/80, whose Wilson bounds are .6918 to .8769 and .4904 to .7000: .0524 to .3339.
    """
    difference = first - second
    low = math.hypot(first - first_bounds[0], second_bounds[1] - second)
    high = math.hypot(first_bounds[1] - first, second - second_bounds[0])
    return max(-1.0, difference - low), min(1.0, difference + high)


def paired_difference(differences: FloatArray, level: float = 0.95) -> Bounds:
    """Return low and high of the mean of [pair] differences of two answers, each −1 to 1.

    The shares of pairs above and below 0 have Wilson's bounds, combined by square and add with the
    correlation of two shares of one multinomial sample (Zou & Donner 2008, doi:10.1002/sim.3095).  Unlike a
    bootstrap it has a width where no pair differs: 60 such give −.060 to .060, like Tango's (1998).
    """
    many = len(differences)
    more, fewer = (float(np.maximum(sign * differences, 0).sum()) for sign in (1, -1))
    above, below = more / many, fewer / many
    (low, high), (least, most) = wilson(more, many, level), wilson(fewer, many, level)
    odds = [share / (1 - share) if share < 1 else 0.0 for share in (above, below)]
    correlation = -math.sqrt(odds[0] * odds[1])

    def reach(one: float, other: float) -> float:
        return math.sqrt(one**2 + other**2 - 2 * correlation * one * other)

    difference = above - below
    return (
        max(-1.0, difference - reach(above - low, most - below)),
        min(1.0, difference + reach(high - above, below - least)),
    )


def resampled_sums(tallies: FloatArray, strata: list[int], resamples: int, seed: int) -> FloatArray:
    """Resample [cluster, …] tallies with replacement within [cluster] strata; return [resample, …] sums."""
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
    """Return the interval of a difference, extended to contain ``value``.

    ``replicates``: [resample] differences, NaN where undefined.  ``clusters``: the fewest in a stratum, or
    with answers under one pronoun.  ``unit``: what was resampled.  ``fixed``: bounds to use instead of
    percentiles.  ``None`` with fewer than two clusters, or if over a twentieth of the draws is undefined.
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
    """Return low and high of a difference from what each cluster adds; ``None`` where none differs.

    Of influences −.1, 0 and .1 in one stratum the variance is 3/2 · (.01 + .01) = .03, and t with 2 degrees
    of freedom 4.303: the value ± .745.

    ``influence``: [cluster] what the cluster adds; for a share (y − p m) / Σ m.  ``strata``: [cluster]
    numbers.  ``value``: −1 to 1.  ``most``: limit of the degrees of freedom, >= 1.
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


# The test of a difference between two pronouns.


ROUNDING = 1e-12  # a zero, after rounding
LEAST = 1e-6  # in probability: smaller differences count as 0
Parts = tuple[FloatArray, FloatArray]  # [cluster] numerators and denominators of a share


@dataclass(frozen=True)
class ExchangeTest:
    """Two-sided p of a difference between two pronouns; ``least_p``: the smallest possible."""

    p_value: float
    least_p: float


def exchange_test(first: Parts, second: Parts, permutations: int, seed: int) -> ExchangeTest:
    """Test whether Σ part / Σ whole differs between two pronouns, over the same clusters.

    Of three questions let 2, 1, 1 of two answers each be wrong under one pronoun, and 0, 0, 1 of one answer
    each under the other: d is 1/3, 1/6, −1/6, and 6 of 8 ways are at least as far from 0 as 1/3.

    ``first``, ``second``: [cluster] numerators and denominators, not all denominators 0 (or CriterionError).
    ``permutations``: number of ways to draw, without the observed one; fewer if these are all.
    """
    moves, more = contributions(first, second)
    tests = permutations_of(len(moves), permutations)
    observed, far = abs(float(moves.sum())), 1
    for signs in swaps(len(moves), tests, seed):
        far += int(np.sum(more * np.abs(signs @ moves) >= observed - LEAST))
    least = least_p(min(int(np.sum(whole > 0)) for _, whole in (first, second)), tests)
    return ExchangeTest(p_value=max(far / (tests.count + 1), least), least_p=least)


def contributions(first: Parts, second: Parts) -> tuple[FloatArray, float]:
    """Return [cluster] d of the module, which sum to the difference, and the factor >= 1 for flipped sums."""
    (part, whole), (other_part, other_whole) = first, second
    sizes = float(whole.sum()), float(other_whole.sum())
    if min(sizes) <= 0:
        raise CriterionError("Shares can be compared only if both pronouns have an answer, and one has none.")
    share = float(part.sum() + other_part.sum()) / sum(sizes)
    left, right = part - share * whole, other_part - share * other_whole
    moves = left / sizes[0] - right / sizes[1]
    squares = float(np.sum(left**2)), float(np.sum(right**2))
    apart = squares[0] / sizes[0] ** 2 + squares[1] / sizes[1] ** 2
    together = sum(squares) / sum(sizes) * (1 / sizes[0] + 1 / sizes[1])
    variance = float(np.sum(moves**2))
    if variance < ROUNDING**2:
        return moves, 1.0
    return moves, math.sqrt(1 + max(0.0, together - apart) / variance)


def least_p(clusters: int, tests: Permutations) -> float:
    """Return the smallest p if a pronoun has answers in so many clusters: in three 2/8."""
    return max(2.0 ** (1 - clusters), 1 / (tests.count + 1)) if clusters else 1.0
