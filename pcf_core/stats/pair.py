"""Two models over the same occupations, templates and groups, as every paired statistic takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.risk import Criterion, checked_preferences, decompose, normalised
from pcf_core.stats.bootstrap import RISKS


@dataclass(frozen=True)
class Pair:
    """``stereotypes``: [2, occupation, template, group]; ``risks``: by quantity, [2, occupation] plug-in r_x,
    r_x^p and r_x^c; ``shares``: [occupation] weights that sum to 1; ``criterion``: its norm is used.
    """

    stereotypes: FloatArray
    risks: Mapping[str, FloatArray]
    shares: FloatArray
    criterion: Criterion

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        template_weights: FloatArray,
        occupation_weights: ArrayLike,
        criterion: Criterion,
    ) -> Pair:
        """From two arrays of preferences [occupation, template, group].

        Raises:
            CriterionError: preferences or weights that are not allowed, or axes that differ.
        """
        both = [checked_preferences(values) for values in (first, second)]
        if both[0].shape != both[1].shape:
            raise CriterionError(
                "Two models are compared over the same occupations, templates and groups; got preferences of "
                f"the shapes {list(both[0].shape)} and {list(both[1].shape)}."
            )
        parts = [decompose(values, template_weights, criterion) for values in both]
        rows = [(part.overall, part.prejudice, part.caprice) for part in parts]
        return cls(
            stereotypes=np.stack([criterion.stereotypes(values) for values in both]),
            risks={name: np.stack([row[place] for row in rows]) for place, name in enumerate(RISKS)},
            shares=normalised(occupation_weights, both[0].shape[0], "occupation_weights"),
            criterion=criterion,
        )

    def difference(self, name: str) -> FloatArray:
        """[occupation] the first model's risk less the second's."""
        return np.asarray(self.risks[name][0] - self.risks[name][1])
