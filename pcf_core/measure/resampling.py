"""Resampling of templates and occupations, percentile intervals, and degrees of freedom.

Two runs over the same templates see the same draws if unit, number of resamples and seed agree.

**Whole templates and occupations of unequal weight.**  A set of templates is seen as slots with fixed
weights, each filled with a context from one population.  A resample fills every slot with a template drawn in
proportion to the weights, so the spread of a heavy template is estimated from all templates.  Resampling each
template with its own weight, as for documents and mentions, would estimate the variance of a template with 40
% of the weight from that one template (1.4 degrees of freedom, where 30 templates count as five).  With equal
weights the two agree.  This assumes that heavy templates vary about as much as others, at most twice as much
(see below).

**Families.**  Where templates say the same in other words (:mod:`pcf_core.measure.families`), another wording
is no new context: a family is then drawn whole, with all its wordings, in a slot of the family's weight, and
all of the following is about families.  Where every template is alone in its family, nothing changes.

**Strata.**  A set of pronouns and nouns has strata (:mod:`pcf_core.measure.strata`).  A slot is then filled
from its own stratum, in proportion to the weights there: every draw has as many templates or families of each
stratum as the set, and the spread between strata is not taken for chance.  The factor below is simulated with
the same strata, also where weights are equal.  Where only counts are drawn there are no strata.

**Stretched percentiles.**  Percentile intervals are too narrow for small samples, like those of a normal with
the variance divided by n.  Their distance from the mean of the replicates is multiplied by √(n/(n−1))
t_{α,n−1} / z_α, which makes the interval of a mean about as wide as Student's (:func:`student`; cf.
Hesterberg 2015, sec. 5.3, doi:10.1080/00031305.2015.1089789, who changes α instead, and so cannot pass the
largest replicate).  With unequal weights the factor is simulated (:func:`simulated_stretch`): slots are
filled with normal contexts, and the 95 % quantile of |mean error| / estimated standard error replaces
Student's, the larger of two values, with the heaviest context as variable as the others and twice as
variable.

A template with nearly all of the weight would fill nearly every slot, and percentiles would shrink to it:
with 97 % of the weight on one of ten, they covered R in 28 of 100 simulations.  No template is therefore
drawn with a probability above ``MOST_CHANCE``, the others in proportion to their weights, and the factor uses
these probabilities.

Expanded percentiles (:func:`percentiles` with ``units``) instead replace the tail α by α' = Φ(−√(n/(n−1))
t_{α,n−1}), with n the number of units, for unequal weights ``TemplateUnit.fewest``.  For large n, α' is α.

Replicates of a skewed statistic err in its direction: with a sixth of its skewness, a, the normal quantile z
of a bound becomes a + (a + z) / (1 − a(a + z)) (BCa of a mean, whose z0 is a; Efron 1987,
doi:10.1080/01621459.1987.10478410).  With unequal weights this is left out: replicates are skewed already,
and a cube of the weights would depend on the few heaviest.

**Degrees of freedom of a sum of variances.**  A sum of independent estimates V_k with ν_k degrees of freedom
each has ν = (Σ V_k)² / Σ (V_k² / ν_k) (Satterthwaite 1946, eq. 17, doi:10.2307/3002019), between the least
ν_k and their sum.  A source that adds little variance adds little uncertainty, however few its draws.  For a
weighted sum Σ f_i e_i, where item i adds the variance f_i² σ² and one degree of freedom, this is (Σ f_i²)² /
Σ f_i⁴, which is n for equal weights.  In a regression the items are the occupations, of which outlying ones
decide most of the slope (Imbens & Kolesár 2016, doi:10.1162/REST_a_00552, sec. III, without what the fit
takes from the residuals).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import COUNTS_ONLY, Interval, Over
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.families import Families
from pcf_core.measure.strata import Strata

FEW_TEMPLATES = 10
# Cells of a block of resamples: about 130 MB with temporary copies.
BLOCK_CELLS = 4_000_000
MOST_UNITS = 2**62  # limit of machine integers
DRAWS = 2**20  # of a table that holds each template in proportion to its weight
SIMULATED, KEPT_APART = 20_000, 100  # normal sets of contexts, and how many weights are not lumped
SPREADS = (1.0, 2.0)  # of the heaviest context, relative to the others
MOST_CHANCE = 0.8  # of one template, where slots are filled
OCCUPATIONS = 1  # the second stream of a seed; the first one, for templates, is the seed itself
STRATA = 2  # the streams after it, one for each


@dataclass(frozen=True, eq=False)
class TemplateUnit:
    """The unit of a bootstrap over templates: each item stands for a number of equally weighted units.

    ``name``: ``template`` (one slot with its weight, see the module), ``family`` (the same, of all templates
    of a family), ``document`` (one that has the template, with weight count/documents; it is unknown which
    documents share templates, so these count as separate units), or ``mention`` (each counted occurrence).
    ``weights`` [template], sum to 1.  ``sizes`` [item]: whole numbers of units, at least 1 where there is
    weight; items without weight are not drawn.  An item is a family if the unit is one, else a template.
    ``families``: of the templates, and ``strata``: of whole templates or families, ``None`` for a single
    one; both also where only counts are drawn.
    """

    name: str
    weights: FloatArray
    sizes: FloatArray
    families: Families | None = None
    strata: Strata | None = None

    @classmethod
    def templates(
        cls, weights: ArrayLike, families: Sequence[str] = (), slots: Sequence[str] = ()
    ) -> TemplateUnit:
        """Resample templates, each with the same probability, or whole families of them.

        ``families`` [template]: labels, or none; ``slots`` [template]: labels of the kinds that keep their
        numbers, or none.  Raises CriterionError for weights [template] that are not finite, >= 0 and positive
        in sum, or labels that are not one for each.
        """
        shares = normalised(weights, np.size(weights), "template_weights")
        return cls._whole(shares, *_labelled(shares, families, slots))

    @classmethod
    def _whole(cls, shares: FloatArray, families: Families | None, strata: Strata | None) -> TemplateUnit:
        if families is None:
            return cls("template", shares, (shares > 0) * 1.0, strata=strata)
        return cls("family", shares, (families.totals > 0) * 1.0, families, strata)

    @classmethod
    def documents(
        cls,
        counts: ArrayLike,
        documents: ArrayLike,
        families: Sequence[str] = (),
        slots: Sequence[str] = (),
    ) -> TemplateUnit:
        """Resample documents that have a template, equally likely; the weights are the counts.

        ``counts`` [template] finite, >= 0, positive sum; ``documents`` [template] whole numbers, at least 1
        where there is a count; ``families`` and ``slots`` as for whole templates.  Raises CriterionError if
        any of these is not allowed.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        units = whole_units(documents, shares, "documents")
        return cls("document", shares, units, *_labelled(shares, families, slots))

    @classmethod
    def mentions(
        cls, counts: ArrayLike, families: Sequence[str] = (), slots: Sequence[str] = ()
    ) -> TemplateUnit:
        """Resample mentions: each template as often as it was counted.

        ``families`` and ``slots`` as for whole templates.  Raises CriterionError for counts [template] that
        are not whole numbers >= 0 with a positive sum, or labels that are not one for each.
        """
        shares = normalised(counts, np.size(counts), "template_weights")
        units = whole_units(counts, shares, "counts")
        return cls("mention", shares, units, *_labelled(shares, families, slots))

    @property
    def whole(self) -> TemplateUnit:
        """Whole templates or families if this unit resamples only their counts, otherwise this unit."""
        if self.name not in COUNTS_ONLY:
            return self
        return self._whole(self.weights, self.families, self.strata)

    @property
    def drawn_families(self) -> Families | None:
        """The families, if they are the items that are drawn."""
        return self.families if self.name == "family" else None

    @property
    def drawn_strata(self) -> Strata | None:
        """The strata, if each of them keeps its number of items."""
        return None if self.name in COUNTS_ONLY else self.strata

    @property
    def items(self) -> FloatArray:
        """[item] weights."""
        return self.weights if self.drawn_families is None else self.drawn_families.totals

    def means(self, values: FloatArray, axis: int = -1) -> FloatArray:
        """Average values over the templates of each item; ``axis`` is that of the templates."""
        return values if self.drawn_families is None else self.drawn_families.means(values, axis)

    def sums(self, values: FloatArray, axis: int = -1) -> FloatArray:
        """Add up values over the templates of each item; ``axis`` is that of the templates."""
        return values if self.drawn_families is None else self.drawn_families.sums(values, axis)

    def about(self, values: FloatArray, mean: FloatArray, axis: int = -1) -> FloatArray:
        """Return what the values of items vary about: the mean of each one's stratum, else that of all.

        ``axis``: that of the items; ``mean``: of all, with this axis.
        """
        return mean if self.drawn_strata is None else self.drawn_strata.means(values, axis)

    @property
    def places(self) -> bool:
        """Whether each item is one unit, so that slots are refilled instead of units drawn."""
        return bool((self.sizes <= 1).all())

    @property
    def alike(self) -> bool:
        """Whether all items with weight have the same."""
        return bool(np.ptp(self.items[self.items > 0]) <= 1e-12)

    @property
    def effective(self) -> float:
        """Effective number of units, (Σ w)² / Σ w² over units (Kish 1965)."""
        return float(1 / self.unit_squares.sum())

    @property
    def fewest(self) -> float:
        """1 / share of the heaviest unit, at most ``effective`` and equal to it for equal weights.

        Where units are drawn with their own weights and few carry most of it, ``effective`` is too
        optimistic.  With strata it is at most one more than the degrees of freedom that they leave.
        """
        lightest = float(1 / (self.items / np.maximum(self.sizes, 1)).max())
        return lightest if self.drawn_strata is None else min(lightest, 1 + freedom(self.drawn_strata))

    @property
    def unit_squares(self) -> FloatArray:
        """[item] squared weights, summed over each item's units."""
        return np.asarray(self.items**2 / np.maximum(self.sizes, 1))

    @property
    def variance_weights(self) -> FloatArray:
        """[item] v such that Σ_i v_i (s_i − m)² estimates the variance of the weighted mean m.

        For refilled slots w/(n−1), otherwise squared weights of the units times n/(n−1), with n the effective
        number of units, as the mean is estimated too.  0 for a single unit.  With strata s varies about the
        mean of its stratum (:meth:`about`), which has the weight W and the number n: w W/(n−1).
        """
        if self.drawn_strata is not None:
            totals, squares = self.drawn_strata.totals, self.drawn_strata.squares
            return np.asarray(self.items * (totals * squares / (totals**2 - squares))[self.drawn_strata.of])
        effective = self.effective
        if effective <= 1 + 1e-9:
            return np.zeros_like(self.items)
        if self.places:
            return np.asarray(self.items / (effective - 1))
        return np.asarray(self.unit_squares * (effective / (effective - 1)))

    @property
    def shortfall(self) -> float:
        """How many times too small the variance of a mean over draws is, as they scatter about a sample."""
        if self.drawn_strata is None:
            return self.effective / (self.effective - 1)
        squares = self.drawn_strata.squares
        return float(squares.sum() / (squares - (squares / self.drawn_strata.totals) ** 2).sum())

    def stretch(self, level: float) -> float:
        """Return the factor for a percentile's distance from the mean of the replicates (see the module)."""
        if (strata := self.drawn_strata) is not None:
            return stratified_stretch(
                tuple(
                    (float(total), (within := strata.within[rows])[within > 0].tobytes())
                    for total, rows in zip(strata.totals, strata.rows, strict=True)
                ),
                level,
            )
        if self.places and not self.alike:
            return simulated_stretch(self.items[self.items > 0].tobytes(), level)
        return student(self.fewest, level)


def _labelled(
    shares: FloatArray, families: Sequence[str], slots: Sequence[str]
) -> tuple[Families | None, Strata | None]:
    """Return what labels say of templates, or of their families."""
    together = Families.labelled(families, shares)
    return together, Strata.labelled(slots, shares, together)


def student(units: float, level: float) -> float:
    """Return √(n/(n−1)) t / z at this level; 1 for one unit, whose mean is fixed.

    Raises CriterionError for a level outside (0, 1).
    """
    normal = -NormalDist().inv_cdf(checked_tail(level))
    if math.isinf(units) or units <= 1 + 1e-9:
        return 1.0
    from scipy.special import stdtrit

    return float(math.sqrt(units / (units - 1)) * stdtrit(units - 1, (1 + level) / 2) / normal)


@lru_cache(maxsize=64)
def simulated_stretch(weights: bytes, level: float) -> float:
    """Return the quantile of |Σ w ε| / √(Σ w² Σ q (ε − Σ q ε)²) over that of a normal (see the module).

    ``weights``: the bytes of at least two float64 weights above 0 that sum to 1.
    """
    normal = -NormalDist().inv_cdf(checked_tail(level))
    errors = simulated_errors(weights, np.random.default_rng(0))
    ratios = (np.abs(error) / np.sqrt(square) for error, square in errors)
    return max(float(np.quantile(ratio, level)) for ratio in ratios) / normal


@lru_cache(maxsize=64)
def stratified_stretch(strata: tuple[tuple[float, bytes], ...], level: float) -> float:
    """Return the same where errors and squares add up over strata, each with a share of the weight.

    In one stratum the heaviest context, or every context, may be twice as variable as elsewhere.  ``strata``:
    the share of each, and the bytes of its weights, as for one.
    """
    normal, generator = -NormalDist().inv_cdf(checked_tail(level)), np.random.default_rng(0)
    simulated = [
        [(share * error, share**2 * square) for error, square in simulated_errors(weights, generator)]
        for share, weights in strata
    ]
    usual = [spreads[0] for spreads in simulated]
    factors = []
    for place, spreads in enumerate(simulated):
        for one in (*spreads, tuple(SPREADS[-1] ** power * part for power, part in enumerate(spreads[0], 1))):
            error, square = map(sum, zip(*(*usual[:place], one, *usual[place + 1 :]), strict=True))
            factors.append(float(np.quantile(np.abs(error) / np.sqrt(square), level)) / normal)
    return max(factors)


def simulated_errors(
    weights: bytes, generator: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield [sample] Σ w ε and Σ w² Σ q (ε − Σ q ε)² for each of ``SPREADS`` of the heaviest context.

    ε are normal contexts, q the probabilities of being drawn, nearly always the weights w.  The lightest
    weights beyond ``KEPT_APART`` are lumped: their part of Σ w ε is normal, and of Σ q ε² a multiple of
    chi-squared with the same mean and variance.  ``weights``: see :func:`simulated_stretch`.
    """
    ordered = np.sort(np.frombuffer(weights))[::-1]
    drawn = chances(ordered)
    heaviest, light = ordered[:KEPT_APART], ordered[KEPT_APART:]
    often, seldom = drawn[:KEPT_APART], drawn[KEPT_APART:]
    contexts = generator.standard_normal((SIMULATED, heaviest.size))
    rest, share, squares = np.zeros(SIMULATED), seldom.sum(), float(seldom @ seldom)
    of_rest = np.zeros(SIMULATED)
    if squares > 0:
        rest = math.sqrt(squares) * generator.standard_normal(SIMULATED)
        of_rest = generator.chisquare(share**2 / squares, SIMULATED) * squares / share
    for spread in SPREADS:
        contexts[:, 0] *= spread
        mean = contexts @ heaviest + rest * (light.sum() / share if share else 0.0)
        scatter = contexts**2 @ often + of_rest - (contexts @ often + rest) ** 2
        yield mean, ordered @ ordered * np.maximum(scatter, np.finfo(float).tiny)


def freedom(strata: Strata) -> float:
    """Return the degrees of freedom of Σ_h Σ w² Σ q (ε − Σ q ε)², the variance of a mean over strata h.

    It is 2 E² / Var for normal contexts that vary equally, with the trace of diag(q) − q qᵀ and of its
    square: n − H with n items and H strata of equal weights and numbers.
    """
    mean, variance = 0.0, 0.0
    for rows, square in zip(strata.rows, strata.squares, strict=True):
        drawn = chances(strata.within[rows])
        once, twice, thrice = ((drawn**power).sum() for power in (1, 2, 3))
        mean += float(square * (once - twice))
        variance += float(square**2 * (twice - 2 * thrice + twice**2))
    return mean**2 / variance


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

    ``weights`` [unit] finite, >= 0, positive sum (normalised here).  Raises CriterionError for weights that
    are not allowed.
    """
    shares = normalised(weights, np.size(weights), "weights")
    return float(1 / (shares @ shares))


def rough(effective: float) -> bool:
    """Return whether so few effective templates make an interval rough."""
    return effective < FEW_TEMPLATES - 1e-9  # for rounding


def stretch_and_few(units: Collection[TemplateUnit], level: float) -> tuple[float, bool]:
    """Return the largest :meth:`TemplateUnit.stretch` of units resampled together, and if one is rough."""
    return max(unit.stretch(level) for unit in units), any(rough(unit.effective) for unit in units)


def resampled_template_weights(unit: TemplateUnit, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Resample templates; yield blocks [resample, template] of weights with rows that sum to 1.

    Slots of whole templates or families are refilled; other units are drawn with replacement, as many as
    there are.  The rows depend on the seed, not on the division into blocks.  Raises CriterionError for fewer
    than one resample.
    """
    if (strata := unit.drawn_strata) is not None:
        blocks = stratified(unit, strata, resamples, seed)
    else:
        blocks = resampled(unit.items, unit.sizes, resamples, np.random.default_rng(seed), unit.weights.size)
    families = unit.drawn_families
    return blocks if families is None else map(families.spread, blocks)


def stratified(unit: TemplateUnit, strata: Strata, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks [resample, item] of weights in which each stratum keeps its weight and its draws."""
    by_stratum = [
        resampled(
            strata.within[rows],
            unit.sizes[rows],
            resamples,
            np.random.default_rng([seed, STRATA, place]),
            unit.weights.size,
        )
        for place, rows in enumerate(strata.rows, 1)
    ]
    for parts in zip(*by_stratum, strict=True):
        drawn = np.empty((len(parts[0]), strata.of.size))
        for rows, total, part in zip(strata.rows, strata.totals, parts, strict=True):
            drawn[:, rows] = total * part
        yield drawn


def resampled_occupation_weights(weights: ArrayLike, resamples: int, seed: int = 0) -> Iterator[FloatArray]:
    """Resample occupations like whole templates; yield blocks [resample, occupation], rows sum to 1.

    They are independent of the templates drawn with the same seed, as the pigeonhole bootstrap requires (Owen
    2007, doi:10.1214/07-AOAS122).  ``weights`` [occupation] finite, >= 0, positive sum; those of weight 0 are
    not drawn.  Raises CriterionError for weights that are not allowed, or fewer than one resample.
    """
    shares = normalised(weights, np.size(weights), "occupation_weights")
    return resampled(shares, (shares > 0) * 1.0, resamples, np.random.default_rng([seed, OCCUPATIONS]))


def resampled(
    weights: FloatArray, sizes: FloatArray, resamples: int, generator: np.random.Generator, width: int = 0
) -> Iterator[FloatArray]:
    """Yield blocks [resample, item] of weights, with rows that sum to 1 (see the module).

    ``width``: how long the rows will become, if longer than the items.
    """
    if resamples < 1:
        raise CriterionError(f"A bootstrap needs at least 1 resample; got {resamples}.")
    drawable = np.flatnonzero(sizes > 0)
    carried, units = weights[drawable] / sizes[drawable], sizes[drawable]
    block = max(1, BLOCK_CELLS // max(width, weights.size))
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
    """Return [item] probabilities of being drawn: the weight, but at most ``MOST_CHANCE``.

    ``weights`` [item] >= 0, sum to 1 up to rounding.
    """
    heaviest = int(weights.argmax())
    others = float(np.delete(weights, heaviest).sum())
    if weights[heaviest] <= MOST_CHANCE or others == 0:
        return weights
    drawn = weights / others * (1 - MOST_CHANCE)
    drawn[heaviest] = MOST_CHANCE
    return np.asarray(drawn)


def proportionally(weights: FloatArray) -> NDArray[np.int32]:
    """Return a table of items, each as often as its share of ``DRAWS``, give or take one."""
    ends = np.rint(np.cumsum(weights) / weights.sum() * DRAWS).astype(np.int64)
    return np.repeat(np.arange(weights.size, dtype=np.int32), np.diff(ends, prepend=0))


def filled_places(
    weights: FloatArray, table: NDArray[np.int32], rows: int, generator: np.random.Generator
) -> FloatArray:
    """Return [row, item] the total weight of the slots that each item fills, drawn from the table."""
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
    # For equal items, counting draws takes a fifth of the time of a multinomial.
    drawn = generator.integers(items, size=(rows, items))
    drawn += items * np.arange(rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


# Percentiles.


def stretched(
    replicates: FloatArray, level: float, stretch: float, acceleration: ArrayLike | None = None
) -> FloatArray:
    """Return [2, …] low and high percentile of [resample, …], with distances from the mean times ``stretch``.

    ``acceleration`` […]: a of the module, default 0.  Raises CriterionError for a level outside (0, 1).
    """
    centre = replicates.mean(axis=0)
    return np.asarray(centre + stretch * (percentiles(replicates, level, acceleration=acceleration) - centre))


def percentiles(
    replicates: FloatArray,
    level: float,
    units: float = math.inf,
    acceleration: ArrayLike | None = None,
) -> FloatArray:
    """Return [2, …] low and high percentile of [resample, …].

    ``units``: n of the module.  ``acceleration`` […]: a of the module, default 0.  Raises CriterionError for
    a level outside (0, 1).
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
    """Return […] the quantile at the share […] of [resample, …] sorted values, interpolated."""
    position = share * (len(ordered) - 1)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    low, high = (np.take_along_axis(ordered, rank[np.newaxis], axis=0)[0] for rank in (below, above))
    return np.asarray(low + (high - low) * (position - below))


def tail(level: float, units: float) -> float:
    """Return α', the share of replicates beyond either bound; 0 for a single unit.

    Raises CriterionError for a level outside (0, 1).
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
    """Return (1 − level) / 2, for a level inside (0, 1)."""
    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    return (1 - level) / 2


def interval(bounds: FloatArray, level: float, over: Over, unit: str, few: bool | None = None) -> Interval:
    """Make the interval of [low, high]."""
    low, high = map(float, bounds)
    return Interval(over=over, level=level, low=low, high=high, unit=unit, few=few)


# Bounds of J of mean stereotypes: an inverted test.


def bounds_of_means(
    replicates: FloatArray,
    means: FloatArray,
    most: FloatArray,
    criterion: Criterion,
    level: float,
    stretch: float,
) -> tuple[FloatArray, FloatArray]:
    """Return [occupation] low and high of J(E s), valid also where J has a kink.

    With m the mean, se its bootstrap s.d. and c the quantile of max_y |m* − m| / se, the means μ with max_y
    |m − μ| / se <= c are not rejected; the ends are those of J over this box.  Exact for two groups, where
    the lower end is 0 if 0 is not rejected; conservative for more.

    ``replicates`` [resample, occupation, group] and ``means`` [occupation, group] mean stereotypes; ``most``
    [occupation, group] the largest possible; ``stretch``: :meth:`TemplateUnit.stretch`.
    """
    spread = replicates.std(axis=0)
    distance = np.abs(replicates - means) / np.where(spread > 0, spread, 1.0)
    reach = stretch * np.quantile(distance.max(axis=-1), level, axis=0)[:, np.newaxis] * spread
    return criterion.of_box(means - reach, np.minimum(means + reach, most))


def seldom(level: float, stretch: float) -> float:
    """Return the share of replicates beyond a bound that is stretched so much."""
    return NormalDist().cdf(-stretch * NormalDist().inv_cdf((1 + level) / 2))


def holding(low: FloatArray, high: FloatArray, value: FloatArray) -> FloatArray:
    """Widen […, 2] bounds to include the estimate, which rounding or bias may exclude."""
    return np.stack([np.minimum(low, value), np.maximum(high, value)], axis=-1)


# Degrees of freedom of a sum of variances.


def degrees_of_freedom(variances: ArrayLike, freedoms: ArrayLike) -> FloatArray:
    """Return […] ν of the module.

    ``variances`` [source, …] >= 0 in any unit; if all are 0, the least ν_k is returned.  ``freedoms``
    [source, …] ν_k >= 0; if one is 0, so is ν.
    """
    added, freedom = np.broadcast_arrays(
        np.asarray(variances, dtype=np.float64), np.asarray(freedoms, dtype=np.float64)
    )
    total, fewest = added.sum(axis=0), freedom.min(axis=0)
    shares = added / np.where(total > 0, total, 1.0)
    doubt = (shares**2 / np.where(freedom > 0, freedom, 1.0)).sum(axis=0)
    defined = (total > 0) & (fewest > 0)
    return np.asarray(np.where(defined, 1 / np.where(defined, doubt, 1.0), fewest))
