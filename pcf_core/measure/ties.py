"""Which of many models differ in their risk R, by the paired test, with a compact letter display.

Test and interval are those of :mod:`pcf_core.measure.comparison`, from the same draws.  R is a mean of J(s)
over templates and occupations, so one value per template is enough, and many pairs take less time than one
full comparison.  In a compact letter display (Piepho 2004, doi:10.1198/1061860043515) two models share a
letter exactly if the test does not distinguish them.  This is no order: the outer two of three models may
differ, and neither from the third.
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
from pcf_core.measure.comparison import (
    NOTHING,
    TIE,
    permutations_of,
    swapped_rows,
    swaps,
    total_interval,
)
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.resampling import TemplateUnit, resampled_template_weights

Several = TypeVar("Several", bound=Tested)


def risk_differences(
    values: Iterable[ArrayLike],
    weights: ArrayLike,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    families: Sequence[str] = (),
    slots: Sequence[str] = (),
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[tuple[int, int], Difference]:
    """Compare the risk R of every two models, with p-values that are not adjusted for multiple tests.

    ``values``: of each model, one at a time, [occupation, template, group] preferences, rows sum to 1 ± 1e-6;
    ``weights`` [template] and ``occupation_weights`` [occupation] finite, >= 0, positive sum (templates of
    weight 0 are ignored); ``families`` and ``slots`` [template]: labels, or none, as for
    :meth:`TemplateUnit.templates`; ``permutations``: at most so many swaps; ``level`` inside (0, 1).  Draws
    are those of :func:`~pcf_core.measure.comparison.paired_comparison`.  The result is keyed by the indices
    of two models, the lesser first: R of the first minus that of the second.  Raises CriterionError if any of
    these is not allowed, or axes that differ.
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
    unit = TemplateUnit.templates(normalised(weights, templates, "template_weights"), families, slots)
    shares = normalised(occupation_weights, occupations, "occupation_weights")
    risks = np.stack([risk for _, risk in read])  # [model, template]
    totals = risks @ unit.weights
    drawn = np.concatenate(
        [block @ risks.T for block in resampled_template_weights(unit, resamples, seed)]
    )  # [resample, model]
    absent = np.maximum(drawn.max(axis=0), totals) <= NOTHING
    first, second = np.array(pairs).T
    p_values, least = _p_values(risks[first] - risks[second], unit, permutations, seed)
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
    checked = criterion.checked(values)
    shares = normalised(occupation_weights, checked.shape[0], "occupation_weights")
    return checked.shape, shares @ criterion.of_stereotypes(criterion.stereotypes(checked))


def _p_values(gaps: FloatArray, unit: TemplateUnit, permutations: int, seed: int) -> tuple[FloatArray, float]:
    """Return [pair] p-values and the least possible one, from [pair, template] differences of J."""
    used = unit.weights > 0
    carried = swapped_rows((gaps * unit.weights)[:, used].T, unit)
    observed = np.abs(carried.sum(axis=0)) - TIE
    tests = permutations_of(len(carried), permutations)
    larger = np.ones(len(gaps))
    for signs in swaps(len(carried), tests, seed):
        larger += (np.abs(signs @ carried) >= observed).sum(axis=0)
    return larger / (tests.count + 1), tests.least_p


def letters(models: int, apart: Iterable[tuple[int, int]]) -> list[str]:
    """Return the letters of each [model], separated by spaces: two share one unless they are ``apart``.

    Every letter stands for a maximal set of models that cannot be distinguished.  "a" comes first; after "z"
    come "a1", "b1" and so on.
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
    """Adjust p-values for multiple testing (Holm), in the same order.

    statsmodels' own function runs the garbage collector at every call, which slows an app with much data.
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
