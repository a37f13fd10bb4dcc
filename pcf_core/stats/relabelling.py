"""Whether two samples of texts are alike: labels dealt anew, fold by fold.

If u and z came from one distribution, it would not matter which text of a fold bears which name.  The 2m
texts of each fold are dealt into two halves at random, the energy statistic E = 2 B − V_u − V_z is computed
again, and p is the share of dealings that give at least as much, the observed one counted (Phipson & Smyth
2010, doi:10.2202/1544-6115.1585).  Exact where texts are exchangeable, whatever the dissimilarity.

With s = ±1 for each text and r its sum of Φ over the fold, s' Φ s = 2 (T − 2 X) gives X, the sum over the m²
pairs across the halves, from T, that over all pairs of the 2m texts; then B = X / m² and, from the sums of r
over either half, V_u = (Σ_u r − X) / (m (m − 1)).  That is one small product for each dealing.

Example: m = 2, Φ = 1 between u1 and u2 and 0 else.  T = 1, X = 0: B = 0, V_u = 1, E = −1.  Of the six ways to
deal, two keep the pair together and have E = −1, four part it: X = 1, B = ¼, no V, E = ½.

F under random labels is kept too: its mean is above 1 where the V are noisy, and that is the value to hold an
observed F against.  Several prompts are dealt anew each by itself; the mean E over them has the same test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.stats.resampling import BLOCK_CELLS

TIE = 1e-12  # dealings that differ by rounding alone are as large as the observed one
FEWEST = 1000


@dataclass(frozen=True)
class Relabelled:
    """``observed``: E.  ``dealt``: [permutation] E of random labels.  ``chance_ratio``: mean F of random
    labels where it is defined, ``None`` where it never is.  ``least_p``: the smallest possible p.
    """

    observed: float
    dealt: FloatArray
    chance_ratio: float | None
    least_p: float

    @property
    def p_value(self) -> float:
        return share_at_least(self.observed, self.dealt)


def relabelled(
    folds: Sequence[FloatArray],
    permutations: int = FEWEST,
    seed: Sequence[int] = (0,),
    pause: Callable[[], None] = lambda: None,
) -> Relabelled:
    """Deal the labels of every fold anew, all folds at once.

    Args:
        folds: of each, [2m, 2m] Φ of its texts, the m of u before the m of z; symmetric, 0 on the diagonal,
            m at least 2.  Folds count by their texts.
        permutations: how many dealings, at least 1,000.
        seed: whole numbers >= 0 that decide them.
        pause: called before each block of dealings; what it raises ends them.

    Raises:
        CriterionError: fewer permutations, no fold, or one that is no such matrix.
    """
    if permutations < FEWEST:
        raise CriterionError(f"Relabelling takes at least {FEWEST:,} permutations; got {permutations:,}.")
    sizes = np.array([_size(fold) for fold in folds])
    if not sizes.size:
        raise CriterionError("Relabelling takes at least one fold; there is none.")
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
    """How many texts a fold has, if it is square and has two or more of either side."""
    if fold.ndim != 2 or fold.shape[0] != fold.shape[1] or len(fold) < 4 or len(fold) % 2:
        raise CriterionError(
            "A fold must be a square matrix of as many texts of one side as of the other, at least two; "
            f"got {list(fold.shape)}."
        )
    return len(fold)


def _variation(stack: FloatArray, labels: FloatArray) -> FloatArray:
    """[3, permutation] mean over folds of B, V_u and V_z, see the module.

    Args:
        stack: [fold, text, text] Φ.
        labels: [permutation, fold, text] 1 for u, −1 for z.
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
    """[permutation] E of [3, permutation] B and both V."""
    return np.asarray(2 * variation[0] - variation[1] - variation[2])


def share_at_least(observed: float, dealt: FloatArray) -> float:
    """p: the share of random values that are at least the observed one, this one counted."""
    return float((1 + (dealt >= observed - TIE).sum()) / (1 + len(dealt)))
