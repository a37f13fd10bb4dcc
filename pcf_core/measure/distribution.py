"""The stereotype distribution of an occupation over contexts, mean tilts with intervals, and a row order.

For one occupation the stereotype s of a group is a random variable over contexts (BVF section 3.3, step 2).
Its mean gives prejudice, r^p = J(E s), the mean of J the risk, r = E J(s), and their Jensen gap is caprice.

**Row order for heat maps:** average linkage of Euclidean distances (no number depends on this choice), with
SciPy's optimal leaf ordering (Bar-Joseph, Gifford & Jaakkola 2001,
doi:10.1093/bioinformatics/17.suppl_1.S22), which does not always reach the minimum
(github.com/scipy/scipy/issues/11227).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Context, Interval, MeanTilt, Over, StereotypeDistribution
from pcf_core.measure.bootstrap import acceleration, moments
from pcf_core.measure.criterion import Criterion, normalised
from pcf_core.measure.decomposition import jensen_gap
from pcf_core.measure.resampling import (
    TemplateUnit,
    interval,
    resampled_occupation_weights,
    resampled_template_weights,
    stretch_and_few,
    stretched,
)

END = 0.1  # share of the weight that counts as one end of a distribution
LEVEL = 0.95


def stereotype_distributions(
    stereotypes: FloatArray,
    unit: TemplateUnit,
    criterion: Criterion,
    *,
    occupation: str,
    groups: Sequence[str],
    templates: Sequence[str],
    intervals: Sequence[Interval],
) -> tuple[StereotypeDistribution, ...]:
    """Return the distribution of each group's stereotype over the contexts of one occupation.

    ``stereotypes`` [template, group] in the units of the criterion's scale; templates of weight 0 are left
    out; ``templates``: their texts; ``intervals`` [group] of E s, see :func:`mean_tilts`.
    """
    weights = unit.weights
    used = np.flatnonzero(weights > 0)
    means = weights @ stereotypes
    prejudice = criterion.of_stereotypes(means)
    gap = jensen_gap(np.asarray(weights @ criterion.of_stereotypes(stereotypes)), prejudice)
    distributions = []
    for column, group in enumerate(groups):
        order = used[np.argsort(stereotypes[used, column], kind="stable")]
        values = stereotypes[order, column]
        distributions.append(
            StereotypeDistribution(
                occupation=occupation,
                group=group,
                values=values,
                weights=weights[order],
                templates=tuple(templates[index] for index in order),
                mean=float(means[column]),
                sd=float(np.sqrt(weights[order] @ (values - means[column]) ** 2)),
                overall_risk=float(prejudice + gap),
                prejudice_risk=float(prejudice),
                leads=bool(means[column] == means.max()),
                mean_interval=intervals[column],
                effective=unit.whole.effective,
            )
        )
    return tuple(distributions)


def share_interval(share: float, effective: float, level: float = LEVEL) -> Interval:
    """Return the Clopper–Pearson interval of a weighted share of contexts.

    Exact binomial limits (quantiles of beta distributions), with Kish's effective number of templates as n
    (Korn & Graubard 1998, Survey Methodology 24(2), 193–201; ``beta`` in statsmodels'
    ``proportion_confint``).  Each template is one context, however many documents it has.  Unlike a bootstrap
    it holds at shares of 0 and 1: if none of n contexts shows it, up to 1 − 0.025^(1/n) may.

    ``share`` 0 to 1; ``effective`` at least 1; ``level`` inside (0, 1).  Raises CriterionError if one of
    these is out of range.
    """
    from scipy.special import betaincinv  # quantiles of beta; scipy.stats takes a second to import

    if not (0 <= share <= 1 and effective >= 1 and 0 < level < 1):
        raise CriterionError(
            "An interval of a share takes a share from 0 to 1, at least 1 context and a level between 0 and "
            f"1; got {share:g}, {effective:g} and {level:g}."
        )
    tail, hits = (1 - level) / 2, share * effective
    low = float(betaincinv(hits, effective - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, effective - hits, 1 - tail)) if share < 1 else 1.0
    return Interval(level=level, low=low, high=high)


def ends(
    distribution: StereotypeDistribution, most: int = 5
) -> tuple[tuple[Context, ...], tuple[Context, ...]]:
    """Return the heaviest contexts at the low and at the high end of a distribution, heaviest first.

    An end is the outermost contexts that together have :data:`END` of the weight; at least one.
    """
    before = np.cumsum(distribution.weights) - distribution.weights
    beyond = np.cumsum(distribution.weights[::-1])[::-1] - distribution.weights
    return (
        _heaviest(distribution, np.flatnonzero(before < END), most),
        _heaviest(distribution, np.flatnonzero(beyond < END), most),
    )


def _heaviest(
    distribution: StereotypeDistribution, places: NDArray[np.intp], most: int
) -> tuple[Context, ...]:
    ranked = places[np.argsort(-distribution.weights[places], kind="stable")][:most]
    return tuple(
        Context(
            distribution.templates[index],
            float(distribution.weights[index]),
            float(distribution.values[index]),
        )
        for index in ranked
    )


def mean_tilts(
    stereotypes: FloatArray,
    unit: TemplateUnit,
    occupation_weights: FloatArray,
    *,
    groups: Sequence[str],
    occupations: Sequence[str],
    resamples: int = 2000,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[str, MeanTilt]:
    """Return mean stereotypes towards each group, with intervals over templates, occupations and both.

    E s is linear in the weights, so the percentile bootstrap has no kink here.  Draws, stretch and
    acceleration are those of the risks' intervals under the same seed: with two groups and one sign in every
    context, R is the mean tilt and has its interval.

    ``stereotypes`` [occupation, template, group] under the uniform reference; ``unit`` resampled of the
    templates, with their weights (whole templates over both); ``occupation_weights`` [occupation] finite, >=
    0, positive sum; ``level`` inside (0, 1).  Raises CriterionError if any of these is not allowed.
    """
    shares = normalised(occupation_weights, stereotypes.shape[0], "occupation_weights")
    # Stereotypes sum to 0, so the last group is left out: with two groups this halves the work.
    columns = stereotypes[..., :-1].transpose(1, 0, 2).reshape(stereotypes.shape[1], -1)

    least = min(-1 / (len(groups) - 1), float(stereotypes.min()))  # rates reach lower than shares of a whole

    def possible(bounds: FloatArray) -> FloatArray:
        return np.clip(bounds, least, 1.0)

    def drawn_again(again: TemplateUnit) -> FloatArray:
        blocks = resampled_template_weights(again, resamples, seed)
        moved = np.concatenate([block @ columns for block in blocks])
        return _with_last(moved.reshape(resamples, len(occupations), -1))

    whole, replicates = unit.whole, drawn_again(unit)
    wide = replicates if whole is unit else drawn_again(whole)
    means = _with_last((unit.weights @ columns).reshape(len(occupations), -1))
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    many = TemplateUnit.templates(shares)
    moves = stereotypes.transpose(0, 2, 1) - means[..., np.newaxis]
    moved = np.einsum("x,xgt->gt", shares, moves)
    of_occupations = moments((means - shares @ means).T, many)
    over: dict[Over, tuple[FloatArray, tuple[TemplateUnit, ...], FloatArray]] = {
        "templates": (
            np.einsum("bxg,x->bg", replicates, shares),
            (unit,),
            acceleration(moments(moved, unit)),
        ),
        "occupations": (drawn @ means, (many,), acceleration(of_occupations)),
        "both": (
            np.einsum("bxg,bx->bg", wide, drawn),
            (whole, many),
            acceleration(moments(moved, whole), of_occupations),
        ),
    }
    names = {"templates": unit.name, "occupations": "occupation", "both": whole.name}
    bounds = {}
    for name, (values, units, skew) in over.items():
        stretch, few = stretch_and_few(units, level)
        bounds[name] = possible(stretched(values, level, stretch, skew)), few
    alone = possible(stretched(replicates, level, unit.stretch(level), acceleration(moments(moves, unit))))
    return {
        group: MeanTilt(
            group=group,
            mean=float(shares @ means[:, column]),
            intervals={
                name: interval(ends_of[:, column], level, name, names[name], few)
                for name, (ends_of, few) in bounds.items()
            },
            occupations=dict(zip(occupations, map(tuple, alone[:, :, column].T.tolist()), strict=True)),
        )
        for column, group in enumerate(groups)
    }


def _with_last(stereotypes: FloatArray) -> FloatArray:
    """Append the last group, given that stereotypes sum to 0: […, group − 1] -> […, group]."""
    return np.concatenate([stereotypes, -stereotypes.sum(axis=-1, keepdims=True)], axis=-1)


def known_means(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return [row] weighted means of the [row, column] values that are known; NaN without any."""
    unknown = np.isnan(values)
    if not unknown.any():
        return np.asarray(values @ weights)
    whole = np.where(unknown, 0.0, weights).sum(axis=1)
    sums = np.where(unknown, 0.0, values) @ weights
    return np.asarray(np.divide(sums, whole, out=np.full(len(values), np.nan), where=whole > 0))


# Row order for heat maps.


MOST_OPTIMAL = 1000  # rows: a quarter of a second; twice as many take four times as long


def clustered_order(rows: FloatArray, weights: FloatArray | None = None) -> list[int]:
    """Return an order of the rows in which neighbours are similar.

    ``rows`` [row, column] finite; ``weights`` [column] >= 0 of each column in a distance.  Beyond
    ``MOST_OPTIMAL`` rows the leaves are not reordered.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(rows) < 3:
        return list(range(len(rows)))
    scaled = rows if weights is None else rows * np.sqrt(weights)
    tree = linkage(scaled, method="average", optimal_ordering=len(rows) <= MOST_OPTIMAL)
    return [int(index) for index in leaves_list(tree)]
