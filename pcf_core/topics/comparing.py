"""Two template sets side by side: how much of their mass they share, and what only one of them has.

Rank correlation of the shared weights is in :mod:`pcf_core.stats.ranks`, the effect on risks in
:mod:`pcf_core.audit.restricting`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcf_core.records import FloatArray, TemplateSet
from pcf_core.topics.templates import template_weights


@dataclass(frozen=True)
class SetComparison:
    """``overlap``: Σ min(w, w') over all texts, w and w' the weights by count that sum to 1 in each set; so 1
    less half their L1 distance (the total variation distance).

    ``shared``: texts of both, in the order of the first; ``first_weights`` and ``second_weights``: [shared]
    their weights.  ``only_first``, ``only_second``: texts of one set, in its order.
    """

    first: str
    second: str
    overlap: float
    shared: tuple[str, ...]
    first_weights: FloatArray
    second_weights: FloatArray
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def compare_sets(first: TemplateSet, second: TemplateSet) -> SetComparison:
    """Compare two sets by their texts, as they are written, and their weights by count."""
    one = dict(zip(first.texts, template_weights(first, "counts").tolist(), strict=True))
    other = dict(zip(second.texts, template_weights(second, "counts").tolist(), strict=True))
    shared = tuple(text for text in one if text in other)
    first_weights = np.array([one[text] for text in shared])
    second_weights = np.array([other[text] for text in shared])
    return SetComparison(
        first=first.name,
        second=second.name,
        overlap=float(np.minimum(first_weights, second_weights).sum()),
        shared=shared,
        first_weights=first_weights,
        second_weights=second_weights,
        only_first=tuple(text for text in one if text not in other),
        only_second=tuple(text for text in other if text not in one),
    )
