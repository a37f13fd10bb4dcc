"""Decisions about people: how often groups get a favourable answer, and how far the wording changes that.

With a_y(x, t) the probability of a favourable answer for group y (the mean over its people n), given that
there is an answer at all,

    s_y  =  a_y − mean_g a_g          in probability points
    J(s) =  max_y s_y − min_y s_y     the range; of two groups |a_1 − a_2|, the demographic parity difference

J is convex with J(0) = 0, so risk, prejudice and caprice follow as from preferences (:mod:`.criterion`,
:mod:`.decomposition`), with their intervals and tests.  If favourable and unfavourable are exchanged, a
becomes 1 − a and no risk changes.

Beside them stand the figures of employment law, each weighted as R: the mean of a; the selection rate, the
share of (x, t, n) with a >= 1/2; and the impact ratio, the smallest over the largest of either (29 CFR 1607.4
D calls a ratio under four fifths evidence of adverse impact).

Example: one x, two contexts, Emily a = .6, .6 and Lakisha .4, .8.  The means are .6 and .6, so the impact
ratio is 1; J is .2 in both contexts and 0 on average: R .2 is caprice alone.  Selection rates are 1 and 1/2.

**Two people at once.**  With w_ij the probability that i is chosen over j where i is named first, i's score
against j is the mean of both orders, (w_ij + 1 − w_ji)/2, and a_i its mean over all j.  The order bias is the
mean of w_ij + w_ji − 1 over pairs: how much likelier the person named first is chosen.

**Intervals.**  Means and rates have stretched percentiles.  A ratio is exp(−range of the logarithms), a range
like J, and at most 1: its interval is the inverted test of an r^p (:func:`.resampling.bounds_of_means`),
which reaches 1 where groups may be equal.  People are a sample of those who could have been named: they may
be drawn too, within groups, alone or with templates and occupations.  R, R^p and R^c over people keep the
distances of stretched percentiles from their mean, about the estimate, which is not corrected for the number
of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Decisions, Drawn, Interval
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.criterion import Criterion, normalised, refuse_rows
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import (
    TemplateUnit,
    bounds_of_means,
    resampled,
    resampled_occupation_weights,
    resampled_template_weights,
    stretch_and_few,
    stretched,
)

PEOPLE = 2  # the third stream of a seed, beside templates and occupations
SELECTED = 0.5  # the least a of a favourable decision
TINY = 0.02  # where no group's mean reaches this, a ratio is one of tiny numbers


class RateCriterion(Criterion):
    """The range of rates over groups, in probability points: at least 0 and at most 1."""

    @property
    def name(self) -> str:
        """The criterion in words, for provenance."""
        return "range of the groups' rates, in probability points"

    def checked(self, values: ArrayLike) -> FloatArray:
        """Check rates [occupation, template, group], each from 0 to 1, and return them as float64."""
        rates = np.asarray(values, dtype=np.float64)
        if rates.ndim != 3 or 0 in rates.shape or rates.shape[-1] < 2:
            raise CriterionError(
                "Rates must have the axes [occupation][context][group] with at least one occupation, one "
                f"context and two groups; got the shape {list(rates.shape)}."
            )
        refuse_rows(rates, ~((rates >= 0) & (rates <= 1)), "holds a rate outside 0 to 1", "rates")
        return rates

    def stereotypes(self, p: FloatArray) -> FloatArray:
        """Compute s of rates [..., group], each less the mean of all groups."""
        return np.asarray(p - p.mean(axis=-1, keepdims=True))

    def of_stereotypes(self, s: FloatArray) -> FloatArray:
        """Compute the range of [..., group]."""
        groups = np.moveaxis(s, -1, 0)
        return np.asarray(reduce(np.maximum, groups) - reduce(np.minimum, groups))

    def gradient(self, s: FloatArray) -> FloatArray:
        """Compute ∂J/∂s, 1 for the largest and −1 for the smallest; 0 where all are equal."""
        groups = np.arange(s.shape[-1])
        top, bottom = (groups == end[..., np.newaxis] for end in (s.argmax(axis=-1), s.argmin(axis=-1)))
        return np.asarray(top * 1.0 - bottom)

    def leading(self, s: FloatArray) -> NDArray[np.intp]:
        """Return the pair of groups that decides J, as a number."""
        return np.asarray(s.argmax(axis=-1) * s.shape[-1] + s.argmin(axis=-1))

    def limits(self, s: FloatArray) -> FloatArray:
        """Return the largest possible s."""
        return np.full_like(s, 1 - 1 / s.shape[-1])

    def of_box(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the range for s between [..., group] low and high."""
        least = (low.max(axis=-1) - high.min(axis=-1)).clip(min=0.0)
        return np.asarray(least), np.asarray(high.max(axis=-1) - low.min(axis=-1))


def rates_of_comparisons(wins: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rates [occupation, template, group] and order bias [occupation, template] of comparisons.

    ``wins`` [occupation, template, first, second]: probabilities that the first is chosen; their diagonal is
    ignored.  Raises CriterionError for another shape or a value outside 0 to 1.

    Examples
    --------
    >>> rates, bias = rates_of_comparisons(np.array([[[[0, 0.8], [0.6, 0]]]]))
    >>> rates.round(2).tolist(), bias.round(2).tolist()
    ([[[0.6, 0.4]]], [[0.4]])
    """
    size = wins.shape[-1]
    apart = ~np.eye(size, dtype=bool)
    if wins.shape[-2] != size or size < 2 or not ((wins >= 0) & (wins <= 1))[..., apart].all():
        raise CriterionError(
            "`comparisons` must have a row and a column for each of two or more groups, with probabilities "
            "from 0 to 1 that the row's, named first, is chosen; got a value outside, or the shape "
            f"{list(wins.shape)}."
        )
    turned = np.swapaxes(wins, -1, -2)
    scores = (wins + 1 - turned) / 2
    return (
        np.asarray(scores.sum(axis=-1, where=apart) / (size - 1)),
        np.asarray((wins + turned - 1).mean(axis=(-1, -2), where=apart)),
    )


def shares_of_guises(likelihoods: FloatArray) -> FloatArray:
    """Return preferences of terms that are each held against themselves: the matched guise.

    ``likelihoods`` [term, context, group]: P(term | context with the group's text).  A term's frequency
    cancels.  Raises CriterionError for a value outside 0 to 1, or a term without any probability.

    Examples
    --------
    >>> shares_of_guises(np.array([[[0.02, 0.01], [0.03, 0.01], [0.01, 0.02]]])).round(3).tolist()
    [[[0.667, 0.333], [0.75, 0.25], [0.333, 0.667]]]
    """
    sums = likelihoods.sum(axis=-1, keepdims=True)
    if not ((likelihoods >= 0) & (likelihoods <= 1) & (sums > 0)).all():
        raise CriterionError(
            "`guises` must be probabilities of a term from 0 to 1, above 0 for at least one group in each "
            "context."
        )
    return np.asarray(likelihoods / sums)


# Rates, ratios and their intervals.


@dataclass(frozen=True)
class People:
    """Rates of single people: ``rates`` [occupation, template, person], ``group`` [person] as an index."""

    rates: FloatArray
    group: NDArray[np.intp]

    @cached_property
    def members(self) -> tuple[NDArray[np.intp], ...]:
        """The people of each group."""
        return tuple(np.flatnonzero(self.group == index) for index in range(int(self.group.max()) + 1))

    @cached_property
    def shares(self) -> FloatArray:
        """[person, group] weights that average people within groups."""
        indicator = (self.group[:, np.newaxis] == np.arange(len(self.members))) * 1.0
        return np.asarray(indicator / indicator.sum(axis=0))

    def of_groups(self, values: FloatArray) -> FloatArray:
        """Average [..., person] within groups: [..., group]."""
        return np.asarray(values @ self.shares)

    def drawn(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Draw people within groups; yield [person, group] weights."""
        draws = [
            np.concatenate(
                [*resampled(one := np.full(len(some), 1 / len(some)), one * 0 + 1, resamples, rng)]
            )
            for index, some in enumerate(self.members)
            for rng in [np.random.default_rng([seed, PEOPLE, index])]
        ]
        for number in range(resamples):
            weights = np.zeros_like(self.shares)
            for index, some in enumerate(self.members):
                weights[some, index] = draws[index][number]
            yield weights


def decisions_of(
    people: People,
    groups: Sequence[str],
    unit: TemplateUnit,
    occupation_weights: ArrayLike,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[Decisions, dict[str, tuple[Interval, ...]]]:
    """Return rates and ratios with intervals, and intervals of R, R^p and R^c that draw people.

    ``unit`` resampled of the templates, with their weights; ``occupation_weights`` [occupation] finite, >= 0,
    positive sum; ``resamples``: 0 for no intervals.  Those over people take most of the time, and need a
    group of several.
    """
    shares = normalised(occupation_weights, people.rates.shape[0], "occupation_weights")
    selected = (people.rates >= SELECTED) * 1.0
    both = np.stack([people.of_groups(people.rates), people.of_groups(selected)], axis=-2)
    means = np.einsum("x,xtkg,t->kg", shares, both, unit.weights)
    ways = _ways(people, both, unit, shares, resamples, level, seed)
    cells = np.count_nonzero(shares) * np.count_nonzero(unit.weights) * len(people.group) / len(groups)
    made: dict[str, list[Interval]] = {}
    risks: dict[str, list[Interval]] = {name: [] for name in RISKS}
    for way in ways if resamples else ():
        ends = np.clip(stretched(way.means, level, way.stretch), 0.0, 1.0)
        for kind, name in enumerate(("mean", "selection_rate")):
            for index, group in enumerate(groups):
                value = means[kind, index]
                made.setdefault(f"{name}/{group}", []).append(way.interval(ends[:, kind, index], value))
            if means[kind].max() > 0:
                ratio = _ratio_ends(means[kind], way.means[:, kind], 0.5 / cells, level, way.stretch)
                made.setdefault(f"{name}/", []).append(way.interval(ratio, ratio_of(means[kind])))
        if way.risks is not None:
            parts = total(decompose(both[:, :, 0], unit.weights, RateCriterion()), shares)
            moves = stretched(way.risks, level, way.stretch) - way.risks.mean(axis=0)
            for index, name in enumerate(RISKS):
                value = getattr(parts, name)
                risks[name].append(way.interval(np.clip(value + moves[:, index], 0.0, 1.0), value))
    named = {
        name: {group: tuple(made.get(f"{name}/{group}", ())) for group in groups}
        for name in ("mean", "selection_rate")
    }
    lowest = int(means[0].argmin())
    highest = len(groups) - 1 - int(means[0][::-1].argmax())
    decisions = Decisions(
        mean=dict(zip(groups, means[0].tolist(), strict=True)),
        selection_rate=dict(zip(groups, means[1].tolist(), strict=True)),
        impact_ratio=ratio_of(means[0]),
        selection_impact_ratio=ratio_of(means[1]),
        worst_pair=(groups[lowest], groups[highest]),
        intervals={
            **named,
            "impact_ratio": tuple(made.get("mean/", ())),
            "selection_impact_ratio": tuple(made.get("selection_rate/", ())),
        },
    )
    return decisions, {name: tuple(several) for name, several in risks.items()}


def ratio_of(means: FloatArray) -> float | None:
    """Return the smallest over the largest of [group] rates; ``None`` if the largest is 0."""
    return float(means.min() / means.max()) if means.max() > 0 else None


def _ratio_ends(
    means: FloatArray, drawn: FloatArray, least: float, level: float, stretch: float
) -> tuple[float, float]:
    """Return low and high of the ratio of [group] rates from [resample, group]; ``least`` stands for 0."""
    logs, moved = (np.log(np.maximum(some, least)) for some in (means, drawn))
    logs, moved = (some - some.mean(axis=-1, keepdims=True) for some in (logs, moved))
    free = np.full((1, logs.size), np.inf)
    low, high = bounds_of_means(moved[:, np.newaxis], logs[np.newaxis], free, RateCriterion(), level, stretch)
    return float(np.exp(-high[0])), float(np.exp(-low[0]))


@dataclass(frozen=True)
class _Way:
    """One way to draw: ``means`` [resample, a or selection, group], ``risks`` [resample, part]."""

    over: Drawn
    name: str
    means: FloatArray
    stretch: float
    few: bool
    level: float
    risks: FloatArray | None = None

    def interval(self, bounds: Iterable[float], value: float | None) -> Interval:
        """Make the interval, which contains the estimate."""
        ends = [float(end) for end in bounds] + ([] if value is None else [float(value)])
        return Interval(
            over=self.over, level=self.level, low=min(ends), high=max(ends), unit=self.name, few=self.few
        )


def _ways(
    people: People,
    both: FloatArray,
    unit: TemplateUnit,
    shares: FloatArray,
    resamples: int,
    level: float,
    seed: int,
) -> Iterator[_Way]:
    """Draw templates, occupations, both; people, and all three if a group has several people."""
    many, whole = TemplateUnit.templates(shares), unit.whole

    def templates(some: TemplateUnit) -> FloatArray:
        return np.concatenate([*resampled_template_weights(some, resamples, seed)])

    occupations = np.concatenate([*resampled_occupation_weights(shares, resamples, seed)])
    still_templates, still_occupations = unit.weights[np.newaxis], shares[np.newaxis]
    wide = templates(whole)
    means = np.einsum("x,xtkg->tkg", shares, both)
    over_templates = np.einsum("bt,tkg->bkg", wide if whole is unit else templates(unit), means)
    yield _Way("templates", unit.name, over_templates, *stretch_and_few((unit,), level), level)
    of_occupations = np.einsum("xtkg,t->xkg", both, unit.weights)
    drawn = np.einsum("bx,xkg->bkg", occupations, of_occupations)
    yield _Way("occupations", "occupation", drawn, *stretch_and_few((many,), level), level)
    crossed = np.einsum("bx,xtkg,bt->bkg", occupations, both, wide, optimize=True)
    yield _Way("both", whole.name, crossed, *stretch_and_few((whole, many), level), level)
    sizes = [len(some) for some in people.members]
    if max(sizes) == 1:
        return
    named = TemplateUnit.templates(np.ones(min(size for size in sizes if size > 1)))
    ways: tuple[tuple[Drawn, str, FloatArray, FloatArray, tuple[TemplateUnit, ...]], ...] = (
        ("people", "person", still_occupations, still_templates, (named,)),
        ("all", whole.name, occupations, wide, (whole, many, named)),
    )
    for over, name, of_x, of_t, units in ways:
        several = zip(
            np.broadcast_to(of_x, (resamples, of_x.shape[1])),
            np.broadcast_to(of_t, (resamples, of_t.shape[1])),
            people.drawn(resamples, seed),
            strict=True,
        )
        criterion, figures, risks = RateCriterion(), [], []
        selected = (people.rates >= SELECTED) * 1.0
        for x, t, weights in several:
            rates = people.rates @ weights
            figures.append([x @ (t @ rates), x @ (t @ selected @ weights)])
            stereotypes = criterion.stereotypes(rates)
            overall = x @ (criterion.of_stereotypes(stereotypes) @ t)
            prejudice = x @ criterion.of_stereotypes(t @ stereotypes)
            risks.append([overall, prejudice, overall - prejudice])
        yield _Way(over, name, np.array(figures), *stretch_and_few(units, level), level, np.array(risks))
