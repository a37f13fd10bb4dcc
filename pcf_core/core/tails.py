"""The shape of caprice and prejudice over occupations, fitted: what charts, findings and tables read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval

Distribution = Literal["generalised Pareto", "lognormal", "exponential"]
Verdict = Literal[
    "heavier than exponential over the observed range",
    "lighter than exponential over the observed range",
    "cannot tell",
    "too few to fit",
]


@dataclass(frozen=True)
class CapriceTail:
    """How caprice is distributed over occupations.

    ``values``: [occupation] r_x^c.  ``n``: how many.  ``zero_share``: share of exact zeros, the occupations
    whose stereotype keeps its sign over all templates.  ``excess_kurtosis``: of all values, zeros included,
    unbiased under normality, 0 for a normal distribution; ``None`` for fewer than four values or no spread.
    """

    values: FloatArray
    n: int
    zero_share: float
    excess_kurtosis: float | None


@dataclass(frozen=True)
class TailFit:
    """One distribution fitted to the positive values by maximum likelihood.

    ``parameters``: by name.  ``log_likelihood``: natural logarithm, of all positive values together.
    ``survival``: [point] P(X > x) on the grid of the :class:`TailShape`.  ``distance``: Anderson and
    Darling's A², ``p_value``: share of samples from the fit that lie at least as far from their own fit.
    ``beyond``: the mass that the fit puts where no value can be; ``None`` where the largest possible value
    is not known.
    """

    distribution: Distribution
    parameters: Mapping[str, float]
    log_likelihood: float
    survival: FloatArray
    distance: float
    p_value: float
    beyond: float | None

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 (parameters − log-likelihood): less is better."""
        return 2 * (len(self.parameters) - self.log_likelihood)


@dataclass(frozen=True)
class Comparison:
    """The generalised Pareto distribution against another one.

    ``statistic``: of a nested pair 2 Δℓ, of others Vuong's z; ``better``: the one with the higher likelihood.
    ``p_value``: two-sided, that of two distributions which describe the values equally well.
    """

    against: Distribution
    statistic: float
    p_value: float
    better: Distribution


@dataclass(frozen=True)
class UpperTail:
    """The generalised Pareto distribution of what values exceed a threshold by; the verdict rests on it.

    ``threshold``: the lowest that was tried over which it fits, 0 for all values.  ``size``: how many of
    ``of`` positive values lie above.  ``shape``: ξ, 0 is exponential, with its profile likelihood interval.
    ``distance``: Anderson and Darling's A², ``goodness``: share of samples from the fit that lie at least as
    far from their own fit.  ``ratio``: 2 Δℓ against the exponential distribution, ``p_value``: that of
    exponential excesses.  ``grid``, ``survival``: [point] values from the threshold on, and P(X > x) of the
    positive values there.
    """

    threshold: float
    size: int
    of: int
    shape: float
    scale: float
    shape_interval: Interval
    distance: float
    goodness: float
    ratio: float
    p_value: float
    grid: FloatArray
    survival: FloatArray

    @property
    def share(self) -> float:
        """The share of the positive values that lie above the threshold."""
        return self.size / self.of


@dataclass(frozen=True)
class HillPlot:
    """Hill's tail index ξ (1/α) from the ``order`` largest values: [order], with its pointwise 95 % band."""

    order: FloatArray
    index: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class TailShape:
    """The positive values of caprice and what fits them.

    ``positive``: [value] > 0, smallest first.  ``largest``: what no value can exceed, ``None`` where not
    known.  ``fits`` and ``comparisons``: of all positive values, as the papers have them.  ``tail``: that of
    the upper values, of which the verdict is; ``None`` where no threshold has one.  ``grid``: [point] values
    at which the survival of each fit is given.  Where too few values are positive, or all are equal, nothing
    is fitted: ``fits`` and ``comparisons`` are empty, the others ``None``.
    """

    positive: FloatArray
    verdict: Verdict
    largest: float | None = None
    fits: tuple[TailFit, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    tail: UpperTail | None = None
    grid: FloatArray | None = None
    hill: HillPlot | None = None

    def fit(self, distribution: Distribution) -> TailFit | None:
        """Return the fit of a distribution; ``None`` where it was not fitted."""
        return next((fit for fit in self.fits if fit.distribution == distribution), None)

    def against(self, distribution: Distribution) -> Comparison | None:
        """Return the comparison with a distribution; ``None`` where there is none."""
        return next((found for found in self.comparisons if found.against == distribution), None)


@dataclass(frozen=True)
class NormalFit:
    """Normal distribution fitted by maximum likelihood to ``n`` values; ``sd`` divides by n and may be 0."""

    mean: float
    sd: float
    n: int


@dataclass(frozen=True)
class NormalShape:
    """How close values are to their normal fit.

    ``statistic``, ``p_value``: Shapiro and Wilk's W and its p; ``None`` where they are not defined.
    ``ordered``: [value], smallest first; ``expected``: [value] what a normal distribution of this mean and
    s.d. would put there; ``low``, ``high``: [value] the band in which 95 % of normal samples, standardised
    like these values, lie with all their points.  The band is ``None`` without a spread or for few values.
    """

    fit: NormalFit
    ordered: FloatArray
    expected: FloatArray
    statistic: float | None = None
    p_value: float | None = None
    low: FloatArray | None = None
    high: FloatArray | None = None

    @property
    def outside(self) -> int:
        """How many values lie outside the band."""
        if self.low is None or self.high is None:
            return 0
        return int(((self.ordered < self.low) | (self.ordered > self.high)).sum())
