"""Several comparisons that are read together: their tests are controlled for being several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pcf_core.records.comparison import Comparison, Difference
from pcf_core.stats import RISKS, holm


def controlled(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The same comparisons, each total's ``adjusted`` p-value controlled over all of them (Holm 1979).

    ``least_p`` is controlled in the same way: no p-value falls when another rises, so that what all the least
    ones give is the least that a controlled one can be.

    R, R^p and R^c are controlled apart: each is a question of its own.  Holm needs no assumption on how the
    comparisons hang together, and here they share models.  A single comparison stays as it is.

    Source: Holm 1979, https://www.jstor.org/stable/4615733.
    """
    if len(comparisons) < 2:
        return tuple(comparisons)
    found: list[dict[str, Difference]] = [{} for _ in comparisons]
    for name in RISKS:
        totals = [comparison.differences[name] for comparison in comparisons]
        adjusted, least = holm([total.p_value for total in totals]), holm([total.least_p for total in totals])
        for differences, total, p, least_p in zip(found, totals, adjusted, least, strict=True):
            differences[name] = replace(total, adjusted=p, least_p=least_p)
    return tuple(
        replace(comparison, differences=differences)
        for comparison, differences in zip(comparisons, found, strict=True)
    )
