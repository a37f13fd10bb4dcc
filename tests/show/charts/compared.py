"""A comparison of seven occupations and an axis of three places, with numbers that can be checked by eye."""

from __future__ import annotations

import numpy as np

from pcf_core.core.risk import (
    AxisPoint,
    Comparison,
    Difference,
    Interval,
    OccupationDifference,
    Permutations,
    Side,
)

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")
NAMES = ("nurse", "stylist", "clerk", "<b>baker</b>", "pilot", "captain", "engineer")
FIRST = (0.9, 0.5, 0.3, 0.4, 0.3, 0.8, 0.2)
SECOND = (0.3, 0.2, 0.3, 0.45, 0.32, 0.9, 0.8)
SURVIVES = (True, True, False, False, False, False, True)


def difference(first: float, second: float, *, clear: bool, least_p: float = 0.001) -> Difference:
    """A difference whose interval reaches 0.1 to either side, or across 0."""
    half = 0.1 if clear else abs(first - second) + 0.1
    value = first - second
    return Difference(
        first=first,
        second=second,
        intervals=(
            Interval(low=value - half, high=value + half),
            Interval(over="occupations", low=value - 0.3, high=value + 0.3, unit="occupation"),
            Interval(over="both", low=value - 0.4, high=value + 0.4),
        ),
        p_value=0.001 if clear else 0.5,
        least_p=least_p,
        adjusted=0.007 if clear else 0.6,
    )


def compared_example(least_p: float = 0.001) -> Comparison:
    """First against second: three of seven differences survive, two for the first and one for the second."""
    return Comparison(
        first=Side("mini-<i>bert</i>", "a" * 16, "mini-bert", "float32", "exact"),
        second=Side("mini-gpt", "b" * 16, "mini-gpt", "float32", "exact"),
        groups=("male", "female"),
        templates=("one", "two"),
        template_weights=np.array([0.5, 0.5]),
        effective_templates=2.0,
        differences={risk: difference(0.5, 0.48, clear=False, least_p=least_p) for risk in RISKS},
        occupations=tuple(
            OccupationDifference(
                name, 1 / 7, {risk: difference(a, b, clear=clear, least_p=least_p) for risk in RISKS}
            )
            for name, a, b, clear in zip(NAMES, FIRST, SECOND, SURVIVES, strict=True)
        ),
        permutations=Permutations(999, False, least_p),
        criterion="l∞",
    )


def axis_point(line: str, place: str | float, risk: float, published: str = "") -> AxisPoint:
    """A point with R as given, a quarter of it caprice; ours has an interval of R alone."""
    interval = {} if published else {"overall_risk": Interval(low=risk - 0.05, high=risk + 0.1)}
    values = {"overall_risk": risk, "prejudice_risk": 0.75 * risk, "caprice_risk": 0.25 * risk}
    return AxisPoint(line, place, values, interval, published)


def axis_example() -> list[AxisPoint]:
    """Two lines of three places, and one printed point."""
    return [
        axis_point("mini-bert", "news", 0.4),
        axis_point("mini-bert", "books", 0.6),
        axis_point("mini-bert", "<b>web</b>", 0.5),
        axis_point("mini-gpt", "news", 0.2),
        axis_point("mini-gpt", "books", 0.7),
        axis_point("mini-gpt", "<b>web</b>", 0.3),
        axis_point("BERT", "news", 0.25, "BVF Table 4"),
    ]
