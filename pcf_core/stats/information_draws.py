"""Tables drawn by chance: what independence would show, and what other texts, categories or clusters would.

See :mod:`pcf_core.stats.information` for what is drawn and why.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcf_core.errors import CriteriaError
from pcf_core.records import FloatArray, Interval
from pcf_core.records.information import FORMULAS, Normaliser, NullInformation
from pcf_core.stats.entropies import Measured, clusters_jackknifed, entropies_in, jackknifed
from pcf_core.stats.percentiles import percentiles

SMOOTHING = 0.5  # of a text, added to each group of a category before texts are drawn
TIE = 1e-12  # deals that differ from the observed table by rounding alone have as much


def dealt_tables(
    rows: FloatArray, columns: FloatArray, times: int, generator: np.random.Generator
) -> FloatArray:
    """[deal, row, column] random tables with these margins: rows filled one by one, without replacement.

    Args:
        rows, columns: whole numbers with the same sum.
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
    """What random deals have; ``deals`` [deal, category, group]."""
    if not len(deals):
        raise CriteriaError("A permutation null needs at least 1 permutation; got 0.")
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
    table: FloatArray, resamples: int, level: float, generator: np.random.Generator
) -> dict[Normaliser, Interval]:
    """If other texts had been written, as many of each category."""
    sizes, shares = table.sum(axis=1), _smoothed(table)
    again = generator.multinomial(sizes.astype(np.int64), shares, size=(resamples, len(sizes))) * 1.0
    drawn_from = entropies_in(shares * sizes[:, np.newaxis])
    return basic_intervals(jackknifed(table), drawn_from, jackknifed(again), level, np.inf, "text")


def category_intervals(
    table: FloatArray, resamples: int, level: float, generator: np.random.Generator
) -> dict[Normaliser, Interval]:
    """If other categories had been chosen, and of counts: other texts written for them, too."""
    chosen = generator.integers(len(table), size=(resamples, len(table)))
    if (table != np.floor(table)).any():
        observed = entropies_in(table)
        again = entropies_in(table[chosen])
        return basic_intervals(observed, observed, again, level, len(table), "category")
    sizes, shares = table.sum(axis=1), _smoothed(table)
    drawn_from = entropies_in(shares * sizes[:, np.newaxis])
    texts = generator.multinomial(sizes.astype(np.int64)[chosen], shares[chosen]) * 1.0
    return basic_intervals(jackknifed(table), drawn_from, jackknifed(texts), level, len(table), "category")


def cluster_intervals(
    texts: FloatArray,
    members: NDArray[np.intp],
    resamples: int,
    level: float,
    generator: np.random.Generator,
) -> dict[Normaliser, Interval]:
    """If other clusters of either group had been drawn; arguments as of :func:`clusters_jackknifed`."""
    belongs = np.eye(int(members.max()) + 1)[members]
    return basic_intervals(
        clusters_jackknifed(texts, members, np.ones((1, len(members)))),
        entropies_in(texts.T @ belongs),
        clusters_jackknifed(texts, members, drawn_clusters(members, resamples, generator)),
        level,
        float(belongs.sum(axis=0).min()),
        "cluster",
    )


def _smoothed(table: FloatArray) -> FloatArray:
    """[category, group] shares that sum to 1 in every category, none of them 0."""
    added = table + SMOOTHING
    return np.asarray(added / added.sum(axis=1, keepdims=True))


def drawn_clusters(members: NDArray[np.intp], resamples: int, generator: np.random.Generator) -> FloatArray:
    """[resample, cluster] how often each is drawn, as many of each group as there are."""
    times = np.zeros((resamples, len(members)))
    for group in np.unique(members):
        own = np.flatnonzero(members == group)
        times[:, own] = generator.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples)
    return times


def basic_intervals(
    estimate: Measured, drawn_from: Measured, again: Measured, level: float, units: float, unit: str
) -> dict[Normaliser, Interval]:
    """Basic bootstrap: the estimate less the quantiles of (that of a draw − what was drawn from).

    It holds the estimate.
    """
    found = {}
    for name in FORMULAS:
        errors = percentiles(again.normalised(name) - drawn_from.normalised(name), level, units)
        value = estimate.normalised(name).item()
        low, high = value - errors[::-1]
        found[name] = _interval(np.array([min(low, value), max(high, value)]), level, unit)
    return found


def _interval(bounds: FloatArray, level: float, unit: str) -> Interval:
    low, high = (float(value) for value in np.clip(bounds, 0, 1))
    over = "templates" if unit == "text" else "occupations"
    return Interval(over=over, level=level, low=low, high=high, unit=unit)
