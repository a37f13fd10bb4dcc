"""Prejudice corrected for the bias of a sample of templates.

r^p = J(E s) is estimated by J of a mean, and J is convex: over samples of templates the plug-in figure lies
above the truth on average (Jensen), and caprice r − r^p as much below, while r itself is unbiased.

What a second helping of the same noise adds can be computed: the mean of n draws is close to normal, so with
the covariance of the mean, h times over, J would be E J(m + √h ε) on average (the parametric bootstrap; Efron
& Tibshirani 1993, ch. 10, doi:10.1201/9780429246593).  With h = 0 that is the plug-in figure P, which holds
the noise once, and with h = 1 it is E, which holds it twice; wanted is what there is without any
(simulation–extrapolation, Cook & Stefanski 1994, doi:10.1080/01621459.1994.10476871).  Squares grow in
proportion to the variance both where the truth is neutral and, over occupations, where their leans are normal
about neutral; far from it nothing grows.  So the extrapolation is that of the squares,

    corrected² = P² − (E² − P²), and 0 where that is below 0,

of R^p, the mean over occupations, in which much of the chance cancels.  At E s = 0 no estimate is without
bias: for one occupation of two groups the plug-in figure is 0.80 standard errors too high there, the
corrected one still 0.54; over 15 occupations that contexts move independently 0.80 and 0.22
(docs/measured-coverage.md has the grid, and the estimators that did worse: plain differences P − (E − P),
clipped for each occupation, which is what was used before, or not; the double bootstrap; the jackknife).

The occupations' own figures are J² − μ (E² − J²), with the one μ at which they add up to that of all: an
occupation in no doubt, E = J, keeps its figure, and those in doubt share the correction.  Where the former
alone have more, all others are 0, and R^p is what they have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import jensen_gap

# At a kink of J (E s = 0, or groups that tie) a correction leaves up to 2.1 times as much bias as it takes
# away, where contexts move all occupations alike (0.54 and 0.26 standard errors).  What is left has one
# direction and does not cancel over occupations: the intervals of a sampling plan reach as many corrections
# further down for R^p, and up for R^c.
BIAS_LEFT = 2.1
REACH_DOWN: Mapping[str, float] = {"prejudice_risk": BIAS_LEFT}
REACH_UP: Mapping[str, float] = {"caprice_risk": BIAS_LEFT}
PAIRS = 512  # of normal vectors ε and −ε: pairs cancel where J is linear, so that no bias is seen there
BLOCK_CELLS = 4_000_000
MOST_TIMES, HALVINGS = 1e15, 60  # of μ: beyond, everything in doubt is 0


@dataclass(frozen=True)
class Correction:
    """What corrects r^p for the sampling of templates.

    ``prejudice``: [occupation] corrected r^p, whose mean is the corrected R^p.  ``added``: E² − P² of R^p,
    what sampling adds to its square, see the module.  ``sampling``: [occupation] the r^p that these templates
    would show on average if the true mean stereotype were neutral, E J(ε).
    """

    prejudice: FloatArray
    added: float
    sampling: FloatArray


def correction(
    stereotypes: FloatArray,
    weights: FloatArray,
    variance_weights: FloatArray,
    shares: FloatArray,
    criterion: Criterion,
) -> Correction:
    """Estimate what the sampling of templates does to r^p.

    Parameters
    ----------
    stereotypes
        [occupation, template, group].
    weights
        [template] weights, sum to 1.
    variance_weights
        [template] of the squared deviations, which make the variance of the weighted mean, see
        :attr:`pcf_core.measure.resampling.TemplateUnit.variance_weights`.
    shares
        [occupation] weights, sum to 1.
    criterion
        Its norm.
    """
    mean = weights @ stereotypes
    covariance = mean_covariance(stereotypes, mean, variance_weights)
    plug_in = criterion.of_stereotypes(mean)
    noisier = plug_in + sampling_bias(mean, covariance, criterion)
    return Correction(
        prejudice=corrected_prejudice(plug_in, noisier, shares),
        added=float(shares @ noisier) ** 2 - float(shares @ plug_in) ** 2,
        sampling=sampling_bias(np.zeros_like(mean), covariance, criterion),
    )


def mean_covariance(stereotypes: FloatArray, mean: FloatArray, variance_weights: FloatArray) -> FloatArray:
    """Return [occupation, group, group] Σ_t v_t (s_t − m)(s_t − m)ᵀ, the covariance of mean stereotypes.

    ``stereotypes``: [occupation, template, group].  ``mean``: [occupation, group] weighted means.
    ``variance_weights``: [template] v.
    """
    deviations = stereotypes - mean[:, np.newaxis]
    return np.asarray(deviations.transpose(0, 2, 1) @ (deviations * variance_weights[:, np.newaxis]))


def corrected_prejudice(plug_in: FloatArray, noisier: FloatArray, shares: FloatArray) -> FloatArray:
    """Return r^p less its estimated bias, between 0 and the plug-in figure, see the module.

    ``plug_in``: [occupation] J(m).  ``noisier``: [occupation] E J(m + ε), at least J(m).  ``shares``:
    [occupation] weights, sum to 1.  Returns [occupation] corrected r^p, in the units of the criterion's
    scale; their weighted mean is the extrapolated R^p, or more, see the module.
    """
    squares, added = plug_in**2, noisier**2 - plug_in**2
    wanted = cleared(float(shares @ plug_in), float(shares @ noisier) ** 2 - float(shares @ plug_in) ** 2)

    def figures(times: float) -> FloatArray:
        return np.asarray(np.sqrt((squares - times * added).clip(min=0.0)))

    low, high = 0.0, 1.0
    while shares @ figures(high) > wanted and high < MOST_TIMES:
        low, high = high, 4 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if shares @ figures(middle) > wanted else (low, middle)
    return figures(high)


def cleared(value: float, added: float) -> float:
    """Return what is left of a figure >= 0 whose square sampling added to, at least 0."""
    return math.sqrt(max(0.0, value**2 - added))


def sampling_bias(mean: FloatArray, covariance: FloatArray, criterion: Criterion) -> FloatArray:
    """Return [occupation] E J(m + ε) − J(m) >= 0, for normal ε of the given covariance; see the module."""
    occupations, groups = mean.shape
    axes = square_roots(covariance)
    normals = normal_pairs(groups)
    step = max(1, BLOCK_CELLS // (occupations * groups))
    expected = np.zeros(occupations)
    for start in range(0, len(normals), step):
        moved = mean + np.einsum("xgh,bh->bxg", axes, normals[start : start + step])
        expected += criterion.of_stereotypes(moved).sum(axis=0) / len(normals)
    return jensen_gap(expected, criterion.of_stereotypes(mean)).clip(min=0.0)


def square_roots(covariance: FloatArray) -> FloatArray:
    """Return A with A Aᵀ = C, for each of [..., group, group]; C may be singular, as stereotypes sum to 0.

    Each column points to where it is longest, so that another order of the groups moves its rows alone.
    """
    values, vectors = np.linalg.eigh(covariance)
    longest = np.abs(vectors).argmax(axis=-2, keepdims=True)
    vectors = vectors * np.where(np.take_along_axis(vectors, longest, axis=-2) < 0, -1.0, 1.0)
    return np.asarray(vectors * np.sqrt(values.clip(min=0.0))[..., np.newaxis, :])


@lru_cache(maxsize=8)
def normal_pairs(groups: int) -> FloatArray:
    """Return [2 × PAIRS, group] normal numbers, always the same, the second half minus the first.

    Each column holds the quantiles of a normal distribution in an order of its own (a Latin hypercube), so
    that an expectation along one axis, as with two groups, has no error of chance.
    """
    shuffle = np.random.default_rng(0).permutation
    quantiles = [NormalDist().inv_cdf((rank + 0.5) / PAIRS) for rank in range(PAIRS)]
    half = np.stack([shuffle(quantiles) for _ in range(groups)], axis=-1)
    return np.concatenate([half, -half])
