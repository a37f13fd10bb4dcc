"""Paired comparison of two models on the same templates and occupations: intervals and tests together.

Sources: :mod:`pcf_core.stats.paired_intervals`, :mod:`pcf_core.stats.permutation`; over occupations, false
discoveries are controlled (Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.records import FloatArray
from pcf_core.records.comparison import Difference, Permutations
from pcf_core.risk import Criterion
from pcf_core.stats.bootstrap import RISKS
from pcf_core.stats.pair import Pair
from pcf_core.stats.paired_intervals import PairedIntervals, paired_intervals
from pcf_core.stats.permutation import PermutationTest, permutation_test
from pcf_core.stats.resampling import TemplateUnit


@dataclass(frozen=True)
class PairedDifferences:
    """``totals``: of R, R^p and R^c.  ``occupations``: [occupation] the same of r_x, r_x^p and r_x^c."""

    totals: Mapping[str, Difference]
    occupations: tuple[Mapping[str, Difference], ...]
    permutations: Permutations


def paired_comparison(
    first: ArrayLike,
    second: ArrayLike,
    unit: TemplateUnit,
    occupation_weights: ArrayLike,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> PairedDifferences:
    """Compare two models' R, R^p, R^c and each r_x, r_x^p, r_x^c, plug-in figures.

    Args:
        first: [occupation, template, group] preferences of one model; rows sum to 1 ± 1e-6 over groups.
        second: those of the other, the same axes.
        unit: what is drawn of the templates for the intervals, with their weights; a template of weight 0
            takes no part.
        occupation_weights: [occupation] finite, >= 0, positive sum.
        criterion: norm, scale and reference.
        resamples: how many times templates and occupations are drawn again.
        permutations: how many swaps are drawn, or fewer where these are all.
        level: of the intervals, inside (0, 1).
        seed: the same seed gives the same intervals and p-values.

    Raises:
        CriterionError: anything of the above that is not allowed, or axes that differ.
    """
    pair = Pair.of(first, second, unit.weights, occupation_weights, criterion)
    bounds = paired_intervals(pair, unit, resamples=resamples, level=level, seed=seed)
    test = permutation_test(pair, unit.weights, permutations, seed)
    totals = {
        name: Difference(
            first=float(pair.risks[name][0] @ pair.shares),
            second=float(pair.risks[name][1] @ pair.shares),
            intervals=bounds.totals[name],
            p_value=test.totals[name],
            least_p=test.permutations.least_p,
        )
        for name in RISKS
    }
    return PairedDifferences(totals, _occupations(pair, bounds, test), test.permutations)


def _occupations(
    pair: Pair, bounds: PairedIntervals, test: PermutationTest
) -> tuple[Mapping[str, Difference], ...]:
    """[occupation] differences by quantity, false discoveries controlled over all of them."""
    adjusted = {name: adjusted_p_values(test.occupations[name]) for name in RISKS}
    return tuple(
        {
            name: Difference(
                first=float(pair.risks[name][0, row]),
                second=float(pair.risks[name][1, row]),
                intervals=(bounds.occupation(name, row),),
                p_value=float(test.occupations[name][row]),
                least_p=test.permutations.least_p,
                adjusted=float(adjusted[name][row]),
            )
            for name in RISKS
        }
        for row in range(pair.shares.size)
    )


def adjusted_p_values(p_values: ArrayLike) -> FloatArray:
    """P-values controlled for false discoveries (Benjamini & Hochberg 1995): [test] -> [test], at most 1."""
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(np.asarray(p_values, dtype=np.float64), method="fdr_bh")[1])
