"""The decomposition of risk into prejudice and caprice.

Sources: PCF (arXiv 2402.15481v1) Eq. 4–9; BVF (NeurIPS 2024) Eq. 3–7, who call them bias and volatility.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised

# A Jensen gap this small beside max(1, E J) is rounding: sums over thousands of templates err by about 1e-14.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Decomposition:
    """Risk of each occupation, in the units of the criterion's scale.

    ``overall``, ``prejudice``, ``caprice``: [occupation] r_x, r_x^p, r_x^c; ``overall`` is the sum of the
    other two to the last bit, and ``caprice`` is never below 0.
    ``stereotype_sd``: [occupation] weighted standard deviation over templates of the stereotype of the first
    group (two groups), or of the group that leads on average (more groups).  Caprice is 0 wherever a
    stereotype keeps its sign, however much it varies: this is the number to read beside it.
    ``stereotype``: [occupation, group] E_t s.
    ``mean_preferences``: [occupation, group] E_t p, rows sum to 1.
    """

    overall: FloatArray
    prejudice: FloatArray
    caprice: FloatArray
    stereotype_sd: FloatArray
    stereotype: FloatArray
    mean_preferences: FloatArray


@dataclass(frozen=True)
class RiskTotal:
    """R = R^p + R^c to the last bit (PCF Eq. 7–9), in the units of the criterion's scale."""

    overall_risk: float
    prejudice_risk: float
    caprice_risk: float


def jensen_gap(mean_risk: FloatArray, risk_of_mean: FloatArray) -> FloatArray:
    """Compute caprice E J(p) − J(E p) (PCF Eq. 6), with rounding errors set to 0.

    J is convex, so the gap is at least 0, and with two groups it is 0 where the stereotype keeps its sign;
    floating point gives ±1e-16 there.  What is within 1e-12 · max(1, E J) of 0 becomes exactly 0.
    """
    gap = mean_risk - risk_of_mean
    return np.where(np.abs(gap) <= ROUNDING * np.maximum(1.0, mean_risk), 0.0, gap)


def decompose(values: ArrayLike, template_weights: ArrayLike, criterion: Criterion) -> Decomposition:
    """Split the risk of each occupation into prejudice and caprice.

    r_x = E_t J(p) (PCF Eq. 4), r_x^p = J(E_t p) (Eq. 5), r_x^c = r_x − r_x^p (Eq. 6).

    Parameters
    ----------
    values
        [occupation, template, group] preferences; rows sum to 1 ± 1e-6 over groups.
    template_weights
        [template] finite, >= 0, positive sum; normalised here.
    criterion
        Norm, scale and reference.

    Raises
    ------
    CriterionError
        Preferences, weights or a reference that are not allowed, or do not fit each other.
    """
    preferences = checked_preferences(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    stereotypes = criterion.stereotypes(preferences)
    mean_stereotype = weights @ stereotypes
    # s is linear in p, so J(E p) is J of the mean stereotype; averaging s keeps both sums equally rounded.
    prejudice = criterion.of_stereotypes(mean_stereotype)
    caprice = jensen_gap(criterion.of_stereotypes(stereotypes) @ weights, prejudice)
    return Decomposition(
        overall=prejudice + caprice,
        prejudice=prejudice,
        caprice=caprice,
        stereotype_sd=stereotype_sd(stereotypes, mean_stereotype, weights),
        stereotype=mean_stereotype,
        mean_preferences=weights @ preferences,
    )


def stereotype_sd(stereotypes: FloatArray, mean: FloatArray, weights: FloatArray) -> FloatArray:
    """Return [occupation] weighted s.d. over templates of one group's stereotype.

    See :class:`Decomposition`.
    """
    groups = mean.shape[-1]
    shown = np.zeros(len(mean), dtype=np.intp) if groups == 2 else mean.argmax(axis=-1)
    rows = np.arange(len(mean))
    deviations = stereotypes[rows, :, shown] - mean[rows, shown][:, np.newaxis]
    return np.asarray(np.sqrt(deviations**2 @ weights))


def total(decomposition: Decomposition, occupation_weights: ArrayLike) -> RiskTotal:
    """Average over occupations (PCF Eq. 7–9).

    Parameters
    ----------
    decomposition
        Risk of each occupation.
    occupation_weights
        [occupation] finite, >= 0, positive sum; normalised here.

    Raises
    ------
    CriterionError
        Weights that are not allowed.
    """
    weights = normalised(occupation_weights, len(decomposition.overall), "occupation_weights")
    prejudice = float(weights @ decomposition.prejudice)
    caprice = float(weights @ decomposition.caprice)
    return RiskTotal(prejudice + caprice, prejudice, caprice)
