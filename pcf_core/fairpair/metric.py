"""B, V_pg and V_gp of one prompt, in folds (the protocol's sections 2 and 4).

The n samples of each side are cut into k folds of consecutive ones, of m = n / k each; in each fold, B is
the mean of Φ over the m² pairs (u_i, z_j), V_pg over the m (m − 1) ordered pairs of different u, V_gp of z.
B and V are averaged over folds before any ratio is formed: a mean of the folds' own F would be too high.
That takes n·m values of Φ where one fold of n takes n².

Folds buy time with noise: the s.d. of E falls with 1 / √(n m), not with 1 / n.  With 60 texts a side, half of
them given family words on one side, relabelling found the difference in 18 of 100 draws with m = 5, in 68 of
100 with one fold.  The Φ of this room are products of matrices, for which n² values take no longer, so that
one fold is the default, up to 2,000 texts a side; folds of five are for a Φ that is dear, for more texts, or
to do as the paper did.

Where m does not divide n, the folds are ⌊n/m⌋ and as equal as can be, so that some hold more than m: every
text is used.  Folds count by their texts, so that all texts count alike; B and V of any fold are unbiased.

Example (section 10): u = "a b", "a c", z = "a b", "d" and Jaccard: Φ(u, z) = 0, 1, 2/3, 1, so B = 2/3;
V_pg = 2/3, V_gp = 1, F = (4/9) / (2/3) = 2/3 and E = 4/3 − 5/3 = −1/3.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from pcf_core.errors import FairPairError
from pcf_core.fairpair.dissimilarity import Dissimilarity
from pcf_core.records import FloatArray
from pcf_core.records.fairpair import Variation

FOLD = 5  # texts a side and fold of the paper's 500 samples in 100 folds
ROUNDING = 1e-9


def folds_for(samples: int, size: int | None) -> int:
    """How many folds of at least ``size`` texts a side so many samples make; one where there are fewer, or
    where the size is ``None``.

    Raises:
        FairPairError: folds of fewer than two texts, of which no V can be computed.
    """
    if size is None:
        return 1
    if size < 2:
        raise FairPairError(f"A fold needs at least 2 texts a side; {size} was asked for.")
    return max(1, samples // size)


def fold_bounds(samples: int, folds: int) -> tuple[tuple[int, int], ...]:
    """First and behind the last index of each fold: sizes differ by one at most, larger ones first.

    Example: 23 samples in 4 folds: (0, 6), (6, 12), (12, 18), (18, 23).

    Raises:
        FairPairError: fewer than two samples, no fold, or so many that one has fewer than two samples.
    """
    if samples < 2:
        raise FairPairError(
            f"Sampling variability needs at least 2 texts a side for each prompt; there is {samples}. "
            "Generate more."
        )
    if not 1 <= folds <= samples // 2:
        raise FairPairError(
            f"{samples} texts a side make 1 to {samples // 2} folds of at least 2; {folds} were asked for."
        )
    sizes = [samples // folds + (place < samples % folds) for place in range(folds)]
    return tuple(pairwise(accumulate(sizes, initial=0)))


def fold_matrices(
    original: Sequence[str], prompt: Sequence[str], dissimilarity: Dissimilarity, folds: int
) -> tuple[FloatArray, ...]:
    """Of each fold [2m, 2m] Φ among its texts, the m of u = ``original`` before the m of z = ``prompt``.

    Raises:
        FairPairError: sides of different length, too few texts, or a dissimilarity that is none.
    """
    if len(original) != len(prompt):
        raise FairPairError(
            "Both sides of a prompt need as many texts; "
            f"there are {len(original)} perturbed originals and {len(prompt)} of the perturbed prompt."
        )
    found = []
    for first, last in fold_bounds(len(original), folds):
        pool = [*original[first:last], *prompt[first:last]]
        found.append(_checked(dissimilarity.matrix(pool, pool), len(pool), dissimilarity.name))
    return tuple(found)


def _checked(matrix: FloatArray, texts: int, name: str) -> FloatArray:
    """The matrix, if it is what its name says."""
    fits = (
        matrix.shape == (texts, texts)
        and bool(((matrix >= -ROUNDING) & (matrix <= 1 + ROUNDING)).all())
        and bool((np.abs(matrix - matrix.T) <= ROUNDING).all())
        and bool((np.abs(matrix.diagonal()) <= ROUNDING).all())
    )
    if not fits:
        raise FairPairError(
            "A dissimilarity must give numbers from 0 to 1, the same both ways, and 0 of a text with itself; "
            f"{name} does not."
        )
    return matrix


def variation_of(folds: Sequence[FloatArray]) -> Variation:
    """B and V averaged over folds by their texts, from the matrices of :func:`fold_matrices`."""
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


def variation(
    original: Sequence[str],
    prompt: Sequence[str],
    dissimilarity: Dissimilarity,
    folds: int = 1,
) -> Variation:
    """B, V_pg and V_gp of one prompt.

    Args:
        original: [sample] u = p(g(x)), continuations.
        prompt: [sample] z = g(p(x)), as many.
        dissimilarity: Φ.
        folds: k; 1 gives the full double sums.

    Raises:
        FairPairError: see :func:`fold_matrices`.
    """
    return variation_of(fold_matrices(original, prompt, dissimilarity, folds))
