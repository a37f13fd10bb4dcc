"""Paired comparison of two models on the same templates and occupations.

Intervals: both models are weighed anew with the same draws, so that what a draw does to both cancels in the
difference.  The plug-in r^p of each is too high by a bias of its own (see :mod:`pcf_core.stats.corrected`):
percentiles of the differences are therefore centred on the difference less the two biases, as the resamples
show them.  At E s = 0 they show 0.33 standard errors where the bias is 0.80, one standard error away 0.23
where it is 0.17 (two groups, normal means), and nothing tells which of the two it is: intervals reach as much
further as may be left of the one and taken too much of the other.  They also hold the plain percentiles and
the plug-in difference.

Test: if the two models were alike, it would not matter whose preferences a template's are.  Their labels are
swapped template by template, for all occupations at once, and p is the share of such swaps that give a
difference at least as large; the observed labels count as one of them, so that p is never 0 (Phipson & Smyth
2010, doi:10.2202/1544-6115.1585).  Whatever the unit of the intervals, it is the template that is swapped:
where few templates carry the weight, the test finds less than an interval over documents does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval, Over
from pcf_core.records.comparison import Difference, Permutations
from pcf_core.risk import Criterion, checked_preferences, decompose, normalised
from pcf_core.stats.bootstrap import RISKS, replicates_of
from pcf_core.stats.percentiles import percentiles
from pcf_core.stats.resampling import (
    BLOCK_CELLS,
    TemplateUnit,
    effective_number,
    resampled_occupation_weights,
    resampled_template_weights,
)

BIASED_UP = {
    "overall_risk": 0,
    "prejudice_risk": 1,
    "caprice_risk": -1,
}  # the plug-in figure of few templates
LEFT, TOO_MUCH = 1.5, 0.3  # of a bias as the resamples show it, see the module
TIE = 1e-12  # swaps that differ by rounding alone are as large as the observed labels


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
    one, other = checked_preferences(first), checked_preferences(second)
    if one.shape != other.shape:
        raise CriterionError(
            "Two models are compared over the same occupations, templates and groups; got preferences of the "
            f"shapes {list(one.shape)} and {list(other.shape)}."
        )
    shares = normalised(occupation_weights, one.shape[0], "occupation_weights")
    pair = np.stack([criterion.stereotypes(values) for values in (one, other)])
    points = _points(one, other, unit.weights, criterion)
    bounds = _Bounds.of(pair, points, unit, shares, criterion, resamples, level, seed)
    used = unit.weights > 0
    swapped = _permuted(pair[:, :, used], points, unit.weights[used], shares, criterion, permutations, seed)
    tests, chances, total_chances = swapped
    totals = {
        name: Difference(
            first=float(points[name][0] @ shares),
            second=float(points[name][1] @ shares),
            intervals=bounds.totals[name],
            p_value=float(total_chances[name]),
            least_p=tests.least_p,
        )
        for name in RISKS
    }
    adjusted = {name: adjusted_p_values(chances[name]) for name in RISKS}
    occupations = tuple(
        {
            name: Difference(
                first=float(points[name][0, row]),
                second=float(points[name][1, row]),
                intervals=(bounds.occupation(name, row),),
                p_value=float(chances[name][row]),
                least_p=tests.least_p,
                adjusted=float(adjusted[name][row]),
            )
            for name in RISKS
        }
        for row in range(len(shares))
    )
    return PairedDifferences(totals, occupations, tests)


def adjusted_p_values(p_values: ArrayLike) -> FloatArray:
    """P-values controlled for false discoveries (Benjamini & Hochberg 1995): [test] -> [test], at most 1."""
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(np.asarray(p_values, dtype=np.float64), method="fdr_bh")[1])


def _points(
    one: FloatArray, other: FloatArray, weights: FloatArray, criterion: Criterion
) -> dict[str, FloatArray]:
    """By quantity, [2, occupation] the risks of the two models."""
    parts = [decompose(values, weights, criterion) for values in (one, other)]
    return {
        "overall_risk": np.stack([part.overall for part in parts]),
        "prejudice_risk": np.stack([part.prejudice for part in parts]),
        "caprice_risk": np.stack([part.caprice for part in parts]),
    }


@dataclass(frozen=True)
class _Bounds:
    """Intervals of the totals, and [occupation, 2] low and high of each occupation over templates."""

    totals: Mapping[str, tuple[Interval, ...]]
    occupations: Mapping[str, FloatArray]
    level: float
    unit: str

    def occupation(self, name: str, row: int) -> Interval:
        low, high = self.occupations[name][row]
        return Interval(level=self.level, low=float(low), high=float(high), unit=self.unit)

    @classmethod
    def of(
        cls,
        pair: FloatArray,
        points: Mapping[str, FloatArray],
        unit: TemplateUnit,
        shares: FloatArray,
        criterion: Criterion,
        resamples: int,
        level: float,
        seed: int,
    ) -> _Bounds:
        """Draw templates and occupations again; ``pair`` is [2, occupation, template, group]."""
        runs, occupations, templates, groups = pair.shape
        blocks = resampled_template_weights(unit, resamples, seed)
        stacked = pair.reshape(runs * occupations, templates, groups)
        risks = {
            name: values.reshape(resamples, runs, occupations)
            for name, values in replicates_of(stacked, blocks, criterion).risks.items()
        }
        drawn_shares = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
        # [2, occupation] how much too high the resamples show the plug-in prejudice to be.
        bias = (risks["prejudice_risk"].mean(axis=0) - points["prejudice_risk"]).clip(min=0.0)
        totals, single = {}, {}
        for name in RISKS:
            observed = points[name][0] - points[name][1]
            moved = risks[name][:, 0] - risks[name][:, 1]
            replicates: dict[Over, FloatArray] = {
                "templates": moved @ shares,
                "occupations": drawn_shares @ observed,
                "both": np.einsum("bx,bx->b", moved, drawn_shares),
            }
            totals[name] = tuple(
                _interval(name, values, observed @ shares, bias @ shares, over, unit, shares, level)
                for over, values in replicates.items()
            )
            single[name] = _reach(name, moved, observed, bias, level, unit.effective)
        return cls(totals, single, level, unit.name)


def _interval(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    over: Over,
    unit: TemplateUnit,
    shares: FloatArray,
    level: float,
) -> Interval:
    """The interval of a total; with the templates as they are there is no bias."""
    taken = np.zeros_like(bias) if over == "occupations" else bias
    numbers = {"templates": unit.effective, "occupations": effective_number(shares)}
    low, high = _reach(name, replicates, observed, taken, level, numbers.get(over, min(numbers.values())))
    drawn = "occupation" if over == "occupations" else unit.name
    return Interval(over=over, level=level, low=float(low), high=float(high), unit=drawn)


def _reach(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    level: float,
    effective: float,
) -> FloatArray:
    """[..., 2] low and high of differences, from [resample, ...] replicates and the models' bias [2, ...].

    See the module: percentiles about the corrected difference, and what a correction may have left.
    """
    sign = BIASED_UP[name]
    own, others = (bias[0], bias[1]) if sign >= 0 else (bias[1], bias[0])
    down, up = abs(sign) * own, abs(sign) * others
    plain = percentiles(replicates, level, effective)
    low, high = plain - replicates.mean(axis=0) + observed - down + up
    low, high = low - LEFT * down - TOO_MUCH * up, high + LEFT * up + TOO_MUCH * down
    return np.stack([np.min([low, plain[0], observed], 0), np.max([high, plain[1], observed], 0)], -1)


def _permuted(
    pair: FloatArray,
    points: Mapping[str, FloatArray],
    weights: FloatArray,
    shares: FloatArray,
    criterion: Criterion,
    permutations: int,
    seed: int,
) -> tuple[Permutations, dict[str, FloatArray], dict[str, float]]:
    """P-values of each occupation's differences and of the totals, by quantity."""
    _, occupations, templates, groups = pair.shape
    risks = criterion.of_stereotypes(pair)
    gaps = (risks[0] - risks[1]).T * weights[:, np.newaxis]
    columns = (pair[0] - pair[1]).transpose(1, 0, 2).reshape(templates, -1) * weights[:, np.newaxis]
    middle = np.einsum("t,rxtg->xg", weights, pair) / 2
    observed = {name: np.abs(points[name][0] - points[name][1]) - TIE for name in RISKS}
    totals = {name: abs(float((points[name][0] - points[name][1]) @ shares)) - TIE for name in RISKS}
    larger = {name: np.zeros(occupations) for name in RISKS}
    larger_totals = dict.fromkeys(RISKS, 0.0)
    tests = permutations_of(templates, permutations)
    for signs in swaps(templates, tests, seed):
        half = (signs @ columns).reshape(len(signs), occupations, groups) / 2
        prejudice = criterion.of_stereotypes(middle + half) - criterion.of_stereotypes(middle - half)
        overall = signs @ gaps
        for name, moved in zip(RISKS, (overall, prejudice, overall - prejudice), strict=True):
            larger[name] += (np.abs(moved) >= observed[name]).sum(axis=0)
            larger_totals[name] += float((np.abs(moved @ shares) >= totals[name]).sum())
    ways = tests.count + 1
    return (
        tests,
        {name: (larger[name] + 1) / ways for name in RISKS},
        {name: (larger_totals[name] + 1) / ways for name in RISKS},
    )


def permutations_of(templates: int, permutations: int) -> Permutations:
    """How many ways there are to swap the labels of so many templates, and how many of them are taken.

    Raises:
        CriterionError: no permutation is asked for.
    """
    if permutations < 1:
        raise CriterionError(f"A permutation test needs at least 1 permutation; got {permutations}.")
    others = 2**templates - 1
    if others <= permutations:
        return Permutations(others, True, 2 / (others + 1))
    return Permutations(permutations, False, 1 / (permutations + 1))


def swaps(templates: int, tests: Permutations, seed: int) -> Iterator[FloatArray]:
    """Blocks [permutation, template] of ±1, −1 where a template's labels are swapped: all ways but the
    observed one, or as many as are wanted, drawn by the seed.
    """
    step = max(1, BLOCK_CELLS // templates)
    generator = np.random.default_rng([seed, templates])
    for start in range(0, tests.count, step):
        rows = min(step, tests.count - start)
        if tests.exact:
            numbers = np.arange(start + 1, start + rows + 1)
            bits = numbers[:, np.newaxis] >> np.arange(templates) & 1
        else:
            bits = (generator.random((rows, templates)) < 0.5).astype(np.int8)
        yield 1.0 - 2.0 * bits
