"""One occupation: how far what a model says of it lies from what its text says, and how sure that is.

x is the lean of the occupation's documents, 2 · share − 1, y the model's mean stereotype, both −1 to 1.

The interval of y − x joins Wilson's of the share (1927,
doi:10.1080/01621459.1927.10502953) and that of y over templates by MOVER (Zou & Donner 2008,
doi:10.1002/sim.3095).  Its p value is that of the widest such interval that leaves out 0, where margins of y
widen in proportion to the normal quantile; false discoveries are controlled over occupations (Benjamini &
Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.errors import CriterionError
from pcf_core.records import FloatArray, Interval
from pcf_core.records.read import OccupationRead, ReadCount

LARGEST_QUANTILE = 38.0  # beyond, a normal's tail is no number


def occupations_read(
    counts: Sequence[ReadCount], y: FloatArray, intervals: Sequence[Interval], level: float
) -> tuple[OccupationRead, ...]:
    """[occupation] both leans, their difference and how sure it is.

    Args:
        counts: [occupation] what the text says.
        y: [occupation] mean stereotypes.
        intervals: [occupation] theirs over templates, at ``level``.
        level: inside (0, 1).

    Raises:
        CriterionError: another level.
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
            tilt=float(y[place]),
            lean_interval=Interval(level=level, low=float(low[place]), high=float(high[place])),
            tilt_interval=intervals[place],
            interval=Interval(
                level=level,
                low=float(y[place] - x[place] - below[place]),
                high=float(y[place] - x[place] + above[place]),
            ),
            p_value=float(p_values[place]),
            adjusted=float(adjusted[place]),
        )
        for place, count in enumerate(counts)
    )


def lean_interval(
    lean: ArrayLike, documents: ArrayLike, quantile: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval of a lean, [occupation] low and high, at a two-sided normal quantile."""
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
    known: float,
    quantile: ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """[occupation] how far y − x reaches below and above; ``ends`` [2, occupation] are y's at ``known``."""
    wider = np.asarray(quantile) / known
    low, high = lean_interval(x, documents, quantile)
    below = np.hypot(wider * (y - ends[0]), high - x)
    return below, np.hypot(wider * (ends[1] - y), x - low)


def _p_values(
    x: FloatArray, y: FloatArray, documents: FloatArray, ends: FloatArray, known: float
) -> FloatArray:
    """[occupation] two-sided p: twice the tail beyond the quantile whose interval ends at 0."""
    from scipy.special import ndtr

    size = np.abs(y - x)
    least, most = np.zeros(len(x)), np.full(len(x), LARGEST_QUANTILE)
    for _ in range(60):
        middle = (least + most) / 2
        below, above = _margins(x, y, documents, ends, known, middle)
        holds: NDArray[np.bool_] = np.where(y > x, below, above) < size
        least, most = np.where(holds, middle, least), np.where(holds, most, middle)
    return np.asarray(2 * ndtr(-least))
