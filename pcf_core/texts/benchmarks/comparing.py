"""Which of two models is worse by a benchmark, and whether our quantities say the same.

**By a benchmark.**  A model is the worse the farther its headline is from even, in whichever direction:
d = |mean outcome − neutral|.  The interval of d₁ − d₂ resamples the items that both have (terms, pairs), both
models on the same draw, which tells more than two intervals side by side.  Where no draw differs, because
each model has one and the same outcome in all items, the bounds of the two distances are squared and added
instead: two items without an exception prove nothing.  Where the interval leaves out 0, one model is worse;
else we cannot tell.  Of several pairs the intervals hold together: each leaves out a share of
0.05 / pairs (Bonferroni; Dunn 1961, doi:10.1080/01621459.1961.10482090), so that in 95 % of the cases none of
them misses its truth, and a model among many is not called worse by chance.

*Example.*  Outcomes (1, 1, 1, 0) and (1, 0, 1, 0): d₁ = 0.25, d₂ = 0, the difference 0.25 by the first.

**Agreement.**  Of the pairs of models in which both a benchmark and one of our quantities can tell, how many
they decide alike.  A pair that either cannot tell says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pcf_core.core.records import FloatArray, Record
from pcf_core.core.risk import Interval
from pcf_core.texts.benchmarks.readings import bootstrap, common_outcomes, item_interval
from pcf_core.texts.benchmarks.records import BenchmarkName, BenchmarkReport
from pcf_core.texts.criteria.rates import Bounds, newcombe, paired_difference, wilson

Pair = tuple[str, str]


class WorsePair(Record):
    """Two models compared by one benchmark.

    ``difference``: of the distances from even, above 0 if the first model is farther.  ``items``: the number
    of common items.  ``worse``: the model that is farther from even; empty if undecided.
    """

    first: str
    second: str
    difference: float
    interval: Interval | None
    items: int

    @property
    def worse(self) -> str:
        """The model that is farther from even; empty if the models cannot be distinguished."""
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return ""
        return self.first if self.interval.low > 0 else self.second


class Agreement(Record):
    """How often a benchmark and one of our quantities agree on which of two models is worse.

    ``told``: pairs in which both can tell; ``alike``: of these; ``pairs``: in all.
    """

    benchmark: BenchmarkName
    quantity: str
    pairs: int
    told: int
    alike: int


def worse_pairs(reports: Mapping[str, BenchmarkReport], level: float = 0.95) -> tuple[WorsePair, ...]:
    """Compare every two models that were tested with the same sentences.

    ``level``: of all intervals together; each record has the level of its own interval.
    """
    several = {
        (first, second): common_outcomes(reports[first].outcomes, reports[second].outcomes)
        for first, second in combinations(reports, 2)
    }
    several = {pair: values for pair, values in several.items() if values.size}
    each = 1 - (1 - level) / max(1, len(several))
    compared = []
    for (first, second), values in several.items():
        neutral = reports[first].headline.neutral or 0.0

        def difference(one: FloatArray, other: FloatArray, axis: int = -1, neutral: float = neutral) -> Any:
            far, near = (np.abs(np.mean(rows, axis=axis) - neutral) for rows in (one, other))
            return far - near

        bounds = bootstrap(difference, values, each)
        if bounds is not None and bounds[0] == bounds[1]:
            far, near = (abs(float(rows.mean()) - neutral) for rows in values)
            bounds = newcombe(far, near, *(_distance_bounds(rows, neutral, each) for rows in values))
        compared.append(
            WorsePair(
                first=first,
                second=second,
                difference=float(difference(*values)),
                interval=item_interval(bounds, each, "items", values.shape[1]),
                items=values.shape[1],
            )
        )
    return tuple(compared)


def _distance_bounds(outcomes: FloatArray, neutral: float, level: float) -> Bounds:
    """Return low and high of how far the mean of [item] outcomes is from its neutral value, 0.5 or 0."""
    if neutral:
        ends = wilson(float(outcomes.sum()), len(outcomes), level)
    else:
        ends = paired_difference(outcomes, level)
    low, high = (end - neutral for end in ends)
    return max(0.0, low, -high), max(abs(low), abs(high))


def agreement(
    benchmark: BenchmarkName, quantity: str, by_benchmark: Mapping[Pair, str], by_ours: Mapping[Pair, str]
) -> Agreement:
    """Count the pairs on which a benchmark and a quantity of ours, such as prejudice, agree.

    ``by_benchmark``, ``by_ours``: (first, second) -> the worse model, empty where we cannot tell.  Pairs that
    only one of the two has do not count.
    """
    both = [pair for pair in by_benchmark if pair in by_ours]
    decided = [pair for pair in both if by_benchmark[pair] and by_ours[pair]]
    return Agreement(
        benchmark=benchmark,
        quantity=quantity,
        pairs=len(both),
        told=len(decided),
        alike=sum(by_benchmark[pair] == by_ours[pair] for pair in decided),
    )
