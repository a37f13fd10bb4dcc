"""How far R moves when templates, occupations or both are drawn again, where nothing else is asked for.

The same intervals of R as :mod:`pcf_core.stats.bootstrap` gives, from the same draws: R is a mean of J(s)
over templates and occupations, so that its replicates need neither mean stereotypes nor their norms, which
are what intervals of prejudice, of caprice and of single occupations take their time for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.risk import Criterion, checked_preferences, decompose, normalised
from pcf_core.stats.bootstrap import RiskIntervals, Totals
from pcf_core.stats.corrected import correction
from pcf_core.stats.influence import influences
from pcf_core.stats.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
)

RISK = "overall_risk"


def overall_intervals(
    values: ArrayLike,
    unit: TemplateUnit,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> RiskIntervals:
    """Intervals of R alone over templates, occupations and both, and r^p without the bias of few templates.

    Args:
        values: [occupation, template, group] preferences; rows sum to 1 ± 1e-6 over groups.
        unit: what is drawn of the templates, with their weights.
        occupation_weights: [occupation] finite, >= 0, positive sum.
        criterion: norm, scale and reference.
        resamples: how many times templates and occupations are drawn again.
        level: share of the intervals that are to hold the truth, inside (0, 1).
        seed: the same seed gives the same intervals, and those of :func:`pcf_core.stats.risk_intervals`.

    Raises:
        CriterionError: anything of the above that is not allowed.
    """
    preferences = checked_preferences(values)
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    parts = decompose(preferences, unit.weights, criterion)
    stereotypes = criterion.stereotypes(preferences)
    corrected = correction(stereotypes, unit.weights, unit.variance_weights, criterion)
    risks = criterion.of_stereotypes(stereotypes).T
    found = np.concatenate([block @ risks for block in resampled_template_weights(unit, resamples, seed)])
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    moves = influences(stereotypes, parts, criterion)[RISK]
    totals = Totals(parts, corrected.prejudice, shares, unit, level)
    over = (
        totals.over_templates(RISK, found, moves),
        totals.over_occupations(RISK, drawn),
        totals.over_both(RISK, found, moves, drawn),
    )
    return RiskIntervals(intervals={RISK: over}, occupations={}, correction=corrected)
