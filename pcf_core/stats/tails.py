"""The shape of caprice and prejudice over occupations (PCF Fig. 7; BVF Fig. 10 and 16).

The papers call caprice fat-tailed and prejudice normal from drawn curves; here the numbers are given and the
reader decides.  scipy.stats takes a second to import, which no other command or page should pay: the
functions import it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray

# Below four values the unbiased kurtosis divides by zero; a spread this small beside the values is rounding.
FEWEST_VALUES = 4
SMALLEST_SPREAD = 1e-9


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
class NormalFit:
    """Normal distribution fitted by maximum likelihood to ``n`` values; ``sd`` divides by n and may be 0."""

    mean: float
    sd: float
    n: int


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

    largest = values.max()
    if values.size < FEWEST_VALUES or values.std() <= SMALLEST_SPREAD * largest:
        return None
    # It does not depend on the unit; in units of the largest value no fourth power underflows.
    return float(stats.kurtosis(values / largest, bias=False))


def normal_fit(prejudice: ArrayLike) -> NormalFit:
    """Fit a normal distribution to prejudice by maximum likelihood.

    Args:
        prejudice: [occupation] r_x^p, finite and >= 0.

    Raises:
        CriterionError: values that are not allowed.
    """
    from scipy import stats

    values = checked_risks(prejudice, "prejudice")
    mean, sd = stats.norm.fit(values)
    return NormalFit(mean=float(mean), sd=float(sd), n=values.size)


def checked_risks(values: ArrayLike, name: str) -> FloatArray:
    """Risks of at least one occupation: [occupation], finite and >= 0."""
    risks = np.asarray(values, dtype=np.float64)
    if risks.ndim != 1 or risks.size == 0 or not np.isfinite(risks).all() or (risks < 0).any():
        raise CriterionError(
            f"The {name} must be a list of finite numbers of at least 0, one for each occupation; "
            f"got the shape {list(risks.shape)}."
        )
    return risks
