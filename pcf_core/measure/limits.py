"""Decide whether a value is within a limit, from its interval, at once or in several looks.

**Verdict.**  A value is *within* a limit if its whole interval is, *exceeds* it if its whole interval lies
above, and otherwise we *cannot tell*.  With an interval of level 1 − e over whole templates, a verdict is
wrong with a probability of at most e, as far as the interval has its nominal coverage
(docs/measured-coverage.md).  Several limits share one error equally (Bonferroni).

**Looks** at growing sets of templates allow scoring to stop once the verdicts are clear.  Templates are
ordered independently of scores, heaviest first, and looked at after an eighth, a quarter, half and all of
them, except with fewer than 20 templates or an effective number below five.  A look spends the share of half
of the error that matches its share of new templates (linear spending, Lan & DeMets 1983,
doi:10.1093/biomet/70.3.659), and its interval has the level 1 − what it spends: by Bonferroni the chance that
any of them misses is at most the error, although such intervals miss up to twice as often as their level says
(docs/gate.md).  The last look is the usual interval over all templates at a stricter level.  Like every
interval over whole templates this assumes that rare templates are contexts of the same population.  ``python
-m benchmarks.gate`` simulates the error and compares the first looks at shipped results with all templates.

**An interval of zero width** ignores contexts that were not sampled.  With n effective templates, a share u =
1 − (e/2)^(1/n) of all contexts can have been missed with probability e/2 (with e = 0.1 about 3/n, the rule of
three; Hanley & Lippman-Hand 1983, doi:10.1001/jama.1983.03330370053031).  On the scale that ends at 1 these
move R by at most u, and R^p, R^c and a mean stereotype by at most 2u, so the interval becomes ± 2u.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.risk import ROUNDING
from pcf_core.measure.criterion import normalised
from pcf_core.measure.resampling import TemplateUnit, effective_number

LimitVerdict = Literal["within", "exceeds", "cannot tell"]

PARTS = (1 / 8, 1 / 4, 1 / 2)  # of the templates, before all of them
FEWEST, FEWEST_EFFECTIVE = 20, 5.0  # templates of a look before the last, and their effective number
SPENT = 0.5  # share of the error that several looks aim at
LEAST_ERROR = 0.0005  # of one interval: resamples do not resolve tails further out
RESAMPLES, BEYOND = 2000, 10  # at least, and so many of them beyond each end of an interval


@dataclass(frozen=True)
class Stage:
    """A look after so many ``templates`` in order, with intervals of the level 1 − ``error``."""

    templates: int
    error: float


def stages(
    weights: ArrayLike, error: float, *, early: bool, families: Sequence[str] = ()
) -> tuple[Stage, ...]:
    """Plan the looks at a set of templates; their errors add up to ``error``, or half of it if several.

    ``weights`` [template] in the order of scoring, >= 0 with a positive sum, and ``families`` [template], or
    none; ``early``: look before all are scored.  Raises CriterionError for weights that are not allowed, or
    an error too small for resampling.
    """
    ordered = normalised(weights, np.size(weights), "template_weights")
    sizes = [math.ceil(ordered.size * part) for part in PARTS] if early else []
    sizes = [size for size in sizes if _tells(ordered[:size], families[:size])] + [ordered.size]
    spent = np.diff([0, *sizes]) / ordered.size * (error * SPENT if len(sizes) > 1 else error)
    if spent.min() < LEAST_ERROR:
        raise CriterionError(
            f"The error of one interval would be {spent.min():.2g}, and errors below {LEAST_ERROR:g} cannot "
            "be calculated: set fewer limits, allow a larger error, or drop --stop-early."
        )
    return tuple(Stage(size, float(part)) for size, part in zip(sizes, spent, strict=True))


def _tells(weights: np.ndarray, families: Sequence[str]) -> bool:
    if weights.size < FEWEST or not weights.any():
        return False
    unit = TemplateUnit.templates(weights, families)
    return effective_number(unit.sums(weights)) >= FEWEST_EFFECTIVE


def resamples_for(error: float) -> int:
    """Return how many resamples an interval of the level 1 − ``error`` needs."""
    return max(RESAMPLES, math.ceil(2 * BEYOND / error))


def unseen_share(effective: float, error: float) -> float:
    """Return the share of contexts that so many effective templates miss with probability ``error`` / 2."""
    return float(1 - (error / 2) ** (1 / effective))


def reaching(
    low: float, high: float, effective: float, error: float, figures: int = 1
) -> tuple[float, float]:
    """Widen an interval of zero width for unseen contexts; return its ends.

    ``figures``: 2 for a difference of two models.
    """
    if high - low > ROUNDING:
        return low, high
    reach = 2 * figures * unseen_share(effective, error)
    return low - reach, high + reach


def limit_verdict(low: float, high: float, limit: float) -> LimitVerdict:
    """Return whether a value in [low, high] is at most ``limit``, up to rounding (0.1 + 0.2 is within 0.3).

    Raises CriterionError for ends or a limit that are not finite, or ends in the wrong order.
    """
    if not (all(map(math.isfinite, (low, high, limit))) and low <= high):
        raise CriterionError(
            f"A verdict needs an interval and a limit of finite numbers; got {low:g} to {high:g}, {limit:g}."
        )
    if high <= limit + ROUNDING:
        return "within"
    return "exceeds" if low > limit + ROUNDING else "cannot tell"
