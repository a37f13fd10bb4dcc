"""Regression of risk on a factor by least squares (PCF Eq. 12; BVF C.2), and rank correlation.

Risks are heteroscedastic, so errors are HC3 (MacKinnon & White 1985, doi:10.1016/0304-4076(85)90158-7), as
advised for under 250 points by Long & Ervin (2000, doi:10.1080/00031305.2000.10474549).  Several slopes are
tested together by Holm's method (1979).  statsmodels takes two seconds to import, so functions import it.

**Templates are shared by all occupations**, so their effect on the slope does not show in the scatter about
the line.  The line is also fitted to the resampled risks, and V is the variance of those slopes.  The part of
it that templates contribute to each occupation separately, v = Σ c_x² Var(ρ_x) / (1 − h_x), is already in
HC3; c are the weights of the risks in the slope, ρ the residuals of the draws, h the leverages.  Templates
add max(0, V − v), as two-way clustering subtracts what both ways count (Cameron, Gelbach & Miller 2011,
doi:10.1198/jbes.2010.07136).  Student's t has the degrees of freedom of the sum
(:func:`pcf_core.measure.resampling.degrees_of_freedom`).  ``benchmarks/slopes.py`` has the coverage with and
without.

**Rank correlation:** Spearman's ρ with the interval of Bonett & Wright (2000, doi:10.1007/BF02294183) and
Kendall's τ-b with that of Fieller, Hartley & Pearson (1957, doi:10.1093/biomet/44.3-4.470), both on the scale
of Fisher's z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import MOST_LEVERAGE, Carrier, LineFit, Quantity
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import replicates_of
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit, degrees_of_freedom, resampled_template_weights

FEWEST_POINTS = 10  # below, HC3 intervals are too narrow
WHOLE_LEVERAGE = 0.999  # HC3 divides by what a point's leverage leaves
SMALLEST_SPREAD = 1e-9  # relative to the values, less is rounding
LARGEST = 1e100  # squares and quotients neither overflow nor, down to 1 / LARGEST, underflow
MOST_UNEQUAL = 1e30  # ratio of weights; beyond, rounding loses the lightest
PLACES = 41


class _Standardised(NamedTuple):
    """A factor as ``mean`` + ``sd`` · ``x``, with x orthogonal to a constant and of the same weight."""

    x: FloatArray
    mean: float
    sd: float


def why_no_line(x: ArrayLike, risks: ArrayLike, weights: ArrayLike | None = None) -> str:
    """Return why no line is fitted to these [point] values, as the end of a sentence, or an empty string.

    ``weights`` ``None``: equal.
    """
    values, checked, shares = _checked(x, risks, weights)
    if len(values) < FEWEST_POINTS:
        return f"{len(values)} points, fewer than {FEWEST_POINTS}"
    for what, numbers in (("factor", values), ("risk", checked)):
        if np.abs(numbers).max() > LARGEST:
            return f"the values of the {what} are too large to calculate with"
        if _same(numbers):
            return f"the {what} is the same for all points"
        if np.ptp(numbers) < 1 / LARGEST:
            return f"the values of the {what} are too close together to calculate with"
    if shares.max() > MOST_UNEQUAL * shares.min():
        return "the weights are too unequal to calculate with"
    if _leverage(values, shares).max() > WHOLE_LEVERAGE:
        return "one point alone determines the slope"
    return ""


@dataclass(frozen=True, eq=False)
class TemplateNoise:
    """Variation of risks when templates are resampled.

    ``names``: of occupations or points.  ``deviations`` [draw, name]: from the mean of the draws, scaled so
    that mean squares are the variances of the risks.  ``freedom``: degrees of freedom, at least 1.
    """

    names: tuple[str, ...]
    deviations: FloatArray
    freedom: float
    unit: str = "template"

    def means(self, points: Sequence[Sequence[str]]) -> TemplateNoise:
        """Return the same for points that are each the mean of the named risks."""
        places = {name: index for index, name in enumerate(self.names)}
        columns = [self.deviations[:, [places[name] for name in point]].mean(axis=1) for point in points]
        return replace(self, names=tuple(point[0] for point in points), deviations=np.stack(columns, axis=1))

    def without(self, index: int) -> TemplateNoise:
        """Return the same without one point."""
        others = np.arange(len(self.names)) != index
        names = tuple(name for name, stays in zip(self.names, others.tolist(), strict=True) if stays)
        return replace(self, names=names, deviations=self.deviations[:, others])


def template_noise(
    occupations: Sequence[str],
    stereotypes: FloatArray,
    unit: TemplateUnit,
    criterion: Criterion,
    quantity: Quantity,
    *,
    resamples: int = 2000,
    seed: int = 0,
) -> TemplateNoise | None:
    """Resample the templates as intervals of risks do; ``None`` if there is effectively one.

    ``stereotypes`` [occupation, template, group].
    """
    if unit.fewest <= 1 + SMALLEST_SPREAD:
        return None
    blocks = resampled_template_weights(unit, resamples, seed)
    drawn = replicates_of(stereotypes, blocks, criterion).risks[quantity]
    deviations = (drawn - drawn.mean(axis=0)) * math.sqrt(unit.shortfall)
    return TemplateNoise(tuple(occupations), deviations, max(1.0, unit.fewest - 1), unit.name)


def fit_line(
    x: ArrayLike,
    risks: ArrayLike,
    weights: ArrayLike | None = None,
    labels: Sequence[str] = (),
    *,
    noise: TemplateNoise | None = None,
    level: float = 0.95,
) -> LineFit:
    """Fit risk = intercept + slope · x.

    ``x``, ``risks`` [point] finite, risks >= 0; ``weights`` [point] > 0, up to a factor, ``None`` for equal
    ones; ``labels`` [point]; ``noise`` of the templates, by point, ``None`` if risks are exact.  Raises
    CriterionError for points that are not allowed, or for which :func:`why_no_line` gives a reason.
    """
    values, checked, shares = _checked(x, risks, weights)
    if reason := why_no_line(x, risks, weights):
        raise CriterionError(f"No line can be fitted: {reason}; give more points, or more varied ones.")
    fitted = _Line.through(values, checked, shares, noise)
    slope, grid = fitted.slope(level), np.linspace(fitted.z.min(), fitted.z.max(), PLACES)
    band = fitted.height + fitted.steepness * grid
    half = fitted.half_widths(_design(grid), level)
    names = labels or [str(index) for index in range(len(values))]
    return LineFit(
        n=len(values),
        effective_n=float(1 / (shares @ shares)),
        intercept=float(fitted.height - fitted.steepness * (fitted.mean / fitted.sd)),
        slope=slope.value,
        slope_error=slope.error,
        interval=slope.interval,
        p_value=slope.p_value,
        r_squared=fitted.r_squared,
        x=np.linspace(values.min(), values.max(), PLACES),
        mean=band,
        low=band - half,
        high=band + half,
        carrier=_carrier(fitted, names, level),
        occupation_error=slope.occupation_error,
        template_error=slope.template_error,
        known_interval=slope.known_interval,
    )


def _checked(
    x: ArrayLike, risks: ArrayLike, weights: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Check the points, and normalise their weights to sum to 1."""
    values, checked = np.asarray(x, dtype=np.float64), np.asarray(risks, dtype=np.float64)
    given = np.ones(values.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.ndim != 1 or not values.shape == checked.shape == given.shape:
        raise CriterionError(
            "A line takes lists of one length, a factor, a risk and, if wanted, a weight for each point; "
            f"got {values.size}, {checked.size} and {given.size}."
        )
    finite = np.isfinite([values, checked, given]).all()
    if not finite or (checked < 0).any() or (given <= 0).any():
        raise CriterionError(
            "A line takes finite numbers, risks of at least 0 and weights above 0; leave out the points "
            "that have none."
        )
    if len(given):
        given = given / given.max()  # first, because the sum may overflow
        given = given / given.sum()
    return values, checked, given


def _same(values: FloatArray) -> bool:
    return bool(np.ptp(values) <= SMALLEST_SPREAD * np.abs(values).max())


def _design(x: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(x)), x])


def _standardised(x: FloatArray, shares: FloatArray) -> _Standardised:
    """Subtract the weighted mean of x and divide by its weighted standard deviation.

    Unstandardised factors such as 10⁸ + i or 10¹⁴ · i would be lost in the pseudo-inverse beside a constant
    of 1.
    """
    reference = x[np.argmax(shares)]  # differences from a point keep more digits
    away = x - reference
    centre = shares @ away
    away = away - centre
    sd = float(np.sqrt(shares @ away**2))
    return _Standardised(away / sd, float(reference + centre), sd)


def _leverage(x: FloatArray, shares: FloatArray) -> FloatArray:
    """Return [point] the diagonal of the hat matrix: w_i (1 + (x_i − x̄)² / s²), w summing to 1."""
    return np.asarray(shares * (1 + _standardised(x, shares).x ** 2))


class _Slope(NamedTuple):
    """A slope with its errors: from the scatter, from templates (``None``: not requested), and from both."""

    value: float
    error: float
    occupation_error: float
    template_error: float | None
    interval: Interval
    known_interval: Interval
    p_value: float


@dataclass(frozen=True, eq=False)
class _Line:
    """A least-squares line, risk = ``height`` + ``steepness`` · z with z = (x − ``mean``) / ``sd``.

    ``x``, ``risks``, ``shares`` (sum to 1) and ``z`` are [point]; ``covariance`` [2, 2] is HC3.
    """

    x: FloatArray
    risks: FloatArray
    shares: FloatArray
    noise: TemplateNoise | None
    z: FloatArray
    mean: float
    sd: float
    height: float
    steepness: float
    covariance: FloatArray
    r_squared: float

    @classmethod
    def through(
        cls, x: FloatArray, risks: FloatArray, shares: FloatArray, noise: TemplateNoise | None
    ) -> _Line:
        """Fit with statsmodels; equal shares give ordinary least squares."""
        from statsmodels.regression.linear_model import WLS

        scaled = _standardised(x, shares)
        model = WLS(risks, _design(scaled.x), weights=shares * len(shares))
        fit = model.fit(cov_type="HC3", use_t=True)
        height, steepness = map(float, fit.params)
        covariance = np.asarray(fit.cov_params(), dtype=np.float64)
        r_squared = float(fit.rsquared)
        return cls(x, risks, shares, noise, *scaled, height, steepness, covariance, r_squared)

    def scatter(self, parts: FloatArray) -> FloatArray:
        """Return [row] the HC3 variances of [row, 2] combinations of height and steepness."""
        return np.asarray(np.einsum("pi,ij,pj->p", parts, self.covariance, parts).clip(min=0.0))

    def shared(self, parts: FloatArray) -> FloatArray:
        """Return [row] the variances that templates add to these, beyond what the scatter shows."""
        if self.noise is None:
            return np.zeros(len(parts))
        # [2, point] the weights of the risks in height and steepness
        hands = np.stack([self.shares, self.shares * self.z])
        drawn = self.noise.deviations @ hands.T
        residuals = self.noise.deviations - drawn @ np.stack([np.ones_like(self.z), self.z])
        single = (residuals**2).mean(axis=0) / (1 - self.shares * (1 + self.z**2))
        whole = ((drawn @ parts.T) ** 2).mean(axis=0)
        return np.asarray((whole - (parts @ hands) ** 2 @ single).clip(min=0.0))

    def freedom(self, scatter: FloatArray, shared: FloatArray) -> FloatArray:
        """Return [row] the degrees of freedom of the sums of two variances."""
        of_points = np.full_like(scatter, len(self.x) - 2)
        if self.noise is None:
            return of_points
        return degrees_of_freedom([scatter, shared], [of_points, np.full_like(shared, self.noise.freedom)])

    def half_widths(self, parts: FloatArray, level: float) -> FloatArray:
        """Return [row] half the widths of intervals."""
        from scipy.special import stdtrit

        scatter, shared = self.scatter(parts), self.shared(parts)
        quantiles = stdtrit(self.freedom(scatter, shared), (1 + level) / 2)
        return np.asarray(quantiles * np.sqrt(scatter + shared))

    def slope(self, level: float) -> _Slope:
        """Return the slope per unit of x."""
        from scipy.special import stdtr, stdtrit

        parts = np.array([[0.0, 1.0]])
        scatter, shared = self.scatter(parts), self.shared(parts)
        freedom, value = float(self.freedom(scatter, shared)[0]), self.steepness / self.sd
        alone, error = math.sqrt(scatter[0]) / self.sd, math.sqrt(scatter[0] + shared[0]) / self.sd
        half = float(self.half_widths(parts, level)[0]) / self.sd
        spread = float(stdtrit(len(self.x) - 2, (1 + level) / 2)) * alone
        known_interval = interval = Interval(
            over="occupations", level=level, low=value - spread, high=value + spread, unit="occupation"
        )
        if self.noise is not None:
            interval = Interval(
                over="both", level=level, low=value - half, high=value + half, unit=self.noise.unit
            )
        # Points on one line have no error and p = 0.
        p_value = 2 * float(stdtr(freedom, -abs(value) / error)) if error else float(value == 0)
        of_templates = None if self.noise is None else math.sqrt(shared[0]) / self.sd
        return _Slope(value, error, alone, of_templates, interval, known_interval, p_value)


def _carrier(line: _Line, labels: Sequence[str], level: float) -> Carrier:
    """Return the point with the most influence on the slope, and the slope without it."""
    x, risks, shares, z = line.x, line.risks, line.shares, line.z
    residuals = risks - shares @ risks - (shares * z) @ risks * z
    leverage = _leverage(x, shares)
    change = shares * z * residuals / (1 - leverage)
    index = int(np.argmax(leverage if leverage.max() > MOST_LEVERAGE else np.abs(change)))
    label, own = labels[index], float(leverage[index])
    others = np.arange(len(x)) != index
    rest = x[others], risks[others], shares[others] / shares[others].sum()
    if _same(rest[0]) or _leverage(rest[0], rest[2]).max() > WHOLE_LEVERAGE:
        return Carrier(label, own, None, None)
    noise = None if line.noise is None else line.noise.without(index)
    slope = _Line.through(*rest, noise).slope(level)
    return Carrier(label, own, slope.value, slope.interval)


# Rank correlation.


FEWEST = 5  # Kendall's interval divides by n − 4
ROUNDING = 1e-15
NORMAL_QUANTILE = 1.959963984540054  # of a two-sided 95 % interval


@dataclass(frozen=True)
class RankCorrelation:
    """Both correlations over ``n`` pairs, between −1 and 1, with 95 % intervals; ties share a rank."""

    n: int
    spearman: float
    kendall: float
    spearman_interval: Interval
    kendall_interval: Interval


def rank_correlation(first: FloatArray, second: FloatArray) -> RankCorrelation | None:
    """Correlate two arrays [pair] by rank; ``None`` for under five pairs or a constant array.

    Raises CriterionError for arrays of different lengths, or with values that are not finite.
    """
    from scipy.stats import kendalltau, spearmanr

    if first.ndim != 1 or first.shape != second.shape or not math.isfinite(float((first + second).sum())):
        raise CriterionError(
            "A rank correlation takes two lists of finite numbers, one as long as the other; got "
            f"{first.size} and {second.size}."
        )
    if len(first) < FEWEST or first.min() == first.max() or second.min() == second.max():
        return None
    rho = _whole_at_one(float(spearmanr(first, second).statistic))
    tau = _whole_at_one(float(kendalltau(first, second).statistic))
    n = len(first)
    return RankCorrelation(
        n=n,
        spearman=rho,
        kendall=tau,
        spearman_interval=_interval(rho, math.sqrt((1 + rho**2 / 2) / (n - 3))),
        kendall_interval=_interval(tau, math.sqrt(0.437 / (n - 4))),
    )


def _whole_at_one(correlation: float) -> float:
    """Set to ±1 what differs from it only by rounding."""
    return math.copysign(1.0, correlation) if abs(correlation) > 1 - ROUNDING else correlation


def _interval(correlation: float, error: float) -> Interval:
    """Return the interval of a correlation whose Fisher's z has this standard error; at ±1 a point."""
    if abs(correlation) >= 1:
        return Interval(low=correlation, high=correlation)
    middle = math.atanh(correlation)
    low, high = (math.tanh(middle + side * NORMAL_QUANTILE * error) for side in (-1, 1))
    return Interval(low=low, high=high)
