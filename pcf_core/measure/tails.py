"""The tail of caprice over occupations, and whether prejudice is normal (PCF Fig. 7; BVF Fig. 10, 16).

The papers call caprice fat-tailed and prejudice normal from drawn curves, some moved by hand.  Here
distributions are fitted by maximum likelihood, compared and tested; occupations are unweighted.

**The verdict is about the tail.**  Excesses over a high threshold approach a generalised Pareto distribution
(Pickands 1975, doi:10.1214/aos/1176343003; Davison & Smith 1990, doi:10.1111/j.2517-6161.1990.tb01796.x), and
those of exponential values are exponential.  It is fitted to excesses over the lowest threshold at which the
Anderson–Darling test does not reject it: 0, then the first to ninth decile, as long as 15 values lie above
(such a rule: Bader, Yan & Zhang 2018, doi:10.1214/17-AOAS1092).  The verdict is the likelihood ratio test
against the exponential, and *cannot tell* if no threshold fits.  ``benchmarks/tails.py`` has its errors and
power.  Risks are bounded, so "heavier" refers to the observed range.  Exact zeros, occupations whose
stereotype never changes sign, are counted and not fitted.

**Three distributions on the positive half line:** exponential, lognormal, and generalised Pareto, of which
the exponential is the case ξ = 0; ξ > 0 has a heavier tail, eventually a power law, ξ < 0 a lighter one,
which ends at −σ/ξ.  Functions fit every sample on the last axis of [..., value], so that a bootstrap is one
call.

scipy.stats takes a second to import, so functions import it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.core.tails import (
    CapriceTail,
    Distribution,
    HillPlot,
    LikelihoodRatioTest,
    NormalFit,
    NormalShape,
    TailFit,
    TailShape,
    UpperTail,
    Verdict,
)

# Three distributions on the positive half line.


NAMES: tuple[Distribution, ...] = ("generalised Pareto", "lognormal", "exponential")
LOWEST_SHAPE = -1.0  # below it the likelihood has no maximum
ABOVE_LOWEST = 1e-8  # at −1 the density ends at the largest value and no scale is likeliest
NEARLY_ZERO = 1e-9
GRID = np.linspace(-20.0, 30.0, 101)  # of log(1 + θ max x)
HALVINGS = 55  # the last bracket is as wide as the rounding of its ends


@dataclass(frozen=True)
class Fitted:
    """Parameters of one distribution, each [..., 1] to broadcast against values on the last axis."""

    distribution: Distribution
    parameters: dict[str, FloatArray]

    def log_survival(self, values: FloatArray) -> FloatArray:
        """Return log P(X > x)."""
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
        """Return log P(X ≤ x)."""
        if self.distribution == "lognormal":
            from scipy.special import log_ndtr

            return np.asarray(log_ndtr(self._standardised(values)))
        return np.asarray(np.log(-np.expm1(self.log_survival(values))))

    def log_density(self, values: FloatArray) -> FloatArray:
        """Return log f(x), for values inside the support."""
        if self.distribution == "lognormal":
            squares = self._standardised(values) ** 2
            return np.asarray(
                -squares / 2 - np.log(values * self.parameters["sd"]) - 0.5 * math.log(2 * math.pi)
            )
        shape = self.parameters.get("shape", np.zeros(1))
        return np.asarray((1 + shape) * self.log_survival(values) - np.log(self.parameters["scale"]))

    def draw(self, generator: np.random.Generator, samples: int, size: int) -> FloatArray:
        """Draw [sample, value] from a single fit."""
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
    """Fit a family by maximum likelihood to each sample of [..., value] > 0 with unequal values."""
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
    """Fit shape ξ and scale σ of the generalised Pareto distribution, each [..., 1], to [..., value] > 0.

    Grimshaw's one-dimensional search (1993, doi:10.1080/00401706.1993.10485040): at θ = ξ/σ the likeliest
    shape is the mean of log(1 + θx), and θ is found on a grid and then by bisecting the slope of the
    likelihood; its flat top would give half the digits, and others on another processor.  It is the local
    maximum with ξ ≥ −1, below which the likelihood is unbounded.
    """
    top = values.max(axis=-1, keepdims=True)
    scaled = values / top

    def shape_at(theta: FloatArray) -> FloatArray:
        return np.asarray(np.log1p(theta * scaled).mean(axis=-1, keepdims=True))

    def height(place: float) -> FloatArray:
        """Return [..., 1] log-likelihood per value at log(1 + θ)."""
        theta = away_from_zero(np.expm1(np.array([place])))
        shape = shape_at(theta)
        return np.where(shape >= LOWEST_SHAPE, -np.log(shape / theta) - shape - 1, -np.inf)

    def rises(place: FloatArray) -> FloatArray:
        """Return [..., 1] whether the maximum is at a larger θ.

        That is where 1/θ − ξ′ (1 + 1/ξ) > 0, or ξ is below its lowest.
        """
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
    theta = away_from_zero(np.expm1(high))  # the end of the bracket that is inside the bounds
    shape = shape_at(theta)
    return shape, shape / theta * top


def scale_at(shape: float, values: FloatArray) -> float:
    """Return the likeliest scale σ of a generalised Pareto distribution of shape > −1, for [value] > 0."""
    from scipy.optimize import brentq

    top = float(values.max())
    scaled = values / top
    mean = float(scaled.mean())
    if abs(shape) < NEARLY_ZERO:
        return mean * top

    def excess(scale: float) -> float:
        """Return a value that falls with σ; its root, Σ (1 + ξ) x / (σ + ξ x) = n, is the maximum."""
        return float(np.mean((1 + shape) * scaled / (scale + shape * scaled)) - 1)

    if shape > 0:
        ends = float(scaled.min()), (1 + shape) * mean
    else:
        ends = -shape + (1 + shape) / (2 * values.size), -shape + (1 + shape) * mean
    return float(brentq(excess, *ends)) * top


def away_from_zero(values: FloatArray) -> FloatArray:
    """Move values near 0 to ±10⁻⁹, where log(1 + θx)/θ equals its limit to nine digits."""
    return np.where(np.abs(values) < NEARLY_ZERO, np.copysign(NEARLY_ZERO, values), values)


def anderson_darling(fit: Fitted, values: FloatArray) -> FloatArray:
    """Return [...] A² of each sample of [..., value] from its own fit (Anderson & Darling 1954).

    −n − Σ (2i − 1)/n · (log F(x_i) + log(1 − F(x_{n+1−i}))) for sorted values; unlike the largest gap it
    weights both ends of a distribution as much as its middle.
    """
    ordered = np.sort(values, axis=-1)
    size = ordered.shape[-1]
    weights = (2 * np.arange(1, size + 1) - 1) / size
    below, above = fit.log_distribution(ordered), fit.log_survival(ordered)[..., ::-1]
    return np.asarray(-size - ((below + above) * weights).sum(axis=-1))


# Below four values the unbiased kurtosis divides by zero; a spread this small beside the values is rounding.
FEWEST_VALUES = 4
SMALLEST_SPREAD = 1e-9
FEWEST_FITTED = 30
THRESHOLDS = tuple(tenths / 10 for tenths in range(10))  # shares of the positive values that are not fitted
FEWEST_ABOVE = 15  # a threshold that leaves fewer is not tried
RESAMPLES = 999
LEVEL = 0.95
POINTS = 120  # of a drawn curve
WIDEST_SHAPE = 64.0


def caprice_tail(caprice: ArrayLike) -> CapriceTail:
    """Describe the distribution of caprice, [occupation] r_x^c, finite and >= 0.

    Raises CriterionError for values that are not allowed.
    """
    values = checked_risks(caprice, "caprice")
    return CapriceTail(
        values=values,
        n=values.size,
        zero_share=float(np.mean(values == 0)),
        excess_kurtosis=excess_kurtosis(values),
    )


def excess_kurtosis(values: FloatArray) -> float | None:
    """Return the unbiased excess kurtosis of [n] values >= 0 (Fisher's corrected g2), if defined."""
    from scipy import stats

    if values.size < FEWEST_VALUES or without_spread(values):
        return None
    # In units of the largest value no fourth power underflows.
    return float(stats.kurtosis(values / values.max(), bias=False))


def tail_shape(
    caprice: ArrayLike, largest: float | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> TailShape:
    """Fit the positive values of caprice, compare the fits, and classify the upper tail.

    The verdict is the likelihood ratio test of generalised Pareto against exponential at the 5 % level, over
    the threshold of :func:`upper_tail`.  ``caprice`` [occupation] r_x^c, finite and >= 0; ``largest``: the
    upper limit of values, if known; ``resamples``: samples of each parametric bootstrap.  Raises
    CriterionError for values that are not allowed.
    """
    values = checked_risks(caprice, "caprice")
    positive = np.sort(values[values > 0])
    if positive.size < FEWEST_FITTED:
        return TailShape(positive, "too few to fit", largest)
    if without_spread(positive):
        return TailShape(positive, "cannot tell", largest)
    generator = np.random.default_rng(seed)
    fits = {name: fitted(name, positive) for name in NAMES}
    draws = {name: fit.draw(generator, resamples, positive.size) for name, fit in fits.items()}
    ratio = likelihood_ratio(positive)
    null_ratios = likelihood_ratio(draws["exponential"])
    comparisons = (
        LikelihoodRatioTest(
            against="exponential",
            statistic=float(ratio),
            p_value=simulated_p(float(ratio), null_ratios),
            better="generalised Pareto",
        ),
        vuong(fits["generalised Pareto"], fits["lognormal"], positive),
    )
    grid = np.geomspace(positive[0], positive[-1], POINTS)
    shapes = tuple(described(fits[name], positive, draws[name], grid, largest) for name in NAMES)
    tail = upper_tail(positive, shapes[0].p_value, null_ratios, generator)
    return TailShape(
        positive=positive,
        verdict=verdict(tail),
        largest=largest,
        fits=shapes,
        comparisons=comparisons,
        tail=tail,
        grid=grid,
        hill=hill_plot(positive),
    )


def verdict(tail: UpperTail | None) -> Verdict:
    """Classify a tail by its fit; ``None`` cannot be classified."""
    if tail is None or tail.p_value > 1 - LEVEL:
        return "cannot tell"
    if tail.shape > 0:
        return "heavier than exponential over the observed range"
    return "lighter than exponential over the observed range"


def upper_tail(
    positive: FloatArray, goodness: float, null_ratios: FloatArray, generator: np.random.Generator
) -> UpperTail | None:
    """Fit excesses over the lowest threshold where a generalised Pareto distribution is not rejected.

    ``positive`` [value] > 0, ascending; ``goodness``: the p-value of the fit to all of them; ``null_ratios``
    [sample] likelihood ratios of as many exponential values.
    """
    for left_out in THRESHOLDS:
        below = round(left_out * positive.size)
        threshold = float(positive[below - 1]) if below else 0.0
        excesses = positive[positive > threshold] - threshold
        if excesses.size < FEWEST_ABOVE or without_spread(excesses):
            return None
        fit = fitted("generalised Pareto", excesses)
        distance, drawn = float(anderson_darling(fit, excesses)), (null_ratios.size, excesses.size)
        if below:
            draws = fit.draw(generator, *drawn)
            goodness = simulated_p(distance, anderson_darling(fitted("generalised Pareto", draws), draws))
        if goodness <= 1 - LEVEL:
            continue
        if below:
            null_ratios = likelihood_ratio(generator.standard_exponential(drawn))
        ratio = float(likelihood_ratio(excesses))
        grid = np.geomspace(threshold or positive[0], positive[-1], POINTS)
        return UpperTail(
            threshold=threshold,
            size=excesses.size,
            of=positive.size,
            shape=float(fit.parameters["shape"][0]),
            scale=float(fit.parameters["scale"][0]),
            shape_interval=shape_interval(excesses, float(np.quantile(null_ratios, LEVEL, method="higher"))),
            distance=distance,
            goodness=goodness,
            ratio=ratio,
            p_value=simulated_p(ratio, null_ratios),
            grid=grid,
            survival=excesses.size / positive.size * np.exp(fit.log_survival(grid - threshold)),
        )
    return None


def likelihood_ratio(values: FloatArray) -> FloatArray:
    """Return [...] 2 Δℓ >= 0 of generalised Pareto against exponential, for samples of [..., value] > 0.

    ξ = 0 is an inner point, so the limit is χ² with one degree of freedom, which with 30 exponential values
    would reject 8 to 9 % instead of 5.  Under the exponential the ratio is scale-free, so samples of the same
    size give its exact distribution.
    """
    general, simple = fitted("generalised Pareto", values), fitted("exponential", values)
    difference = general.log_density(values).sum(axis=-1) - simple.log_density(values).sum(axis=-1)
    return np.asarray(2 * difference).clip(min=0.0)


def vuong(first: Fitted, second: Fitted, values: FloatArray) -> LikelihoodRatioTest:
    """Test two non-nested fits with equally many parameters (Vuong 1989, doi:10.2307/1912557)."""
    from scipy import stats

    gains = first.log_density(values) - second.log_density(values)
    statistic = float(math.sqrt(values.size) * gains.mean() / gains.std())
    return LikelihoodRatioTest(
        against=second.distribution,
        statistic=statistic,
        p_value=float(2 * stats.norm.sf(abs(statistic))),
        better=first.distribution if statistic > 0 else second.distribution,
    )


def described(
    fit: Fitted, values: FloatArray, draws: FloatArray, grid: FloatArray, largest: float | None
) -> TailFit:
    """Describe a fit, with its goodness from refitting [sample, value] draws of it (Stute et al. 1993)."""
    distance = float(anderson_darling(fit, values))
    distances = anderson_darling(fitted(fit.distribution, draws), draws)
    beyond = None if largest is None else float(np.exp(fit.log_survival(np.array([largest])))[0])
    return TailFit(
        distribution=fit.distribution,
        parameters={name: float(value[0]) for name, value in fit.parameters.items()},
        log_likelihood=float(fit.log_density(values).sum()),
        survival=np.exp(fit.log_survival(grid)),
        distance=distance,
        p_value=simulated_p(distance, distances),
        beyond=beyond,
    )


def simulated_p(statistic: float, simulated: FloatArray) -> float:
    """Return the share of simulated statistics, including this one, that are at least as large."""
    return float((1 + np.sum(simulated >= statistic)) / (1 + simulated.size))


def shape_interval(values: FloatArray, cutoff: float) -> Interval:
    """Return the shapes ξ ≥ −1 whose profile likelihood ratio is at most ``cutoff``, for [value] > 0.

    With the 95 % quantile of the ratio at ξ = 0, the interval contains 0 exactly where the test does not
    reject the exponential distribution.
    """
    from scipy.optimize import brentq

    best = fitted("generalised Pareto", values)
    height, shape = float(best.log_density(values).sum()), float(best.parameters["shape"][0])

    def excess(at: float) -> float:
        fixed = Fitted(
            best.distribution, {"shape": np.array([at]), "scale": np.array([scale_at(at, values)])}
        )
        return 2 * (height - float(fixed.log_density(values).sum())) - cutoff

    lowest = LOWEST_SHAPE + 1e-3  # at −1 the distribution ends at the largest value
    low = brentq(excess, lowest, shape) if shape > lowest and excess(lowest) > 0 else LOWEST_SHAPE
    step = 0.5
    while excess(shape + step) < 0 and step < WIDEST_SHAPE:
        step *= 2
    return Interval(
        over="occupations", low=float(low), high=float(brentq(excess, shape, shape + step)), unit="occupation"
    )


def hill_plot(positive: FloatArray) -> HillPlot:
    """Estimate ξ from the k largest of [value] > 0, sorted (Hill 1975, doi:10.1214/aos/1176343247).

    The mean of log(x_i / x_{k+1}) over the k largest.  For a power law it is ξ times a mean of k standard
    exponentials, which gives the band; for other tails it is still above 0.
    """
    from scipy import stats

    logs = np.log(positive[::-1])
    order = np.arange(1.0, positive.size)
    index = np.cumsum(logs)[:-1] / order - logs[1:]
    ends = [stats.chi2.ppf(0.5 + side * LEVEL / 2, 2 * order) for side in (1, -1)]
    low, high = (2 * order * index / end for end in ends)
    return HillPlot(order=order, index=index, low=low, high=high)


def without_spread(values: FloatArray) -> bool:
    """Return whether [value] >= 0 differ by no more than rounding."""
    return bool(values.std() <= SMALLEST_SPREAD * values.max())


def checked_risks(values: ArrayLike, name: str) -> FloatArray:
    """Check the risks of at least one occupation: [occupation], finite and >= 0."""
    risks = np.asarray(values, dtype=np.float64)
    if risks.ndim != 1 or risks.size == 0 or not np.isfinite(risks).all() or (risks < 0).any():
        raise CriterionError(
            f"The {name} must be a list of finite numbers of at least 0, one for each occupation; "
            f"got the shape {list(risks.shape)}."
        )
    return risks


# A normal distribution of prejudice over occupations.


NORMAL_RESAMPLES = 4999  # few samples define the ends of a simultaneous band
BLOCK = 1_000_000  # values drawn at a time: 8 MB, and a few copies
FEWEST_RANKS = 50
MOST_SHAPIRO = 5000  # Royston's p-value of W was made for samples up to this size (doi:10.2307/2347973)


def normal_fit(prejudice: ArrayLike) -> NormalFit:
    """Fit a normal distribution by maximum likelihood to prejudice, [occupation] r_x^p, finite and >= 0."""
    from scipy import stats

    values = checked_risks(prejudice, "prejudice")
    mean, sd = stats.norm.fit(values)
    return NormalFit(mean=float(mean), sd=float(sd), n=values.size)


def normal_shape(prejudice: ArrayLike, *, resamples: int = NORMAL_RESAMPLES, seed: int = 0) -> NormalShape:
    """Fit a normal to prejudice, with the Shapiro–Wilk test and a QQ plot with its band.

    The band contains all points of 95 % of normal samples (Aldor-Noiman et al. 2013,
    doi:10.1080/00031305.2013.847865): the narrowest pointwise bands of one level that do.  ``prejudice``
    [occupation] r_x^p, finite and >= 0.  Raises CriterionError for values that are not allowed.
    """
    from scipy import stats

    fit = normal_fit(prejudice)
    ordered = np.sort(checked_risks(prejudice, "prejudice"))
    scores = stats.norm.ppf((np.arange(1, fit.n + 1) - 0.375) / (fit.n + 0.25))  # Blom's
    expected = fit.mean + fit.sd * scores
    if fit.n < FEWEST_VALUES or without_spread(ordered):
        return NormalShape(fit, ordered, expected)
    tested = stats.shapiro(ordered / ordered.max()) if fit.n <= MOST_SHAPIRO else None
    low, high = normal_band(fit.n, resamples, seed)
    return NormalShape(
        fit,
        ordered,
        expected,
        statistic=None if tested is None else float(tested.statistic),
        p_value=None if tested is None else float(tested.pvalue),
        low=fit.mean + fit.sd * low,
        high=fit.mean + fit.sd * high,
    )


def normal_band(size: int, resamples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return [value] ends that contain 95 % of sorted, self-standardised normal samples wholly.

    Half of the samples gives the ends, the other half the coverage.  5,000 values would take a gigabyte at
    once, so samples are drawn in blocks, and only the outermost twentieth of the first half is stored, which
    is enough.
    """
    generator = np.random.default_rng(seed)
    extremes = max(1, min(resamples // 2, max(resamples // 20, FEWEST_RANKS)))
    lows, highs = _ends(_samples(generator, resamples, size), size, extremes)
    depths = np.concatenate([_depths(block, lows, highs) for block in _samples(generator, resamples, size)])
    rank = 0
    while rank + 1 < extremes and (depths > rank + 1).mean() >= LEVEL:
        rank += 1
    return lows[rank], highs[rank]


def _samples(generator: np.random.Generator, resamples: int, size: int) -> Iterator[FloatArray]:
    """Yield blocks [sample, value] of normal samples, sorted and each standardised by itself."""
    most = max(1, BLOCK // size)
    for start in range(0, resamples, most):
        draws = np.sort(generator.standard_normal((min(most, resamples - start), size)), axis=-1)
        yield (draws - draws.mean(axis=-1, keepdims=True)) / draws.std(axis=-1, keepdims=True)


def _ends(blocks: Iterable[FloatArray], size: int, extremes: int) -> tuple[FloatArray, FloatArray]:
    """Return [rank, value] the ``extremes`` lowest of all samples, ascending, and the highest, descending."""
    lows: FloatArray = np.empty((size, 0))
    highs = lows
    for block in blocks:
        lows = _lowest(lows, block.T, extremes)
        highs = _lowest(highs, -block.T, extremes)
    return np.sort(lows.T, axis=0), -np.sort(highs.T, axis=0)


def _lowest(before: FloatArray, fresh: FloatArray, extremes: int) -> FloatArray:
    """Return [value, rank] the lowest of both, unordered."""
    both = np.concatenate([before, fresh], axis=1)
    return (
        both if both.shape[1] <= extremes else np.partition(both, extremes - 1, axis=1)[:, :extremes].copy()
    )


def _depths(block: FloatArray, lows: FloatArray, highs: FloatArray) -> NDArray[np.int64]:
    """Return [sample] how many of the nested bands contain it wholly, by bisection."""
    depths = np.zeros(len(block), dtype=np.int64)
    step = 1 << (len(lows).bit_length() - 1)
    while step:
        tried = np.minimum(depths + step, len(lows)) - 1
        inside = ((block >= lows[tried]) & (block <= highs[tried])).all(axis=-1)
        depths = np.where(inside, tried + 1, depths)
        step //= 2
    return depths
