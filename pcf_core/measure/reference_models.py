"""Reference models, and examples small enough to follow by hand.

**Reference models** show what R, R^p and R^c mean at their extremes (PCF Sec. 4.1).

==================== ============================================== =====================================
model                preferences                                    (R, R^p, R^c), PCF scale
==================== ============================================== =====================================
unbiased             1/|Y| everywhere                               (0, 0, 0)
stereotyped          one group per occupation, always               (1, 1, 0)
randomly stereotyped one group per cell, equally likely             (1, 0, 1)
randomly initialised a cell is uniform on the simplex               (h, 0, h), h = (H_n − 1)/(n − 1)
==================== ============================================== =====================================

n = |Y| and H_n = 1 + 1/2 + … + 1/n.  The largest part of a stick broken at random into n is H_n/n on average,
and S of it is (n · H_n/n − 1)/(n − 1); two groups give ½.  The BVF scale multiplies by n − 1.  All values are
for the uniform reference; the last row is for the l∞ norm, the others hold for every norm.  PCF's appendix
8.6 swaps R^p and R^c of the stereotyped model; its Sec. 4.1, followed here, is right.

**Examples**: the two models of PCF Sec. 1, and the hair colours of the note on the Prejudice-Volatility
Framework that accompanies arXiv 2402.15481 (its Sec. 1 and 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Scale
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import ROUNDING, RiskTotal, decompose

REFERENCE_MODELS: Final = ("unbiased", "stereotyped", "randomly stereotyped", "randomly initialised")
PCF = Criterion()


def reference_risks(groups: int, scale: Scale = "pcf") -> dict[str, RiskTotal]:
    """Return the closed forms of the four models, by name, for the uniform reference and the l∞ norm.

    ``groups``: |Y|.  ``scale``: ``pcf`` (at most 1) or ``bvf`` (at most |Y| − 1).  Raises CriterionError for
    fewer than two groups.
    """
    _refuse_few(groups)
    largest = 1.0 if scale == "pcf" else groups - 1.0
    harmonic = sum(1 / i for i in range(1, groups + 1))
    middle = largest * (harmonic - 1) / (groups - 1)
    return {
        "unbiased": RiskTotal(0.0, 0.0, 0.0),
        "stereotyped": RiskTotal(largest, largest, 0.0),
        "randomly stereotyped": RiskTotal(largest, 0.0, largest),
        "randomly initialised": RiskTotal(middle, 0.0, middle),
    }


def draw(name: str, occupations: int, templates: int, groups: int, rng: np.random.Generator) -> FloatArray:
    """Draw random preferences [occupation, template, group] of a reference model.

    R is unbiased.  With few templates R^p of the two random models is biased upwards and R^c downwards.
    Raises CriterionError for an unknown name, or fewer than two groups.
    """
    _refuse_few(groups)
    shape = (occupations, templates, groups)
    match name:
        case "unbiased":
            return np.full(shape, 1 / groups)
        case "stereotyped":
            chosen = rng.integers(groups, size=(occupations, 1))
            return np.broadcast_to(np.eye(groups)[chosen], shape).copy()
        case "randomly stereotyped":
            return np.eye(groups)[rng.integers(groups, size=(occupations, templates))]
        case "randomly initialised":
            return rng.dirichlet(np.ones(groups), size=(occupations, templates))
    raise _unknown(name)


def _refuse_few(groups: int) -> None:
    if groups < 2:
        raise CriterionError(f"A reference model needs at least 2 groups; got {groups}.")


def _unknown(name: str) -> CriterionError:
    allowed = ", ".join(REFERENCE_MODELS)
    return CriterionError(f"There is no reference model {name!r}; choose one of: {allowed}.")


@dataclass(frozen=True)
class ToyRisk:
    """Every step from preference to risk, p → s → J → r = r^p + r^c (PCF Eq. 1–6), of one occupation.

    ``weights`` [context], sum to 1; ``preferences`` p and ``stereotypes`` s [context, group]; ``risks``
    [context] J(s); ``mean_preference`` and ``mean_stereotype`` [group] E p and E s; ``stereotype_sd`` over
    contexts, see :class:`~pcf_core.measure.decomposition.Decomposition`.
    """

    name: str
    groups: tuple[str, ...]
    contexts: tuple[str, ...]
    weights: FloatArray
    preferences: FloatArray
    stereotypes: FloatArray
    risks: FloatArray
    mean_preference: FloatArray
    mean_stereotype: FloatArray
    overall_risk: float
    prejudice_risk: float
    caprice_risk: float
    stereotype_sd: float


@dataclass(frozen=True)
class SimplexRisk:
    """J over all preferences of three groups, and an example among them.

    The triangle has the first group's corner on the left, the second's on the right and the third's on top.
    ``across`` [column]: p_2 − p_1, −1 to 1.  ``up`` [row]: p_3.  ``risks`` [row, column]: NaN outside the
    triangle.
    """

    across: FloatArray
    up: FloatArray
    risks: FloatArray
    example: ToyRisk


def toy_risk(
    name: str,
    groups: Sequence[str],
    contexts: Sequence[str],
    preferences: ArrayLike,
    weights: ArrayLike | None = None,
    criterion: Criterion = PCF,
) -> ToyRisk:
    """Compute the risk of one occupation in a few contexts, step by step.

    ``preferences`` [context, group], or [context] of the first of two groups; ``weights`` [context] finite,
    >= 0, positive sum, equal by default; a reference of the criterion must be [group].  Raises CriterionError
    for names, preferences or weights that do not fit each other or are not allowed.
    """
    values = np.asarray(preferences, dtype=np.float64)
    if values.ndim == 1:
        values = np.stack([values, 1 - values], axis=-1)
    if values.shape != (len(contexts), len(groups)):
        raise CriterionError(
            f"An example of {len(contexts):,} contexts and {len(groups):,} groups needs preferences of the "
            f"shape {[len(contexts), len(groups)]}; got the shape {list(values.shape)}."
        )
    shares = normalised(np.ones(len(contexts)) if weights is None else weights, len(contexts), "weights")
    parts = decompose(values[np.newaxis], shares, criterion)
    return ToyRisk(
        name=name,
        groups=tuple(groups),
        contexts=tuple(contexts),
        weights=shares,
        preferences=values,
        stereotypes=criterion.stereotypes(values),
        risks=criterion.J(values),
        mean_preference=parts.mean_preferences[0],
        mean_stereotype=parts.stereotype[0],
        overall_risk=float(parts.overall[0]),
        prejudice_risk=float(parts.prejudice[0]),
        caprice_risk=float(parts.caprice[0]),
        stereotype_sd=float(parts.stereotype_sd[0]),
    )


def criterion_curve(steps: int = 40) -> FloatArray:
    """Return [point, 2] stereotypes of the first of two groups, over all preferences, and J."""
    first = np.arange(steps + 1) / steps
    stereotypes = PCF.stereotypes(np.stack([first, 1 - first], axis=-1))
    return np.stack([stereotypes[:, 0], PCF.of_stereotypes(stereotypes)], axis=-1)


def simplex_risk(example: ToyRisk, criterion: Criterion = PCF, steps: int = 50) -> SimplexRisk:
    """Compute J on a grid over the preferences of three groups, with ``steps`` rows from bottom to top.

    Raises CriterionError for an example with another number of groups.
    """
    if len(example.groups) != 3:
        raise CriterionError(f"The simplex is drawn for 3 groups; the example has {len(example.groups)}.")
    across, up = np.linspace(-1, 1, 2 * steps + 1), np.linspace(0, 1, steps + 1)
    apart, third = np.meshgrid(across, up)
    preferences = np.stack([(1 - third - apart) / 2, (1 - third + apart) / 2, third], axis=-1)
    inside = (preferences > -ROUNDING).all(axis=-1)
    return SimplexRisk(across, up, np.where(inside, criterion.J(preferences), np.nan), example)


def two_models() -> tuple[ToyRisk, ToyRisk]:
    """Return M1 and M2 of PCF Sec. 1: the same mean distance from an even split, constant and varying."""
    contexts = ("context 1", "context 2", "context 3")
    return (
        toy_risk("M1", ("blue", "pink"), contexts, [0.6, 0.6, 0.6]),
        toy_risk("M2", ("blue", "pink"), contexts, [0.5, 0.35, 0.65]),
    )


def older_bias(example: ToyRisk) -> float:
    """Return the older measure of bias, E p − p* of the first group (the note's *system bias*)."""
    return float(example.mean_preference[0] - 1 / len(example.groups))


def older_deviation(example: ToyRisk) -> float:
    """Return the older measure of distance, E |p − p*| / p* of the first group (the note's *deviation*)."""
    neutral = 1 / len(example.groups)
    return float(example.weights @ np.abs(example.preferences[:, 0] - neutral) / neutral)
