"""Mutual information of two categories from a table of counts: bias, chance, intervals and maximum.

    I(C; A) = Σ_c Σ_a p(c, a) · log [p(c, a) / (p(c) p(a))] = H(C) + H(A) − H(C, A)     0 · log 0 = 0

**Bias.**  The plug-in I of a table of R × K categories from n texts is too large by about (R − 1)(K − 1) /
(2n) if the two are independent (Miller 1955): .0165 nats for 100 professions, two genders and 3,000 texts,
.099 for 500.  ``corrected`` removes it by the jackknife: n I less n − 1 times the mean I without one text.
The second opinion is Miller's, by the cells that are not empty (Panzeri & Treves 1996,
doi:10.1088/0954-898X_7_1_006): I + (R + K − cells − 1) / (2n); it leaves more bias where shares are extreme.
Clusters are left out within their group, whose share of the texts is kept.  With few texts some bias remains,
so ``above_chance`` sets the mean of random assignments to 0 and the maximum to 1 (as adjusted mutual
information does, Vinh et al. 2010, but with the largest value of these margins).

**Null.**  Groups are assigned at random to the texts, both margins fixed: tables with multivariate
hypergeometric rows.  If all assignments have the same I, as with one text per category, the texts say
nothing, and there is neither a corrected value nor an interval.

**Intervals** are basic bootstrap intervals of the jackknifed I, from the quantiles of I* − I, where I* is
that of a draw, jackknifed too, and I that of what was drawn from.  *Over texts*, every category's texts are
drawn from its shares, with half a text added to each group (Jeffreys).  *Over categories*, categories are
drawn first.  *Over clusters*, where texts of one name or question are not independent, clusters are drawn
within their group.  In simulations, coverage is about nominal from 5 texts per category or 20 names per
gender on; intervals are too narrow for few names, and over texts for very few categories.

**Largest I of given margins.**  I is largest where the joint entropy is least.  That is a concave function on
the transport polytope, so the minimum is at an extreme point, whose non-zero cells form a forest.  With two
columns, at most one row is split there; every other row lies in one column.  Which rows fill the first column
best is a subset-sum problem, solved exactly for counts, and by division if all rows have equal weight.  In
other cases the bound min(H(C), H(A)) is given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.comparison import TIE
from pcf_core.measure.resampling import percentiles
from pcf_core.texts.criteria.records.quantities import (
    CORRECTION,
    FORMULAS,
    LEVEL,
    Entropies,
    LargestInformation,
    MutualInformation,
    Normaliser,
    NullInformation,
)

BLOCK = 100  # draws at a time, each with a table for every cluster


@dataclass(frozen=True)
class Measured:
    """[…] entropies of many tables, in nats."""

    rows: FloatArray
    columns: FloatArray
    information: FloatArray

    def corrected(self, information: FloatArray) -> Measured:
        """Return the same margins with another I, limited by them; it may be below 0."""
        most = np.minimum(self.rows, self.columns)
        return replace(self, information=np.asarray(np.minimum(information, most)))

    def normalised(self, name: Normaliser) -> FloatArray:
        """Return […] I normalised; 0 where a margin has no entropy."""
        below = {
            "arithmetic": (self.rows + self.columns) / 2,
            "joint": self.rows + self.columns - self.information,
            "minimum": np.minimum(self.rows, self.columns),
            "geometric": np.sqrt(self.rows * self.columns),
        }[name]
        return np.asarray(np.where(below > 0, self.information / np.where(below > 0, below, 1), 0.0))


def entropies_in(tables: FloatArray) -> Measured:
    """Compute the entropies of non-empty […, category, group] tables: H = log n − Σ x log x / n."""
    n = tables.sum(axis=(-2, -1))
    rows, columns, joint = (
        np.maximum(np.log(n) - _weighted_logs(counts).sum(axis=-1) / n, 0.0)
        for counts in (
            tables.sum(axis=-1),
            tables.sum(axis=-2),
            tables.reshape(*tables.shape[:-2], -1),
        )
    )
    most = np.minimum(rows, columns)
    return Measured(rows, columns, np.asarray(np.clip(rows + columns - joint, 0.0, most)))


def miller_madow(table: FloatArray) -> float:
    """Estimate I with the bias correction of Miller and Madow, in nats."""
    rows, columns = table.shape
    return float(
        entropies_in(table).information + (rows + columns - (table > 0).sum() - 1) / (2 * table.sum())
    )


def jackknifed(tables: FloatArray) -> Measured:
    """Correct I to n I − (n − 1) · mean I without one text, for […, category, group] tables."""
    n = tables.sum(axis=(-2, -1))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)

    def lost(counts: FloatArray) -> FloatArray:
        return _weighted_logs(counts) - _weighted_logs(np.maximum(counts - 1, 0))

    whole = _weighted_logs(tables).sum(axis=(-2, -1))
    whole = whole - _weighted_logs(rows).sum(axis=-1) - _weighted_logs(columns).sum(axis=-1)
    moved = lost(rows)[..., :, np.newaxis] + lost(columns)[..., np.newaxis, :] - lost(tables)
    sums = (tables * (whole[..., np.newaxis, np.newaxis] + moved)).sum(axis=(-2, -1)) / n
    information = n * (np.log(n) + whole / n) - (n - 1) * np.log(n - 1) - sums
    return entropies_in(tables).corrected(information)


def clusters_jackknifed(texts: FloatArray, members: NDArray[np.intp], times: FloatArray) -> Measured:
    """Correct I for the bias of few clusters by the jackknife.

    I less Σ over groups of (k − 1) · (mean I without one of its k clusters − I), the group's share of all
    texts kept.  ``texts``: [cluster, category], no cluster empty.  ``members``: [cluster] groups from 0.
    ``times``: [draw, cluster] counts, two or more per group.
    """
    belongs = np.eye(int(members.max()) + 1)[members]
    tables = np.einsum("bx,xc,xa->bca", times, texts, belongs, optimize=True)
    measured = entropies_in(tables)
    bias = [
        _cluster_bias(tables[part], texts, belongs, times[part], measured.information[part])
        for part in (slice(start, start + BLOCK) for start in range(0, len(times), BLOCK))
    ]
    return measured.corrected(measured.information - np.concatenate(bias))


def _cluster_bias(
    tables: FloatArray, texts: FloatArray, belongs: FloatArray, times: FloatArray, information: FloatArray
) -> FloatArray:
    """Return the [draw] bias of I of [draw, category, group] tables."""
    bias = np.zeros(len(times))
    for group in range(belongs.shape[1]):
        own = belongs[:, group] > 0
        counted, mine = times[:, own], tables[:, np.newaxis, :, group]
        left = np.where(counted[:, :, np.newaxis] > 0, np.maximum(mine - texts[own], 0.0), mine)
        without = np.repeat(tables[:, np.newaxis], own.sum(), axis=1)
        without[..., group] = left * (mine.sum(axis=-1) / left.sum(axis=-1))[..., np.newaxis]
        many = counted.sum(axis=1)
        mean = (counted * entropies_in(without).information).sum(axis=1) / many
        bias += (many - 1) * (mean - information)
    return bias


def _weighted_logs(counts: FloatArray) -> FloatArray:
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))


# The largest mutual information of given margins.


MOST_STEPS = 2_000_000_000  # shifted bits: a second or two
EVEN = 1e-9  # relative to the sizes of rows: rounding


def largest_information(table: FloatArray, entropies: Entropies) -> LargestInformation:
    """Return the largest I of a table with these margins, in nats and normalised.

    ``table``: [category, group] >= 0, no row or column empty, at least two of each.
    """
    loss = _least_loss(table)
    most = min(entropies.rows, entropies.columns)
    if loss is not None:
        most = min(most, max(entropies.information, entropies.columns - loss))
    return LargestInformation(
        information=most, normalised=_by_normaliser(entropies, most), exact=loss is not None
    )


def _least_loss(table: FloatArray) -> float | None:
    """Return H(A) minus the largest I of two columns, in nats; ``None`` if it is not computed."""
    sizes, first, n = table.sum(axis=1), float(table[:, 0].sum()), float(table.sum())
    if table.shape[1] != 2:
        return None
    if (table == np.floor(table)).all():
        counts = [int(size) for size in sizes]
        if len(counts) * len(set(counts)) * n > MOST_STEPS:
            return None
        return least_split(counts, int(first)) / n
    if np.ptp(sizes) > EVEN * sizes.max():
        return None
    size = float(sizes.mean())
    return split_entropy(math.fmod(first + EVEN * size, size), size) / n


def least_split(sizes: Sequence[int], first: int) -> float:
    """Return the least size × entropy of the one row that must be split so that rows fill a column exactly.

    0 if some rows add up to ``first``; otherwise r · H(a / r) of the best row r, split into a and r − a.
    ``sizes``: [row] at least 1.  ``first``: the column's sum.
    """
    if _sums(sizes) >> first & 1:
        return 0.0
    least = math.inf
    for size in set(sizes):
        others = list(sizes)
        others.remove(size)
        sums = _sums(others)
        lower = max(0, first - size)
        below = (sums & ((1 << first + 1) - 1)).bit_length() - 1  # the largest sum that fits into the column
        above = sums >> lower
        parts = [first - below] if below >= lower else []
        if above:
            parts.append(
                first - (lower + (above & -above).bit_length() - 1)
            )  # the smallest sum to which one row is enough
        least = min([least, *(split_entropy(part, size) for part in parts if 0 <= part <= size)])
    return least


def split_entropy(part: float, size: float) -> float:
    """Return size · H(part / size) in nats."""
    shares = np.clip(np.array([part, size - part]) / size, 0, 1)
    shares = shares[shares > EVEN]
    return float(-size * (shares * np.log(shares)).sum())


def _sums(sizes: Sequence[int]) -> int:
    """Return a number whose bit s is set if some of the sizes add up to s."""
    sums = 1
    for size in sizes:
        sums |= sums << size
    return sums


# Random tables: the null of independence, and resamples for intervals.


SMOOTHING = 0.5  # texts added to each group of a category before texts are drawn


def dealt_tables(
    rows: FloatArray, columns: FloatArray, times: int, generator: np.random.Generator
) -> FloatArray:
    """Draw [deal, row, column] random tables with these margins, row by row without replacement.

    ``rows``, ``columns``: whole numbers with the same sum.
    """
    left = np.tile(columns.astype(np.int64), (times, 1))
    tables = np.empty((times, rows.size, columns.size))
    for row, size in enumerate(rows.astype(np.int64)):
        wanted, others = np.full(times, size), left.sum(axis=1)
        for column in range(columns.size - 1):
            others = others - left[:, column]
            taken = generator.hypergeometric(left[:, column], others, wanted)
            tables[:, row, column] = taken
            left[:, column] -= taken
            wanted = wanted - taken
        tables[:, row, -1] = wanted
        left[:, -1] -= wanted
    return tables


def null_of(table: FloatArray, deals: FloatArray, exchanged: str) -> NullInformation:
    """Summarise the null distribution of ``deals``, [deal, category, group]."""
    if not len(deals):
        raise CriteriaError("A permutation test needs at least 1 permutation, but 0 were requested.")
    dealt, observed = entropies_in(deals), float(entropies_in(table).information)
    normalised = {name: dealt.normalised(name) for name in FORMULAS}
    return NullInformation(
        exchanged=exchanged,
        permutations=len(deals),
        mean=float(dealt.information.mean()),
        high=float(np.quantile(dealt.information, 0.95)),
        means={name: float(values.mean()) for name, values in normalised.items()},
        highs={name: float(np.quantile(values, 0.95)) for name, values in normalised.items()},
        varies=bool((np.abs(dealt.information - observed) > TIE).any()),
        p_value=float((1 + (dealt.information >= observed - TIE).sum()) / (len(deals) + 1)),
    )


def text_intervals(
    table: FloatArray, resamples: int, generator: np.random.Generator
) -> dict[Normaliser, Interval]:
    """Return intervals over texts, with fixed numbers per category."""
    sizes, shares = table.sum(axis=1), _smoothed(table)
    again = generator.multinomial(sizes.astype(np.int64), shares, size=(resamples, len(sizes))) * 1.0
    drawn_from = entropies_in(shares * sizes[:, np.newaxis])
    return basic_intervals(jackknifed(table), drawn_from, jackknifed(again), np.inf, "text")


def category_intervals(
    table: FloatArray, resamples: int, generator: np.random.Generator
) -> dict[Normaliser, Interval]:
    """Return intervals over categories, for counts also over texts."""
    chosen = generator.integers(len(table), size=(resamples, len(table)))
    if (table != np.floor(table)).any():
        observed = entropies_in(table)
        again = entropies_in(table[chosen])
        return basic_intervals(observed, observed, again, len(table), "category")
    sizes, shares = table.sum(axis=1), _smoothed(table)
    drawn_from = entropies_in(shares * sizes[:, np.newaxis])
    texts = generator.multinomial(sizes.astype(np.int64)[chosen], shares[chosen]) * 1.0
    return basic_intervals(jackknifed(table), drawn_from, jackknifed(texts), len(table), "category")


def cluster_intervals(
    texts: FloatArray, members: NDArray[np.intp], resamples: int, generator: np.random.Generator
) -> dict[Normaliser, Interval]:
    """Return intervals over clusters within groups."""
    belongs = np.eye(int(members.max()) + 1)[members]
    return basic_intervals(
        clusters_jackknifed(texts, members, np.ones((1, len(members)))),
        entropies_in(texts.T @ belongs),
        clusters_jackknifed(texts, members, drawn_counts(members, resamples, generator)),
        float(belongs.sum(axis=0).min()),
        "cluster",
    )


def _smoothed(table: FloatArray) -> FloatArray:
    """Return [category, group] shares that sum to 1 in every category, none of them 0."""
    added = table + SMOOTHING
    return np.asarray(added / added.sum(axis=1, keepdims=True))


def drawn_counts(members: NDArray[np.intp], resamples: int, generator: np.random.Generator) -> FloatArray:
    """Draw [resample, cluster] counts, with fixed numbers per group."""
    times = np.zeros((resamples, len(members)))
    for group in np.unique(members):
        own = np.flatnonzero(members == group)
        times[:, own] = generator.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples)
    return times


def basic_intervals(
    estimate: Measured, drawn_from: Measured, again: Measured, units: float, unit: str
) -> dict[Normaliser, Interval]:
    """Return the estimate less the quantiles of (draw − what was drawn from), extended to contain it."""
    intervals = {}
    over = "templates" if unit == "text" else "occupations"
    for name in FORMULAS:
        errors = percentiles(again.normalised(name) - drawn_from.normalised(name), LEVEL, units)
        value = estimate.normalised(name).item()
        low, high = value - errors[::-1]
        low, high = (float(end) for end in np.clip([min(low, value), max(high, value)], 0, 1))
        intervals[name] = Interval(over=over, level=LEVEL, low=low, high=high, unit=unit)
    return intervals


CLUSTER_CORRECTION = "jackknife, leaving out a cluster of a group at a time"


def why_no_information(table: ArrayLike) -> str:
    """Return why a [category, group] table has no information, as the end of a sentence, or nothing."""
    counts = _checked(table)
    for axis, what in ((1, "category"), (0, "group")):
        if (many := int((counts.sum(axis=axis) > 0).sum())) < 2:
            return f"only one {what} has any text" if many else "there is no text"
    return ""


def mutual_information(
    table: ArrayLike, *, permutations: int = 2000, resamples: int = 2000, seed: int = 0
) -> MutualInformation:
    """Estimate I(C; A) of independent texts.

    ``table``: [category, group] whole numbers of texts, or CriteriaError.  ``resamples``: of either interval.
    """
    counts = _without_empty(table)
    if (counts != np.floor(counts)).any():
        raise CriteriaError(
            "The table has numbers of texts that are not whole numbers: give counts, or mark them as "
            "expected shares."
        )
    generator = np.random.default_rng(seed)
    deals = dealt_tables(counts.sum(axis=1), counts.sum(axis=0), permutations, generator)
    null = null_of(counts, deals, "text")
    if not null.varies:
        return _record_of(counts, null=null)
    return _record_of(
        counts,
        corrected=jackknifed(counts),
        correction=CORRECTION,
        second_correction=miller_madow(counts),
        null=null,
        intervals=text_intervals(counts, resamples, generator),
        category_intervals=category_intervals(counts, resamples, generator),
    )


def expected_information(table: ArrayLike, *, resamples: int = 2000, seed: int = 0) -> MutualInformation:
    """Compute I(C; A) of expected shares from scores, without bias or null.

    ``table``: [category, group] shares; each category's weight is its sum.
    """
    shares = _without_empty(table)
    generator = np.random.default_rng(seed)
    return _record_of(shares, category_intervals=category_intervals(shares, resamples, generator))


def clustered_information(
    counts: ArrayLike,
    groups: ArrayLike,
    *,
    permutations: int = 2000,
    resamples: int = 2000,
    seed: int = 0,
) -> MutualInformation:
    """Estimate I(C; A) where texts come in clusters of one group each, such as the texts of one name.

    The null exchanges the groups of clusters, intervals draw clusters; there is none over categories.

    ``counts``: [cluster, category] numbers of texts, or sums of their shares; no cluster empty.  ``groups``:
    [cluster] whole numbers from 0; at least two clusters each.
    """
    texts, members = _checked(counts), np.asarray(groups)
    if members.shape != texts.shape[:1] or not np.issubdtype(members.dtype, np.integer) or members.min() < 0:
        raise CriteriaError("Every cluster needs one group, given as a whole number from 0.")
    _, members = np.unique(members, return_inverse=True)
    belongs = np.eye(int(members.max()) + 1)[members]
    if belongs.sum(axis=0).min() < 2 or (texts.sum(axis=1) <= 0).any():
        raise CriteriaError("Every group needs at least two clusters, each with a text.")
    table = _without_empty(texts.T @ belongs)
    texts = texts[:, texts.sum(axis=0) > 0]
    generator = np.random.default_rng(seed)
    dealt = [belongs[generator.permutation(len(members))] for _ in range(permutations)]
    deals = np.einsum("xc,bxa->bca", texts, np.array(dealt))
    null = null_of(table, deals, "cluster")
    if not null.varies:
        return _record_of(table, null=null)
    return _record_of(
        table,
        corrected=clusters_jackknifed(texts, members, np.ones((1, len(members)))),
        correction=CLUSTER_CORRECTION,
        null=null,
        intervals=cluster_intervals(texts, members, resamples, generator),
    )


def _checked(table: ArrayLike) -> FloatArray:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not counts.size or not np.isfinite(counts).all() or (counts < 0).any():
        raise CriteriaError(
            "A table of categories and groups must be a two-dimensional list of finite numbers of at least "
            f"0, with a row for each category; the given one has the shape {list(counts.shape)}."
        )
    return counts


def _without_empty(table: ArrayLike) -> FloatArray:
    if reason := why_no_information(table):
        raise CriteriaError(f"Mutual information needs at least two categories and two groups: {reason}.")
    counts = _checked(table)
    return np.asarray(counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0])


def _record_of(
    table: FloatArray,
    *,
    corrected: Measured | None = None,
    correction: str = "",
    second_correction: float | None = None,
    null: NullInformation | None = None,
    intervals: dict[Normaliser, Interval] | None = None,
    category_intervals: dict[Normaliser, Interval] | None = None,
) -> MutualInformation:
    measured = entropies_in(table)
    entropies = Entropies(
        rows=float(measured.rows), columns=float(measured.columns), information=float(measured.information)
    )
    largest = largest_information(table, entropies)
    freed = None if corrected is None else float(corrected.information.item())
    above = None
    if null is not None and largest.information - null.mean > TIE:
        above = (entropies.information - null.mean) / (largest.information - null.mean)
    return MutualInformation(
        n=float(table.sum()),
        rows=table.shape[0],
        columns=table.shape[1],
        entropies=entropies,
        normalised=_by_normaliser(entropies, entropies.information),
        corrected=freed,
        correction=correction,
        corrected_normalised={} if freed is None else _by_normaliser(entropies, freed),
        second_correction=second_correction,
        above_chance=above,
        null=null,
        largest=largest,
        intervals=intervals or {},
        category_intervals=category_intervals or {},
    )


def _by_normaliser(entropies: Entropies, information: float) -> dict[Normaliser, float]:
    """Return I normalised, with the margins of a table; nothing where H(C) or H(A) is 0."""
    if min(entropies.rows, entropies.columns) <= 0:
        return {}
    measured = Measured(*map(np.asarray, (entropies.rows, entropies.columns, information)))
    return {name: float(measured.normalised(name)) for name in FORMULAS}
