"""What is drawn again when templates or occupations are resampled, and the weights that a draw leaves them.

One draw serves every statistic: two runs over the same templates see the same draws, if the unit, the number
of resamples and the seed are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray
from pcf_core.risk import normalised

FEW_TEMPLATES = 10
# Cells of a block of resamples: about 130 MB with its temporary copies, whatever the number of templates.
BLOCK_CELLS = 4_000_000
MOST_UNITS = 2**62  # what can be drawn from with whole numbers of the machine
OCCUPATIONS = 1  # the second stream of a seed; the first one, for templates, is the seed itself


@dataclass(frozen=True, eq=False)
class TemplateUnit:
    """The unit of a bootstrap over templates: each template stands for so many units of equal weight.

    ``name``: ``template`` (each one unit, carrying its weight), ``document`` (a document that has the
    template, carrying count/documents; one that has two templates counts as two units, as nobody knows which
    do), or ``mention`` (each time the template was counted).
    ``weights``: [template] weights, sum to 1.  ``sizes``: [template] how many units each stands for, whole
    numbers, at least 1 where there is weight; one without weight is no part of the context distribution and
    is not drawn.
    """

    name: str
    weights: FloatArray
    sizes: FloatArray

    @classmethod
    def templates(cls, weights: ArrayLike) -> TemplateUnit:
        """Templates are drawn alike.

        Raises:
            CriterionError: weights [template] that are not finite, >= 0 and positive in sum.
        """
        shares = normalised(weights, np.size(weights), "template_weights")
        return cls("template", shares, (shares > 0) * 1.0)

    @classmethod
    def documents(cls, counts: ArrayLike, documents: ArrayLike) -> TemplateUnit:
        """Documents that have a template are drawn alike; the weights are the counts.

        Args:
            counts: [template] finite, >= 0, positive sum.
            documents: [template] how many have it, whole numbers, at least 1 where there is a count.

        Raises:
            CriterionError: anything of the above that is not allowed.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        return cls("document", shares, whole_units(documents, shares, "documents"))

    @classmethod
    def mentions(cls, counts: ArrayLike) -> TemplateUnit:
        """Mentions are drawn alike: each template as often as it was counted.

        Raises:
            CriterionError: counts [template] that are no whole numbers >= 0 with a positive sum.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        return cls("mention", shares, whole_units(counts, shares, "counts"))

    @property
    def effective(self) -> float:
        """Effective number of units, (Σ w)² / Σ w² over units (Kish 1965)."""
        return float(1 / self.unit_squares.sum())

    @property
    def fewest(self) -> float:
        """1 / share of the heaviest unit: so many units there are if all weigh as much as that one.

        The number that percentiles are widened for (:mod:`pcf_core.stats.percentiles`); at most ``effective``
        and the same where all units weigh alike.  Where few carry most of the weight, their spread is learned
        from so few that intervals for ``effective`` units are too narrow.
        """
        return float(1 / (self.weights / np.maximum(self.sizes, 1)).max())

    @property
    def unit_squares(self) -> FloatArray:
        """[template] squared weights of the units, added up over each template's units."""
        return np.asarray(self.weights**2 / np.maximum(self.sizes, 1))

    @property
    def variance_weights(self) -> FloatArray:
        """[template] v such that Σ_t v_t (s_t − m)² estimates the variance of the weighted mean m.

        Squared weights of the units, times n/(n−1) for the mean that was estimated too, with n the effective
        number of units; 0 where there is a single one, of which nothing can be learned.
        """
        effective = self.effective
        if effective <= 1 + 1e-9:
            return np.zeros_like(self.weights)
        return np.asarray(self.unit_squares * (effective / (effective - 1)))


def whole_units(sizes: ArrayLike, shares: FloatArray, what: str) -> FloatArray:
    """[template] whole numbers of units, at least 1 where there is weight, 0 elsewhere."""
    given = np.asarray(sizes, dtype=np.float64)
    if given.shape != shares.shape:
        raise CriterionError(
            f"`{what}` must be a list of {shares.size} numbers, one for each; got {list(given.shape)}."
        )
    fits = np.isfinite(given) & (given >= 0) & (given == np.floor(given)) & ((given >= 1) | (shares == 0))
    if not fits.all() or given.sum() > MOST_UNITS:
        first = int(np.argmin(fits))
        raise CriterionError(
            f"To draw single {what}, every template must have a whole number of them, at least 1, and not "
            f"over {MOST_UNITS:.1e} together; template {first + 1} has {given[first]:g}. Draw templates."
        )
    return np.where(shares > 0, given, 0.0)


def effective_number(weights: ArrayLike) -> float:
    """Effective number of weighted units, (Σ w)² / Σ w² (Kish 1965): n where all weights are equal.

    Args:
        weights: [unit] finite, >= 0, positive sum; normalised here.

    Raises:
        CriterionError: weights that are not allowed.
    """
    shares = normalised(weights, np.size(weights), "weights")
    return float(1 / (shares @ shares))


def rough(effective: float) -> bool:
    """Whether an interval over so few effective templates is rough."""
    return effective < FEW_TEMPLATES - 1e-9  # ten that weigh alike count as ten but for rounding


def resampled_template_weights(unit: TemplateUnit, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Draw the units of the templates again and again, with replacement, as many as there are.

    Args:
        unit: what is drawn.
        resamples: how many rows the blocks have together.
        seed: decides the rows; they do not depend on how they are cut into blocks.

    Yields:
        Blocks [resample, template] of weights, each row divided by its sum; 0 for what was not drawn.

    Raises:
        CriterionError: no resample is asked for.
    """
    return resampled(unit.weights, unit.sizes, resamples, np.random.default_rng(seed))


def resampled_occupation_weights(weights: ArrayLike, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Draw occupations again and again, each as likely as any other and carrying its weight.

    They are drawn independently of the templates that the same seed draws, as the pigeonhole bootstrap wants
    it for both (Owen 2007, doi:10.1214/07-AOAS122).

    Args:
        weights: [occupation] finite, >= 0, positive sum; one of weight 0 is not drawn.
        resamples, seed: as in :func:`resampled_template_weights`.

    Yields:
        Blocks [resample, occupation] of weights, each row divided by its sum.

    Raises:
        CriterionError: weights that are not allowed, or no resample is asked for.
    """
    shares = normalised(weights, np.size(weights), "occupation_weights")
    return resampled(shares, (shares > 0) * 1.0, resamples, np.random.default_rng([seed, OCCUPATIONS]))


def resampled(
    weights: FloatArray, sizes: FloatArray, resamples: int, generator: np.random.Generator
) -> Iterator[FloatArray]:
    """Blocks [resample, item] of (times drawn) × weight / size, each row divided by its sum."""
    if resamples < 1:
        raise CriterionError(f"A bootstrap needs at least 1 resample; got {resamples}.")
    drawable = np.flatnonzero(sizes > 0)
    carried = weights[drawable] / sizes[drawable]
    block = max(1, BLOCK_CELLS // weights.size)
    for start in range(0, resamples, block):
        times = drawn_times(sizes[drawable], min(block, resamples - start), generator)
        drawn = times * carried
        drawn /= drawn.sum(axis=1, keepdims=True)
        if drawable.size == weights.size:
            yield drawn
        else:
            spread = np.zeros((len(drawn), weights.size))
            spread[:, drawable] = drawn
            yield spread


def drawn_times(sizes: FloatArray, rows: int, generator: np.random.Generator) -> FloatArray:
    """[row, item] how often each item's units were drawn, in Σ sizes draws with replacement."""
    items, units = sizes.size, int(sizes.sum())
    if units > items:
        return np.asarray(generator.multinomial(units, sizes / sizes.sum(), size=rows), dtype=np.float64)
    # Items drawn alike: drawing and counting them takes a fifth of the time of a multinomial.
    drawn = generator.integers(items, size=(rows, items))
    drawn += items * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
