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

How often the intervals hold the truth is simulated in tests/texts/criteria/test_rates.py and
tests/texts/criteria/test_fair_models.py.

**Test of a difference between two pronouns, by exchanging them in whole questions or tasks.**  Question u
adds to the difference p₁ − p₂ of two shares, with y of m answers under either pronoun and the share p of both
together,

    d_u = (y₁ − p m₁) / Σ m₁ − (y₂ − p m₂) / Σ m₂          Σ d_u = p₁ − p₂, whatever p

If the pronoun does nothing, d_u is as likely of either sign, all its repeats, orders and truths together.
The signs are turned in all ways, or in many drawn by a seed, and p is the share of ways whose sum is at
least as far from 0, the observed one counted (sign-flipped scores: Hemerik, Goeman & Finos 2020,
doi:10.1111/rssb.12369).  Where either pronoun has as many answers in every question, this is to exchange
the pronouns of whole questions.  Whatever a model does to a prompt for the change of a word, in no
direction, is then in the turned sums as well; to exchange single texts would find a difference wherever
prompts have shares of their own.

Where they have not as many, because answers are invalid, or PPV is asked for and the role is named less
often under one pronoun, an exchange evens the denominators out, and exchanged differences vary less than
the observed one.  A model with the same errors under all pronouns, valid in a tenth of the prompts under
one, was convicted by it in 54 of 100 audits.  To divide each by its standard error (Chung & Romano 2013,
doi:10.1214/13-AOS1090) left 16 with the two shares' own errors and 3 with those about the common share, but
26 of models that are seldom wrong: an exchange moves every denominator a little, so that hardly two ways
are alike, and the observed one, whose denominators lie farthest apart, seems the farthest of all.  Signs
leave the denominators as they are.

What remains is that of few answers none may be wrong, which seems to vary little.  The variance of the
scarce pronoun is therefore also taken from both together, for its number of answers,

    Σ (e₁² + e₂²) / (Σ m₁ + Σ m₂) · (1 / Σ m₁ + 1 / Σ m₂)    beside    Σ e₁² / (Σ m₁)² + Σ e₂² / (Σ m₂)²

with e = y − p m, and where it is the greater, turned sums are widened to it.  With as many answers both are
the same.  No standard error is divided by: if all d_u are 0 so is the difference, and p is 1.  So it is for
a difference under :data:`LEAST`: scored probabilities that differ by 1e-9 in every question, and always in
one direction, would else be as sure a difference as any.

A pronoun with answers in k questions can be told from another by no fewer ways than 2 / 2^k, and p is never
less.  Simulated in tests/texts/criteria/test_confusion.py and tests/texts/criteria/test_fair_models.py.

**Too many fair models are convicted where errors clump under one pronoun alone**: where a model is seldom
wrong, and under one pronoun a few questions bring all errors, while under the others every question brings
some.  From 16 questions of 25 repeats, 5 % wrong under all pronouns, with correlations within a question of
.9, .5 and .3 under *she* and .05 under the others, .67, .25 and .12 of the audits found a difference (.02
with .5 under all).  If by chance none of the few questions is among those that were asked, the answers are
those of a model that is never wrong under *she*, and no test of them can tell the two apart.  To demand
that the interval over questions leave out 0 as well left .27, .17 and .12 (and .20 of 64 questions, 3 %
wrong and .5), and of models that are never wrong under *she* and in 10 or 20 % of the texts under *he* it
found none and two thirds, where the test finds all.  It is therefore not demanded, but said beside the
verdict (:attr:`pcf_core.texts.criteria.records.separation.RateDifference.disagrees`).
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

FEWEST = 2  # clusters: of a single one nothing can be learned of others
MOST_UNDEFINED = 0.05  # of the draws, for an interval of those that are defined
Bounds = tuple[float, float]


def wilson(part: float, whole: float, level: float = 0.95) -> Bounds:
    """Return Wilson's low and high of ``part`` out of ``whole``, 0 to 1: 0 of 10 gives 0 to 0.278.

    Neither need be a whole number.
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
    ``level``: share of the intervals that are to hold the truth, inside (0, 1).  ``chance``: whether
    answers are texts, which are 0 or 1 and can be worth no more than their number.
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

    The shares of pairs with a difference above 0 and below 0 have Wilson's bounds, which are squared and
    added with the correlation of two shares of one multinomial sample (Zou & Donner 2008,
    doi:10.1002/sim.3095).  Unlike a bootstrap it has a width where no pair differs: 60 such give −.060 to
    .060, as Tango's (1998) score interval does.
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


def drawn_clusters(tallies: FloatArray, strata: list[int], resamples: int, seed: int) -> FloatArray:
    """Resample [cluster, …] tallies with replacement within strata; return [resample, …] sums.

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
    """Return the interval of a difference, which holds ``value``.

    ``replicates``: [resample] differences, NaN where one of the two is undefined.  ``value``: the
    difference itself.  ``clusters``: the fewest that were drawn from in a stratum, or that one of the two
    has answers in.  ``level``: share of the intervals that are to hold the truth, inside (0, 1).  ``unit``:
    what was drawn.  ``fixed``: bounds to use instead of percentiles, where a rate is 0 or 1.  There is no
    interval with fewer than two clusters, or where over a twentieth of the draws has no difference.
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

    ``influence``: [cluster] what the cluster moves the value by; for a share (y − p m) / Σ m.  ``strata``:
    [cluster] a number for each; clusters of the same one are alike.  ``value``: the difference itself, −1
    to 1.  ``most``: degrees of freedom, >= 1, that there can be; fewer than Satterthwaite's where one of
    two shares rests on few of the clusters.  ``level``: share of the intervals that are to hold the truth,
    inside (0, 1).
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


TIE = 1e-12  # what the arithmetic leaves of a zero
LEAST = 1e-6  # in probability: a smaller difference is none, and ways that differ by less are as far
Parts = tuple[FloatArray, FloatArray]  # [cluster] numerators and denominators of a share


@dataclass(frozen=True)
class ExchangeTest:
    """The test of a difference between two pronouns.

    ``p_value``: two-sided; ``least_p``: the smallest that it could have been.
    """

    p_value: float
    least_p: float


def exchange_test(first: Parts, second: Parts, permutations: int, seed: int) -> ExchangeTest:
    """Test whether Σ part / Σ whole differs between two pronouns, over the same clusters.

    Of three questions let 2, 1, 1 of two answers each be wrong under one pronoun, and 0, 0, 1 of one answer
    each under the other: d is 1/3, 1/6, −1/6, and 6 of 8 ways are at least as far from 0 as 1/3.

    ``first``: [cluster] numerators and denominators of one pronoun, some denominator above 0.  ``second``:
    [cluster] those of the other.  ``permutations``: how many ways are drawn, or fewer where these are all;
    the observed one is not among them.  ``seed``: the same seed gives the same ways.
    """
    moves, more = contributions(first, second)
    tests = permutations_of(len(moves), permutations)
    observed, far = abs(float(moves.sum())), 1
    for signs in swaps(len(moves), tests, seed):
        far += int(np.sum(more * np.abs(signs @ moves) >= observed - LEAST))
    least = least_p(min(int(np.sum(whole > 0)) for _, whole in (first, second)), tests)
    return ExchangeTest(p_value=max(far / (tests.count + 1), least), least_p=least)


def contributions(first: Parts, second: Parts) -> tuple[FloatArray, float]:
    """Return [cluster] d of the module, which sum to the difference, and the factor, >= 1, that widens sums.

    It widens the sums with exchanged signs.
    """
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
    if variance < TIE**2:
        return moves, 1.0
    return moves, math.sqrt(1 + max(0.0, together - apart) / variance)


def least_p(clusters: int, tests: Permutations) -> float:
    """Return the smallest p where a pronoun has answers in so many clusters: in three 2/8."""
    return max(2.0 ** (1 - clusters), 1 / (tests.count + 1)) if clusters else 1.0
