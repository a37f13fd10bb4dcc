"""When a sampling plan is looked at, and how wide its intervals are there.

Draws go on until the intervals are narrow, and whoever may stop when the numbers please must pay for it.  The
plan looks at fixed sizes only, 100 draws and each time as many again, K of them; the chance of an error, 5 %,
is divided equally among the looks, so that each interval is one of level 1 − 0.05/K.  The chance that any of
K such intervals misses is at most 5 % (Bonferroni), hence also that of the one at which it stops, whatever
the rule: the interval shown is a 95 % interval after all.

K is the smallest number with which the last look always meets the goal: on the PCF scale with the uniform
reference no draw moves a figure by more than 2, nor has a standard deviation above 1.  What an interval adds
for the bias that may be left at a kink (:mod:`pcf_core.stats.draws`) is less than one standard error more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from statistics import NormalDist

from pcf_core.errors import CriterionError

FIRST_LOOK = 100
LEVEL = 0.95
NARROWEST, WIDEST = 0.001, 0.1


@dataclass(frozen=True)
class Looks:
    """``sizes``: draws at each look.  ``level``: of each look's interval; ``quantile``: its half-width in
    standard errors."""

    sizes: tuple[int, ...]
    level: float
    quantile: float


def looks(within: float) -> Looks:
    """The looks of a plan whose intervals shall have half-widths of at most ``within``.

    Raises:
        CriterionError: a half-width outside 0.001 to 0.1.
    """
    if not NARROWEST <= within <= WIDEST:
        raise CriterionError(
            f"The half-width to stop at (--within) must lie between {NARROWEST:g} and {WIDEST:g}; "
            f"got {within:g}: choose one in between, or score every template."
        )
    for number in count(1):
        level = 1 - (1 - LEVEL) / number
        quantile = NormalDist().inv_cdf((1 + level) / 2)
        last = FIRST_LOOK * 2 ** (number - 1)
        if (quantile + 1) * math.sqrt(1 / (last - 1) + (2 / last) ** 2) <= within:
            break
    return Looks(tuple(FIRST_LOOK * 2**look for look in range(number)), level, quantile)
