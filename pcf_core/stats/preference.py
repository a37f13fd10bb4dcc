"""How much more a model prefers a group for one occupation than for another, over the same templates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import Interval
from pcf_core.risk import checked_preferences, normalised
from pcf_core.stats.percentiles import interval, percentiles
from pcf_core.stats.resampling import TemplateUnit, resampled_template_weights


def preference_difference(
    values: ArrayLike,
    template_weights: ArrayLike,
    first: int,
    second: int,
    group: int,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, Interval]:
    """How much more the model prefers a group for one occupation than for another, over the same templates.

    Args:
        values: [occupation, template, group] preferences of one run.
        template_weights: [template] finite, >= 0, positive sum; templates are drawn alike.
        first: position of an occupation.
        second: position of the occupation it is compared with.
        group: position of the group.
        resamples: how many times the templates are drawn again.
        level: share of the intervals that are to hold the truth, inside (0, 1).
        seed: the same seed gives the same interval.

    Returns:
        E_t p of ``first`` less that of ``second``, in probability, and its interval (expanded percentiles);
        both occupations see the same resampled templates.

    Raises:
        CriterionError: a position outside the axes, or values, weights, a level that are not allowed.
    """
    preferences = checked_preferences(values)
    unit = TemplateUnit.templates(normalised(template_weights, preferences.shape[1], "template_weights"))
    for name, position, length in (
        ("first occupation", first, preferences.shape[0]),
        ("second occupation", second, preferences.shape[0]),
        ("group", group, preferences.shape[2]),
    ):
        if not 0 <= position < length:
            raise CriterionError(f"The {name} must be a position from 0 to {length - 1}; got {position}.")
    difference = preferences[first, :, group] - preferences[second, :, group]
    blocks = resampled_template_weights(unit, resamples, seed)
    replicates = np.concatenate([block @ difference for block in blocks])
    bounds = percentiles(replicates, level, unit.fewest)
    return float(unit.weights @ difference), interval(bounds, level, "templates", unit.name)
