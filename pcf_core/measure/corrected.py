"""Correct prejudice for the bias of a finite sample of templates.

r^p = J(E s) is estimated by J of a mean, and J is convex: the plug-in estimate is biased upwards (Jensen),
caprice r − r^p downwards by as much, and r is unbiased.

The mean of n draws is close to normal, so adding h times the covariance of the mean again gives E J(m + √h ε)
(the parametric bootstrap; Efron & Tibshirani 1993, ch. 10, doi:10.1201/9780429246593).  With h = 0 this is
the plug-in P, which contains the noise once, and with h = 1 it is E, which contains it twice; it is
extrapolated to no noise (simulation–extrapolation, Cook & Stefanski 1994,
doi:10.1080/01621459.1994.10476871).  Squares are extrapolated because they grow in proportion to the variance
both where the truth is neutral and where occupations are normal about neutral, and far from neutral nothing
grows:

    corrected² = P² − (E² − P²), and 0 where that is below 0,

for R^p, the mean over occupations, in which much of the noise cancels.  At E s = 0 no estimator is unbiased:
for one occupation of two groups the plug-in estimate is 0.80 standard errors too high, the corrected one
0.54; over 15 occupations that contexts move independently, 0.80 and 0.22.  docs/measured-coverage.md has the
grid, and estimators that did worse: plain differences P − (E − P), clipped by occupation or not, the double
bootstrap, and the jackknife.

The value of each occupation is J² − μ (E² − J²), with the one μ at which they add up to R^p: occupations
without bias, E = J, keep their value, and the others share the correction.  Where the former alone exceed
R^p, all others are 0 and R^p is what remains.
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
from pcf_core.measure.resampling import TemplateUnit

# At a kink of J (E s = 0, or groups that tie) a correction leaves up to 2.1 times as much bias as it
# removes, where contexts move all occupations alike (0.54 and 0.26 standard errors).  What is left has one
# direction and does not cancel over occupations: the intervals of a sampling plan reach as many corrections
# further down for R^p, and up for R^c.
BIAS_LEFT = 2.1
REACH_DOWN: Mapping[str, float] = {"prejudice_risk": BIAS_LEFT}
REACH_UP: Mapping[str, float] = {"caprice_risk": BIAS_LEFT}
PAIRS = 512  # of normal vectors ε and −ε, which cancel where J is linear
BLOCK_CELLS = 4_000_000
MOST_TIMES, HALVINGS = 1e15, 60  # of μ: beyond, all biased occupations are 0


@dataclass(frozen=True)
class Correction:
    """The correction of r^p for the sampling of templates.

    ``prejudice`` [occupation] corrected r^p; ``added``: E² − P² of R^p; ``sampling`` [occupation]: E J(ε),
    the r^p that these templates would show on average for a neutral model.
    """

    prejudice: FloatArray
    added: float
    sampling: FloatArray


def correction(
    stereotypes: FloatArray, unit: TemplateUnit, shares: FloatArray, criterion: Criterion
) -> Correction:
    """Estimate how far the sampling of templates, or of families of them, biases r^p.

    ``stereotypes`` [occupation, item, group] of the items of ``unit``, of a family their mean; ``shares``
    [occupation], sum to 1.
    """
    mean = unit.items @ stereotypes
    about = unit.about(stereotypes, mean[:, np.newaxis], axis=1)
    covariance = mean_covariance(stereotypes, about, unit.variance_weights)
    plug_in = criterion.of_stereotypes(mean)
    noisier = plug_in + sampling_bias(mean, covariance, criterion)
    return Correction(
        prejudice=corrected_prejudice(plug_in, noisier, shares),
        added=float(shares @ noisier) ** 2 - float(shares @ plug_in) ** 2,
        sampling=sampling_bias(np.zeros_like(mean), covariance, criterion),
    )


def mean_covariance(stereotypes: FloatArray, about: FloatArray, variance_weights: FloatArray) -> FloatArray:
    """Return [occupation, group, group] Σ_t v_t (s_t − m)(s_t − m)ᵀ, the covariance of mean stereotypes.

    ``stereotypes`` [occupation, template, group]; ``about`` [occupation, 1 or template, group] the mean m, of
    all templates or of a template's stratum; ``variance_weights`` [template] v.
    """
    deviations = stereotypes - about
    return np.asarray(deviations.transpose(0, 2, 1) @ (deviations * variance_weights[:, np.newaxis]))


def corrected_prejudice(plug_in: FloatArray, noisier: FloatArray, shares: FloatArray) -> FloatArray:
    """Return [occupation] r^p less its estimated bias, between 0 and the plug-in value (see the module).

    ``plug_in`` [occupation] J(m); ``noisier`` [occupation] E J(m + ε) >= J(m); ``shares`` [occupation], sum
    to 1.
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
    """Return √(value² − added), or 0 where that is not real."""
    return math.sqrt(max(0.0, value**2 - added))


def sampling_bias(mean: FloatArray, covariance: FloatArray, criterion: Criterion) -> FloatArray:
    """Return [occupation] E J(m + ε) − J(m) >= 0, for normal ε of the given covariance (see the module)."""
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
    """Return A with A Aᵀ = C for each [..., group, group]; C may be singular, as stereotypes sum to 0.

    The sign of each column is fixed by its largest entry, so reordering the groups only reorders rows.
    """
    values, vectors = np.linalg.eigh(covariance)
    longest = np.abs(vectors).argmax(axis=-2, keepdims=True)
    vectors = vectors * np.where(np.take_along_axis(vectors, longest, axis=-2) < 0, -1.0, 1.0)
    return np.asarray(vectors * np.sqrt(values.clip(min=0.0))[..., np.newaxis, :])


@lru_cache(maxsize=8)
def normal_pairs(groups: int) -> FloatArray:
    """Return [2 × PAIRS, group] fixed normal numbers, the second half the negative of the first.

    Each column is a shuffle of normal quantiles (a Latin hypercube), so that an expectation along one axis,
    as with two groups, has no sampling error.
    """
    shuffle = np.random.default_rng(0).permutation
    quantiles = [NormalDist().inv_cdf((rank + 0.5) / PAIRS) for rank in range(PAIRS)]
    half = np.stack([shuffle(quantiles) for _ in range(groups)], axis=-1)
    return np.concatenate([half, -half])
