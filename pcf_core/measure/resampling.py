"""What is drawn again when templates or occupations are resampled, and the weights that a draw leaves them.

One draw serves every statistic: two runs over the same templates see the same draws, if the unit, the number
of resamples and the seed are the same.

**Percentiles of a bootstrap, wider where there are few units, and farther on the side of the long tail.**
Percentile intervals are too narrow for small samples, as those of a normal with the variance divided by n.
Expanded percentiles mend both: α' = Φ(−√(n/(n−1)) t_{α,n−1}) stands for the tail α (Hesterberg 2015, sec.
5.3, doi:10.1080/00031305.2015.1089789), with n the number of units; where their weights differ, as many as
there are if all weigh as much as the heaviest (``TemplateUnit.fewest``).  For large n, α' is α.

A skew statistic errs in the same direction as its replicates do: with a sixth of its skewness, a, the
normal quantile z of a bound becomes a + (a + z) / (1 − a(a + z)) (BCa of a mean, whose z0 is a; Efron 1987,
doi:10.1080/01621459.1987.10478410).  Caprice is such a one: most contexts bring none, a few much.

**Degrees of freedom of a variance that several sources add up to.**  A variance is known as well as from so
many squares of a normal.  Of a sum of independent estimates V_k with ν_k degrees of freedom each, these are ν
= (Σ V_k)² / Σ (V_k² / ν_k) (Satterthwaite 1946, eq. 17, doi:10.2307/3002019): a source that adds little to
the sum adds little to the doubt about it, however few the draws that tell it.  ν is at least the least ν_k
and at most their sum.

The same formula counts the items of a weighted sum Σ f_i e_i, of which each adds the variance f_i² σ² and
one square tells it: (Σ f_i²)² / Σ f_i⁴, which is n where all count alike.  In a regression these are the
occupations, of which the outlying ones decide most of the slope (Imbens & Kolesár 2016,
doi:10.1162/REST_a_00552, sec. III, without what the fit takes from the residuals).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import COUNTS_ONLY, Interval, Over
from pcf_core.measure.criterion import normalised

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
        """Resample templates, all with the same chance.

        Raises
        ------
        CriterionError
            Weights [template] that are not finite, >= 0 and positive in sum.
        """
        shares = normalised(weights, np.size(weights), "template_weights")
        return cls("template", shares, (shares > 0) * 1.0)

    @classmethod
    def documents(cls, counts: ArrayLike, documents: ArrayLike) -> TemplateUnit:
        """Resample documents that have a template, all with the same chance; the weights are the counts.

        Parameters
        ----------
        counts
            [template] finite, >= 0, positive sum.
        documents
            [template] how many have it, whole numbers, at least 1 where there is a count.

        Raises
        ------
        CriterionError
            Anything of the above that is not allowed.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        return cls("document", shares, whole_units(documents, shares, "documents"))

    @classmethod
    def mentions(cls, counts: ArrayLike) -> TemplateUnit:
        """Resample mentions: each template as often as it was counted.

        Raises
        ------
        CriterionError
            Counts [template] that are no whole numbers >= 0 with a positive sum.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        return cls("mention", shares, whole_units(counts, shares, "counts"))

    @property
    def whole(self) -> TemplateUnit:
        """Whole templates, where this unit draws their counts only; else this unit."""
        if self.name not in COUNTS_ONLY:
            return self
        return TemplateUnit("template", self.weights, (self.weights > 0) * 1.0)

    @property
    def effective(self) -> float:
        """Effective number of units, (Σ w)² / Σ w² over units (Kish 1965)."""
        return float(1 / self.unit_squares.sum())

    @property
    def fewest(self) -> float:
        """1 / share of the heaviest unit: so many units there are if all weigh as much as that one.

        The number that percentiles are widened for (see the module); at most
        ``effective`` and the same where all units weigh alike.  Where few carry most of the weight, their
        spread is learned from so few that intervals for ``effective`` units are too narrow.
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
    """Return [template] whole numbers of units, at least 1 where there is weight, 0 elsewhere."""
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
    """Return the effective number of weighted units, (Σ w)² / Σ w² (Kish 1965): n for equal weights.

    Parameters
    ----------
    weights
        [unit] finite, >= 0, positive sum; normalised here.

    Raises
    ------
    CriterionError
        Weights that are not allowed.
    """
    shares = normalised(weights, np.size(weights), "weights")
    return float(1 / (shares @ shares))


def rough(effective: float) -> bool:
    """Tell whether an interval over so few effective templates is rough."""
    return effective < FEW_TEMPLATES - 1e-9  # ten that weigh alike count as ten but for rounding


def resampled_template_weights(unit: TemplateUnit, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Draw the units of the templates again and again, with replacement, as many as there are.

    Parameters
    ----------
    unit
        What is drawn.
    resamples
        How many rows the blocks have together.
    seed
        Decides the rows; they do not depend on how they are cut into blocks.

    Yields
    ------
    FloatArray
        Blocks [resample, template] of weights, each row divided by its sum; 0 for what was not drawn.

    Raises
    ------
    CriterionError
        No resample is asked for.
    """
    return resampled(unit.weights, unit.sizes, resamples, np.random.default_rng(seed))


def resampled_occupation_weights(weights: ArrayLike, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Draw occupations again and again, each as likely as any other and carrying its weight.

    They are drawn independently of the templates that the same seed draws, as the pigeonhole bootstrap wants
    it for both (Owen 2007, doi:10.1214/07-AOAS122).

    Parameters
    ----------
    weights
        [occupation] finite, >= 0, positive sum; one of weight 0 is not drawn.
    resamples, seed
        As in :func:`resampled_template_weights`.

    Yields
    ------
    FloatArray
        Blocks [resample, occupation] of weights, each row divided by its sum.

    Raises
    ------
    CriterionError
        Weights that are not allowed, or no resample is asked for.
    """
    shares = normalised(weights, np.size(weights), "occupation_weights")
    return resampled(shares, (shares > 0) * 1.0, resamples, np.random.default_rng([seed, OCCUPATIONS]))


def resampled(
    weights: FloatArray, sizes: FloatArray, resamples: int, generator: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield blocks [resample, item] of (times drawn) × weight / size, each row divided by its sum."""
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
    """Return [row, item] how often each item's units were drawn, in Σ sizes draws with replacement."""
    items, units = sizes.size, int(sizes.sum())
    if units > items:
        return np.asarray(generator.multinomial(units, sizes / sizes.sum(), size=rows), dtype=np.float64)
    # Items drawn alike: drawing and counting them takes a fifth of the time of a multinomial.
    drawn = generator.integers(items, size=(rows, items))
    drawn += items * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


# Percentiles of a bootstrap, wider where there are few units, and farther on the side of the long tail.


def percentiles(
    replicates: FloatArray,
    level: float,
    units: float = math.inf,
    acceleration: ArrayLike | None = None,
) -> FloatArray:
    """Return [2, …] low and high percentile over the first axis.

    Parameters
    ----------
    replicates
        [resample, …].
    level
        Share of the intervals that are to hold the truth, inside (0, 1).
    units
        How many there are, n of the module.
    acceleration
        […] a of each, see the module; none is 0.

    Raises
    ------
    CriterionError
        A level that is not allowed.
    """
    alpha = tail(level, units)
    if acceleration is None or alpha == 0:
        return np.asarray(np.quantile(replicates, [alpha, 1 - alpha], axis=0))
    from scipy.special import ndtr

    skew, z = np.asarray(acceleration, dtype=np.float64), -NormalDist().inv_cdf(alpha)
    ordered = np.sort(replicates, axis=0)
    bounds = []
    for quantile in (-z, z):
        left = 1 - skew * (skew + quantile)
        moved = skew + (skew + quantile) / np.where(left > 0, left, 1.0)
        bounds.append(at_share(ordered, np.where(left > 0, ndtr(moved), float(quantile > 0))))
    return np.stack(bounds)


def at_share(ordered: FloatArray, share: FloatArray) -> FloatArray:
    """Return […] the value below which the share […] of [resample, …] sorted values lies, interpolated."""
    place = share * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    low, high = (np.take_along_axis(ordered, rank[np.newaxis], axis=0)[0] for rank in (below, above))
    return np.asarray(low + (high - low) * (place - below))


def tail(level: float, units: float) -> float:
    """Return α', the share of replicates beyond either bound, for so many units.

    Parameters
    ----------
    level
        Share of the intervals that are to hold the truth, inside (0, 1).
    units
        How many there are, at least 1; of a single one nothing can be learned, and the bounds are the
        extremes.

    Raises
    ------
    CriterionError
        A level that is not allowed.
    """
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    if math.isinf(units):
        return (1 - level) / 2
    if units <= 1 + 1e-9:
        return 0.0
    from scipy.special import stdtrit

    quantile = float(stdtrit(units - 1, (1 - level) / 2))
    return NormalDist().cdf(math.sqrt(units / (units - 1)) * quantile)


def interval(bounds: FloatArray, level: float, over: Over, unit: str) -> Interval:
    """Make the interval of [low, high]."""
    return Interval(over=over, level=level, low=float(bounds[0]), high=float(bounds[1]), unit=unit)


# Degrees of freedom of a variance that several sources add up to.


def degrees_of_freedom(variances: ArrayLike, freedoms: ArrayLike) -> FloatArray:
    """Return […] ν of the module.

    Parameters
    ----------
    variances
        [source, …] what each adds, in any unit, >= 0; where all are 0, the least ν_k is told.
    freedoms
        [source, …] ν_k >= 0; of a source with 0 nothing can be learned, nor of the sum.
    """
    added, known = np.broadcast_arrays(
        np.asarray(variances, dtype=np.float64), np.asarray(freedoms, dtype=np.float64)
    )
    total, fewest = added.sum(axis=0), known.min(axis=0)
    shares = added / np.where(total > 0, total, 1.0)
    doubt = (shares**2 / np.where(known > 0, known, 1.0)).sum(axis=0)
    found = (total > 0) & (fewest > 0)
    return np.asarray(np.where(found, 1 / np.where(found, doubt, 1.0), fewest))
