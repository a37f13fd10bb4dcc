"""How far two trainings of one recipe may differ, going by a few seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcf_core.errors import CriterionError


def seed_bound(risks: Sequence[float], level: float = 0.95) -> float:
    """The size that the difference of two further trainings stays under with probability ``level``.

    The difference of two independent values of one normal distribution has √2 times its s.d.; with the s.d.
    estimated from n seeds, |difference| ≤ t · s · √2 with t of n − 1 degrees of freedom: a prediction
    interval (Hahn & Meeker 1991, Statistical Intervals, ch. 4, doi:10.1002/9780470316771).  With three seeds
    t is 4.30, so that the bound is 6.1 s.d.: few seeds say little.

    Figures of trainings are taken as normal.  That is poor for a caprice near 0, never below 0 and skewed:
    those of mini-gpt-s, 0.0009 to 0.0038, have logarithms of s.d. 0.7, and where logarithms are normal with
    that s.d., 91 % of differences stay under a bound from three seeds that says 95 %.

    Args:
        risks: [seed] one figure a training, at least two.
        level: inside (0, 1).

    Raises:
        CriterionError: fewer than two risks, one that is not finite, a level outside (0, 1).
    """
    values = np.asarray(risks, dtype=np.float64)
    if values.size < 2 or not np.isfinite(values).all():
        raise CriterionError(
            f"The spread over seeds needs at least two finite risks; got {list(risks)}: train more seeds."
        )
    if not 0 < level < 1:
        raise CriterionError(f"A level lies inside 0 and 1; got {level}: give 0.95.")
    from scipy.special import stdtrit

    quantile = float(stdtrit(values.size - 1, (1 + level) / 2))
    return quantile * float(values.std(ddof=1)) * math.sqrt(2)
