"""Which of many models the paired test tells apart by their risk R, and the letters that show it.

The test and the interval are those of :mod:`pcf_core.measure.comparison`, from the same draws.  R is a mean
of J(s) over templates and occupations.  So one figure a template says all that a swap or a draw does to it,
and many pairs take less time than one whole comparison.

Letters are a compact letter display (Piepho 2004, doi:10.1198/1061860043515): two models share a letter
exactly where the test does not tell them apart.  The rule is no order: of three models the test may tell the
outer two apart, and neither from the third.

Also the correction of p-values for being tested together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_lowercase
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Tested
from pcf_core.measure.comparison import NOTHING, TIE, permutations_of, swaps, total_interval
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.resampling import TemplateUnit, resampled_template_weights

Several = TypeVar("Several", bound=Tested)


def risk_differences(
    values: Iterable[ArrayLike],
    weights: ArrayLike,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[tuple[int, int], Difference]:
    """Compare the risk R of every two models.

    Parameters
    ----------
    values
        [occupation, template, group] preferences of each model; rows sum to 1 ± 1e-6 over groups.  One is
        needed at a time.
    weights
        [template] finite, >= 0, positive sum; a template of weight 0 takes no part.
    occupation_weights
        [occupation] finite, >= 0, positive sum.
    criterion
        Norm, scale and reference.
    resamples
        How many times whole templates are drawn again for the intervals.
    permutations
        How many swaps are drawn, or fewer where these are all.
    level
        Of the intervals, inside (0, 1).
    seed
        The same seed gives the same intervals and p-values, those of
        :func:`~pcf_core.measure.comparison.paired_comparison`.

    Returns
    -------
    dict[tuple[int, int], Difference]
        By the places of two models, the lesser first: R of the first less that of the second, on the scale of
        the criterion.  No p-value is controlled for being one of several.

    Raises
    ------
    CriterionError
        Anything of the above that is not allowed, or axes that differ.
    """
    read = [_by_template(several, occupation_weights, criterion) for several in values]
    shapes = {shape for shape, _ in read}
    if len(shapes) > 1:
        raise CriterionError(
            "Models are compared over the same occupations, templates and groups; got preferences of the "
            f"shapes {sorted(map(list, shapes))}."
        )
    pairs = list(combinations(range(len(read)), 2))
    if not pairs:
        return {}
    ((occupations, templates, groups),) = shapes
    unit = TemplateUnit.templates(normalised(weights, templates, "template_weights"))
    shares = normalised(occupation_weights, occupations, "occupation_weights")
    risks = np.stack([risk for _, risk in read])  # [model, template]
    totals = risks @ unit.weights
    drawn = np.concatenate(
        [block @ risks.T for block in resampled_template_weights(unit, resamples, seed)]
    )  # [resample, model]
    absent = np.maximum(drawn.max(axis=0), totals) <= NOTHING
    first, second = np.array(pairs).T
    p_values, least = _p_values(risks[first] - risks[second], unit.weights, permutations, seed)
    return {
        (one, other): Difference(
            first=float(totals[one]),
            second=float(totals[other]),
            intervals=(
                total_interval(
                    "overall_risk",
                    drawn[:, one] - drawn[:, other],
                    totals[one] - totals[other],
                    np.zeros(2),  # the plug-in R has no bias
                    absent[[one, other]],
                    "templates",
                    unit,
                    shares,
                    shares @ criterion.largest(occupations, groups),
                    level,
                ),
            ),
            p_value=float(p),
            least_p=least,
        )
        for (one, other), p in zip(pairs, p_values, strict=True)
    }


def _by_template(
    values: ArrayLike, occupation_weights: ArrayLike, criterion: Criterion
) -> tuple[tuple[int, ...], FloatArray]:
    """Return the shape of preferences, and [template] the weighted mean of J over occupations."""
    checked = checked_preferences(values)
    shares = normalised(occupation_weights, checked.shape[0], "occupation_weights")
    return checked.shape, shares @ criterion.of_stereotypes(criterion.stereotypes(checked))


def _p_values(
    gaps: FloatArray, weights: FloatArray, permutations: int, seed: int
) -> tuple[FloatArray, float]:
    """Return [pair] p-values and the least that there can be, of [pair, template] differences of J."""
    used = weights > 0
    carried = (gaps * weights)[:, used].T
    observed = np.abs(carried.sum(axis=0)) - TIE
    tests = permutations_of(int(used.sum()), permutations)
    larger = np.ones(len(gaps))
    for signs in swaps(int(used.sum()), tests, seed):
        larger += (np.abs(signs @ carried) >= observed).sum(axis=0)
    return larger / (tests.count + 1), tests.least_p


def letters(models: int, apart: Iterable[tuple[int, int]]) -> list[str]:
    """Return the letters of each model: two share one exactly if they are not told apart.

    Every letter stands for as many models as can be, all of which are not told apart from each other.

    Parameters
    ----------
    models
        How many there are.
    apart
        The places of those that are told apart, in pairs.

    Returns
    -------
    list[str]
        [model] letters with spaces between, "a" first; after "z" come "a1", "b1" and so on.
    """
    sets = [frozenset(range(models))] if models else []
    for one, other in apart:
        parts = {
            part
            for several in sets
            for part in ((several - {one}, several - {other}) if {one, other} <= several else (several,))
        }
        sets = [part for part in parts if not any(part < wider for wider in parts)]
    ordered = sorted(map(sorted, sets))
    names = [ascii_lowercase[index % 26] + str(index // 26 or "") for index in range(len(ordered))]
    return [
        " ".join(name for name, several in zip(names, ordered, strict=True) if model in several)
        for model in range(models)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for being tested together (Holm), in the same order.

    Written out, because statsmodels' own collects garbage at every call, which an app with data feels.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.maximum.accumulate(np.minimum(1, p[order] * np.arange(len(p), 0, -1)))
    return [float(value) for value in corrected]


def holm_adjusted(tested: Sequence[Several]) -> tuple[Several, ...]:
    """Return records with their p-values adjusted for each other (Holm), unchanged where there is none."""
    p_values = iter(holm([one.p_value for one in tested if one.p_value is not None]))
    return tuple(
        one if one.p_value is None else one.model_copy(update={"adjusted": next(p_values)}) for one in tested
    )
