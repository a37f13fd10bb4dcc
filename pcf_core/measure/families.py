"""Families of templates that say the same thing in other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray


@dataclass(frozen=True, eq=False)
class Families:
    """``of`` [template]: the number of each template's family; ``weights`` [template], sum to 1.

    Every number from 0 up to the largest occurs.
    """

    of: NDArray[np.intp]
    weights: FloatArray

    @classmethod
    def labelled(cls, labels: Sequence[str], weights: FloatArray) -> Families | None:
        """Return the families of [template] labels in the order of their first template.

        A template with an empty label is alone in its family.  ``None`` if no two templates with weight share
        one.  Raises CriterionError unless there are no labels, or one for each template.
        """
        if labels and len(labels) != weights.size:
            raise CriterionError(
                f"`families` must be a list of {weights.size} labels, one for each template; got "
                f"{len(labels)}: give every template a label, an empty one if it is alone in its family."
            )
        numbers: dict[object, int] = {}
        of = [numbers.setdefault(label or row, len(numbers)) for row, label in enumerate(labels)]
        used = np.array(of, dtype=np.intp)[weights > 0] if of else np.empty(0)
        if len(np.unique(used)) == used.size:
            return None
        return cls(np.array(of, dtype=np.intp), weights)

    @staticmethod
    def joined(*several: Sequence[str]) -> tuple[str, ...]:
        """Return labels of families that hold together what any of several [template] labellings does."""
        of = np.arange(max(map(len, several)))
        for labels in several:
            firsts: dict[str, int] = {}
            for row, label in enumerate(labels):
                if label:
                    of[of == of[row]] = of[firsts.setdefault(label, row)]
        return tuple(map(str, of.tolist()))

    @cached_property
    def totals(self) -> FloatArray:
        """[family] weights, which sum to 1."""
        return np.asarray(np.bincount(self.of, self.weights), dtype=np.float64)

    @cached_property
    def within(self) -> FloatArray:
        """[template] weights inside each family, which sum to 1 there; equal ones if the family has none."""
        totals, members = self.totals[self.of], np.bincount(self.of)[self.of]
        return np.where(totals > 0, self.weights / np.where(totals > 0, totals, 1.0), 1 / members)

    @cached_property
    def several(self) -> float:
        """The share of the weight that families with at least two weighted templates have."""
        members = np.bincount(self.of, self.weights > 0)
        return float(self.totals[members > 1].sum())

    def sums(self, values: FloatArray, axis: int = -1) -> FloatArray:
        """Add up values over the templates of each family; ``axis`` is that of the templates."""
        order = np.argsort(self.of, kind="stable")
        starts = np.searchsorted(self.of[order], np.arange(self.totals.size))
        return np.asarray(np.add.reduceat(np.take(values, order, axis), starts, axis=axis))

    def means(self, values: FloatArray, axis: int = -1) -> FloatArray:
        """Average values over the templates of each family; ``axis`` is that of the templates."""
        shape = [1] * values.ndim
        shape[axis] = self.of.size
        return self.sums(values * self.within.reshape(shape), axis)

    def spread(self, weights: FloatArray) -> FloatArray:
        """Divide [..., family] weights among the templates of each family."""
        return np.asarray(weights[..., self.of] * self.within)
