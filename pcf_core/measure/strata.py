"""Strata of a bootstrap: slots of a template set, each of which keeps its number of templates or families.

A set that was mined with several constructions has clauses (*he*), possessives (*his*) and nouns (*a man*).
How many there are of each was decided by who made the set, not by chance, so draws are made within each slot
(Efron & Tibshirani 1993, sec. 8.4, doi:10.1201/9780429246593), and the spread between slots is in no
interval.

A family belongs to the slot in which most of its weight lies, the first of several equal ones: it is drawn
whole, and so can be in one stratum only.

**Small slots.**  A single family cannot be replaced by another of its slot, and two say little of how much
families vary there.  While the smallest stratum has an effective number (Σ w)² / Σ w² below ``FEWEST``, it is
joined to the next one.  The spread between joined slots counts as chance, which makes intervals wider; apart,
two families in each of two slots lowered the coverage of caprice to 80 % (``python -m benchmarks.strata``
with a ``FEWEST`` of 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure.families import Families

FEWEST = 3.0  # effective number of items in a stratum


@dataclass(frozen=True, eq=False)
class Strata:
    """``of`` [item]: the number of each item's stratum; ``weights`` [item], sum to 1.

    Every number from 0 up to the largest occurs, and each stratum has an effective number of at least
    ``FEWEST`` items.
    """

    of: NDArray[np.intp]
    weights: FloatArray

    @classmethod
    def labelled(cls, labels: Sequence[str], weights: FloatArray, families: Families | None) -> Strata | None:
        """Return the strata of the items by [template] labels of their slots.

        ``weights`` [template], sum to 1; ``families`` of the templates, if these are the items.  ``None`` if
        all items with weight are in one stratum.  Raises CriterionError unless there are no labels, or one
        for each template.
        """
        if not labels:
            return None
        if len(labels) != weights.size:
            raise CriterionError(
                f"`slots` must be a list of {weights.size} labels, one for each template; got {len(labels)}."
            )
        numbers: dict[str, int] = {}
        of = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)
        if families is not None:
            shares = np.zeros((families.totals.size, len(numbers)))
            np.add.at(shares, (families.of, of), weights)
            of, weights = shares.argmax(axis=1), families.totals
        return cls._joined(of, weights)

    @classmethod
    def _joined(cls, of: NDArray[np.intp], weights: FloatArray) -> Strata | None:
        """Join the smallest stratum to the next until none is too small; ``None`` if one is left."""
        while True:
            numbers, of = np.unique(of, return_inverse=True)
            totals, squares = np.bincount(of, weights), np.bincount(of, weights**2)
            if len(numbers) < 2:
                return None
            effective = np.where(squares > 0, totals**2 / np.where(squares > 0, squares, 1.0), 0.0)
            first, second, *_ = np.argsort(effective, kind="stable")
            if effective[first] >= FEWEST - 1e-9:  # for rounding
                return cls(of, weights)
            of = np.where(of == first, second, of)

    @cached_property
    def rows(self) -> tuple[NDArray[np.intp], ...]:
        """The items of each stratum."""
        return tuple(np.flatnonzero(self.of == number) for number in range(self.of.max() + 1))

    @cached_property
    def totals(self) -> FloatArray:
        """[stratum] weights, which sum to 1."""
        return np.asarray(np.bincount(self.of, self.weights), dtype=np.float64)

    @cached_property
    def within(self) -> FloatArray:
        """[item] weights inside each stratum, which sum to 1 there."""
        return np.asarray(self.weights / self.totals[self.of])

    @cached_property
    def squares(self) -> FloatArray:
        """[stratum] Σ w² of its items."""
        return np.asarray(np.bincount(self.of, self.weights**2), dtype=np.float64)

    def means(self, values: FloatArray, axis: int = -1) -> FloatArray:
        """Return the mean of each item's stratum, of values of items along the ``axis``."""
        inside = np.where(self.of == np.arange(self.totals.size)[:, np.newaxis], self.within, 0.0)
        means = (np.moveaxis(values, axis, -1) @ inside.T)[..., self.of]
        return np.asarray(np.moveaxis(means, -1, axis))
