"""Fitted distributions of caprice and prejudice over occupations, for charts, findings and tables."""

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
    """The distribution of caprice over occupations.

    ``values`` [occupation]: r_x^c.  ``zero_share``: share of exact zeros, occupations whose stereotype never
    changes sign.  ``excess_kurtosis``: of all ``n`` values, unbiased under normality, 0 for a normal
    distribution; ``None`` for fewer than four values or no spread.
    """

    values: FloatArray
    n: int
    zero_share: float
    excess_kurtosis: float | None


@dataclass(frozen=True)
class TailFit:
    """One distribution fitted to the positive values by maximum likelihood.

    ``survival`` [point]: P(X > x) on the grid of :class:`TailShape`.  ``distance``: Anderson–Darling A²;
    ``p_value``: share of samples from the fit at least as far from their own fit.  ``beyond``: fitted
    probability beyond the largest possible value, if known.
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
class LikelihoodRatioTest:
    """The generalised Pareto distribution compared with another.

    ``statistic``: 2 Δℓ if nested, otherwise Vuong's z; ``better``: the one with the higher likelihood.
    ``p_value``: two-sided, of an equally good fit.
    """

    against: Distribution
    statistic: float
    p_value: float
    better: Distribution


@dataclass(frozen=True)
class UpperTail:
    """The generalised Pareto distribution of excesses over a threshold, the basis of the verdict.

    ``threshold``: the lowest tried one that fits, 0 for all values.  ``size`` of ``of`` positive values lie
    above. ``shape``: ξ, 0 for exponential, with its profile likelihood interval.  ``distance``:
    Anderson–Darling A²; ``goodness``: share of samples from the fit at least as far from their own fit.
    ``ratio``: 2 Δℓ against the exponential; ``p_value``: under exponential excesses.  ``grid``, ``survival``
    [point]: values from the threshold on, and P(X > x) of the positive values.
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
        """The share of the positive values above the threshold."""
        return self.size / self.of


@dataclass(frozen=True)
class HillPlot:
    """Hill's tail index ξ (1/α) from the ``order`` largest values, with its pointwise 95 % band."""

    order: FloatArray
    index: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class TailShape:
    """The positive values of caprice and their fits.

    ``positive`` [value] > 0, ascending.  ``largest``: upper limit of values, if known.  ``fits``,
    ``comparisons``: of all positive values, as in the papers.  ``tail``: of the upper values, the basis of
    the verdict, if a threshold has one. ``grid`` [point]: where survival is given.  With too few or equal
    values nothing is fitted.
    """

    positive: FloatArray
    verdict: Verdict
    largest: float | None = None
    fits: tuple[TailFit, ...] = ()
    comparisons: tuple[LikelihoodRatioTest, ...] = ()
    tail: UpperTail | None = None
    grid: FloatArray | None = None
    hill: HillPlot | None = None

    def fit(self, distribution: Distribution) -> TailFit | None:
        """Return the fit of a distribution, if any."""
        return next((fit for fit in self.fits if fit.distribution == distribution), None)

    def against(self, distribution: Distribution) -> LikelihoodRatioTest | None:
        """Return the comparison with a distribution, if any."""
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

    ``statistic``, ``p_value``: Shapiro–Wilk W and its p, if defined.  ``ordered`` [value]: ascending;
    ``expected`` [value]: under the fit; ``low``, ``high`` [value]: the band that contains all points of 95 %
    of normal samples, standardised like these values; ``None`` without a spread or for few values.
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
