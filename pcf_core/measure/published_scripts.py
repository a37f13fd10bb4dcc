"""What the authors' scripts compute, which is not what their papers define.

    gender   s = p − ½ and its mean m; the risk is E s^+ where m > 0, else E s^−; prejudice |m|, the rest
             volatility.  Doubled, as its plots do.  R^p is the papers'; with a = E S^+ and b = E S^− (m > 0)
             R is a, not a + b, and R^c is b, not 2b.
    race     the sum of the positive stereotypes (l¹, not l∞) divided by the number of groups; the words of a
             group are averaged, not added up; only contexts counted at least ten times.
    demo     the largest |S|, not the largest positive S: the same with two groups, larger with more.

This file is a fence: nothing else of the core computes risk in these ways, and no report contains them.  They
answer one question, whether a published figure could come from here.  Written from what is known of the
repository EmpathYang/Prejudice-Volatility-Framework (calculate.py, compute_risk.py), not copied: it has no
licence.  All take PCF's stereotypes S (arXiv 2402.15481v1, Eq. 2) against an even split.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.decomposition import jensen_gap

Script = Literal["gender", "race", "demo"]

RACE_LEAST_COUNT = 10.0


def script_risks(
    values: ArrayLike, template_weights: ArrayLike, script: Script
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute overall risk, prejudice and volatility as a script of the authors does.

    Parameters
    ----------
    values
        [occupation, template, group] preferences; rows sum to 1 over groups.  The averaging and the contexts
        of ``race`` are left to who calls.
    template_weights
        [template] >= 0, positive sum.  The scripts' default is equal weights.
    script
        See the module.

    Returns
    -------
    tuple[FloatArray, FloatArray, FloatArray]
        Three arrays [occupation]; the first is the sum of the others.  ``race`` ends at 1 / |Y|.

    Raises
    ------
    CriterionError
        Preferences or weights that are not allowed; ``gender`` and more than two groups.
    """
    preferences = checked_preferences(values)
    weights = normalised(template_weights, preferences.shape[1], "template_weights")
    stereotypes = Criterion().stereotypes(preferences)
    mean = weights @ stereotypes
    if script == "gender":
        return _of_gender(stereotypes, mean, weights)
    measure = _race_measure if script == "race" else _demo_measure
    overall, prejudice = measure(stereotypes) @ weights, measure(mean)
    volatility = jensen_gap(overall, prejudice)
    return prejudice + volatility, prejudice, volatility


def _of_gender(
    stereotypes: FloatArray, mean: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count only the side on which the mean lies as risk."""
    if mean.shape[-1] != 2:
        raise CriterionError(
            f"The authors' script for gender knows two groups; got {mean.shape[-1]}: use that for race."
        )
    towards = mean.argmax(axis=-1)
    rows = np.arange(len(mean))
    leading = stereotypes[rows, :, towards]
    overall = np.maximum(leading, 0.0) @ weights
    prejudice = mean[rows, towards]
    volatility = jensen_gap(overall, prejudice)
    return prejudice + volatility, prejudice, volatility


def _race_measure(stereotypes: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(stereotypes, 0.0).sum(axis=-1) / stereotypes.shape[-1])


def _demo_measure(stereotypes: FloatArray) -> FloatArray:
    return np.asarray(np.abs(stereotypes).max(axis=-1))
