"""Paired comparison of two models on the same templates and occupations: intervals and tests together.

Also how far two trainings of one recipe may differ, by a few seeds.

**Intervals of the differences between two models on the same templates.**  Both models are weighed anew with
the same draws, so that what a draw does to both cancels in the difference. The plug-in r^p of each is too
high by a bias of its own (see :mod:`pcf_core.measure.corrected`): percentiles of the differences are
therefore centred on the difference less the two biases, as the resamples show them.  At E s = 0 they show
0.33 standard errors where the bias is 0.80, one standard error away 0.23 where it is 0.17 (two groups, normal
means), and nothing tells which of the two it is: intervals reach as much further as may be left of the one
and taken too much of the other. They also hold the plain percentiles and the plug-in difference.  Contexts
that are not among the templates are in no interval: where no stereotype changes its sign, the caprice of a
model is 0 in every resample, and since no risk is below 0, the difference then lies on one side of 0, however
far a correction would reach.

**Whether two models differ on the same templates: a permutation test.**  If the two models were alike, it
would not matter whose preferences a template's are.  Their labels are swapped template by template, for all
occupations at once, and p is the share of such swaps that give a difference at least as large; the observed
labels count as one of them, so that p is never 0 (Phipson & Smyth 2010, doi:10.2202/1544-6115.1585).  It is
the template that is swapped, so a verdict rests on the test and on the interval over whole templates,
whatever the unit of the intervals that are shown is.

No risk counts which group a stereotype is of, and the two models may lean to different ones for an
occupation.  Swapped as they are, their stereotypes would then cancel in the means that r^p and r^c are made
of: of two models at +0.40 and −0.35 nearly every swap gives an r^p that differs by 0.05, as the observed
ones do, so that p is near 1.  The two groups are therefore exchanged in the second model first, see
:func:`led_alike`; no risk changes by that.  Simulated with normal stereotypes (12 occupations, 12
templates, s.d. 0.12), this difference of r^p is then found as often as where both lean to one side, 88 % of
the time instead of never.  That the leading groups are known is taken for granted, which near E s = 0 is
not so: where contexts move all occupations together, up to a quarter of true nulls of r^p or r^c are
rejected there (without the exchange up to 0.7), under 5 % together with the interval, which every verdict
needs.

Over occupations, false discoveries are controlled (Benjamini & Hochberg 1995,
doi:10.1111/j.2517-6161.1995.tb02031.x).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference, Interval, Over, Permutations
from pcf_core.measure.bootstrap import RISKS, replicates_of
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised
from pcf_core.measure.decomposition import decompose, jensen_gap
from pcf_core.measure.resampling import (
    BLOCK_CELLS,
    TemplateUnit,
    interval,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretched,
)

# Two models over the same occupations, templates and groups, as every paired statistic takes them.


@dataclass(frozen=True)
class Pair:
    """Stereotypes and risks of the two models that are compared.

    ``stereotypes``: [2, occupation, template, group]; ``risks``: by quantity, [2, occupation] plug-in r_x,
    r_x^p and r_x^c; ``shares``: [occupation] weights that sum to 1; ``criterion``: its norm is used.
    """

    stereotypes: FloatArray
    risks: Mapping[str, FloatArray]
    shares: FloatArray
    criterion: Criterion

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        template_weights: FloatArray,
        occupation_weights: ArrayLike,
        criterion: Criterion,
    ) -> Pair:
        """Make a pair from two arrays of preferences [occupation, template, group]."""
        both = [checked_preferences(values) for values in (first, second)]
        if both[0].shape != both[1].shape:
            raise CriterionError(
                "Two models are compared over the same occupations, templates and groups; got preferences of "
                f"the shapes {list(both[0].shape)} and {list(both[1].shape)}."
            )
        parts = [decompose(values, template_weights, criterion) for values in both]
        rows = [(part.overall, part.prejudice, part.caprice) for part in parts]
        return cls(
            stereotypes=np.stack([criterion.stereotypes(values) for values in both]),
            risks={name: np.stack([row[index] for row in rows]) for index, name in enumerate(RISKS)},
            shares=normalised(occupation_weights, both[0].shape[0], "occupation_weights"),
            criterion=criterion,
        )

    def difference(self, name: str) -> FloatArray:
        """Return [occupation] the first model's risk minus the second's."""
        return np.asarray(self.risks[name][0] - self.risks[name][1])


# Intervals of the differences between two models on the same templates.


# Which way the plug-in figure of few templates is biased.
BIASED_UP = {"overall_risk": 0, "prejudice_risk": 1, "caprice_risk": -1}
LEFT, TOO_MUCH = 1.5, 0.3  # of a bias as the resamples show it, see the module
NOTHING = 1e-12  # what the arithmetic leaves of a risk that is 0


@dataclass(frozen=True)
class PairedIntervals:
    """Intervals of the differences, by quantity.

    ``totals`` over templates, occupations and both; ``occupations`` [occupation, 2] low and high over
    templates, which are of one ``level`` and ``unit``, of ``few`` units or not.  ``whole``: the same over
    whole templates, itself where ``unit`` is that.
    """

    totals: Mapping[str, tuple[Interval, ...]]
    occupations: Mapping[str, FloatArray]
    level: float
    unit: str
    few: bool
    whole: PairedIntervals | None = None

    def total(self, name: str) -> tuple[Interval, ...]:
        """Return the intervals of a total: over templates, occupations, both, and whole templates last."""
        templates, occupations, both = self.totals[name]
        if self.whole is None:
            return templates, occupations, both
        return templates, occupations, self.whole.totals[name][2], self.whole.totals[name][0]

    def occupation(self, name: str, row: int) -> tuple[Interval, ...]:
        """Return the intervals of one occupation's difference, over whole templates last."""
        low, high = self.occupations[name][row]
        own = Interval(level=self.level, low=float(low), high=float(high), unit=self.unit, few=self.few)
        return (own,) if self.whole is None else (own, *self.whole.occupation(name, row))


def paired_intervals(
    pair: Pair, unit: TemplateUnit, *, resamples: int, level: float, seed: int
) -> PairedIntervals:
    """Draw templates and occupations again, for both models alike.

    ``pair``: the two models.  ``unit``: what is drawn of the templates, with their weights; where it is no
    whole template, also these are.  ``resamples``: how many times templates and occupations are drawn again.
    ``level``: of the intervals, inside (0, 1).  ``seed``: the same seed gives the same intervals.
    """
    runs, occupations, templates, groups = pair.stereotypes.shape
    blocks = resampled_template_weights(unit, resamples, seed)
    stacked = pair.stereotypes.reshape(runs * occupations, templates, groups)
    resampled = replicates_of(stacked, blocks, pair.criterion)
    risks = {name: values.reshape(resamples, runs, occupations) for name, values in resampled.risks.items()}
    drawn_shares = np.concatenate(list(resampled_occupation_weights(pair.shares, resamples, seed)))
    bias = _bias(pair, resampled.means.mean(axis=0), risks["prejudice_risk"].mean(axis=0))
    totals, single, most = {}, {}, pair.criterion.largest(occupations, groups)
    for name in RISKS:
        observed, moved = pair.difference(name), risks[name][:, 0] - risks[name][:, 1]
        absent = np.maximum(risks[name].max(axis=0), pair.risks[name]) <= NOTHING
        replicates: dict[Over, FloatArray] = {
            "templates": moved @ pair.shares,
            "occupations": drawn_shares @ observed,
            "both": np.einsum("bx,bx->b", moved, drawn_shares),
        }
        nowhere = absent[:, pair.shares > 0].all(axis=1)
        totals[name] = tuple(
            total_interval(
                name,
                values,
                observed @ pair.shares,
                bias @ pair.shares,
                nowhere,
                over,
                unit,
                pair.shares,
                pair.shares @ most,
                level,
            )
            for over, values in replicates.items()
        )
        single[name] = _possible(
            _reach(name, moved, observed, bias, level, unit.stretch(level)), absent, most
        )
    whole = unit.whole
    also = (
        None if whole is unit else paired_intervals(pair, whole, resamples=resamples, level=level, seed=seed)
    )
    return PairedIntervals(totals, single, level, unit.name, rough(unit.effective), also)


def _bias(pair: Pair, means: FloatArray, prejudice: FloatArray) -> FloatArray:
    """Return [2, occupation] by how much the resamples overstate the plug-in prejudice.

    Their mean J less J of their mean [2 × occupation, group], so that it is 0 where no stereotype changes its
    sign; it cancels where both models are the same.
    """
    of_mean = pair.criterion.of_stereotypes(means).reshape(prejudice.shape)
    same = (pair.stereotypes[0] == pair.stereotypes[1]).all(axis=(1, 2))
    return np.where(same, 0.0, jensen_gap(prejudice, of_mean).clip(min=0.0))


def total_interval(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    absent: NDArray[np.bool_],
    over: Over,
    unit: TemplateUnit,
    shares: FloatArray,
    most: FloatArray,
    level: float,
) -> Interval:
    """Return the interval of a total, from its replicates.

    ``name``: which of ``RISKS``.  ``replicates``: [resample] differences of the first model and the second.
    ``observed``: the plug-in difference.  ``bias``: [2] by how much the plug-in prejudice of either is too
    high; over occupations there is none.  ``absent``: [2] whether the risk of either is 0 in every resample.
    ``over``: what was drawn again.  ``unit``: what was drawn of the templates.  ``shares``: [occupation]
    weights that sum to 1.  ``most``: the largest risk that the scale allows.  ``level``: of the interval,
    inside (0, 1).
    """
    taken = np.zeros_like(bias) if over == "occupations" else bias
    both = {"templates": (unit,), "occupations": (occupations := TemplateUnit.templates(shares),)}
    units = both.get(over, (unit, occupations))
    stretch = max(some.stretch(level) for some in units)
    low, high = _possible(_reach(name, replicates, observed, taken, level, stretch), absent, most)
    drawn = "occupation" if over == "occupations" else unit.name
    few = any(rough(some.effective) for some in units)
    return interval(np.array([low, high]), level, over, drawn, few)


def _reach(
    name: str,
    replicates: FloatArray,
    observed: FloatArray,
    bias: FloatArray,
    level: float,
    stretch: float,
) -> FloatArray:
    """Return [..., 2] low and high of differences, from replicates [resample, ...] and biases [2, ...].

    See the module: percentiles about the corrected difference, and what a correction may have left.
    """
    sign = BIASED_UP[name]
    own, others = (bias[0], bias[1]) if sign >= 0 else (bias[1], bias[0])
    down, up = abs(sign) * own, abs(sign) * others
    plain = stretched(replicates, level, stretch)
    low, high = plain - replicates.mean(axis=0) + observed - down + up
    low, high = low - LEFT * down - TOO_MUCH * up, high + LEFT * up + TOO_MUCH * down
    return np.stack([np.min([low, plain[0], observed], 0), np.max([high, plain[1], observed], 0)], -1)


def _possible(bounds: FloatArray, absent: NDArray[np.bool_], most: FloatArray) -> FloatArray:
    """Return [..., 2] bounds of a difference of risks, which are never below 0 nor above ``most`` [...].

    ``absent`` [2, ...]: whether the first or the second model's risk is 0 in every resample.
    """
    low, high = np.maximum(bounds[..., 0], -most), np.minimum(bounds[..., 1], most)
    return np.stack(
        [np.where(absent[1], np.maximum(low, 0.0), low), np.where(absent[0], np.minimum(high, 0.0), high)],
        axis=-1,
    )


# Whether two models differ on the same templates: a permutation test.


TIE = 1e-12  # what differs by rounding alone is as large as the observed


@dataclass(frozen=True)
class PermutationTest:
    """P-values by quantity: ``totals`` of R, R^p and R^c, ``occupations`` [occupation]."""

    permutations: Permutations
    totals: Mapping[str, float]
    occupations: Mapping[str, FloatArray]


def permutation_test(pair: Pair, weights: FloatArray, permutations: int, seed: int) -> PermutationTest:
    """Swap the labels of the templates that have weight.

    ``pair``: the two models.  ``weights``: [template] weights that sum to 1.  ``permutations``: how many
    swaps are drawn, or fewer where these are all.  ``seed``: decides the swaps.
    """
    used = weights > 0
    carried = weights[used]
    stereotypes = led_alike(pair.stereotypes[:, :, used], carried)
    _, occupations, templates, groups = stereotypes.shape
    risks = pair.criterion.of_stereotypes(stereotypes)
    gaps = (risks[0] - risks[1]).T * carried[:, np.newaxis]
    columns = (stereotypes[0] - stereotypes[1]).transpose(1, 0, 2).reshape(templates, -1)
    columns = columns * carried[:, np.newaxis]
    middle = np.einsum("t,rxtg->xg", carried, stereotypes) / 2
    observed = {name: pair.difference(name) for name in RISKS}
    larger, larger_totals = {name: np.ones(occupations) for name in RISKS}, dict.fromkeys(RISKS, 1.0)
    tests = permutations_of(templates, permutations)
    for signs in swaps(templates, tests, seed):
        half = (signs @ columns).reshape(len(signs), occupations, groups) / 2
        ends = [pair.criterion.of_stereotypes(middle + side * half) for side in (1, -1)]
        overall, prejudice = signs @ gaps, ends[0] - ends[1]
        for name, moved in zip(RISKS, (overall, prejudice, overall - prejudice), strict=True):
            larger[name] += (np.abs(moved) >= np.abs(observed[name]) - TIE).sum(axis=0)
            whole = abs(float(observed[name] @ pair.shares)) - TIE
            larger_totals[name] += float((np.abs(moved @ pair.shares) >= whole).sum())
    ways = tests.count + 1
    return PermutationTest(
        tests,
        {name: times / ways for name, times in larger_totals.items()},
        {name: times / ways for name, times in larger.items()},
    )


def led_alike(stereotypes: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the stereotypes with both models led by the same group in each occupation.

    Of the second model two groups are exchanged for each occupation where the two models' largest means are
    of different groups: afterwards they are of the same.

    J takes all groups alike, so that each r, r^p and r^c stays what it is.

    ``stereotypes``: [2, occupation, template, group].  ``weights``: [template] that sum to 1.
    """
    first, second = np.einsum("t,rxtg->rxg", weights, stereotypes).argmax(axis=2)
    rows = np.arange(first.size)
    order = np.tile(np.arange(stereotypes.shape[3]), (first.size, 1))
    order[rows, first], order[rows, second] = second, first
    return np.stack([stereotypes[0], np.take_along_axis(stereotypes[1], order[:, np.newaxis, :], axis=2)])


def permutations_of(templates: int, permutations: int) -> Permutations:
    """Count the ways to swap the labels of so many templates, and how many of them are used.

    Raises
    ------
    CriterionError
        No permutation is asked for.
    """
    if permutations < 1:
        raise CriterionError(f"A permutation test needs at least 1 permutation; got {permutations}.")
    others = 2**templates - 1
    if others <= permutations:
        return Permutations(others, True, 2 / (others + 1))
    return Permutations(permutations, False, 1 / (permutations + 1))


def swaps(templates: int, tests: Permutations, seed: int) -> Iterator[FloatArray]:
    """Yield blocks [permutation, template] of ±1, −1 where a template's labels are swapped.

    They are all ways but the observed one, or as many as are wanted, drawn by the seed.
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


@dataclass(frozen=True)
class PairedDifferences:
    """Tests and intervals of two models that are compared.

    ``totals``: of R, R^p and R^c.  ``occupations``: [occupation] the same of r_x, r_x^p and r_x^c.
    """

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

    Parameters
    ----------
    first
        [occupation, template, group] preferences of one model; rows sum to 1 ± 1e-6 over groups.
    second
        Those of the other, the same axes.
    unit
        What is drawn of the templates for the intervals, with their weights; a template of weight 0 takes no
        part.  Intervals over both, and those that verdicts rest on, draw whole templates.
    occupation_weights
        [occupation] finite, >= 0, positive sum.
    criterion
        Norm, scale and reference.
    resamples
        How many times templates and occupations are drawn again.
    permutations
        How many swaps are drawn, or fewer where these are all.
    level
        Of the intervals, inside (0, 1).
    seed
        The same seed gives the same intervals and p-values.

    Raises
    ------
    CriterionError
        Anything of the above that is not allowed, or axes that differ.
    """
    pair = Pair.of(first, second, unit.weights, occupation_weights, criterion)
    bounds = paired_intervals(pair, unit, resamples=resamples, level=level, seed=seed)
    test = permutation_test(pair, unit.weights, permutations, seed)
    totals = {
        name: Difference(
            first=float(pair.risks[name][0] @ pair.shares),
            second=float(pair.risks[name][1] @ pair.shares),
            intervals=bounds.total(name),
            p_value=test.totals[name],
            least_p=test.permutations.least_p,
        )
        for name in RISKS
    }
    return PairedDifferences(totals, _occupations(pair, bounds, test), test.permutations)


def _occupations(
    pair: Pair, bounds: PairedIntervals, test: PermutationTest
) -> tuple[Mapping[str, Difference], ...]:
    """Return [occupation] differences by quantity, false discoveries controlled over all of them."""
    adjusted = {name: adjusted_p_values(test.occupations[name]) for name in RISKS}
    return tuple(
        {
            name: Difference(
                first=float(pair.risks[name][0, row]),
                second=float(pair.risks[name][1, row]),
                intervals=bounds.occupation(name, row),
                p_value=float(test.occupations[name][row]),
                least_p=test.permutations.least_p,
                adjusted=float(adjusted[name][row]),
            )
            for name in RISKS
        }
        for row in range(pair.shares.size)
    )


def adjusted_p_values(p_values: ArrayLike) -> FloatArray:
    """Control p-values for false discoveries (Benjamini & Hochberg 1995): [test] -> [test], at most 1."""
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(np.asarray(p_values, dtype=np.float64), method="fdr_bh")[1])


# How far two trainings of one recipe may differ, going by a few seeds.


def seed_bound(risks: Sequence[float], level: float = 0.95) -> float:
    """Return the size that the difference of two further trainings stays under with probability ``level``.

    The difference of two independent values of one normal distribution has √2 times its s.d.; with the s.d.
    estimated from n seeds, |difference| ≤ t · s · √2 with t of n − 1 degrees of freedom: a prediction
    interval (Hahn & Meeker 1991, Statistical Intervals, ch. 4, doi:10.1002/9780470316771).  With three seeds
    t is 4.30, so that the bound is 6.1 s.d.: few seeds say little.

    Figures of trainings are taken as normal.  That is poor for a caprice near 0, never below 0 and skewed:
    those of mini-gpt-s, 0.0009 to 0.0038, have logarithms of s.d. 0.7, and where logarithms are normal with
    that s.d., 91 % of differences stay under a bound from three seeds that says 95 %.

    Parameters
    ----------
    risks
        [seed] one figure a training, at least two.
    level
        Inside (0, 1).

    Raises
    ------
    CriterionError
        Fewer than two risks, one that is not finite, a level outside (0, 1).
    """
    values = np.asarray(risks, dtype=np.float64)
    if values.size < 2 or not np.isfinite(values).all():
        raise CriterionError(
            f"The spread over seeds needs at least two finite risks; got {list(risks)}: train more seeds."
        )
    if not 0 < level < 1:
        raise CriterionError(f"A level must lie between 0 and 1; got {level}: give for example 0.95.")
    from scipy.special import stdtrit

    quantile = float(stdtrit(values.size - 1, (1 + level) / 2))
    return quantile * float(values.std(ddof=1)) * math.sqrt(2)
