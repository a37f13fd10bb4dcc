"""B, V_pg and V_gp of one prompt, in folds (the protocol's sections 2 and 4), and their convergence.

The n samples of each side are cut into k folds of consecutive ones, of m = n / k each; in each fold, B is the
mean of Φ over the m² pairs (u_i, z_j), V_pg over the m (m − 1) ordered pairs of different u, V_gp of z.  B
and V are averaged over folds before any ratio is formed: a mean of the folds' own F would be too high.  Folds
take n·m values of Φ, a single fold n².

Folds save time but add noise: the s.d. of E falls with 1 / √(n m), not with 1 / n.  One fold is therefore the
default, up to 2,000 texts a side; folds of five are for an expensive Φ, more texts, or to follow the paper.

Where m does not divide n, there are ⌊n/m⌋ folds of nearly equal size, weighted by their texts; B and V of any
fold are unbiased.

Example (section 10): u = "a b", "a c", z = "a b", "d" and Jaccard: Φ(u, z) = 0, 1, 2/3, 1, so B = 2/3; V_pg =
2/3, V_gp = 1, F = (4/9) / (2/3) = 2/3 and E = 4/3 − 5/3 = −1/3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import isqrt

import numpy as np

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.dissimilarity import Dissimilarity
from pcf_core.texts.fairpair.records import MOST_TOGETHER, Convergence, Course, PromptPairs, Variation

FOLD = 5  # texts per side and fold in the paper: 500 samples in 100 folds
ROUNDING = 1e-9


def folds_for(samples: int, size: int | None) -> int:
    """Return how many folds of at least ``size`` texts per side fit, at least 1; 1 for ``None``."""
    if size is None:
        return 1
    if size < 2:
        raise FairPairError(f"A fold needs at least 2 texts per side, but {size} was requested.")
    return max(1, samples // size)


def fold_bounds(samples: int, folds: int) -> tuple[tuple[int, int], ...]:
    """Return start and end of each fold; sizes differ by at most one, larger ones first.

    Example: 23 samples in 4 folds: (0, 6), (6, 12), (12, 18), (18, 23).
    """
    if samples < 2:
        raise FairPairError(
            f"Sampling variability needs at least 2 texts per side for each prompt, but there is {samples}: "
            "generate more texts."
        )
    if not 1 <= folds <= samples // 2:
        raise FairPairError(
            f"{samples} texts per side can be split into 1 to {samples // 2} folds of at least 2, but "
            f"{folds} were requested."
        )
    sizes = [samples // folds + (index < samples % folds) for index in range(folds)]
    return tuple(pairwise(accumulate(sizes, initial=0)))


def fold_matrices(
    original: Sequence[str], prompt: Sequence[str], dissimilarity: Dissimilarity, folds: int
) -> tuple[FloatArray, ...]:
    """Return each fold's [2m, 2m] Φ among its texts, m of u = ``original``, then m of z = ``prompt``."""
    if len(original) != len(prompt):
        raise FairPairError(
            f"A prompt needs the same number of texts on both sides, but there are {len(original)} perturbed "
            f"originals and {len(prompt)} texts of the perturbed prompt."
        )
    matrices = []
    for first, last in fold_bounds(len(original), folds):
        pool = [*original[first:last], *prompt[first:last]]
        matrices.append(_checked(dissimilarity.matrix(pool, pool), len(pool), dissimilarity.name))
    return tuple(matrices)


def _checked(matrix: FloatArray, texts: int, name: str) -> FloatArray:
    fits = (
        matrix.shape == (texts, texts)
        and bool(((matrix >= -ROUNDING) & (matrix <= 1 + ROUNDING)).all())
        and bool((np.abs(matrix - matrix.T) <= ROUNDING).all())
        and bool((np.abs(matrix.diagonal()) <= ROUNDING).all())
    )
    if not fits:
        raise FairPairError(
            "A dissimilarity must lie between 0 and 1, be the same in both directions, and be 0 between a "
            f"text and itself; {name} is not."
        )
    return matrix


def variation_of(folds: Sequence[FloatArray]) -> Variation:
    """Average B and V over folds, weighted by texts, from the matrices of :func:`fold_matrices`."""
    sizes = np.array([len(fold) / 2 for fold in folds])
    parts = np.array([_of_fold(fold) for fold in folds])
    between, original, prompt = (float(value) for value in sizes @ parts / sizes.sum())
    return Variation(between=between, within_original=original, within_prompt=prompt)


def _of_fold(fold: FloatArray) -> tuple[float, float, float]:
    size = len(fold) // 2
    pairs = size * (size - 1)
    return (
        float(fold[:size, size:].mean()),
        float(fold[:size, :size].sum() / pairs),
        float(fold[size:, size:].sum() / pairs),
    )


# Convergence with more samples, and with fewer folds (the paper's figures 3 and 4).


FOLD_PLACES = 25


def samples_for(count: int, fold_size: int | None) -> int:
    """Return how many samples to compare all with all: √(n·m), as expensive as n samples in folds of m."""
    most = count if fold_size is None else isqrt(count * fold_size)
    return max(2, min(count, most, MOST_TOGETHER))


def convergence(
    pairs: Sequence[PromptPairs],
    dissimilarity: Dissimilarity,
    *,
    fold_size: int | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Convergence:
    """Compute B, V_pg, V_gp over all pairs of the first j samples, j = 1 … n, and of n samples in k folds.

    Each prompt's n² values of Φ are computed once.  n is the smallest number of samples per prompt, or with a
    ``fold_size`` that of :func:`samples_for`.  ``pairs``: at least one prompt; all count equally.  ``pause``:
    called before each prompt; an exception from it ends the work.
    """
    if not pairs:
        raise FairPairError("Convergence needs at least one prompt, but there is none.")
    count = samples_for(min(len(pair.perturbed_original) for pair in pairs), fold_size)
    counts = np.unique(np.round(np.geomspace(1, count // 2, FOLD_PLACES)).astype(int)).tolist()
    folds = sorted({*counts, folds_for(count, FOLD)})
    by_samples, by_folds = np.zeros((3, count)), np.zeros((3, len(folds)))
    for pair in pairs:
        pause()
        (matrix,) = fold_matrices(
            pair.perturbed_original[:count], pair.perturbed_prompt[:count], dissimilarity, 1
        )
        blocks = matrix[:count, count:], matrix[:count, :count], matrix[count:, count:]
        for row, block in enumerate(blocks):
            by_samples[row] += _growing(block, among_itself=row > 0) / len(pairs)
            by_folds[row] += [_in_folds(block, k, row > 0) / len(pairs) for k in folds]
    return Convergence(
        count=count,
        prompts=len(pairs),
        samples=_course(tuple(range(1, count + 1)), by_samples),
        folds=_course(tuple(folds), by_folds),
    )


def _growing(block: FloatArray, *, among_itself: bool) -> FloatArray:
    """Return [j] means of the leading j × j block, without the diagonal for a block of one side."""
    sizes = np.arange(1, len(block) + 1)
    sums = block.cumsum(axis=0).cumsum(axis=1).diagonal()
    pairs = sizes * (sizes - 1) if among_itself else sizes**2
    return np.where(pairs > 0, sums / np.maximum(pairs, 1), np.nan)


def _in_folds(block: FloatArray, folds: int, among_itself: bool) -> float:
    total = 0.0
    for first, last in fold_bounds(len(block), folds):
        size = last - first
        pairs = size * (size - 1) if among_itself else size**2
        total += float(block[first:last, first:last].sum()) / pairs * size
    return total / len(block)


def _course(places: tuple[int, ...], means: FloatArray) -> Course:
    between, original, prompt = (
        tuple(None if np.isnan(value) else float(value) for value in row) for row in means
    )
    return Course.model_validate(
        {"places": places, "between": between, "within_original": original, "within_prompt": prompt}
    )
