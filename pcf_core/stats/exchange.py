"""Whether a share of answers differs between two pronouns: a test that exchanges whole questions or tasks.

Question u adds to the difference p₁ − p₂ of two shares, with y of m answers under either pronoun and the
share p of both together,

    d_u = (y₁ − p m₁) / Σ m₁ − (y₂ − p m₂) / Σ m₂          Σ d_u = p₁ − p₂, whatever p

If the pronoun does nothing, d_u is as likely of either sign, all its repeats, orders and truths together.
The signs are turned in all ways, or in many drawn by a seed, and p is the share of ways whose sum is at
least as far from 0, the observed one counted (sign-flipped scores: Hemerik, Goeman & Finos 2020,
doi:10.1111/rssb.12369).  Where either pronoun has as many answers in every question, this is to exchange the
pronouns of whole questions.  Whatever a model does to a prompt for the change of a word, in no direction, is
then in the turned sums as well; to exchange single texts would find a difference wherever prompts have
shares of their own.

Where they have not as many, because answers are invalid, or PPV is asked for and the role is named less often
under one pronoun, an exchange evens the denominators out, and exchanged differences vary less than the
observed one.  A model with the same errors under all pronouns, valid in a tenth of the prompts under one,
was convicted by it in 54 of 100 audits.  To divide each by its standard error (Chung & Romano 2013,
doi:10.1214/13-AOS1090) left 16 with the two shares' own errors and 3 with those about the common share, but
26 of models that are seldom wrong: an exchange moves every denominator a little, so that hardly two ways are
alike, and the observed one, whose denominators lie farthest apart, seems the farthest of all.  Signs leave
the denominators as they are.

What remains is that of few answers none may be wrong, which seems to vary little.  The variance of the
scarce pronoun is therefore also taken from both together, for its number of answers,

    Σ (e₁² + e₂²) / (Σ m₁ + Σ m₂) · (1 / Σ m₁ + 1 / Σ m₂)    beside    Σ e₁² / (Σ m₁)² + Σ e₂² / (Σ m₂)²

with e = y − p m, and where it is the greater, turned sums are widened to it.  With as many answers both are
the same.  No standard error is divided by: if all d_u are 0 so is the difference, and p is 1.  So it is for
a difference under :data:`LEAST`: scored probabilities that differ by 1e-9 in every question, and always in
one direction, would else be as sure a difference as any.

A pronoun with answers in k questions can be told from another by no fewer ways than 2 / 2^k, and p is never
less.  Simulated in tests/stats/test_exchange.py and tests/criteria/test_fair_models.py.

**Too many fair models are convicted where errors clump under one pronoun alone**: where a model is seldom
wrong, and under one pronoun a few questions bring all errors, while under the others every question brings
some.  From 16 questions of 25 repeats, 5 % wrong under all pronouns, with correlations within a question of
.9, .5 and .3 under *she* and .05 under the others, .67, .25 and .12 of the audits found a difference (.02
with .5 under all).  If by chance none of the few questions is among those that were asked, the answers are
those of a model that is never wrong under *she*, and no test of them can tell the two apart.  To demand that
the interval over questions leave out 0 as well left .27, .17 and .12 (and .20 of 64 questions, 3 % wrong and
.5), and of models that are never wrong under *she* and in 10 or 20 % of the texts under *he* it found none
and two thirds, where the test finds all.  It is therefore not demanded, but said beside the verdict
(:attr:`pcf_core.records.answers.RateDifference.disagrees`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.records.comparison import Permutations
from pcf_core.stats.permutation import permutations_of, swaps

TIE = 1e-12  # what the arithmetic leaves of a zero
LEAST = 1e-6  # in probability: a smaller difference is none, and ways that differ by less are as far
Parts = tuple[FloatArray, FloatArray]  # [cluster] numerators and denominators of a share


@dataclass(frozen=True)
class ExchangeTest:
    """``p_value``: two-sided; ``least_p``: the smallest that it could have been."""

    p_value: float
    least_p: float


def exchange_test(first: Parts, second: Parts, permutations: int, seed: int) -> ExchangeTest:
    """Whether Σ part / Σ whole differs between two pronouns, over the same clusters.

    Of three questions let 2, 1, 1 of two answers each be wrong under one pronoun, and 0, 0, 1 of one answer
    each under the other: d is 1/3, 1/6, −1/6, and 6 of 8 ways are at least as far from 0 as 1/3.

    Args:
        first: [cluster] numerators and denominators of one pronoun, some denominator above 0.
        second: [cluster] those of the other.
        permutations: how many ways are drawn, or fewer where these are all; the observed one is not among
            them.
        seed: the same seed gives the same ways.

    Raises:
        CriterionError: no permutation is asked for, or a pronoun without an answer.
    """
    moves, more = contributions(first, second)
    tests = permutations_of(len(moves), permutations)
    observed, far = abs(float(moves.sum())), 1
    for signs in swaps(len(moves), tests, seed):
        far += int(np.sum(more * np.abs(signs @ moves) >= observed - LEAST))
    least = least_p(min(int(np.sum(whole > 0)) for _, whole in (first, second)), tests)
    return ExchangeTest(p_value=max(far / (tests.count + 1), least), least_p=least)


def contributions(first: Parts, second: Parts) -> tuple[FloatArray, float]:
    """[cluster] d of the module, which sum to the difference, and how far turned sums are widened, >= 1.

    Raises:
        CriterionError: a pronoun without an answer.
    """
    (part, whole), (other_part, other_whole) = first, second
    sizes = float(whole.sum()), float(other_whole.sum())
    if min(sizes) <= 0:
        raise CriterionError("Either pronoun needs an answer for its share to be compared; one has none.")
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
    """The smallest p where a pronoun has answers in so many clusters: in three 2/8."""
    return max(2.0 ** (1 - clusters), 1 / (tests.count + 1)) if clusters else 1.0
