"""The stereotype distribution of one occupation over contexts, and how sure a mean tilt is.

For one occupation the stereotype s of a group is a random variable over contexts (BVF section 3.3, step 2).
Its mean gives prejudice, r^p = J(E s); the mean of J over contexts gives the risk, r = E J(s); what lies
between the two is the Jensen gap, caprice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval, Over
from pcf_core.records.distribution import Context, MeanTilt, StereotypeDistribution
from pcf_core.risk import Criterion, jensen_gap, normalised
from pcf_core.stats.influence import acceleration, moments
from pcf_core.stats.percentiles import interval, percentiles
from pcf_core.stats.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
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
    """The distribution of each group's stereotype over the contexts of one occupation.

    Args:
        stereotypes: [template, group] in the units of the criterion's scale.
        unit: weights of the templates; one of weight 0 is no context.
        criterion: its norm makes one risk of the groups' stereotypes.
        occupation: its name.
        groups: their names.
        templates: their texts.
        intervals: [group] of E s, see :func:`mean_tilts`.
    """
    weights = unit.weights
    used = np.flatnonzero(weights > 0)
    means = weights @ stereotypes
    prejudice = criterion.of_stereotypes(means)
    gap = jensen_gap(np.asarray(weights @ criterion.of_stereotypes(stereotypes)), prejudice)
    found = []
    for column, group in enumerate(groups):
        order = used[np.argsort(stereotypes[used, column], kind="stable")]
        values = stereotypes[order, column]
        found.append(
            StereotypeDistribution(
                occupation=occupation,
                group=group,
                values=values,
                weights=weights[order],
                templates=tuple(templates[place] for place in order),
                mean=float(means[column]),
                sd=float(np.sqrt(weights[order] @ (values - means[column]) ** 2)),
                overall_risk=float(prejudice + gap),
                prejudice_risk=float(prejudice),
                leads=bool(means[column] == means.max()),
                mean_interval=intervals[column],
                effective=unit.effective,
            )
        )
    return tuple(found)


def share_interval(share: float, effective: float, level: float = LEVEL) -> Interval:
    """Interval of a weighted share of contexts: Clopper and Pearson's with the effective number of contexts.

    Exact binomial limits with Kish's effective number in the place of n (Korn & Graubard 1998, Survey
    Methodology 24(2), 193–201).  It holds where a share is 0 or 1, where a bootstrap draws nothing else: if
    none of n contexts shows it, up to 1 − 0.025^(1/n) may.

    Args:
        share: between 0 and 1.
        effective: effective number of contexts, at least 1.
        level: inside (0, 1).

    Raises:
        CriterionError: a share, number or level that is not allowed.
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
    distribution: StereotypeDistribution, most: int = 5, share: float = END
) -> tuple[tuple[Context, ...], tuple[Context, ...]]:
    """The heaviest contexts at the low and at the high end of a distribution, heaviest first.

    An end is the contexts up to which, counted from outside, ``share`` of the weight lies; at least one.
    """
    before = np.cumsum(distribution.weights) - distribution.weights
    beyond = np.cumsum(distribution.weights[::-1])[::-1] - distribution.weights
    return (
        _heaviest(distribution, np.flatnonzero(before < share), most),
        _heaviest(distribution, np.flatnonzero(beyond < share), most),
    )


def _heaviest(
    distribution: StereotypeDistribution, places: NDArray[np.intp], most: int
) -> tuple[Context, ...]:
    ranked = places[np.argsort(-distribution.weights[places], kind="stable")][:most]
    return tuple(
        Context(
            distribution.templates[place],
            float(distribution.weights[place]),
            float(distribution.values[place]),
        )
        for place in ranked
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
    """The mean stereotype towards each group, with intervals over templates, occupations and both.

    E s is linear in the weights, so the percentile bootstrap has no kink here, unlike for the risks.  Draws,
    expansion and acceleration are those of the risks' intervals under the same seed: of two groups, where
    every stereotype has the same sign in every context, R is the mean tilt and has its interval.

    Args:
        stereotypes: [occupation, template, group] under the uniform reference: they sum to 0 over groups.
        unit: what of the templates is drawn again, with their weights.
        occupation_weights: [occupation] finite, >= 0, positive sum.
        groups: their names.
        occupations: their names.
        resamples: how many times templates and occupations are drawn again.
        level: inside (0, 1).
        seed: the same seed gives the same intervals.

    Raises:
        CriterionError: anything of the above that is not allowed.
    """
    shares = normalised(occupation_weights, stereotypes.shape[0], "occupation_weights")
    # The last group's stereotype is what the others lack: with two groups this halves the work.
    columns = stereotypes[..., :-1].transpose(1, 0, 2).reshape(stereotypes.shape[1], -1)
    moved = np.concatenate([block @ columns for block in resampled_template_weights(unit, resamples, seed)])
    replicates = _with_last(moved.reshape(resamples, len(occupations), -1))
    means = _with_last((unit.weights @ columns).reshape(len(occupations), -1))
    drawn = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    many = TemplateUnit.templates(shares).fewest
    moves = stereotypes.transpose(0, 2, 1) - means[..., np.newaxis]
    of_templates = moments(np.einsum("x,xgt->gt", shares, moves), unit)
    of_occupations = moments((means - shares @ means).T, TemplateUnit.templates(shares))
    over: dict[Over, tuple[FloatArray, float, FloatArray]] = {
        "templates": (
            np.einsum("bxg,x->bg", replicates, shares),
            unit.fewest,
            acceleration(of_templates),
        ),
        "occupations": (drawn @ means, many, acceleration(of_occupations)),
        "both": (
            np.einsum("bxg,bx->bg", replicates, drawn),
            min(unit.fewest, many),
            acceleration(of_templates, of_occupations),
        ),
    }
    bounds = {name: percentiles(values, level, few, skew) for name, (values, few, skew) in over.items()}
    alone = percentiles(replicates, level, unit.fewest, acceleration(moments(moves, unit)))
    return {
        group: MeanTilt(
            group=group,
            mean=float(shares @ means[:, column]),
            intervals={
                name: interval(
                    found[:, column], level, name, "occupation" if name == "occupations" else unit.name
                )
                for name, found in bounds.items()
            },
            occupations=dict(zip(occupations, map(tuple, alone[:, :, column].T.tolist()), strict=True)),
        )
        for column, group in enumerate(groups)
    }


def _with_last(stereotypes: FloatArray) -> FloatArray:
    """[…, group] from those of all groups but the last, where they sum to 0."""
    return np.concatenate([stereotypes, -stereotypes.sum(axis=-1, keepdims=True)], axis=-1)
