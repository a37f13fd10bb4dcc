"""Paired comparison of two models on the same templates and occupations: intervals and tests.

:func:`seed_bound` says how far two trainings of one recipe may differ.

**Intervals of differences.**  Both models are weighted with the same draws, so common effects cancel.  Each
plug-in r^p is biased upwards (:mod:`pcf_core.measure.corrected`), so percentiles are centred on the
difference less both biases, as the resamples show them.  At E s = 0 these show 0.33 standard errors where the
bias is 0.80, one standard error away 0.23 where it is 0.17 (two groups, normal means).  Because nothing
distinguishes the two cases, intervals reach further by what may be left of one bias and what may be too much
of the other. They contain the plain percentiles and the plug-in difference.  Contexts outside the templates
are not covered: where no stereotype changes sign, a model's caprice is 0 in every resample; as no risk is
below 0, the difference is then kept on one side of 0.

**Permutation test.**  If the two models were alike, their labels could be swapped template by template, for
all occupations at once.  p is the share of swaps with a difference at least as large, counting the observed
labels, so p > 0 (Phipson & Smyth 2010, doi:10.2202/1544-6115.1585).  Because whole templates are swapped, a
verdict rests on this test and on the interval over whole templates, whatever unit is displayed.  Templates of
one family are swapped together, as they are drawn together.

No risk depends on which group a stereotype favours, but swapped stereotypes of models that prefer different
groups would cancel in the means behind r^p and r^c: with models at +0.40 and −0.35 nearly every swap gives
the observed difference of r^p, 0.05, and p is near 1.  Therefore the two groups are first exchanged in the
second model (:func:`led_alike`), which changes no risk.  In a simulation (normal stereotypes, 12 occupations,
12 templates, s.d. 0.12) this difference is then detected 88 % of the time instead of never.  The leading
groups are assumed known, which fails near E s = 0: where contexts move all occupations together, up to a
quarter of true nulls of r^p or r^c are rejected (up to 0.7 without the exchange), but under 5 % together with
the interval, which every verdict needs.

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
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import decompose, jensen_gap
from pcf_core.measure.resampling import (
    BLOCK_CELLS,
    TemplateUnit,
    interval,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretch_and_few,
    stretched,
)

# The two models.


@dataclass(frozen=True)
class Pair:
    """Hold stereotypes and risks of two models on the same occupations, templates and groups.

    ``stereotypes`` [2, occupation, template, group]; ``risks`` [2, occupation] plug-in values by quantity;
    ``shares`` [occupation] weights, sum to 1.
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
        """Make a pair from preferences [occupation, template, group] of each model."""
        both = [criterion.checked(values) for values in (first, second)]
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


# Direction of the plug-in estimate's bias with few templates.
BIASED_UP = {"overall_risk": 0, "prejudice_risk": 1, "caprice_risk": -1}
LEFT, TOO_MUCH = 1.5, 0.3  # of a bias as the resamples show it (see the module)
NOTHING = 1e-12  # rounding error of a risk of 0


@dataclass(frozen=True)
class PairedIntervals:
    """Intervals of the differences, by quantity.

    ``totals``: over templates, occupations and both.  ``occupations`` [occupation, 2]: low and high over
    templates. ``whole``: the same over whole templates, ``None`` if ``unit`` is a whole template.
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
    """Resample templates and occupations with the same draws for both models.

    If ``unit`` is smaller than a template, whole templates are resampled as well.  ``level`` inside (0, 1).
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
    """Return [2, occupation] how far the resamples overstate the plug-in prejudice; 0 for identical models.

    It is their mean J minus J of their mean ``means`` [2 × occupation, group], so 0 where no stereotype
    changes sign.
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
    """Return the interval of a total difference.

    ``name``: one of ``RISKS``; ``replicates`` [resample] and ``observed``: differences; ``bias`` [2] of each
    plug-in prejudice (ignored over occupations); ``absent`` [2] whether a model's risk is 0 in every
    resample; ``shares`` [occupation] weights, sum to 1; ``most``: largest possible risk; ``level`` inside (0,
    1).
    """
    taken = np.zeros_like(bias) if over == "occupations" else bias
    both = {"templates": (unit,), "occupations": (occupations := TemplateUnit.templates(shares),)}
    units = both.get(over, (unit, occupations))
    stretch, few = stretch_and_few(units, level)
    low, high = _possible(_reach(name, replicates, observed, taken, level, stretch), absent, most)
    drawn = "occupation" if over == "occupations" else unit.name
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

    Percentiles about the corrected difference, widened for an inexact correction (see the module).
    """
    sign = BIASED_UP[name]
    own, others = (bias[0], bias[1]) if sign >= 0 else (bias[1], bias[0])
    down, up = abs(sign) * own, abs(sign) * others
    plain = stretched(replicates, level, stretch)
    low, high = plain - replicates.mean(axis=0) + observed - down + up
    low, high = low - LEFT * down - TOO_MUCH * up, high + LEFT * up + TOO_MUCH * down
    return np.stack([np.min([low, plain[0], observed], 0), np.max([high, plain[1], observed], 0)], -1)


def _possible(bounds: FloatArray, absent: NDArray[np.bool_], most: FloatArray) -> FloatArray:
    """Clip [..., 2] bounds of a difference of risks to ±``most`` [...], and at 0 where a risk is always 0.

    ``absent`` [2, ...]: whether the first or second model's risk is 0 in every resample.
    """
    low, high = np.maximum(bounds[..., 0], -most), np.minimum(bounds[..., 1], most)
    return np.stack(
        [np.where(absent[1], np.maximum(low, 0.0), low), np.where(absent[0], np.minimum(high, 0.0), high)],
        axis=-1,
    )


# The permutation test.


TIE = 1e-12  # swaps within rounding of the observed difference count as equally large


@dataclass(frozen=True)
class PermutationTest:
    """P-values by quantity: ``totals`` of R, R^p and R^c, ``occupations`` [occupation]."""

    permutations: Permutations
    totals: Mapping[str, float]
    occupations: Mapping[str, FloatArray]


def permutation_test(pair: Pair, unit: TemplateUnit, permutations: int, seed: int) -> PermutationTest:
    """Swap the labels of templates with positive weight, in ``permutations`` or fewer (then all) ways.

    ``unit``: whole templates or families.
    """
    used = unit.weights > 0
    carried = unit.weights[used]
    stereotypes = led_alike(pair.stereotypes[:, :, used], carried)
    _, occupations, templates, groups = stereotypes.shape
    risks = pair.criterion.of_stereotypes(stereotypes)
    gaps = (risks[0] - risks[1]).T * carried[:, np.newaxis]
    columns = (stereotypes[0] - stereotypes[1]).transpose(1, 0, 2).reshape(templates, -1)
    gaps, columns = (swapped_rows(rows, unit) for rows in (gaps, columns * carried[:, np.newaxis]))
    middle = np.einsum("t,rxtg->xg", carried, stereotypes) / 2
    observed = {name: pair.difference(name) for name in RISKS}
    larger, larger_totals = {name: np.ones(occupations) for name in RISKS}, dict.fromkeys(RISKS, 1.0)
    tests = permutations_of(len(gaps), permutations)
    for signs in swaps(len(gaps), tests, seed):
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


def swapped_rows(rows: FloatArray, unit: TemplateUnit) -> FloatArray:
    """Add up the rows [template with weight, …] that are swapped together: [template or family, …]."""
    if unit.drawn_families is None:
        return rows
    every = np.zeros((unit.weights.size, *rows.shape[1:]))
    every[unit.weights > 0] = rows
    return unit.sums(every, axis=0)[unit.items > 0]


def led_alike(stereotypes: FloatArray, weights: FloatArray) -> FloatArray:
    """Exchange two groups of the second model where the models' leading groups differ, for each occupation.

    J treats all groups alike, so every r, r^p and r^c is unchanged.  ``stereotypes`` [2, occupation,
    template, group]; ``weights`` [template], sum to 1.
    """
    first, second = np.einsum("t,rxtg->rxg", weights, stereotypes).argmax(axis=2)
    rows = np.arange(first.size)
    order = np.tile(np.arange(stereotypes.shape[3]), (first.size, 1))
    order[rows, first], order[rows, second] = second, first
    return np.stack([stereotypes[0], np.take_along_axis(stereotypes[1], order[:, np.newaxis, :], axis=2)])


def permutations_of(templates: int, permutations: int) -> Permutations:
    """Return how many label swaps are used for so many templates, and the least possible p.

    Raises CriterionError for fewer than one permutation.
    """
    if permutations < 1:
        raise CriterionError(f"A permutation test needs at least 1 permutation; got {permutations}.")
    others = 2**templates - 1
    if others <= permutations:
        return Permutations(others, True, 2 / (others + 1))
    return Permutations(permutations, False, 1 / (permutations + 1))


def swaps(templates: int, tests: Permutations, seed: int) -> Iterator[FloatArray]:
    """Yield blocks [permutation, template] of ±1, with −1 where labels are swapped.

    If exact, all ways except the observed one; otherwise random ones.
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
    """Tests and intervals of two models: ``totals`` of R, R^p, R^c; ``occupations`` of r_x, r_x^p, r_x^c."""

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
    """Compare the plug-in R, R^p, R^c and each r_x, r_x^p, r_x^c of two models.

    ``first``, ``second`` [occupation, template, group] preferences, rows sum to 1 ± 1e-6; ``unit`` resampled
    of the templates, with their weights (templates of weight 0 are ignored; intervals over both and verdicts
    use whole templates); ``occupation_weights`` [occupation] finite, >= 0, positive sum; ``permutations``: at
    most so many swaps; ``level`` inside (0, 1).  Raises CriterionError if any of these is not allowed, or the
    axes differ.
    """
    pair = Pair.of(first, second, unit.weights, occupation_weights, criterion)
    bounds = paired_intervals(pair, unit, resamples=resamples, level=level, seed=seed)
    test = permutation_test(pair, unit.whole, permutations, seed)
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
    """Return [occupation] differences by quantity, with p-values adjusted over all occupations."""
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
    """Adjust p-values [test] for false discoveries (Benjamini & Hochberg 1995)."""
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(np.asarray(p_values, dtype=np.float64), method="fdr_bh")[1])


# How far two trainings of one recipe may differ, estimated from a few seeds.


def seed_bound(risks: Sequence[float], level: float = 0.95) -> float:
    """Return a bound on the difference of two further trainings that holds with probability ``level``.

    It is a prediction interval (Hahn & Meeker 1991, Statistical Intervals, ch. 4, doi:10.1002/9780470316771):
    |difference| ≤ t · s · √2, with s the s.d. over n seeds and t of n − 1 degrees of freedom.  With three
    seeds t is 4.30, a bound of 6.1 s.d.  Risks of trainings are assumed normal, a poor assumption for a
    caprice near 0: those of mini-gpt-s, 0.0009 to 0.0038, have logarithms of s.d. 0.7; for such a log-normal,
    91 % of differences stay under a 95 % bound from three seeds.

    ``risks`` [seed], at least two; ``level`` inside (0, 1).  Raises CriterionError for fewer than two risks,
    one that is not finite, or a level outside (0, 1).
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
