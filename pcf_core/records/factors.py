"""Risk against figures of the occupations: points, fitted lines, panels (PCF Eq. 12 and Fig. 6; BVF C.2).

``x`` is the factor on the scale that is fitted (its base-10 logarithm where :attr:`FactorScale.log`), the
risk is r_x, r_x^p or r_x^c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pcf_core.records.base import FloatArray, LeftOut, digest
from pcf_core.records.risk import Interval

Quantity = Literal["overall_risk", "prejudice_risk", "caprice_risk"]

MOST_LEVERAGE = 0.5  # above, a point decides more of its own fitted value than all others together


@dataclass(frozen=True)
class FactorScale:
    """How a factor is measured and told.

    ``noun``: its name in a sentence; ``title``: with its unit; ``more``: the direction of the axis.
    ``step``: a slope is told per so much of ``x``, ``per`` names it, and ``whose`` occupations that have so
    much more.
    """

    name: str
    noun: str
    title: str
    more: str
    step: float
    per: str
    whose: str
    log: bool = False


@dataclass(frozen=True)
class FactorPoint:
    """One line of the statistics, or one word.

    ``words``: the occupations that stand for it; ``risk`` is their mean.  ``value``: the factor, before any
    logarithm.  ``weight``: thousands employed (a user's own file: its weights), ``None`` where unknown.
    ``at_least``: the statistics stop at this value.
    """

    label: str
    words: tuple[str, ...]
    value: float
    risk: float
    weight: float | None = None
    at_least: bool = False


@dataclass(frozen=True)
class Carrier:
    """The point on which the slope hangs most: one of leverage above one half, else that whose absence would
    change the slope most.

    ``leverage``: its share in its own fitted value, 0 to 1.  ``slope``, ``interval``: of the line through all
    others; ``None`` where they determine none.
    """

    label: str
    leverage: float
    slope: float | None
    interval: Interval | None


@dataclass(frozen=True)
class LineFit:
    """Risk = ``intercept`` + ``slope`` · x by least squares, with errors of the kind HC3.

    ``interval``: of the slope, Student's t with n − 2 degrees of freedom.  ``p_value``: of no slope;
    ``adjusted_p``: the same corrected for all slopes that were tested together, ``None`` where that was not
    done.  ``r_squared``: share of the (weighted) variation of the risk.  ``effective_n``: (Σ w)² / Σ w² of
    the weights, ``n`` without.  ``x``, ``mean``, ``low``, ``high``: [place] the line and its pointwise band,
    from the lowest point to the highest.
    """

    n: int
    effective_n: float
    intercept: float
    slope: float
    slope_error: float
    interval: Interval
    p_value: float
    r_squared: float
    x: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    carrier: Carrier
    adjusted_p: float | None = None

    @property
    def carried(self) -> bool:
        """Whether one point carries the slope.

        Its leverage is above one half, or without it the slope moves by over a standard error, or an interval
        that excludes 0 no longer does.
        """
        carrier = self.carrier
        if carrier.leverage > MOST_LEVERAGE or carrier.slope is None or carrier.interval is None:
            return True
        lost = excludes_zero(self.interval) and not excludes_zero(carrier.interval)
        return lost or abs(self.slope - carrier.slope) > self.slope_error


@dataclass(frozen=True)
class FactorPanel:
    """One factor against one kind of risk.

    ``ols``: every point counts alike; ``wls``: by its weight, the points without one left out; ``no_ols`` and
    ``no_wls`` say why a line is missing.  ``left_out``: occupations that are no point, with the reason.
    """

    scale: FactorScale
    quantity: Quantity
    points: tuple[FactorPoint, ...]
    ols: LineFit | None
    wls: LineFit | None
    no_ols: str = ""
    no_wls: str = ""
    left_out: tuple[LeftOut, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class OwnFactor:
    """A user's own figures: term (lower case) -> value, and term -> weight where one is given.

    ``left_out``: rows without a value.
    """

    title: str
    values: Mapping[str, float]
    weights: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    @property
    def hash(self) -> str:
        """Hash of all that is shown."""
        rows = sorted((item.name, item.reason) for item in self.left_out)
        return digest([self.title, sorted(self.values.items()), sorted(self.weights.items()), rows])


def excludes_zero(interval: Interval) -> bool:
    return interval.low > 0 or interval.high < 0
