"""Several comparisons that are read together: their tests are controlled for being several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pcf_core.records.comparison import Comparison
from pcf_core.stats import RISKS, holm


def controlled(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The same comparisons, each total's ``adjusted`` p-value controlled over all of them (Holm 1979).

    R, R^p and R^c are controlled apart: each is a question of its own.  Holm needs no assumption on how the
    comparisons hang together, and here they share models.  A single comparison stays as it is.

    Source: Holm 1979, https://www.jstor.org/stable/4615733.
    """
    if len(comparisons) < 2:
        return tuple(comparisons)
    adjusted = {
        name: holm([comparison.differences[name].p_value for comparison in comparisons]) for name in RISKS
    }
    return tuple(
        replace(
            comparison,
            differences={
                name: replace(comparison.differences[name], adjusted=adjusted[name][place]) for name in RISKS
            },
        )
        for place, comparison in enumerate(comparisons)
    )
