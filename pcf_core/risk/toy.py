"""Examples that show how a risk comes about, every step kept.

Sources: the two models of PCF Sec. 1, and the hair colours of the note on the Prejudice-Volatility Framework
that goes with arXiv 2402.15481 (its Sec. 1 and 2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.records.toy import SimplexRisk, ToyRisk
from pcf_core.risk.criterion import Criterion
from pcf_core.risk.decomposition import ROUNDING, decompose
from pcf_core.risk.validation import normalised

PCF = Criterion()


def toy_risk(
    name: str,
    groups: Sequence[str],
    contexts: Sequence[str],
    preferences: ArrayLike,
    weights: ArrayLike | None = None,
    criterion: Criterion = PCF,
) -> ToyRisk:
    """Work out one occupation in a few contexts.

    Args:
        name: of the occupation, or of the model.
        groups, contexts: names.
        preferences: [context, group], or [context] of the first of two groups.
        weights: [context] finite, >= 0, positive sum; all alike without.
        criterion: norm and scale, and a reference [group].

    Raises:
        CriterionError: names, preferences or weights that do not fit each other or are not allowed.
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
    found = decompose(values[np.newaxis], shares, criterion)
    return ToyRisk(
        name=name,
        groups=tuple(groups),
        contexts=tuple(contexts),
        weights=shares,
        preferences=values,
        stereotypes=criterion.stereotypes(values),
        risks=criterion.J(values),
        mean_preference=found.mean_preferences[0],
        mean_stereotype=found.stereotype[0],
        overall_risk=float(found.overall[0]),
        prejudice_risk=float(found.prejudice[0]),
        caprice_risk=float(found.caprice[0]),
        stereotype_sd=float(found.stereotype_sd[0]),
    )


def criterion_curve(criterion: Criterion = PCF, steps: int = 40) -> FloatArray:
    """J of two groups, from the one end of the preferences to the other.

    Returns:
        [point, 2]: the stereotype of the first group, and J there.
    """
    first = np.arange(steps + 1) / steps
    stereotypes = criterion.stereotypes(np.stack([first, 1 - first], axis=-1))
    return np.stack([stereotypes[:, 0], criterion.of_stereotypes(stereotypes)], axis=-1)


def simplex_risk(example: ToyRisk, criterion: Criterion = PCF, steps: int = 50) -> SimplexRisk:
    """J on a grid over the preferences of three groups, for an example that was worked out with it.

    Args:
        example: three groups.
        criterion: norm and scale.
        steps: of the grid from the bottom of the triangle to its top.

    Raises:
        CriterionError: an example with another number of groups.
    """
    if len(example.groups) != 3:
        raise CriterionError(f"The simplex is drawn for 3 groups; the example has {len(example.groups)}.")
    across, up = np.linspace(-1, 1, 2 * steps + 1), np.linspace(0, 1, steps + 1)
    apart, third = np.meshgrid(across, up)
    preferences = np.stack([(1 - third - apart) / 2, (1 - third + apart) / 2, third], axis=-1)
    inside = (preferences > -ROUNDING).all(axis=-1)
    return SimplexRisk(across, up, np.where(inside, criterion.J(preferences), np.nan), example)


def two_models() -> tuple[ToyRisk, ToyRisk]:
    """M1 and M2 of PCF Sec. 1: the same mean distance from an even split, one steady and one moody."""
    contexts = ("context 1", "context 2", "context 3")
    return (
        toy_risk("M1", ("blue", "pink"), contexts, [0.6, 0.6, 0.6]),
        toy_risk("M2", ("blue", "pink"), contexts, [0.5, 0.35, 0.65]),
    )


def older_bias(example: ToyRisk) -> float:
    """The older measure of one tilt, E p − p* of the first group (the note's *system bias*)."""
    return float(example.mean_preference[0] - 1 / len(example.groups))


def older_deviation(example: ToyRisk) -> float:
    """The older measure of distance, E |p − p*| / p* of the first group (the note's *deviation*)."""
    neutral = 1 / len(example.groups)
    return float(example.weights @ np.abs(example.preferences[:, 0] - neutral) / neutral)
