"""Intervals over prompts: facts are drawn again, with replacement, as many as there are.

They say what other prompts of the kind would have shown; how many texts each prompt has decides only how
noisy its own figures are, which the spread over prompts holds already.  Bounds are stretched percentiles with
an acceleration for skewness (:mod:`pcf_core.measure.resampling`), for F on the scale of its logarithm: a
ratio has a long right tail.  Of three prompts a percentile can be no more than the largest of the three;
stretched by √(3/2) · 4.30 / 1.96 = 2.69 it lies about where Student's t puts it.

Prompts that say one fact in several frames ("John is a nurse.", "My neighbour John is a nurse.") are not
independent: a fact is drawn with all its prompts (Davison & Hinkley 1997, sec. 3.8,
doi:10.1017/CBO9780511802843), and weighs as much as it has prompts.  The frames are taken as they are.  Where
40 facts have 5 prompts each, prompts drawn one by one gave intervals that held the truth in 66 of 100 cases
with a correlation of 0.8 within facts and in 86 with one of 0.2; facts give 94.  With 5 facts 91 of 100
intervals hold the truth, with 10 or more 92 to 95 (tests/texts/fairpair/test_intervals.py).

**Whether two samples of texts are alike: labels dealt anew, fold by fold.**  If u and z came from one
distribution, it would not matter which text of a fold bears which name.  The 2m texts of each fold are dealt
into two halves at random, the energy statistic E = 2 B − V_u − V_z is computed again, and p is the share of
dealings that give at least as much, the observed one counted (Phipson & Smyth 2010,
doi:10.2202/1544-6115.1585).  Exact where texts are exchangeable, whatever the dissimilarity.

With s = ±1 for each text and r its sum of Φ over the fold, s' Φ s = 2 (T − 2 X) gives X, the sum over the
m² pairs across the halves, from T, that over all pairs of the 2m texts; then B = X / m² and, from the sums
of r over either half, V_u = (Σ_u r − X) / (m (m − 1)).  That is one small product for each dealing.

Example: m = 2, Φ = 1 between u1 and u2 and 0 else.  T = 1, X = 0: B = 0, V_u = 1, E = −1.  Of the six ways
to deal, two keep the pair together and have E = −1, four part it: X = 1, B = ¼, no V, E = ½.

F under random labels is kept too: its mean is above 1 where the V are noisy, and that is the value to hold
an observed F against.  Several prompts are dealt anew each by itself; the mean E over them has the same
test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, lgamma, log

import numpy as np

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import acceleration, moments
from pcf_core.measure.resampling import (
    BLOCK_CELLS,
    TemplateUnit,
    interval,
    resampled_template_weights,
    rough,
    stretched,
)

PROMPT, FACT = "prompt", "fact"
TIE_DECIMALS = (
    12  # values that differ by rounding alone are as large, and those that are rounding alone are 0
)
FEWEST_PROMPTS = 2  # of a single fact nothing can be learned of others


def mean_interval(
    values: FloatArray,
    facts: Sequence[str] = (),
    *,
    possible: tuple[float, float] = (-inf, inf),
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """Return the interval of the mean of [prompt] values; ``None`` for fewer than two facts.

    ``facts``: [prompt] the fact of each; none where each prompt stands alone.  ``possible``: the least and
    the largest that a value can be.  ``resamples``, ``level``, ``seed``: of the bootstrap.
    """
    means, weights, unit = of_facts(values[:, np.newaxis], facts)
    if len(means) < FEWEST_PROMPTS:
        return None
    fact = TemplateUnit.templates(weights)
    drawn = _drawn(fact, resamples, seed) @ means[:, 0]
    bounds = _bounds(drawn, means[:, 0] - fact.weights @ means[:, 0], fact, level)
    return interval(np.clip(bounds, *possible), level, "templates", unit, rough(fact.effective))


def ratio_of_means_interval(
    between: FloatArray,
    within_original: FloatArray,
    within_prompt: FloatArray,
    facts: Sequence[str] = (),
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """Return the interval of mean(B)² / (mean(V_pg) · mean(V_gp)) from [prompt] values.

    ``None`` for fewer than two facts, or where in some draw a mean B or V is 0, so that it has no bounds.
    """
    values, weights, unit = of_facts(np.stack([between, within_original, within_prompt], axis=1), facts)
    if len(values) < FEWEST_PROMPTS:
        return None
    fact = TemplateUnit.templates(weights)
    drawn = _drawn(fact, resamples, seed) @ values
    if (drawn <= 0).any():
        return None
    powers = np.array([2.0, -1.0, -1.0])
    moves = values / (fact.weights @ values) @ powers
    bounds = np.exp(_bounds(np.log(drawn) @ powers, moves, fact, level))
    return interval(bounds, level, "templates", unit, rough(fact.effective))


def signed_ranks(values: FloatArray, facts: Sequence[str] = ()) -> float | None:
    """Return one-sided p of Wilcoxon's signed-rank test that [prompt] values are above 0.

    ``None`` if all are 0.

    Prompts that share a fact count once, by their mean.
    """
    from scipy.stats import wilcoxon

    means, _, _ = of_facts(values[:, np.newaxis], facts)
    ranked = means[:, 0].round(TIE_DECIMALS)
    if not np.any(ranked):
        return None
    return float(wilcoxon(ranked, alternative="greater").pvalue)


def of_facts(values: FloatArray, facts: Sequence[str]) -> tuple[FloatArray, FloatArray, str]:
    """Average over the prompts of each fact: return [fact, …] means, [fact] counts, and the unit's name.

    Example: 1, 2 and 6 of the facts a, a, b: 1.5 of two prompts and 6 of one.
    """
    if not np.isfinite(values).all():
        raise CriterionError("The values of prompts must be finite numbers.")
    names = list(facts) or list(map(str, range(len(values))))
    if len(names) != len(values):
        raise CriterionError(
            f"There are {len(values)} prompts but {len(names)} facts: give one fact for each prompt."
        )
    places = {name: index for index, name in enumerate(dict.fromkeys(names))}
    if len(places) == len(values):
        return values, np.ones(len(values)), PROMPT
    of_prompt = np.array([places[name] for name in names], dtype=np.intp)
    sizes = np.bincount(of_prompt, minlength=len(places)).astype(np.float64)
    sums = np.zeros((len(places), *values.shape[1:]))
    np.add.at(sums, of_prompt, values)
    return sums / sizes[:, np.newaxis], sizes, FACT


def _drawn(fact: TemplateUnit, resamples: int, seed: int) -> FloatArray:
    """Return [resample, fact] weights that sum to 1."""
    return np.concatenate(list(resampled_template_weights(fact, resamples, seed)))


def _bounds(drawn: FloatArray, moves: FloatArray, fact: TemplateUnit, level: float) -> FloatArray:
    """Return low and high from [resample] replicates and [fact] influences.

    An influence is how far a fact moves the statistic.
    """
    return stretched(drawn, level, fact.stretch(level), acceleration(moments(moves, fact)))


# Whether two samples of texts are alike: labels dealt anew, fold by fold.


TIE = 1e-12  # dealings that differ by rounding alone are as large as the observed one
FEWEST_PERMUTATIONS = 1000


@dataclass(frozen=True)
class Relabelled:
    """E observed and under random labels.

    ``observed``: E.  ``dealt``: [permutation] E of random labels.  ``chance_ratio``: mean F of random labels
    where it is defined, ``None`` where it never is.  ``least_p``: the smallest possible p.
    """

    observed: float
    dealt: FloatArray
    chance_ratio: float | None
    least_p: float

    @property
    def p_value(self) -> float:
        """The share of random labels with E at least as large, the observed one counted."""
        return share_at_least(self.observed, self.dealt)


def relabelled(
    folds: Sequence[FloatArray],
    permutations: int = FEWEST_PERMUTATIONS,
    seed: Sequence[int] = (0,),
    pause: Callable[[], None] = lambda: None,
) -> Relabelled:
    """Permute the labels within every fold, all folds at once.

    ``folds``: of each, [2m, 2m] Φ of its texts, the m of u before the m of z; symmetric, 0 on the diagonal,
    m at least 2.  Folds count by their texts.  ``permutations``: how many dealings, at least 1,000.
    ``seed``: whole numbers >= 0 that decide them.  ``pause``: called before each block of dealings; what it
    raises ends them.
    """
    if permutations < FEWEST_PERMUTATIONS:
        raise CriterionError(
            f"The permutation test needs at least {FEWEST_PERMUTATIONS:,} permutations; {permutations:,} "
            "were requested."
        )
    sizes = np.array([_size(fold) for fold in folds])
    if not sizes.size:
        raise CriterionError("The permutation test needs at least one fold, but there is none.")
    generator = np.random.default_rng(list(seed))
    observed, dealt = np.zeros((3, 1)), np.zeros((3, permutations))
    for size in np.unique(sizes):
        stack = np.stack([fold for fold in folds if len(fold) == size])
        share = len(stack) * size / sizes.sum()
        labels = np.where(np.arange(size) < size // 2, 1.0, -1.0)
        observed += share * _variation(stack, np.broadcast_to(labels, (1, len(stack), size)))
        step = max(1, BLOCK_CELLS // (len(stack) * size))
        for start in range(0, permutations, step):
            pause()
            rows = min(step, permutations - start)
            order = generator.random((rows, len(stack), size)).argsort(axis=2)
            dealt[:, start : start + rows] += share * _variation(stack, labels[order])
    defined = dealt[:, (dealt[1:] > TIE).all(axis=0)]
    ratios = defined[0] ** 2 / (defined[1] * defined[2])
    # A fold's halves can be dealt in C(2m, m) ways, and E does not tell which half is which.
    ways = sum(lgamma(size + 1) - 2 * lgamma(size // 2 + 1) - log(2) for size in sizes.tolist())
    return Relabelled(
        float(_energy(observed)[0]),
        _energy(dealt),
        float(ratios.mean()) if ratios.size else None,
        max(1 / (permutations + 1), exp(-ways)),
    )


def _size(fold: FloatArray) -> int:
    """Return how many texts a fold has, if it is square and has two or more of either side."""
    if fold.ndim != 2 or fold.shape[0] != fold.shape[1] or len(fold) < 4 or len(fold) % 2:
        raise CriterionError(
            "A fold must be a square matrix with the same number of texts on both sides, at least two; its "
            f"shape is {list(fold.shape)}."
        )
    return len(fold)


def _variation(stack: FloatArray, labels: FloatArray) -> FloatArray:
    """Return [3, permutation] mean over folds of B, V_u and V_z, see the module.

    ``stack``: [fold, text, text] Φ.  ``labels``: [permutation, fold, text] 1 for u, −1 for z.
    """
    half = stack.shape[1] // 2
    sums = stack.sum(axis=2)
    everything = sums.sum(axis=1)
    products = np.matmul(labels.transpose(1, 0, 2), stack)
    across = (everything - np.einsum("fpt,pft->pf", products, labels)) / 4
    lean = np.einsum("pft,ft->pf", labels, sums)
    sides = [((everything + sign * lean) / 2 - across) / (half * (half - 1)) for sign in (1, -1)]
    return np.asarray(np.stack([across / half**2, *sides]).mean(axis=2))


def _energy(variation: FloatArray) -> FloatArray:
    """Return [permutation] E of [3, permutation] B and both V."""
    return np.asarray(2 * variation[0] - variation[1] - variation[2])


def share_at_least(observed: float, dealt: FloatArray) -> float:
    """Return p: the share of values that are at least the observed one, which counts as one of them."""
    return float((1 + (dealt >= observed - TIE).sum()) / (1 + len(dealt)))
