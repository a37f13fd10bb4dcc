"""Test whether a model copies, flattens, amplifies or reverses the gender preferences of its training text.

For each occupation, x = 2 · share − 1 is the preference of its documents (its lean) and y the model's mean
stereotype, both from −1 to 1.

**Slope.**  A model that copied its text would have slope 1 of y on x.  Because a share of n documents is also
a binomial sample, least squares is too flat (regression dilution).  The corrected slope subtracts the mean of
the error variances, 4 q (1 − q) / (n − 1), from the variance of x (method of moments with known error
variances, Fuller 1987, ch. 3.1, doi:10.1002/9780470316665) and bounds the rest from below.  Both slopes are
reported, and a verdict needs both.

**Intervals of slope and shift** resample pairs (x, y) of occupations and, independently, templates
(:mod:`pcf_core.measure.resampling`).  Documents are not resampled: the scatter of the pairs already contains
their noise.  Percentiles are widened for the degrees of freedom of the variance + 1, where occupations count
by leverage and templates as the effective number at the heaviest weight; widening for the heaviest template
alone made intervals over mined templates 1.5 to 2 times too wide.  In simulations (10 or more templates,
equal or with shipped weights; 12 to 83 occupations; normal, skewed or long-tailed residuals) 95 % intervals
of the corrected slope covered the truth in at least 93 %; with two or three very different templates, in 62
to 96 %.

**One occupation.**  The interval of y − x combines Wilson's interval of the share (1927,
doi:10.1080/01621459.1927.10502953) with that of y over templates by MOVER (Zou & Donner 2008,
doi:10.1002/sim.3095).  Its p-value belongs to the widest such interval that excludes 0, with margins of y
proportional to the normal quantile; false discoveries are controlled over occupations (Benjamini & Hochberg
1995, doi:10.1111/j.2517-6161.1995.tb02031.x).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import MOST_LEVERAGE, Amplification, OccupationRead, ReadCount, ReadLine
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.measure.bootstrap import acceleration, moments
from pcf_core.measure.regression import rank_correlation
from pcf_core.measure.resampling import (
    TemplateUnit,
    degrees_of_freedom,
    interval,
    percentiles,
    resampled_occupation_weights,
    resampled_template_weights,
)

# One occupation: how far the model's preference lies from its text's.


LARGEST_QUANTILE = 38.0  # beyond, the normal tail underflows


def occupations_read(
    counts: Sequence[ReadCount], y: FloatArray, intervals: Sequence[Interval], level: float
) -> tuple[OccupationRead, ...]:
    """Compare text and model for each [occupation], with p-values adjusted over all occupations.

    ``y`` [occupation] mean stereotypes; ``intervals`` [occupation] those of ``y`` over templates, at
    ``level``.
    """
    from scipy.stats import false_discovery_control

    if not 0 < level < 1:
        raise CriterionError(f"The level of an interval must lie between 0 and 1; got {level:g}.")
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    x = np.array([count.lean for count in counts])
    documents = np.array([count.documents for count in counts], dtype=np.float64)
    ends = np.array([(one.low, one.high) for one in intervals]).T
    low, high = lean_interval(x, documents, quantile)
    below, above = _margins(x, y, documents, ends, quantile, quantile)
    p_values = _p_values(x, y, documents, ends, quantile)
    adjusted = false_discovery_control(p_values)
    return tuple(
        OccupationRead(
            count=count,
            tilt=float(y[index]),
            lean_interval=Interval(level=level, low=float(low[index]), high=float(high[index])),
            tilt_interval=intervals[index],
            interval=Interval(
                level=level,
                low=float(y[index] - x[index] - below[index]),
                high=float(y[index] - x[index] + above[index]),
            ),
            p_value=float(p_values[index]),
            adjusted=float(adjusted[index]),
        )
        for index, count in enumerate(counts)
    )


def lean_interval(
    lean: ArrayLike, documents: ArrayLike, quantile: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval of x = 2 · share − 1, [occupation] low and high.

    ``quantile``: two-sided, of a normal.
    """
    share, n = (np.asarray(lean) + 1) / 2, np.asarray(documents)
    z = np.asarray(quantile, dtype=np.float64)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.asarray(2 * (middle - half) - 1), np.asarray(2 * (middle + half) - 1)


def _margins(
    x: FloatArray,
    y: FloatArray,
    documents: FloatArray,
    ends: FloatArray,
    own_quantile: float,
    quantile: ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Return [occupation] margins of y − x below and above, with ``ends`` [2, occupation] of y."""
    wider = np.asarray(quantile) / own_quantile
    low, high = lean_interval(x, documents, quantile)
    below = np.hypot(wider * (y - ends[0]), high - x)
    return below, np.hypot(wider * (ends[1] - y), x - low)


def _p_values(
    x: FloatArray, y: FloatArray, documents: FloatArray, ends: FloatArray, own_quantile: float
) -> FloatArray:
    """Return [occupation] two-sided p-values: twice the tail beyond the quantile whose interval ends at 0."""
    from scipy.special import ndtr

    size = np.abs(y - x)
    least, most = np.zeros(len(x)), np.full(len(x), LARGEST_QUANTILE)
    for _ in range(60):
        middle = (least + most) / 2
        below, above = _margins(x, y, documents, ends, own_quantile, middle)
        holds: NDArray[np.bool_] = np.where(y > x, below, above) < size
        least, most = np.where(holds, middle, least), np.where(holds, most, middle)
    return np.asarray(2 * ndtr(-least))


FEWEST = 10  # occupations, as for a line through a factor
LEAST_RELIABILITY = 0.5  # below, most of the variance of x is noise
LEAST_LEFT = 0.05  # of the variance of x in a resample
LEAST_SPREAD = 1e-12
PLACES = 41


@dataclass(frozen=True)
class _Both:
    """Hold by occupation x, its error variances ``noise``, y, and stereotypes [occupation, template]."""

    x: FloatArray
    noise: FloatArray
    y: FloatArray
    stereotypes: FloatArray
    unit: TemplateUnit

    def skew_and_units(
        self, of_occupations: FloatArray, by_template: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return […] a sixth of a statistic's skewness, and the number of units to widen percentiles for.

        ``of_occupations`` […, occupation]: influence of each on the statistic, up to a constant.
        ``by_template`` […, occupation]: factor by which its stereotypes move the statistic, in the same unit.
        """
        many = self.x.size
        occupations = TemplateUnit.templates(np.ones(many))
        moved = of_occupations - of_occupations.mean(axis=-1, keepdims=True)
        templates = by_template @ (self.stereotypes - self.y[:, np.newaxis]) / many
        drawn = self.unit.means(templates)
        drawn = drawn - self.unit.about(drawn, np.zeros(1))
        counted = degrees_of_freedom(np.moveaxis(by_template**2, -1, 0), 1.0)
        freedom = degrees_of_freedom(
            [moved**2 @ occupations.variance_weights, drawn**2 @ self.unit.variance_weights],
            [np.minimum(counted, many - 1), np.full_like(counted, self.unit.fewest - 1)],
        )
        return acceleration(moments(moved, occupations), moments(templates, self.unit)), 1 + freedom


@dataclass(frozen=True)
class _Moments:
    """Hold [resample] means of x and y, variance of x and its share of sampling error, and covariance."""

    x: FloatArray
    y: FloatArray
    spread: FloatArray
    noise: FloatArray
    joint: FloatArray

    def rows(self, chosen: NDArray[np.bool_]) -> _Moments:
        return _Moments(*(getattr(self, name)[chosen] for name in ("x", "y", "spread", "noise", "joint")))

    @property
    def plain(self) -> FloatArray:
        return np.asarray(self.joint / self.spread)

    @property
    def left(self) -> FloatArray:
        """The variance of x without sampling error."""
        return np.asarray(np.maximum(self.spread - self.noise, LEAST_LEFT * self.spread))

    @property
    def slope(self) -> FloatArray:
        return np.asarray(self.joint / self.left)

    @property
    def reliability(self) -> FloatArray:
        """The share of the variance of x that is not sampling error."""
        return np.asarray(1 - self.noise / self.spread)

    @property
    def intercept(self) -> FloatArray:
        return np.asarray(self.y - self.slope * self.x)


def amplification_of(
    counts: Sequence[ReadCount],
    stereotypes: FloatArray,
    unit: TemplateUnit,
    intervals: Sequence[Interval],
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Amplification:
    """Compare a model with its text, for each occupation and over all of them, equally weighted.

    ``counts`` [occupation], of at least 2 documents each; ``stereotypes`` [occupation, template] towards
    *male* against an even split, −1 to 1; ``unit`` resampled for the intervals of occupations (shift and
    slope resample whole templates); ``intervals`` [occupation] of mean stereotypes over templates, at
    ``level``.  Raises CriterionError for no occupation, axes that differ, fewer than two documents, or a
    level outside (0, 1).
    """
    both = _both(counts, stereotypes, unit, intervals)
    x, y = both.x, both.y
    plug_in = _moments(both, np.full((1, x.size), 1 / x.size), y[np.newaxis])
    drawn = np.concatenate(list(resampled_occupation_weights(np.ones(x.size), resamples, seed)))
    moved = np.concatenate(
        [block @ stereotypes.T for block in resampled_template_weights(both.unit, resamples, seed)]
    )
    shifts = np.einsum("bx,bx->b", drawn, moved) - drawn @ x
    no_line = _why_no_line(x, plug_in)
    skew, units = both.skew_and_units(y - x, np.ones(x.size))
    ranks = rank_correlation(x, y)
    return Amplification(
        occupations=occupations_read(counts, y, intervals, level),
        shift=float((y - x).mean()),
        shift_interval=interval(
            percentiles(shifts, level, float(units), skew), level, "both", both.unit.name
        ),
        line=None if no_line else _line(both, plug_in, _moments(both, drawn, moved), level),
        no_line=no_line,
        ranks=(ranks.spearman, ranks.spearman_interval) if ranks else None,
    )


def _both(
    counts: Sequence[ReadCount], stereotypes: FloatArray, unit: TemplateUnit, intervals: Sequence[Interval]
) -> _Both:
    """Check counts and stereotypes, and compute x, its error variances and y."""
    shape = (len(counts), unit.weights.size)
    if not counts or stereotypes.shape != shape or len(intervals) != len(counts):
        raise CriterionError(
            "A model and its text can be compared only over the same occupations, at least one; got "
            f"{len(counts)} counts, stereotypes of the shape {list(stereotypes.shape)} and {len(intervals)} "
            f"intervals for {unit.weights.size} templates."
        )
    documents = np.array([count.documents for count in counts], dtype=np.float64)
    if documents.min() < 2:
        raise CriterionError(
            "The uncertainty of a text's preference can be calculated from 2 documents: leave out "
            "occupations with fewer."
        )
    shares = np.array([count.share for count in counts])
    noise = 4 * shares * (1 - shares) / (documents - 1)
    return _Both(2 * shares - 1, noise, stereotypes @ unit.weights, stereotypes, unit.whole)


def _moments(both: _Both, weights: FloatArray, y: FloatArray) -> _Moments:
    """Return moments under weights [resample, occupation] that sum to 1, with y of the same shape."""
    x = both.x
    mean_x, mean_y = weights @ x, np.einsum("bx,bx->b", weights, y)
    return _Moments(
        x=mean_x,
        y=mean_y,
        spread=weights @ x**2 - mean_x**2,
        noise=(1 - 1 / x.size) * (weights @ both.noise),
        joint=np.einsum("bx,bx->b", weights * x, y) - mean_x * mean_y,
    )


def _why_no_line(x: FloatArray, plug_in: _Moments) -> str:
    """Return why no slope is reported, as the end of a sentence, or an empty string."""
    if len(x) < FEWEST:
        return f"{len(x)} occupations, fewer than {FEWEST}"
    if np.ptp(x) < 1e-9:
        return "the text has the same preference for all occupations"
    if plug_in.reliability[0] < LEAST_RELIABILITY:
        return "there are too few documents to distinguish the preferences for the occupations"
    if 1 / len(x) + ((x - x.mean()) ** 2).max() / (len(x) * plug_in.spread[0]) > MOST_LEVERAGE:
        return "one occupation has more influence on the slope than all others together"
    return ""


def _line(both: _Both, plug_in: _Moments, again: _Moments, level: float) -> ReadLine:
    """Fit the corrected line with its band, and the plain slope."""
    again = again.rows(again.spread > LEAST_SPREAD)  # without a spread of x there is no slope
    slope, plain = float(plug_in.slope[0]), float(plug_in.plain[0])
    x, y = both.x - both.x.mean(), both.y - both.y.mean()

    def of_slope(value: float, noise: FloatArray) -> FloatArray:
        """Return [occupation] influence on a slope, times the remaining variance of x."""
        return np.asarray(x * (y - value * x) + value * noise)

    def around(value: float, replicates: FloatArray, noise: FloatArray) -> Interval:
        skew, units = both.skew_and_units(of_slope(value, noise), x)
        return interval(percentiles(replicates, level, float(units), skew), level, "both", both.unit.name)

    grid = np.linspace(both.x.min(), both.x.max(), PLACES)
    lines = again.intercept[:, np.newaxis] + again.slope[:, np.newaxis] * grid
    away = ((grid - both.x.mean()) / plug_in.left)[:, np.newaxis]
    _, units = both.skew_and_units(y - slope * x + away * of_slope(slope, both.noise), 1 + away * x)
    low, high = np.transpose(
        [percentiles(line, level, float(many)) for line, many in zip(lines.T, units, strict=True)]
    )
    return ReadLine(
        slope=slope,
        interval=around(slope, again.slope, both.noise),
        plain=plain,
        plain_interval=around(plain, again.plain, np.zeros_like(both.noise)),
        intercept=float(plug_in.intercept[0]),
        reliability=float(plug_in.reliability[0]),
        x=grid,
        mean=plug_in.intercept[0] + slope * grid,
        low=low,
        high=high,
    )
