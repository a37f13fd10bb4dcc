"""The tail of caprice over occupations (PCF Fig. 7; BVF Fig. 10 and 16).

The papers call caprice fat-tailed from drawn curves, some of them moved by hand.  Here distributions are
fitted by maximum likelihood, compared and tested.  Every occupation counts once, without weights.

A risk is bounded, so no tail goes on for ever: "heavier" is said of the observed range alone.  Exact zeros
are counted and not fitted: they are occupations whose stereotype never changes its sign.  scipy.stats takes a
second to import, which no other command or page should pay: the functions import it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval
from pcf_core.records.tails import (
    CapriceTail,
    Comparison,
    HillPlot,
    TailFit,
    TailShape,
    Verdict,
)
from pcf_core.stats.tail_fits import (
    LOWEST_SHAPE,
    NAMES,
    Fitted,
    anderson_darling,
    fitted,
    scale_at,
)

# Below four values the unbiased kurtosis divides by zero; a spread this small beside the values is rounding.
FEWEST_VALUES = 4
SMALLEST_SPREAD = 1e-9
FEWEST_FITTED = 30
RESAMPLES = 999
LEVEL = 0.95
POINTS = 120  # of a drawn curve
WIDEST_SHAPE = 64.0


def caprice_tail(caprice: ArrayLike) -> CapriceTail:
    """Describe the distribution of caprice.

    Args:
        caprice: [occupation] r_x^c, finite and >= 0.

    Raises:
        CriterionError: values that are not allowed.
    """
    values = checked_risks(caprice, "caprice")
    return CapriceTail(
        values=values,
        n=values.size,
        zero_share=float(np.mean(values == 0)),
        excess_kurtosis=excess_kurtosis(values),
    )


def excess_kurtosis(values: FloatArray) -> float | None:
    """Unbiased excess kurtosis of [n] values >= 0 (Fisher's g2 corrected), ``None`` where it is undefined."""
    from scipy import stats

    if values.size < FEWEST_VALUES or without_spread(values):
        return None
    # It does not depend on the unit; in units of the largest value no fourth power underflows.
    return float(stats.kurtosis(values / values.max(), bias=False))


def tail_shape(
    caprice: ArrayLike, largest: float | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> TailShape:
    """Fit the positive values of caprice, compare the fits, and say how heavy the tail is.

    The verdict is that of the likelihood ratio between the generalised Pareto and the exponential
    distribution at the 5 % level, and "cannot tell" as well where the generalised Pareto does not fit.

    Args:
        caprice: [occupation] r_x^c, finite and >= 0.
        largest: what no value can exceed, as far as it is known.
        resamples: samples of the parametric bootstraps.
        seed: decides them.

    Raises:
        CriterionError: values that are not allowed.
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
    shape = float(fits["generalised Pareto"].parameters["shape"][0])
    comparisons = (
        Comparison(
            against="exponential",
            statistic=float(ratio),
            p_value=simulated_p(float(ratio), null_ratios),
            better="generalised Pareto",
        ),
        vuong(fits["generalised Pareto"], fits["lognormal"], positive),
    )
    grid = np.geomspace(positive[0], positive[-1], POINTS)
    found = tuple(described(fits[name], positive, draws[name], grid, largest) for name in NAMES)
    return TailShape(
        positive=positive,
        verdict=verdict(shape, comparisons[0].p_value, found[0].p_value),
        largest=largest,
        fits=found,
        comparisons=comparisons,
        shape=shape,
        shape_interval=shape_interval(positive, float(np.quantile(null_ratios, LEVEL, method="higher"))),
        grid=grid,
        hill=hill_plot(positive),
    )


def verdict(shape: float, p_value: float, goodness: float) -> Verdict:
    """What the fits say of the tail; ``goodness`` is the p-value of the generalised Pareto fit itself."""
    if p_value > 1 - LEVEL or goodness <= 1 - LEVEL:
        return "cannot tell"
    if shape > 0:
        return "heavier than exponential over the observed range"
    return "lighter than exponential over the observed range"


def likelihood_ratio(values: FloatArray) -> FloatArray:
    """[...] 2 Δℓ >= 0 of generalised Pareto against exponential, for each sample of [..., value] > 0.

    ξ = 0 lies inside the shapes allowed, so that no mixture for a boundary is needed and χ² with one degree
    of freedom is the limit; with 30 exponential values it would reject 8 to 9 % instead of 5.  Under the
    exponential the ratio does not depend on the scale, so samples of the same size give its exact law.
    """
    general, simple = fitted("generalised Pareto", values), fitted("exponential", values)
    difference = general.log_density(values).sum(axis=-1) - simple.log_density(values).sum(axis=-1)
    return np.asarray(2 * difference).clip(min=0.0)


def vuong(first: Fitted, second: Fitted, values: FloatArray) -> Comparison:
    """Vuong's test of two fits that are not nested, with as many parameters (1989, doi:10.2307/1912557)."""
    from scipy import stats

    gains = first.log_density(values) - second.log_density(values)
    statistic = float(math.sqrt(values.size) * gains.mean() / gains.std())
    return Comparison(
        against=second.distribution,
        statistic=statistic,
        p_value=float(2 * stats.norm.sf(abs(statistic))),
        better=first.distribution if statistic > 0 else second.distribution,
    )


def described(
    fit: Fitted, values: FloatArray, draws: FloatArray, grid: FloatArray, largest: float | None
) -> TailFit:
    """A fit with its goodness, from [sample, value] draws of it that are fitted anew (Stute et al. 1993)."""
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
    """The share of simulated statistics, this one among them, that are at least as large."""
    return float((1 + np.sum(simulated >= statistic)) / (1 + simulated.size))


def shape_interval(values: FloatArray, cutoff: float) -> Interval:
    """The shapes ξ ≥ −1 whose profile likelihood ratio does not exceed ``cutoff``, for [value] > 0.

    With the 95 % quantile that the ratio has at ξ = 0, the interval holds 0 just where the test does not
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

    lowest = LOWEST_SHAPE + 1e-3  # at −1 itself the end of the distribution is the largest value
    low = brentq(excess, lowest, shape) if shape > lowest and excess(lowest) > 0 else LOWEST_SHAPE
    step = 0.5
    while excess(shape + step) < 0 and step < WIDEST_SHAPE:
        step *= 2
    return Interval(
        over="occupations", low=float(low), high=float(brentq(excess, shape, shape + step)), unit="occupation"
    )


def hill_plot(positive: FloatArray) -> HillPlot:
    """Hill's estimate of ξ from the k largest of [value] > 0, sorted (1975, doi:10.1214/aos/1176343247).

    The mean of log(x_i / x_{k+1}) over the k largest.  Above a power law it is ξ times a mean of k standard
    exponentials, which gives the band; where the tail is no power law it still gives a number above 0.
    """
    from scipy import stats

    logs = np.log(positive[::-1])
    order = np.arange(1.0, positive.size)
    index = np.cumsum(logs)[:-1] / order - logs[1:]
    ends = [stats.chi2.ppf(0.5 + side * LEVEL / 2, 2 * order) for side in (1, -1)]
    low, high = (2 * order * index / end for end in ends)
    return HillPlot(order=order, index=index, low=low, high=high)


def without_spread(values: FloatArray) -> bool:
    """Whether [value] >= 0 differ by no more than rounding."""
    return bool(values.std() <= SMALLEST_SPREAD * values.max())


def checked_risks(values: ArrayLike, name: str) -> FloatArray:
    """Risks of at least one occupation: [occupation], finite and >= 0."""
    risks = np.asarray(values, dtype=np.float64)
    if risks.ndim != 1 or risks.size == 0 or not np.isfinite(risks).all() or (risks < 0).any():
        raise CriterionError(
            f"The {name} must be a list of finite numbers of at least 0, one for each occupation; "
            f"got the shape {list(risks.shape)}."
        )
    return risks
