"""How a single context moves r, r^p and r^c, and how skew that makes them.

The infinitesimal jackknife (Efron & Tibshirani 1993, ch. 21, doi:10.1201/9780429246593): with m the mean
stereotype and ∇ the gradient of J there, a draw moves r by J(s) − r, r^p by ∇ · (s − m), and r^c by the
difference.
"""

from __future__ import annotations

import numpy as np

from pcf_core.records import FloatArray
from pcf_core.risk import Criterion, Decomposition
from pcf_core.stats.resampling import TemplateUnit


def influences(stereotypes: FloatArray, parts: Decomposition, criterion: Criterion) -> dict[str, FloatArray]:
    """By quantity, [occupation, template]: how a draw of a template moves r, r^p and r^c (plug-in).

    Args:
        stereotypes: [occupation, template, group].
        parts: plug-in risks and mean stereotypes.
        criterion: its norm.
    """
    slope = criterion.gradient(parts.stereotype)
    deviations = stereotypes - parts.stereotype[:, np.newaxis]
    overall = criterion.of_stereotypes(stereotypes) - parts.overall[:, np.newaxis]
    prejudice = (deviations @ slope[:, :, np.newaxis])[:, :, 0]
    return {
        "overall_risk": overall,
        "prejudice_risk": prejudice,
        "caprice_risk": overall - prejudice,
    }


def moments(moves: FloatArray, unit: TemplateUnit) -> tuple[FloatArray, FloatArray]:
    """[...] variance and third central moment of a weighted mean, from influences [..., item].

    Both add up over what is drawn independently.
    """
    carried = unit.weights / np.maximum(unit.sizes, 1)
    return moves**2 @ (unit.sizes * carried**2), moves**3 @ (unit.sizes * carried**3)


def acceleration(*drawn: tuple[FloatArray, FloatArray]) -> FloatArray:
    """[...] a sixth of the skewness, from the moments of all that is drawn; 0 where nothing moves.

    Efron 1987, eq. 4.4 and 6.6 (doi:10.1080/01621459.1987.10478410).
    """
    variance, third = (np.sum(several, axis=0) for several in zip(*drawn, strict=True))
    cubed = variance**1.5  # of the s.d.; it underflows long before the variance does
    still = cubed <= np.finfo(float).tiny
    return np.asarray(np.where(still, 0.0, third / (6 * np.where(still, 1.0, cubed))))
