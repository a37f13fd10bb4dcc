"""The largest mutual information that the margins of a table allow.

I = H(C) + H(A) − H(C, A): with the margins fixed, I is largest where the joint entropy is least.  That is a
concave function on the transport polytope, so it is least at an extreme point, whose filled cells form a
forest.  Between two columns only one row can then be split, as two would close a cycle; every other row lies
in one column whole.  Which rows fill the first column best is a sum of subsets, found exactly for counts, and
by division where all rows weigh the same.

For three columns or more, and for rows of different weight that are no counts, min(H(C), H(A)) is given: no
table has more, but perhaps none has so much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcf_core.records import FloatArray
from pcf_core.records.information import FORMULAS, Entropies, LargestInformation

MOST_STEPS = 2_000_000_000  # bits that are shifted to find the sums: a second or two
EVEN = 1e-9  # beside the sizes of rows, less is rounding


def largest_information(table: FloatArray, entropies: Entropies) -> LargestInformation:
    """The most that a table with the margins of this one can have, in nats and normalised.

    Args:
        table: [category, group] >= 0, no row and no column empty, at least two of each.
        entropies: of the table.
    """
    loss = _least_loss(table)
    most = min(entropies.rows, entropies.columns)
    if loss is not None:
        most = min(most, max(entropies.information, entropies.columns - loss))
    found = {name: entropies.normalised(name, most) for name in FORMULAS}
    return LargestInformation(
        information=most,
        normalised={name: value for name, value in found.items() if value is not None},
        exact=loss is not None,
    )


def _least_loss(table: FloatArray) -> float | None:
    """What the best table of two columns lacks of H(A), in nats; ``None`` where it is not sought."""
    sizes, first, n = table.sum(axis=1), float(table[:, 0].sum()), float(table.sum())
    if table.shape[1] != 2:
        return None
    if (table == np.floor(table)).all():
        counts = [int(size) for size in sizes]
        if len(counts) * len(set(counts)) * n > MOST_STEPS:
            return None
        return least_split(counts, int(first)) / n
    if np.ptp(sizes) > EVEN * sizes.max():
        return None
    size = float(sizes.mean())
    return split_entropy(math.fmod(first + EVEN * size, size), size) / n


def least_split(sizes: Sequence[int], first: int) -> float:
    """Least entropy, times its size, of the one row that must be split so that others fill a column.

    Args:
        sizes: [row] whole numbers, at least 1.
        first: of how many the column is, at most their sum.

    Returns:
        0 where some rows add up to ``first``; else r · H(a / r) of the best row r, split into a and r − a.
    """
    if _sums(sizes) >> first & 1:
        return 0.0
    least = math.inf
    for size in set(sizes):
        others = list(sizes)
        others.remove(size)
        sums = _sums(others)
        lower = max(0, first - size)
        below = (sums & ((1 << first + 1) - 1)).bit_length() - 1  # the most that fits into the column
        above = sums >> lower
        parts = [first - below] if below >= lower else []
        if above:
            parts.append(first - (lower + (above & -above).bit_length() - 1))  # the least that leaves one row
        least = min([least, *(split_entropy(part, size) for part in parts if 0 <= part <= size)])
    return least


def split_entropy(part: float, size: float) -> float:
    """size · H(part / size) in nats, 0 where nothing is split."""
    shares = np.clip(np.array([part, size - part]) / size, 0, 1)
    shares = shares[shares > EVEN]
    return float(-size * (shares * np.log(shares)).sum())


def _sums(sizes: Sequence[int]) -> int:
    """Bit s is set where some of the sizes add up to s."""
    found = 1
    for size in sizes:
        found |= found << size
    return found
