"""Estimate the risk of a model that gives no probabilities, from answers drawn in each cell.

A cell, an occupation in a context, gets n answers, of which the shares p̂ name each group.  Stereotypes are
linear in p̂ and J is convex, so risk is too large by pure noise, nearly all of it caprice: where p = ½ in
every context, E |2 p̂ − 1| is .375 with 5 answers, .246 with 10, .176 with 20 and .112 with 50.  Therefore
shares are drawn in, and the decomposition of

    p̃ = p* + c (m − p*) + k (p̂ − m)

is reported; m is an occupation's mean over contexts.  c gives J(m) the value of R^p that is corrected
for the noise of the mean (:mod:`pcf_core.measure.corrected`), and k, one for all occupations, gives shares
the variance over contexts that the p have without noise.  With S the variance of shares and N what answers
add to it, p̂ (1 − p̂) / (n − 1), both summed over groups and averaged over occupations,

    κ = 1 − N / S,    k² = κ (1 − (1.5 d / φ)²),    and 0 where φ = S / N − 1 is below 1.5 d,

where d is the s.d. of φ if all variation is noise (the non-negative garrote, Breiman 1995,
doi:10.1080/00401706.1995.10484371; √κ alone would leave caprice in pure noise).  ``python -m
benchmarks.answers`` compares halves of the answers, simulation–extrapolation and beta-binomial models, which
leave more error (docs/measured-coverage.md).

Example: ten occupations, two contexts each, of two groups; 9 of 10 answers name the first group in one
context, 1 of 10 in the other.  As counted, R = R^c = .8.  S is .64 and N .02, so κ = .969, φ = 31, d = √.2
and k = .984: R = R^c = .787.

**Cells without an answer for a group** are left out: each occupation is averaged over its other cells.
Where a cell has one answer, N uses the p̂ (1 − p̂) n / (n − 1) of the occupation's other cells.

**Intervals over templates** draw templates, or families, with their answers.  That of R^p is the interval for
few templates (:mod:`pcf_core.measure.bootstrap`), which allows for all noise in a mean.  Those of R and R^c
are percentiles of the risks with k² = κ of each draw.  R^c reaches as far up as R where R^p may be 0, and
further up by the share of R^p that may be noise elsewhere; R reaches down to the sum of the lower ends of its
parts.  Both contain the intervals that p̃ would have as probabilities.  **Intervals over answers** leave the
templates as they are and draw new answers from p̃ with k² = κ: percentiles of their risks, and the same
mirrored at the risk of p̃.  As k keeps the shape of the shares, which noise changes too, up to ``MISFIT`` of
the correction can be missing: R and R^c reach as much further down.
All intervals contain the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import RISKS, Totals, influences, part, replicates_of
from pcf_core.measure.corrected import corrected_prejudice, sampling_bias
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import Decomposition, jensen_gap, stereotype_sd
from pcf_core.measure.resampling import (
    BLOCK_CELLS,
    TemplateUnit,
    resampled_template_weights,
    stretched,
)

GARROTE = 1.5  # s.d. of pure noise
MISFIT = 0.3  # of a correction, in the grid of benchmarks.answers
FLOOR_DRAWS = 200  # of the answers of a neutral model
MOST_DRAWS = 500  # of the answers of an interval


@dataclass(frozen=True)
class Answers:
    """The answers of a run, and its risk.

    ``counts`` [occupation, template, group] whole numbers >= 0, at least one in each occupation and two in
    some cell; ``unit`` with the weights of the templates; ``shares`` [occupation], sum to 1.
    """

    counts: FloatArray
    unit: TemplateUnit
    shares: FloatArray
    criterion: Criterion

    @cached_property
    def totals(self) -> FloatArray:
        """[occupation, template] answers that name a group."""
        return np.asarray(self.counts.sum(axis=2))

    @cached_property
    def weights(self) -> FloatArray:
        """[occupation, template] weights of cells with answers, rows sum to 1."""
        return self.of_cells(self.unit.weights)

    def of_cells(self, weights: FloatArray) -> FloatArray:
        """Return [..., occupation, template] weights of cells with answers, rows sum to 1.

        ``weights`` [..., template].  An occupation that has no answers in these templates stays as it is.
        """
        cells = weights[..., np.newaxis, :] * (self.totals > 0)
        sums = cells.sum(axis=-1, keepdims=True)
        return np.where(sums > 0, cells / np.where(sums > 0, sums, 1.0), self._usual)

    @cached_property
    def _usual(self) -> FloatArray:
        cells = self.unit.weights * (self.totals > 0)
        return np.asarray(cells / cells.sum(axis=1, keepdims=True))

    @cached_property
    def raw(self) -> FloatArray:
        """[occupation, template, group] shares of the answers; their mean in cells without any."""
        shares = self.counts / np.maximum(self.totals, 1)[..., np.newaxis]
        means = np.einsum("xt,xtg->xg", self.weights, shares)[:, np.newaxis]
        return np.where(self.totals[..., np.newaxis] > 0, shares, means)

    @cached_property
    def parts(self) -> Decomposition:
        """The risks of the answers as they are."""
        return self._decomposed(self.raw)

    def _decomposed(self, values: FloatArray) -> Decomposition:
        stereotypes = self.criterion.stereotypes(values)
        mean = np.einsum("xt,xtg->xg", self.weights, stereotypes)
        prejudice = self.criterion.of_stereotypes(mean)
        caprice = jensen_gap(
            (self.weights * self.criterion.of_stereotypes(stereotypes)).sum(axis=1), prejudice
        )
        spreads = [
            stereotype_sd(stereotypes[[x]], mean[[x]], weights)[0] for x, weights in enumerate(self.weights)
        ]
        return Decomposition(
            prejudice + caprice,
            prejudice,
            caprice,
            np.array(spreads),
            mean,
            np.einsum("xt,xtg->xg", self.weights, values),
        )

    # Noise, and what of the variance over templates is none.

    @cached_property
    def noise(self) -> FloatArray:
        """[occupation, template, group, group] covariance of shares that so few answers cause."""
        p, n = self.raw, self.totals[..., np.newaxis, np.newaxis]
        of_one = (p[..., np.newaxis] * np.eye(p.shape[2]) - p[..., np.newaxis] * p[..., np.newaxis, :]) * (
            n / np.maximum(n - 1, 1)
        )
        rows = self.weights * (self.totals > 1) * self.shares[:, np.newaxis]
        everywhere = np.einsum("xt,xtgh->gh", rows, of_one) / rows.sum()
        return np.where(n > 1, of_one, everywhere) / np.maximum(n, 1)

    @cached_property
    def _shown(self) -> FloatArray:
        """[occupation] 1 − Σ w², the share of its variance that a weighted sample shows; 0 for one cell."""
        shown = 1 - (self.weights**2).sum(axis=1)
        return np.where(shown > 1e-9, shown, 0.0)

    def genuine(self, weights: FloatArray, draws: int = 0) -> FloatArray:
        """Return [...] κ under weights [..., occupation, template]; ``draws``: how often these were drawn."""
        return self._genuine(self.raw, np.trace(self.noise, axis1=2, axis2=3), weights, draws + 1)

    def _genuine(self, values: FloatArray, noise: FloatArray, weights: FloatArray, draws: int) -> FloatArray:
        mean = np.einsum("...xt,...xtg->...xg", weights, values)
        squares = (weights * (values**2).sum(axis=-1)).sum(axis=-1) - (mean**2).sum(axis=-1)
        rows = self.shares * (self._shown > 0)
        spread = (squares / np.where(self._shown > 0, self._shown, 1.0) ** draws) @ rows
        added = (weights * noise).sum(axis=-1) @ rows
        return np.where(spread > 0, 1 - added / np.where(spread > 0, spread, 1.0), 0.0)

    @cached_property
    def doubt(self) -> float:
        """The s.d. of φ where all variation is noise."""
        noise = np.einsum("xt,xtgh->xgh", self.weights, self.noise)
        shown = np.where(self._shown > 0, self._shown, 1.0)
        rows = self.shares * (self._shown > 0)
        trace = float(rows @ np.trace(noise, axis1=1, axis2=2))
        squares = float((rows**2 * (1 - shown) / shown) @ (noise**2).sum(axis=(1, 2)))
        return math.sqrt(2 * squares) / trace if trace > 0 else 0.0

    @cached_property
    def factor(self) -> float:
        """The factor k of the module."""
        kappa = float(self.genuine(self.weights))
        if kappa <= 0:
            return 0.0
        doubt = GARROTE * self.doubt * (1 - kappa) / kappa
        return math.sqrt(kappa * max(0.0, 1 - doubt**2))

    @cached_property
    def _line(self) -> tuple[FloatArray, FloatArray]:
        """Slope and start of stereotypes, a linear function of preferences."""
        start = self.criterion.stereotypes(np.zeros_like(self.raw))
        return self.criterion.stereotypes(np.ones_like(self.raw)) - start, start

    @property
    def _noise_of_stereotypes(self) -> FloatArray:
        slope, _ = self._line
        return np.asarray(self.noise * slope[..., np.newaxis] * slope[..., np.newaxis, :])

    def _stereotypes(self, values: FloatArray) -> FloatArray:
        """Return stereotypes of [..., occupation, template, group] values, of any number of axes."""
        slope, start = self._line
        return np.asarray(slope * values + start)

    @cached_property
    def centring(self) -> FloatArray:
        """[occupation] c of the module."""
        of_mean = np.einsum("xt,xtgh->xgh", self.weights**2, self._noise_of_stereotypes)
        plain = self.parts.prejudice
        noisier = plain + sampling_bias(self.parts.stereotype, of_mean, self.criterion)
        clear = corrected_prejudice(plain, noisier, self.shares)
        return np.where(plain > 0, clear / np.where(plain > 0, plain, 1.0), 1.0)

    def drawn_in(self, factor: float) -> FloatArray:
        """Return [occupation, template, group] p̃, in cells without an answer the mean."""
        neutral = np.broadcast_to(self.criterion.neutral(self.raw.shape), self.raw.shape)
        mean = self.parts.mean_preferences[:, np.newaxis]
        centre = neutral + self.centring[:, np.newaxis, np.newaxis] * (mean - neutral)
        moved = (centre + factor * (self.raw - mean)).clip(min=0.0)
        return np.asarray(moved / moved.sum(axis=-1, keepdims=True))

    @cached_property
    def values(self) -> FloatArray:
        """[occupation, template, group] p̃, preferences without the variance that answers add."""
        return self.drawn_in(self.factor)

    @cached_property
    def corrected(self) -> Decomposition:
        """The risks of :attr:`values`."""
        return self._decomposed(self.values)

    def figures(self, parts: Decomposition) -> dict[str, float]:
        """Return R, R^p and R^c by quantity."""
        return {name: float(self.shares @ part(parts, name)) for name in RISKS}

    @cached_property
    def floor(self) -> tuple[float, float, float]:
        """R, R^p and R^c that a model without any would show on average with as many answers."""
        risks = np.concatenate(list(self._answered(self._neutral(), FLOOR_DRAWS, 0)))
        overall, prejudice = (float(mean @ self.shares) for mean in risks.mean(axis=0).T)
        return overall, prejudice, overall - prejudice

    def _neutral(self) -> FloatArray:
        """Return [occupation, template, group] what a model without any risk answers."""
        neutral = np.array(np.broadcast_to(self.criterion.neutral(self.raw.shape), self.raw.shape))
        return np.asarray(neutral / neutral.sum(axis=-1, keepdims=True))

    def _answered(
        self, preferences: FloatArray, draws: int, seed: int, *, again: bool = False
    ) -> Iterator[FloatArray]:
        """Yield [draw, occupation, 2] r and r^p of new answers, drawn in by their own κ if ``again``."""
        generator = np.random.default_rng(seed)
        step = max(1, BLOCK_CELLS // preferences.size)
        for start in range(0, draws, step):
            values, noise = self._drawn(preferences, min(step, draws - start), generator)
            kappa = self._genuine(values, noise, self.weights, 1) if again else np.float64(1)
            yield self._risks(values, self.weights, kappa, 1.0)

    def _drawn(
        self, preferences: FloatArray, draws: int, generator: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return [draw, occupation, template, group] new values, and the trace of their noise."""
        totals = self.totals.astype(np.int64)
        counts = generator.multinomial(totals, preferences, size=(draws, *totals.shape))
        values = counts / np.maximum(totals, 1)[..., np.newaxis]
        return values, (1 - (values**2).sum(axis=-1)) / np.maximum(totals - 1, 1)

    def _risks(
        self, values: FloatArray, weights: FloatArray, kappa: ArrayLike, centring: FloatArray | float
    ) -> FloatArray:
        """Return [draw, occupation, 2] r and r^p with k² = κ [...] of [..., occupation, template, group]."""
        stereotypes = self._stereotypes(values)
        mean = np.einsum("...xt,...xtg->...xg", weights, stereotypes)
        factor = np.sqrt(np.clip(kappa, 0, 1))[..., np.newaxis, np.newaxis, np.newaxis]
        centre = np.asarray(centring)[..., np.newaxis] * mean
        moved = centre[:, :, np.newaxis] + factor * (stereotypes - mean[:, :, np.newaxis])
        overall = (weights * self.criterion.of_stereotypes(moved)).sum(axis=-1)
        return np.stack([overall, self.criterion.of_stereotypes(centre)], axis=-1)

    # Intervals.

    def intervals(
        self, resamples: int = 2000, level: float = 0.95, seed: int = 0
    ) -> dict[str, tuple[Interval, ...]]:
        """Return intervals of R, R^p and R^c over templates with their answers, and over answers alone."""
        drawn = [
            self._risks(self.raw[np.newaxis], weights, self.genuine(weights, 1), self.centring)
            for block in resampled_template_weights(self.unit, resamples, seed)
            for rows in np.array_split(block, math.ceil(len(block) * self.raw.size / BLOCK_CELLS))
            for weights in [self.of_cells(rows)]
        ]
        stretch = self.unit.stretch(level)
        overall, _, caprice = stretched(self._three(np.concatenate(drawn)), level, stretch).T
        raw, moved = (
            self._over_templates(values, parts, resamples, level, seed)
            for values, parts in ((self.raw, self.parts), (self.values, self.corrected))
        )
        prejudice = raw["prejudice_risk"]
        plain, clear = (self.figures(one)["prejudice_risk"] for one in (self.parts, self.corrected))
        hidden = 1 - clear / plain if prejudice.low > 0 else 1.0
        farther = max(0.0, overall[1] - prejudice.low - caprice[1])
        overall[0] -= self._misfit
        caprice[0] -= self._misfit
        ends = np.array(
            [
                (min(overall[0], prejudice.low + max(0.0, caprice[0])), overall[1]),
                (prejudice.low, prejudice.high),
                (caprice[0], caprice[1] + hidden * farther),
            ]
        )
        for row, name in ((0, "overall_risk"), (2, "caprice_risk")):
            ends[row] = min(ends[row, 0], moved[name].low), max(ends[row, 1], moved[name].high)
        few = bool(prejudice.few)
        over_answers = self.over_answers(min(resamples, MOST_DRAWS), level, seed)
        return {
            name: (
                self._holding(name, ends[row], level, "templates", self.unit.name, few),
                over_answers[name],
            )
            for row, name in enumerate(RISKS)
        }

    def _over_templates(
        self, values: FloatArray, parts: Decomposition, resamples: int, level: float, seed: int
    ) -> dict[str, Interval]:
        """Return the intervals of preferences [occupation, template, group] as if they had no noise."""
        stereotypes = self.criterion.stereotypes(values)
        blocks = resampled_template_weights(self.unit, resamples, seed)
        replicates = replicates_of(stereotypes, blocks, self.criterion)
        totals = Totals(parts, stereotypes, self.shares, self.unit, self.criterion, level)
        return totals.over_templates(replicates, influences(stereotypes, parts, self.criterion))

    def over_answers(
        self, draws: int = MOST_DRAWS, level: float = 0.95, seed: int = 0
    ) -> dict[str, Interval]:
        """Return the intervals of R, R^p and R^c over answers."""
        world = self.drawn_in(math.sqrt(max(0.0, float(self.genuine(self.weights)))))
        true = self._three(self._values_risks(world)[np.newaxis])[0]
        drawn = self._three(np.concatenate(list(self._answered(world, draws, seed, again=True))))
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        low, high = np.minimum(low, 2 * true - high), np.maximum(high, 2 * true - low)
        low = (low - self._misfit * np.array([1, 0, 1])).clip(min=0.0)
        low[0] = min(low[0], low[1] + low[2])
        return {
            name: self._holding(name, ends, level, "answers", "answer", False)
            for name, ends in zip(RISKS, np.stack([low, high], axis=-1), strict=True)
        }

    @cached_property
    def _misfit(self) -> float:
        raw, corrected = (self.figures(one)["caprice_risk"] for one in (self.parts, self.corrected))
        return MISFIT * max(0.0, raw - corrected)

    def _values_risks(self, values: FloatArray) -> FloatArray:
        parts = self._decomposed(values)
        return np.stack([parts.overall, parts.prejudice], axis=-1)

    def _three(self, risks: FloatArray) -> FloatArray:
        """Return [draw, quantity] R, R^p and R^c of [draw, occupation, 2]."""
        overall, prejudice = np.moveaxis(np.einsum("bxq,x->bq", risks, self.shares), -1, 0)
        return np.stack([overall, prejudice, overall - prejudice], axis=-1)

    def _holding(
        self,
        name: str,
        ends: FloatArray,
        level: float,
        over: Literal["templates", "answers"],
        unit: str,
        few: bool,
    ) -> Interval:
        value = self.figures(self.corrected)[name]
        most = float(self.shares @ self.criterion.largest(len(self.shares), self.raw.shape[2]))
        low, high = map(float, np.clip(ends, 0.0, most))
        bounds = {"low": min(low, value), "high": max(high, value)}
        return Interval(over=over, level=level, unit=unit, few=few, **bounds)
