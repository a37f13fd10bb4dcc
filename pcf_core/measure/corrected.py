"""Prejudice corrected for the bias of a sample of templates.

r^p = J(E s) is estimated by J of a mean, and J is convex: over samples of templates the plug-in figure lies
above the truth on average (Jensen), and caprice r − r^p as much below, while r itself is unbiased.  The mean
of n draws is close to normal, so the bias is that of J at a normal vector with the covariance of the mean,
E J(m + ε) − J(m), taken at the observed m (the parametric bootstrap's estimate of bias, Efron & Tibshirani
1993, ch. 10, doi:10.1201/9780429246593).  Far from E s = 0 it is nothing.  At E s = 0 no estimate is without
bias: with two groups the plug-in figure is 0.80 standard errors too high there, the corrected one, which is
not below 0, still 0.60.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pcf_core.core.records import FloatArray
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import jensen_gap

# At a kink of J (E s = 0, or groups that tie) a correction leaves up to three times as much bias as it takes
# away.  What is left has one direction and does not cancel over occupations: intervals of R^p reach as many
# corrections further down, those of R^c up.
BIAS_LEFT = 3.0
REACH_DOWN: Mapping[str, float] = {"prejudice_risk": BIAS_LEFT}
REACH_UP: Mapping[str, float] = {"caprice_risk": BIAS_LEFT}
PAIRS = 512  # of normal vectors ε and −ε: pairs cancel where J is linear, so that no bias is seen there
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Correction:
    """What corrects r^p for the sampling of templates.

    ``prejudice``: [occupation] corrected r^p.  ``sampling``: [occupation] the r^p that these templates would
    show on average if the true mean stereotype were neutral, E J(ε).
    """

    prejudice: FloatArray
    sampling: FloatArray


def correction(
    stereotypes: FloatArray, weights: FloatArray, variance_weights: FloatArray, criterion: Criterion
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
    criterion
        Its norm.
    """
    mean = weights @ stereotypes
    covariance = mean_covariance(stereotypes, mean, variance_weights)
    plug_in = criterion.of_stereotypes(mean)
    overall = plug_in + jensen_gap(criterion.of_stereotypes(stereotypes) @ weights, plug_in)
    return Correction(
        prejudice=corrected_prejudice(mean, covariance, overall, criterion),
        sampling=sampling_bias(np.zeros_like(mean), covariance, criterion),
    )


def mean_covariance(stereotypes: FloatArray, mean: FloatArray, variance_weights: FloatArray) -> FloatArray:
    """Return [occupation, group, group] Σ_t v_t (s_t − m)(s_t − m)ᵀ, the covariance of mean stereotypes.

    Parameters
    ----------
    stereotypes
        [occupation, template, group].
    mean
        [occupation, group] weighted means.
    variance_weights
        [template] v.
    """
    deviations = stereotypes - mean[:, np.newaxis]
    return np.asarray(deviations.transpose(0, 2, 1) @ (deviations * variance_weights[:, np.newaxis]))


def corrected_prejudice(
    mean: FloatArray, covariance: FloatArray, overall: FloatArray, criterion: Criterion
) -> FloatArray:
    """Return r^p less its estimated bias, clipped to [0, r], so that r − r^p stays in [0, r] as well.

    Parameters
    ----------
    mean
        [occupation, group] mean stereotypes.
    covariance
        [occupation, group, group] covariance of these means.
    overall
        [occupation] r_x.
    criterion
        Its norm.

    Returns
    -------
    FloatArray
        [occupation] corrected r^p, in the units of the criterion's scale.
    """
    plug_in = criterion.of_stereotypes(mean)
    return np.clip(plug_in - sampling_bias(mean, covariance, criterion), 0.0, overall)


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
    """Return A with A Aᵀ = C, for each of [..., group, group]; C may be singular, as stereotypes sum to 0."""
    values, vectors = np.linalg.eigh(covariance)
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
