"""Split caprice into a part of the context and a part of the wording.

Templates of one family (:mod:`pcf_core.measure.families`) say the same thing in other words.  With m the
families and w the wordings inside one, J is convex twice over (Jensen, as in PCF Eq. 6):

    R  =  J(E_m E_w s)                          prejudice
       +  [E_m J(E_w s) − J(E_m E_w s)]         context caprice: another meaning
       +  [E_m E_w J(s) − E_m J(E_w s)]         wording caprice: the same meaning, said otherwise

averaged over occupations.  Each part is at least 0, and the last two add up to the papers' R^c.  The split is
undefined unless families of at least two templates have half of the weight: without them the wording part
would be 0 only because nothing was reworded.

Example: one occupation and two groups, of which the first has the stereotypes .4 and −.2 in two wordings of
one sentence, −.3 and −.1 in two of another.  R = .25; the means of the families are .1 and −.2, so E_m J is
.15, and the mean of all is −.05: .25 = .05 + .10 + .10.

**Few wordings.**  The mean of a family is one of few wordings, so it varies more than its meaning does: E_m J
is too large, context caprice with it, and wording caprice too small by as much.  With pure wording noise of
s.d. .3 and no effect of the context the two are .169 and .071 with two wordings, .098 and .141 with six, and
should be 0 and .239.  Therefore family means are drawn towards that of all, by the one factor k that leaves
them the variance of their meanings (cf. Louis 1984, doi:10.1080/01621459.1984.10478062):

    k² = 1 − v Σ q_m (1 − q_m) h_m / D,    and 0 where that is below 0,

where q_m is the weight of a family, h_m = Σ_w q²_{w|m}, D the variance of the family means, and v that of
wordings inside a family, each summed over groups and averaged over occupations.  The corrected parts are made
of these means, of R, which has no bias, and of the corrected prejudice (:mod:`pcf_core.measure.corrected`).
They are at least 0 and add up.  ``python -m benchmarks.wordings`` compares the jackknife and
simulation–extrapolation, which leave more error (docs/measured-coverage.md).

**Intervals** draw whole families, and contain the plug-in and the corrected value.  Those of context caprice
reach from the lower end about corrected means, with k at its own lower end, to the upper end about plain ones
(both as for R^c, :mod:`pcf_core.measure.bootstrap`; where R^p may be 0, to that of E_m J); those of wording
caprice, a mean over families, from the plain one to the corrected, there also with R^p at its lower end.
Over occupations the templates are fixed, and nothing is corrected.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import Replicates, RiskIntervals, Totals, influences, replicates_of
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import Decomposition, decompose, jensen_gap
from pcf_core.measure.families import Families
from pcf_core.measure.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
    stretched,
)

LEAST_SEVERAL = 0.5  # of the weight, in families of at least two templates


# The split.


def splits(families: Families | None) -> bool:
    """Return whether families define both parts: there are two, and several templates in half of them."""
    if families is None or np.count_nonzero(families.totals) < 2:  # another meaning was not tried
        return False
    return families.several >= LEAST_SEVERAL - 1e-9  # for rounding


@dataclass(frozen=True)
class CapriceParts:
    """[occupation] parts of caprice, none below 0, which add up to r_x^c up to rounding."""

    context: FloatArray
    wording: FloatArray


def caprice_parts(
    stereotypes: FloatArray, parts: Decomposition, families: Families | None, criterion: Criterion
) -> CapriceParts | None:
    """Split the caprice of each occupation; ``None`` unless families of two have half of the weight.

    It is also ``None`` with a single family, where a context part of 0 would say nothing.

    ``stereotypes`` [occupation, template, group]; ``parts``: their decomposition with the families' weights.
    """
    if families is None or not splits(families):
        return None
    between = criterion.of_stereotypes(families.means(stereotypes, axis=1)) @ families.totals
    context = jensen_gap(between, parts.prejudice).clip(min=0.0)
    wording = jensen_gap(parts.caprice, context).clip(min=0.0)
    return CapriceParts(parts.caprice - wording, wording)


# The correction for few wordings.


@dataclass(frozen=True)
class Variation:
    """How family means and wordings vary, summed over groups and averaged over occupations.

    ``weights`` [family]; ``squares`` [family]: mean square of the family's mean; ``spread``: the variance D
    of these means; ``inside`` [family]: variance of its wordings; ``counted`` [family]: 1 − h_m, the share of
    v that they show; ``noise``: Σ q_m (1 − q_m) h_m.
    """

    weights: FloatArray
    squares: FloatArray
    spread: float
    inside: FloatArray
    counted: FloatArray
    noise: float

    @classmethod
    def of(cls, stereotypes: FloatArray, families: Families, shares: FloatArray) -> Variation:
        """Measure it of [occupation, template, group]; ``shares`` [occupation], sum to 1."""
        means = families.means(stereotypes, axis=1)
        away = ((stereotypes - means[:, families.of]) ** 2).sum(axis=-1)
        alike, weights = families.sums(families.within**2), families.totals
        squares, centre = shares @ (means**2).sum(axis=-1), np.tensordot(means, weights, axes=(1, 0))
        return cls(
            weights=weights,
            squares=squares,
            spread=float(weights @ squares - shares @ (centre**2).sum(axis=-1)),
            inside=shares @ families.means(away),
            counted=1 - alike,
            noise=float(weights * (1 - weights) @ alike),
        )

    @property
    def factor(self) -> float:
        """The factor k of the module."""
        wordings = float(self.of_wordings(self.weights))
        return factor_of(self.spread - wordings, wordings)

    def of_wordings(self, weights: FloatArray) -> FloatArray:
        """Return [...] what few wordings add to the variance of the means; weights [..., family] sum to 1."""
        seen = weights @ self.counted
        return np.asarray(self.noise * (weights @ self.inside) / np.where(seen > 0, seen, 1.0))


def factor_of(meanings: float, wordings: float) -> float:
    """Return k of the module, from the two parts of the variance of family means."""
    left = max(0.0, meanings)
    return math.sqrt(left / (left + wordings)) if left + wordings > 0 else 1.0


# Both parts of a run, with intervals.


@dataclass(frozen=True)
class WordingSplit:
    """Both parts of R^c, plug-in and corrected; each pair adds up to R with its prejudice.

    ``intervals``: of ``context_caprice`` and ``wording_caprice``, over templates, occupations and both.
    """

    context: float
    wording: float
    corrected_context: float
    corrected_wording: float
    intervals: Mapping[str, tuple[Interval, ...]]


def wording_split(
    values: ArrayLike,
    unit: TemplateUnit,
    occupation_weights: ArrayLike,
    intervals: RiskIntervals,
    criterion: Criterion,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> WordingSplit | None:
    """Split the caprice of a run; ``None`` unless families of two templates have half of the weight.

    ``values`` [occupation, template, group] preferences, ``occupation_weights`` [occupation] and the rest as
    for :func:`~pcf_core.measure.bootstrap.risk_intervals`, whose result is ``intervals``;
    ``unit``: whole templates or families.
    """
    preferences, families = criterion.checked(values), unit.drawn_families
    stereotypes = criterion.stereotypes(preferences)
    split = caprice_parts(stereotypes, intervals.parts, families, criterion)
    if split is None or families is None or intervals.correction is None:
        return None
    shares = normalised(occupation_weights, preferences.shape[0], "occupation_weights")
    apart = TemplateUnit(unit.name, families.totals, unit.sizes, strata=unit.strata)
    draws = Draws(apart, shares, preferences.shape[2], criterion, resamples, level, seed)
    means, centre = families.means(preferences, axis=1), intervals.parts.mean_preferences[:, np.newaxis]
    factor, least = draws.factors(Variation.of(stereotypes, families, shares), criterion.stereotypes(means))
    plain, right = draws.totals(means), draws.totals((centre + factor * (means - centre)).clip(min=0.0))
    risk, between = (float(shares @ parts.overall) for parts in (intervals.parts, right.parts))
    fixed = float(shares @ intervals.correction.prejudice)
    corrected = max(0.0, between - fixed), max(0.0, risk - between)
    risks = families.means(criterion.of_stereotypes(stereotypes))
    return WordingSplit(
        float(shares @ split.context),
        float(shares @ split.wording),
        *corrected,
        draws.intervals(plain, right, least, risks, corrected),
    )


@dataclass(frozen=True)
class Draws:
    """Draw families, each of them a row of its own in ``unit``, and occupations.

    ``shares`` [occupation], sum to 1.
    """

    unit: TemplateUnit
    shares: FloatArray
    groups: int
    criterion: Criterion
    resamples: int
    level: float
    seed: int

    @property
    def blocks(self) -> Iterator[FloatArray]:
        """Blocks of [resample, family] weights."""
        return resampled_template_weights(self.unit, self.resamples, self.seed)

    @cached_property
    def occupations(self) -> FloatArray:
        """[resample, occupation] weights."""
        return np.concatenate(list(resampled_occupation_weights(self.shares, self.resamples, self.seed)))

    def factors(self, variation: Variation, means: FloatArray) -> tuple[float, float]:
        """Return k and its lower end, from the stereotypes [occupation, family, group] of family means."""
        columns = means.transpose(1, 0, 2).reshape(means.shape[1], -1)
        each = np.repeat(self.shares, means.shape[2])

        def meanings(weights: FloatArray) -> FloatArray:
            centre = (weights @ columns) ** 2 @ each
            return np.asarray(weights @ variation.squares - centre - variation.of_wordings(weights))

        weights = self.unit.weights
        estimate, wordings = float(meanings(weights)), float(variation.of_wordings(weights))
        drawn = np.concatenate([meanings(block) for block in self.blocks])
        low = float(stretched(drawn, self.level, self.unit.stretch(self.level))[0] - drawn.mean())
        return variation.factor, factor_of(estimate + min(0.0, low), wordings)

    def totals(self, preferences: FloatArray) -> Totals:
        """Return what makes intervals of [occupation, family, group] preferences."""
        parts = decompose(preferences, self.unit.weights, self.criterion)
        stereotypes = self.criterion.stereotypes(preferences)
        return Totals(parts, stereotypes, self.shares, self.unit, self.criterion, self.level)

    def intervals(
        self, plain: Totals, right: Totals, least: float, risks: FloatArray, values: Sequence[float]
    ) -> dict[str, tuple[Interval, ...]]:
        """Return the intervals of both parts, of which ``values`` are the corrected context and wording.

        ``plain``, ``right``: of family means as they are, and corrected; ``least``: the lower end of k;
        ``risks`` [occupation, family]: mean J of a family's wordings.
        """
        plainly, rightly = self.of_parts(plain), self.of_parts(right)
        wide, narrow = (
            self.of_mean(some, risks - self.criterion.of_stereotypes(some.stereotypes))
            for some in (plain, right)
        )
        between, prejudice = self._mean(right.parts.overall), self._mean(plain.parts.prejudice)
        leaning = plainly["prejudice_risk"][0].low / prejudice if prejudice > 0 else 1.0
        down, up = (between - self._between(plain, least, lean) for lean in (1.0, leaning))
        context = zip(plainly["caprice_risk"], rightly["caprice_risk"], strict=True)
        return {
            "context_caprice": tuple(self._reaching(*both, values[0], down=down) for both in context),
            "wording_caprice": tuple(
                self._reaching(*both, values[1], up=up) for both in zip(wide, narrow, strict=True)
            ),
        }

    def _between(self, plain: Totals, least: float, leaning: float) -> float:
        """Return E_m J with family means drawn in by ``least``, and their mean by ``leaning``."""
        middle = plain.parts.stereotype[:, np.newaxis]
        moved = leaning * middle + least * (plain.stereotypes - middle)
        return self._mean(self.criterion.of_stereotypes(moved) @ self.unit.weights)

    def _mean(self, of_occupations: FloatArray) -> float:
        return float(self.shares @ of_occupations)

    def _reaching(
        self, plain: Interval, right: Interval, value: float, *, down: float = 0.0, up: float = 0.0
    ) -> Interval:
        """Widen a plain interval to the corrected one, moved further ``down`` or ``up``, and its value."""
        if plain.over == "occupations":
            return plain
        most = self._mean(self.criterion.largest(self.shares.size, self.groups))
        low = max(0.0, min(plain.low, right.low - down, value))
        high = min(most, max(plain.high, right.high + up, value))
        return plain.model_copy(update={"low": low, "high": high})

    def of_parts(self, totals: Totals) -> dict[str, tuple[Interval, ...]]:
        """Return the intervals of R, R^p and R^c of family means."""
        replicates = replicates_of(totals.stereotypes, self.blocks, self.criterion)
        return self._three(totals, replicates, influences(totals.stereotypes, totals.parts, self.criterion))

    def of_mean(self, totals: Totals, gaps: FloatArray) -> tuple[Interval, ...]:
        """Return the intervals of a mean over families and occupations, of [occupation, family] values."""
        value = gaps @ self.unit.weights
        parts = replace(totals.parts, overall=value, prejudice=np.zeros_like(value), caprice=value)
        drawn = np.concatenate([block @ gaps.T for block in self.blocks])
        replicates = Replicates({"overall_risk": drawn}, np.empty((len(drawn), 0, 0)))
        moves = {"overall_risk": gaps - value[:, np.newaxis]}
        return self._three(replace(totals, parts=parts), replicates, moves)["overall_risk"]

    def _three(
        self, totals: Totals, replicates: Replicates, moves: Mapping[str, FloatArray]
    ) -> dict[str, tuple[Interval, ...]]:
        over_templates = totals.over_templates(replicates, moves)
        over_both = totals.over_both(replicates, moves, self.occupations)
        return {
            name: (over_templates[name], totals.over_occupations(name, self.occupations), over_both[name])
            for name in over_templates
        }
