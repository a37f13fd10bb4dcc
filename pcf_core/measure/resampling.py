"""What is drawn again when templates or occupations are resampled, and the weights that a draw leaves them.

One draw serves every statistic: two runs over the same templates see the same draws, if the unit, the number
of resamples and the seed are the same.

**Whole templates, and occupations, of unequal weight.**  A set of templates is read as so many places as it
has templates, with their weights, each filled with a context from one population.  A resample fills every
place anew with one of the templates, drawn in proportion to the weights, which estimate that population; the
places keep their weights.  The spread of a heavy template is thus learned from all of them, not from itself
alone.  Drawing each template with its weight, as documents and mentions are, would estimate the variance that
a template with 40 % of the weight brings from that one template (1.4 degrees of freedom, where 30 templates
count as five).  With equal weights the two are the same.  What this takes for granted: that heavy templates
scatter about as the others do, at most twice as far (see below).

**Percentiles of a bootstrap, stretched where there are few units, and moved to the side of the long tail.**
Percentile intervals are too narrow for small samples, as those of a normal with the variance divided by n.
Their distance from the mean of the replicates is multiplied by √(n/(n−1)) t_{α,n−1} / z_α, which makes the
interval of a mean about as wide as Student's (:func:`student`; cf. Hesterberg 2015, sec. 5.3,
doi:10.1080/00031305.2015.1089789, who moves α instead, and so cannot pass the largest replicate).  Where
weights differ, the factor is found by simulation (:func:`simulated_stretch`): normal contexts fill the
places, and the 95 % quantile of |mean error| / estimated standard error takes the place of Student's, the
larger of two figures, with the heaviest context as far spread as the others and twice as far.

A template with nearly all of the weight would be drawn for nearly every place, and the percentiles of the
replicates would shrink to it just where least is known: with 97 % of the weight on one of ten, they held R in
28 of 100 simulations.  No template is drawn with a chance of more than ``MOST_CHANCE``, the others then in
proportion to their weights, and the factor is that of these chances.

Where only expanded percentiles are asked for (:func:`percentiles` with ``units``), α' = Φ(−√(n/(n−1))
t_{α,n−1}) stands for the tail α, with n the number of units; where their weights differ, as many as there are
if all weigh as much as the heaviest (``TemplateUnit.fewest``).  For large n, α' is α.

A skew statistic errs in the same direction as its replicates do: with a sixth of its skewness, a, the
normal quantile z of a bound becomes a + (a + z) / (1 − a(a + z)) (BCa of a mean, whose z0 is a; Efron 1987,
doi:10.1080/01621459.1987.10478410).  Where weights differ this is left out: filled places are skew as they
are, and a cube of the weights would rest on the few heaviest.

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
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import COUNTS_ONLY, Interval, Over
from pcf_core.measure.criterion import Criterion, normalised

FEW_TEMPLATES = 10
# Cells of a block of resamples: about 130 MB with its temporary copies, whatever the number of templates.
BLOCK_CELLS = 4_000_000
MOST_UNITS = 2**62  # what can be drawn from with whole numbers of the machine
DRAWS = 2**20  # of a table that holds each template in proportion to its weight
SIMULATED, KEPT_APART = 20_000, 100  # normal sets of contexts, and the heaviest weights that are not lumped
SPREADS = (1.0, 2.0)  # of the heaviest context, in those of the others
MOST_CHANCE = 0.8  # of one template, where places are filled
OCCUPATIONS = 1  # the second stream of a seed; the first one, for templates, is the seed itself


@dataclass(frozen=True, eq=False)
class TemplateUnit:
    """The unit of a bootstrap over templates: each template stands for so many units of equal weight.

    ``name``: ``template`` (each one place with its weight, see the module), ``document`` (a document that has
    the template, carrying count/documents; one that has two templates counts as two units, as nobody knows
    which do), or ``mention`` (each time the template was counted).
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
    def places(self) -> bool:
        """Whether each template is one unit, so that places are filled anew; else units are drawn."""
        return bool((self.sizes <= 1).all())

    @property
    def alike(self) -> bool:
        """Whether all templates with weight weigh alike."""
        return bool(np.ptp(self.weights[self.weights > 0]) <= 1e-12)

    @property
    def effective(self) -> float:
        """Effective number of units, (Σ w)² / Σ w² over units (Kish 1965)."""
        return float(1 / self.unit_squares.sum())

    @property
    def fewest(self) -> float:
        """1 / share of the heaviest unit: so many units there are if all weigh as much as that one.

        At most ``effective`` and the same where all units weigh alike.  Where each unit is drawn with its own
        weight, and few carry most of it, their spread is learned from so few that intervals for ``effective``
        units are too narrow.
        """
        return float(1 / (self.weights / np.maximum(self.sizes, 1)).max())

    @property
    def unit_squares(self) -> FloatArray:
        """[template] squared weights of the units, added up over each template's units."""
        return np.asarray(self.weights**2 / np.maximum(self.sizes, 1))

    @property
    def variance_weights(self) -> FloatArray:
        """[template] v such that Σ_t v_t (s_t − m)² estimates the variance of the weighted mean m.

        For places that are filled anew w/(n−1), else the squared weights of the units, times n/(n−1): for the
        mean was estimated too, with n the effective number of units.  0 where there is a single one, of which
        nothing can be learned.
        """
        effective = self.effective
        if effective <= 1 + 1e-9:
            return np.zeros_like(self.weights)
        if self.places:
            return np.asarray(self.weights / (effective - 1))
        return np.asarray(self.unit_squares * (effective / (effective - 1)))

    def stretch(self, level: float) -> float:
        """Return the factor of a percentile's distance from the mean of the replicates, see the module."""
        if self.places and not self.alike:
            return simulated_stretch(self.weights[self.weights > 0].tobytes(), level)
        return student(self.fewest, level)


def student(units: float, level: float) -> float:
    """Return √(n/(n−1)) t / z, the quantiles being those of the level; 1 for one unit, whose mean is fixed.

    Raises
    ------
    CriterionError
        A level that is not allowed.
    """
    normal = -NormalDist().inv_cdf(checked_tail(level))
    if math.isinf(units) or units <= 1 + 1e-9:
        return 1.0
    from scipy.special import stdtrit

    return float(math.sqrt(units / (units - 1)) * stdtrit(units - 1, (1 + level) / 2) / normal)


@lru_cache(maxsize=64)
def simulated_stretch(weights: bytes, level: float) -> float:
    """Return the quantile of |Σ w ε| / √(Σ w² Σ q (ε − Σ q ε)²) over that of a normal; see the module.

    ε are normal contexts, q the chances of being drawn, nearly always the weights w.  The lightest weights
    beyond ``KEPT_APART`` are lumped: their part of Σ w ε is normal, and of Σ q ε² a multiple of chi-squared
    with the same mean and variance.

    ``weights``: the bytes of float64 [place] weights above 0 that sum to 1, at least two.  ``level``: share
    of the intervals that are to hold the truth.
    """
    normal = -NormalDist().inv_cdf(checked_tail(level))
    ordered = np.sort(np.frombuffer(weights))[::-1]
    drawn = chances(ordered)
    heaviest, light = ordered[:KEPT_APART], ordered[KEPT_APART:]
    often, seldom = drawn[:KEPT_APART], drawn[KEPT_APART:]
    generator = np.random.default_rng(0)
    contexts = generator.standard_normal((SIMULATED, heaviest.size))
    rest, share, squares = np.zeros(SIMULATED), seldom.sum(), float(seldom @ seldom)
    of_rest = np.zeros(SIMULATED)
    if squares > 0:
        rest = math.sqrt(squares) * generator.standard_normal(SIMULATED)
        of_rest = generator.chisquare(share**2 / squares, SIMULATED) * squares / share
    ratios = []
    for spread in SPREADS:
        contexts[:, 0] *= spread
        mean = contexts @ heaviest + rest * (light.sum() / share if share else 0.0)
        scatter = contexts**2 @ often + of_rest - (contexts @ often + rest) ** 2
        scatter = np.maximum(scatter, np.finfo(float).tiny)
        ratios.append(float(np.quantile(np.abs(mean) / np.sqrt(ordered @ ordered * scatter), level)))
    return max(ratios) / normal


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
    """Fill the places of whole templates anew, or draw other units with replacement, as many as there are.

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
    """Fill the places of occupations anew, as those of whole templates are.

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
    """Yield blocks [resample, item] of weights, each row divided by its sum; see the module."""
    if resamples < 1:
        raise CriterionError(f"A bootstrap needs at least 1 resample; got {resamples}.")
    drawable = np.flatnonzero(sizes > 0)
    carried, units = weights[drawable] / sizes[drawable], sizes[drawable]
    block = max(1, BLOCK_CELLS // weights.size)
    in_places = bool((units == 1).all()) and np.ptp(carried) > 1e-12 * carried.max()
    table = proportionally(chances(carried)) if in_places else None
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = (
            drawn_times(units, rows, generator) * carried
            if table is None
            else filled_places(carried, table, rows, generator)
        )
        drawn /= drawn.sum(axis=1, keepdims=True)
        if drawable.size == weights.size:
            yield drawn
        else:
            spread = np.zeros((len(drawn), weights.size))
            spread[:, drawable] = drawn
            yield spread


def chances(weights: FloatArray) -> FloatArray:
    """Return [item] how often each is drawn for a place: by its weight, but no more than ``MOST_CHANCE``.

    Parameters
    ----------
    weights
        [item] >= 0 that sum to 1, give or take rounding.
    """
    heaviest = int(weights.argmax())
    others = float(np.delete(weights, heaviest).sum())
    if weights[heaviest] <= MOST_CHANCE or others == 0:
        return weights
    drawn = weights / others * (1 - MOST_CHANCE)
    drawn[heaviest] = MOST_CHANCE
    return np.asarray(drawn)


def proportionally(weights: FloatArray) -> NDArray[np.int32]:
    """Return a table of items, each as often as its share of ``DRAWS`` asks for, give or take one."""
    ends = np.rint(np.cumsum(weights) / weights.sum() * DRAWS).astype(np.int64)
    return np.repeat(np.arange(weights.size, dtype=np.int32), np.diff(ends, prepend=0))


def filled_places(
    weights: FloatArray, table: NDArray[np.int32], rows: int, generator: np.random.Generator
) -> FloatArray:
    """Return [row, item] the weight of the places that each item fills, drawn from the table."""
    items = weights.size
    drawn = table[generator.integers(table.size, size=(rows, items))].astype(np.intp)
    drawn += items * np.arange(rows)[:, np.newaxis]
    carried = np.broadcast_to(weights, (rows, items))
    filled = np.bincount(drawn.ravel(), carried.ravel(), minlength=rows * items)
    return np.asarray(filled.reshape(rows, items), dtype=np.float64)


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


def stretched(
    replicates: FloatArray, level: float, stretch: float, acceleration: ArrayLike | None = None
) -> FloatArray:
    """Return [2, …] low and high over the first axis: percentiles, so much farther from the mean.

    Parameters
    ----------
    replicates
        [resample, …].
    level
        Share of the intervals that are to hold the truth, inside (0, 1).
    stretch
        :meth:`TemplateUnit.stretch`, the larger where two units are drawn.
    acceleration
        […] a of each, see the module; none is 0.

    Raises
    ------
    CriterionError
        A level that is not allowed.
    """
    centre = replicates.mean(axis=0)
    return np.asarray(centre + stretch * (percentiles(replicates, level, acceleration=acceleration) - centre))


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
    position = share * (len(ordered) - 1)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    low, high = (np.take_along_axis(ordered, rank[np.newaxis], axis=0)[0] for rank in (below, above))
    return np.asarray(low + (high - low) * (position - below))


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
    alpha = checked_tail(level)
    if math.isinf(units):
        return alpha
    if units <= 1 + 1e-9:
        return 0.0
    from scipy.special import stdtrit

    quantile = float(stdtrit(units - 1, alpha))
    return NormalDist().cdf(math.sqrt(units / (units - 1)) * quantile)


def checked_tail(level: float) -> float:
    """Return the share beyond either bound of an interval of this level, which must lie inside (0, 1)."""
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    return (1 - level) / 2


def interval(bounds: FloatArray, level: float, over: Over, unit: str, few: bool | None = None) -> Interval:
    """Make the interval of [low, high]."""
    low, high = map(float, bounds)
    return Interval(over=over, level=level, low=low, high=high, unit=unit, few=few)


# Bounds of J of mean stereotypes: a test turned round.


def bounds_of_means(
    replicates: FloatArray,
    means: FloatArray,
    most: FloatArray,
    criterion: Criterion,
    level: float,
    stretch: float,
) -> tuple[FloatArray, FloatArray]:
    """Return [occupation] low and [occupation] high of J(E s), also where J has a kink.

    With m the mean, se its bootstrap s.d. and c the quantile of max_y |m* − m| / se, the means μ with
    max_y |m − μ| / se <= c are not rejected, and since J grows with each stereotype, J over them fills
    [J(m − c se), J(m + c se)].  Exact for two groups, where the lower end is 0 if 0 is not rejected; wider
    than it need be for more.

    ``replicates``: [resample, occupation, group] mean stereotypes of the resamples.  ``means``: [occupation,
    group] those of what was drawn from.  ``most``: [occupation, group] the largest that stereotypes can be.
    ``criterion``: its norm.  ``level``: share of the intervals that are to hold the truth.  ``stretch``: of
    the unit, :meth:`TemplateUnit.stretch`.
    """
    spread = replicates.std(axis=0)
    distance = np.abs(replicates - means) / np.where(spread > 0, spread, 1.0)
    reach = stretch * np.quantile(distance.max(axis=-1), level, axis=0)[:, np.newaxis] * spread
    return criterion.of_stereotypes(means - reach), criterion.of_stereotypes(np.minimum(means + reach, most))


def seldom(level: float, stretch: float) -> float:
    """Return the share of replicates that lie beyond a bound whose distance is so much stretched."""
    return NormalDist().cdf(-stretch * NormalDist().inv_cdf((1 + level) / 2))


def holding(low: FloatArray, high: FloatArray, value: FloatArray) -> FloatArray:
    """Widen […, 2] bounds to hold the estimate, which rounding or bias may have put outside."""
    return np.stack([np.minimum(low, value), np.maximum(high, value)], axis=-1)


# Degrees of freedom of a variance that several sources add up to.


def degrees_of_freedom(variances: ArrayLike, freedoms: ArrayLike) -> FloatArray:
    """Return […] ν of the module.

    ``variances``: [source, …] what each adds, in any unit, >= 0; where all are 0, the least ν_k is returned.
    ``freedoms``: [source, …] ν_k >= 0; of a source with 0 nothing can be learned, nor of the sum.
    """
    added, freedom = np.broadcast_arrays(
        np.asarray(variances, dtype=np.float64), np.asarray(freedoms, dtype=np.float64)
    )
    total, fewest = added.sum(axis=0), freedom.min(axis=0)
    shares = added / np.where(total > 0, total, 1.0)
    doubt = (shares**2 / np.where(freedom > 0, freedom, 1.0)).sum(axis=0)
    defined = (total > 0) & (fewest > 0)
    return np.asarray(np.where(defined, 1 / np.where(defined, doubt, 1.0), fewest))
