"""Three distributions on the positive half line, fitted by maximum likelihood to one sample or to many.

The exponential; the lognormal, whose logarithm is normal; and the generalised Pareto, of which the
exponential is the case ξ = 0: ξ > 0 has a heavier tail, a power law in the end, ξ < 0 a lighter one, which
ends at −σ/ξ.
Functions take [..., value] arrays and fit every sample on the last axis, so that a bootstrap is one call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcf_core.records import FloatArray
from pcf_core.records.tails import Distribution

NAMES: tuple[Distribution, ...] = ("generalised Pareto", "lognormal", "exponential")
LOWEST_SHAPE = -1.0  # below it the likelihood has no maximum
ABOVE_LOWEST = 1e-8  # at −1 itself the density ends at the largest value and has no likeliest scale
NEARLY_ZERO = 1e-9
GRID = np.linspace(-20.0, 30.0, 101)  # of log(1 + θ max x)
HALVINGS = 55  # the last bracket is as wide as the rounding of its ends


@dataclass(frozen=True)
class Fitted:
    """Parameters of one distribution, each [..., 1] so that they meet values on the last axis."""

    distribution: Distribution
    parameters: dict[str, FloatArray]

    def log_survival(self, values: FloatArray) -> FloatArray:
        """log P(X > x)."""
        if self.distribution == "lognormal":
            from scipy.special import log_ndtr

            return np.asarray(log_ndtr(-self._standardised(values)))
        scale = self.parameters["scale"]
        if self.distribution == "exponential":
            return np.asarray(-values / scale)
        shape = away_from_zero(self.parameters["shape"])
        with np.errstate(invalid="ignore", divide="ignore"):
            survival = -np.log1p(shape * values / scale) / shape
        return np.where(shape * values <= -scale, -np.inf, survival)  # beyond the end of a light tail

    def log_distribution(self, values: FloatArray) -> FloatArray:
        """log P(X ≤ x)."""
        if self.distribution == "lognormal":
            from scipy.special import log_ndtr

            return np.asarray(log_ndtr(self._standardised(values)))
        return np.asarray(np.log(-np.expm1(self.log_survival(values))))

    def log_density(self, values: FloatArray) -> FloatArray:
        """log f(x), for values inside the support."""
        if self.distribution == "lognormal":
            squares = self._standardised(values) ** 2
            return np.asarray(
                -squares / 2 - np.log(values * self.parameters["sd"]) - 0.5 * math.log(2 * math.pi)
            )
        shape = self.parameters.get("shape", np.zeros(1))
        return np.asarray((1 + shape) * self.log_survival(values) - np.log(self.parameters["scale"]))

    def draw(self, generator: np.random.Generator, samples: int, size: int) -> FloatArray:
        """[sample, value] draws, from parameters of one fit."""
        if self.distribution == "lognormal":
            normal = generator.standard_normal((samples, size))
            return np.asarray(np.exp(self.parameters["mean"] + self.parameters["sd"] * normal))
        unit = generator.standard_exponential((samples, size))  # −log P(X > x), whatever the distribution
        if self.distribution == "exponential":
            return np.asarray(self.parameters["scale"] * unit)
        shape = away_from_zero(self.parameters["shape"])
        return np.asarray(self.parameters["scale"] * np.expm1(shape * unit) / shape)

    def _standardised(self, values: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):  # log 0 is the lower end of the support
            return np.asarray((np.log(values) - self.parameters["mean"]) / self.parameters["sd"])


def fitted(distribution: Distribution, values: FloatArray) -> Fitted:
    """The likeliest member of a family for each sample of [..., value] > 0, which are not all equal."""
    if distribution == "exponential":
        return Fitted(distribution, {"scale": values.mean(axis=-1, keepdims=True)})
    if distribution == "lognormal":
        logs = np.log(values)
        return Fitted(
            distribution,
            {"mean": logs.mean(axis=-1, keepdims=True), "sd": logs.std(axis=-1, keepdims=True)},
        )
    shape, scale = pareto_parameters(values)
    return Fitted(distribution, {"shape": shape, "scale": scale})


def pareto_parameters(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shape ξ and scale σ of the generalised Pareto distribution, each [..., 1], for [..., value] > 0.

    Grimshaw's one-dimensional search (1993, doi:10.1080/00401706.1993.10485040): at θ = ξ/σ the likeliest
    shape is the mean of log(1 + θx), and θ is found on a grid and then by halving the bracket in which the
    slope of the likelihood changes its sign.  The height itself, flat at its top, would give half the digits,
    and others on another processor.  The maximum is the local one with ξ ≥ −1, below which the likelihood
    grows without limit.
    """
    top = values.max(axis=-1, keepdims=True)
    scaled = values / top

    def shape_at(theta: FloatArray) -> FloatArray:
        return np.asarray(np.log1p(theta * scaled).mean(axis=-1, keepdims=True))

    def height(place: float) -> FloatArray:
        """[..., 1] log-likelihood a value at log(1 + θ)."""
        theta = away_from_zero(np.expm1(np.array([place])))
        shape = shape_at(theta)
        return np.where(shape >= LOWEST_SHAPE, -np.log(shape / theta) - shape - 1, -np.inf)

    def rises(place: FloatArray) -> FloatArray:
        """[..., 1] whether the maximum is at a larger θ: 1/θ − ξ′ (1 + 1/ξ) > 0, or ξ is below its lowest."""
        theta = away_from_zero(np.expm1(place))
        shape, slope = shape_at(theta), (scaled / (1 + theta * scaled)).mean(axis=-1, keepdims=True)
        return np.asarray(
            (shape < LOWEST_SHAPE + ABOVE_LOWEST) | ((shape / theta - slope * (shape + 1)) * shape > 0)
        )

    heights = np.concatenate([height(place) for place in GRID], axis=-1)
    best = GRID[heights.argmax(axis=-1)][..., np.newaxis]
    step = GRID[1] - GRID[0]
    low, high = best - step, best + step
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        up = rises(middle)
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    theta = away_from_zero(np.expm1(high))  # inside what is allowed, where the bracket touches its lower end
    shape = shape_at(theta)
    return shape, shape / theta * top


def scale_at(shape: float, values: FloatArray) -> float:
    """The likeliest scale σ of a generalised Pareto distribution of a given shape > −1, for [value] > 0."""
    from scipy.optimize import brentq

    top = float(values.max())
    scaled = values / top
    mean = float(scaled.mean())
    if abs(shape) < NEARLY_ZERO:
        return mean * top

    def excess(scale: float) -> float:
        """Falls in σ to its one root, the maximum of the likelihood: Σ (1 + ξ) x / (σ + ξ x) = n."""
        return float(np.mean((1 + shape) * scaled / (scale + shape * scaled)) - 1)

    if shape > 0:
        ends = float(scaled.min()), (1 + shape) * mean
    else:
        ends = -shape + (1 + shape) / (2 * values.size), -shape + (1 + shape) * mean
    return float(brentq(excess, *ends)) * top


def away_from_zero(values: FloatArray) -> FloatArray:
    """The same with what is nearly 0 moved to ±10⁻⁹, where log(1 + θx)/θ is its limit to nine digits."""
    return np.where(np.abs(values) < NEARLY_ZERO, np.copysign(NEARLY_ZERO, values), values)


def anderson_darling(fit: Fitted, values: FloatArray) -> FloatArray:
    """[...] A² of each sample of [..., value] from its own fit (Anderson & Darling 1954).

    −n − Σ (2i − 1)/n · (log F(x_i) + log(1 − F(x_{n+1−i}))) for sorted values; unlike the largest gap it
    looks at the ends of a distribution as hard as at its middle.
    """
    ordered = np.sort(values, axis=-1)
    size = ordered.shape[-1]
    weights = (2 * np.arange(1, size + 1) - 1) / size
    below, above = fit.log_distribution(ordered), fit.log_survival(ordered)[..., ::-1]
    return np.asarray(-size - ((below + above) * weights).sum(axis=-1))
