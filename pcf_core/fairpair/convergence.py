"""How B, V and F settle with more samples, and with fewer folds (the paper's figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt

import numpy as np

from pcf_core.errors import FairPairError
from pcf_core.fairpair.dissimilarity import Dissimilarity
from pcf_core.fairpair.metric import FOLD, fold_bounds, fold_matrices, folds_for
from pcf_core.records import FloatArray
from pcf_core.records.fairpair import Convergence, Course, PromptPairs
from pcf_core.records.fairpair_run import MOST_TOGETHER

FOLD_PLACES = 25


def samples_for(count: int, fold_size: int | None) -> int:
    """How many of ``count`` samples all pairs are taken: √(n·m), that they cost no more than n in folds of m.

    500 samples in folds of five cost 2,500 values of Φ, as 50 do all with all.
    """
    most = count if fold_size is None else isqrt(count * fold_size)
    return max(2, min(count, most, MOST_TOGETHER))


def convergence(
    pairs: Sequence[PromptPairs],
    dissimilarity: Dissimilarity,
    samples: int | None = None,
    *,
    fold_size: int | None = None,
    pause: Callable[[], None] = lambda: None,
) -> Convergence:
    """B, V_pg and V_gp over all pairs of the first j samples, j = 1 … n, and of n samples in k folds.

    Takes all n² values of Φ of each prompt, once; every point is a sum of them.

    Args:
        pairs: at least one prompt; each counts alike.
        dissimilarity: Φ.
        samples: n; ``None`` for as many as every prompt has, or with a ``fold_size`` as few as
            :func:`samples_for` says.
        fold_size: m, where Φ is too dear for n² values.
        pause: called before each prompt; what it raises ends the work.

    Raises:
        FairPairError: no prompt, or fewer samples than are asked for or than two.
    """
    if not pairs:
        raise FairPairError("Convergence needs at least one prompt; there is none.")
    most = min(len(pair.perturbed_original) for pair in pairs)
    count = samples_for(most, fold_size) if samples is None else samples
    if not 2 <= count <= most:
        raise FairPairError(
            f"Convergence takes 2 to {most} samples, which every prompt has; {count} were asked for."
        )
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
    """[j] mean of the leading j × j block, without its diagonal of zeros where that is of one side."""
    sizes = np.arange(1, len(block) + 1)
    sums = block.cumsum(axis=0).cumsum(axis=1).diagonal()
    pairs = sizes * (sizes - 1) if among_itself else sizes**2
    return np.where(pairs > 0, sums / np.maximum(pairs, 1), np.nan)


def _in_folds(block: FloatArray, folds: int, among_itself: bool) -> float:
    """Mean over folds by their samples of the mean over the fold's pairs."""
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
