"""How the stereotype of one occupation is spread over contexts, and how sure a mean tilt is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.records.base import FloatArray
from pcf_core.records.risk import Interval, Over


@dataclass(frozen=True)
class StereotypeDistribution:
    """The stereotype s of one group over the contexts of one occupation (BVF section 3.3, step 2).

    ``values``: [context] s, ascending; ``weights``: [context] above 0, they sum to 1; ``templates``: the
    contexts in the same order.  ``mean``, ``sd``: weighted, E s and the s.d. of s.  ``overall_risk`` and
    ``prejudice_risk``: r_x and r_x^p of the occupation, over all its groups; what lies between them is the
    Jensen gap.  ``leads``: no other group has a larger mean.  ``mean_interval``: of E s over templates.
    ``effective``: of how many equally weighted contexts the shares are as sure.
    """

    occupation: str
    group: str
    values: FloatArray
    weights: FloatArray
    templates: tuple[str, ...]
    mean: float
    sd: float
    overall_risk: float
    prejudice_risk: float
    leads: bool
    mean_interval: Interval
    effective: float

    @property
    def jensen_gap(self) -> float:
        """Caprice r_x^c = r_x − r_x^p."""
        return self.overall_risk - self.prejudice_risk

    def share_above(self, threshold: float) -> float:
        """P(s > threshold): the weight of the contexts that lie above it, between 0 and 1."""
        return float(1 - self.cumulative([threshold])[0])

    def cumulative(self, at: ArrayLike) -> FloatArray:
        """P(s <= at), the weighted empirical distribution function, for each of [point] values."""
        summed = np.concatenate([[0.0], np.cumsum(self.weights)])
        summed[-1] = 1.0  # sums of thousands of weights err by about 1e-14
        return np.asarray(summed[np.searchsorted(self.values, np.asarray(at), side="right")])


@dataclass(frozen=True)
class Context:
    """One context at an end of a distribution: its template, weight and stereotype."""

    template: str
    weight: float
    stereotype: float


@dataclass(frozen=True)
class MeanTilt:
    """The mean stereotype towards one group, of a model and of each of its occupations.

    ``mean``: over occupations by their weight, with ``intervals`` over templates, occupations and both.
    ``occupations``: per occupation low and high of E s over templates, at the same level.
    """

    group: str
    mean: float
    intervals: Mapping[Over, Interval]
    occupations: Mapping[str, tuple[float, float]]

    def interval(self, occupation: str) -> Interval:
        """The interval of one occupation's E s over templates."""
        low, high = self.occupations[occupation]
        return self.intervals["templates"].model_copy(update={"low": low, "high": high})
