"""An order in which neighbours are alike, for the rows and columns of a heat map.

Average linkage of Euclidean distances (Ward or complete linkage would cut otherwise; no number depends on
it), and of the orders that its tree allows one with a small sum of distances between neighbours: SciPy's
optimal leaf ordering (Bar-Joseph, Gifford & Jaakkola 2001, doi:10.1093/bioinformatics/17.suppl_1.S22), which
does not always return the least (github.com/scipy/scipy/issues/11227).
"""

from __future__ import annotations

import numpy as np

from pcf_core.records import FloatArray

MOST_OPTIMAL = 1000  # rows: a quarter of a second; twice as many take four times as long


def clustered_order(rows: FloatArray, weights: FloatArray | None = None) -> list[int]:
    """Positions of the rows in an order in which neighbours are alike.

    Beyond ``MOST_OPTIMAL`` rows it is the tree's own order, which need not be the best that the tree allows.

    Args:
        rows: [row, column] finite values.
        weights: [column] >= 0, how much each column counts in a distance; ``None`` is all alike.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(rows) < 3:
        return list(range(len(rows)))
    scaled = rows if weights is None else rows * np.sqrt(weights)
    tree = linkage(scaled, method="average", optimal_ordering=len(rows) <= MOST_OPTIMAL)
    return [int(place) for place in leaves_list(tree)]
