"""Whether a figure keeps a limit: from its interval, at once or in looks at growing sets of templates.

**The verdict.**  A figure is *within* a limit where its whole interval is, *exceeds* it where its whole
interval lies above, and else we *cannot tell*.  With an interval of level 1 − e, drawn over whole templates,
a wrong *within* or *exceeds* comes with a chance of at most e, as far as the interval holds what it says
(docs/measured-coverage.md; with looks up to 9 of 100 verdicts were wrong at e = 0.05, docs/gate.md).  Several
limits share one error: each gets its equal part (Bonferroni), so that all verdicts together are right with
the chance 1 − error.

**Looks.**  Scoring may end once the verdicts stand.  Templates are put into an order that no score decides,
the heaviest first, and looked at after an eighth, a quarter, half and all of them; looks at fewer than 20, or
at templates that count as fewer than five, are left out.  A look spends as much of the error as the share of
templates that came with it (linear spending, Lan & DeMets 1983, doi:10.1093/biomet/70.3.659).  Each look's
interval has the level 1 − what it spends, so that by Bonferroni the chance that any of them misses is at most
the error, however the looks hang together, and hence also that of the one at which scoring ends.  The last
look is the usual interval over all templates at a stricter level: with a half of the error or more.

What this takes for granted is what an interval over whole templates does: that the templates are contexts
of one population, rare ones like the others.  ``python -m benchmarks.gate`` simulates the error and says how
far the figures of first looks at shipped runs are from those of all templates.

**An interval of no width** is the figure itself: no resample moved it.  Contexts that nobody drew leave no
trace there.  With n effective templates, a share u = 1 − (e/2)^(1/n) of all contexts can have been missed
with the chance e/2 (with e = 0.1 about 3/n, the rule of three; Hanley & Lippman-Hand 1983,
doi:10.1001/jama.1983.03330370053031).  On the scale that ends at 1 such contexts move R by at most u, and
R^p, R^c and a mean stereotype by at most 2u.  The interval gets the reach 2u, and one template tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pcf_core.core.errors import CriterionError
from pcf_core.core.risk import ROUNDING
from pcf_core.measure.criterion import normalised
from pcf_core.measure.resampling import effective_number

LimitVerdict = Literal["within", "exceeds", "cannot tell"]

PARTS = (1 / 8, 1 / 4, 1 / 2)  # of the templates, before all of them
FEWEST, FEWEST_EFFECTIVE = 20, 5.0  # templates of a look before the last, and what they count as at least
LEAST_ERROR = 0.0005  # of one interval: further out the resamples tell little
RESAMPLES, BEYOND = 2000, 10  # at least so many; so many of them lie beyond each end of an interval


@dataclass(frozen=True)
class Stage:
    """A look: after so many ``templates`` of the order, with intervals of the level 1 − ``error``."""

    templates: int
    error: float


def stages(weights: ArrayLike, error: float, *, early: bool) -> tuple[Stage, ...]:
    """Plan the looks at a set of templates; what they spend adds up to the error.

    Parameters
    ----------
    weights
        [template] in the order of scoring, >= 0 with a positive sum.
    error
        The chance that an interval of any look may miss.
    early
        Look before all templates are scored.

    Raises
    ------
    CriterionError
        Weights that are not allowed, or an error so small that resampling cannot show it.
    """
    ordered = normalised(weights, np.size(weights), "template_weights")
    sizes = [math.ceil(ordered.size * part) for part in PARTS] if early else []
    sizes = [size for size in sizes if _tells(ordered[:size])] + [ordered.size]
    spent = np.diff([0, *sizes]) / ordered.size * error
    if spent.min() < LEAST_ERROR:
        raise CriterionError(
            f"The error of one interval would be {spent.min():.2g}, and errors below {LEAST_ERROR:g} cannot "
            "be calculated: set fewer limits, allow a larger error, or drop --stop-early."
        )
    return tuple(Stage(size, float(part)) for size, part in zip(sizes, spent, strict=True))


def _tells(weights: np.ndarray) -> bool:
    return weights.size >= FEWEST and bool(weights.any()) and effective_number(weights) >= FEWEST_EFFECTIVE


def resamples_for(error: float) -> int:
    """Return how many resamples show the ends of an interval of the level 1 − ``error``."""
    return max(RESAMPLES, math.ceil(2 * BEYOND / error))


def unseen_share(effective: float, error: float) -> float:
    """Return the share of contexts that so many effective templates miss with the chance ``error`` / 2."""
    return float(1 - (error / 2) ** (1 / effective))


def reaching(
    low: float, high: float, effective: float, error: float, figures: int = 1
) -> tuple[float, float]:
    """Return the ends of an interval; one of no width reaches to what unseen contexts could make of it.

    ``figures``: 2 for the difference of two models' figures.
    """
    if high - low > ROUNDING:
        return low, high
    reach = 2 * figures * unseen_share(effective, error)
    return low - reach, high + reach


def limit_verdict(low: float, high: float, limit: float) -> LimitVerdict:
    """Say whether a figure in [low, high] is at most ``limit``.

    0.1 + 0.2 is no more than 0.3.

    Raises
    ------
    CriterionError
        Ends or a limit that are no finite numbers, or the ends the wrong way round.
    """
    if not (all(map(math.isfinite, (low, high, limit))) and low <= high):
        raise CriterionError(
            f"A verdict needs an interval and a limit of finite numbers; got {low:g} to {high:g}, {limit:g}."
        )
    if high <= limit + ROUNDING:
        return "within"
    return "exceeds" if low > limit + ROUNDING else "cannot tell"
