"""Sentences about two runs on the same templates and occupations, and about the order of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import (
    COUNTS_ONLY,
    SIGNIFICANCE,
    Comparison,
    Difference,
    OccupationDifference,
    Over,
)
from pcf_core.show.findings.numbers import RISK_NAMES, listed, signed_with_interval
from pcf_core.show.wording import sentences

MOST_NAMES = 3
NOT_ORDERED = ("unclear", "small", "equal")  # in the order of their sentences

say = sentences("comparison")


def verdict_text(difference: Difference, first: str, second: str) -> str:
    """Write the verdict on one difference, short enough for a cell of a table."""
    return say("verdict", found=difference, first=first, second=second)


def difference_text(difference: Difference, over: Over = "templates") -> str:
    """Write a difference with sign and interval: "+0.12 (+0.08 to +0.16)"; none where both are 0."""
    if difference.first == difference.second == 0:
        return say("both_zero")
    return signed_with_interval(difference.value, difference.interval(over))


def difference_over(difference: Difference, over: Over = "templates") -> str:
    """Write a difference as :func:`difference_text` does, and what was resampled for its interval."""
    text, interval = difference_text(difference, over), difference.interval(over)
    return text if interval is None else say("with_units", difference=text, interval=interval)


def difference_finding(
    comparison: Comparison, quantity: str = "overall_risk", over: Over = "templates"
) -> str:
    """Say which of the two has more, by how much, and whether these templates can tell."""
    found = comparison.differences[quantity]
    return say(
        "difference",
        comparison=comparison,
        found=found,
        word=RISK_NAMES[quantity],
        gap=difference_over(found, over),
        reserve=disagreement(comparison, found, over),
    )


def occupations_difference_finding(comparison: Comparison, quantity: str = "overall_risk") -> str:
    """Count the occupations whose difference survives the control of false discoveries; name the largest."""
    least_p, word = comparison.permutations.least_p, RISK_NAMES[quantity]
    if least_p > SIGNIFICANCE:
        return say("too_few_for_one", word=word, templates=len(comparison.templates), least_p=least_p)
    surviving = comparison.surviving(quantity)
    more = []
    for side, verdict in ((comparison.first, "first"), (comparison.second, "second")):
        rows = [row for row in surviving if row.differences[quantity].verdict == verdict]
        if rows:
            more.append(say("has_more", model=side.name, occupations=len(rows), most=_most(rows, quantity)))
    return say(
        "occupations",
        word=word,
        surviving=len(surviving),
        total=len(comparison.occupations),
        level=SIGNIFICANCE,
        more=" ".join(more),
    )


def _most(rows: Sequence[OccupationDifference], quantity: str) -> str:
    sizes = {row.occupation: abs(row.differences[quantity].value) for row in rows}
    ranked = sorted(sizes, key=lambda name: -sizes[name])[:MOST_NAMES]
    return listed([say("occupation_by", occupation=name, size=sizes[name]) for name in ranked])


def disagreement(comparison: Comparison, found: Difference, over: Over) -> str:
    """Say why the verdict is another than the interval that is shown suggests, where that is so.

    The verdict rests on the test and on the interval over whole templates, whichever is shown.
    """
    interval, basis = found.interval(over), found.basis
    if interval is None or basis is None:
        return ""
    holds = interval.low <= 0 <= interval.high
    if found.differs:
        return say("range_includes_zero", interval=interval, basis=basis) if holds else ""
    if holds:
        return say("basis_includes_zero", basis=basis) if _by_test_alone(found) else ""
    return say(
        "range_excludes_zero",
        interval=interval,
        basis=basis,
        counts_only=interval.unit in COUNTS_ONLY,
        by_test=found.p_value <= SIGNIFICANCE,
        by_controlled=found.controlled_p <= SIGNIFICANCE,
        effective=comparison.effective_templates,
    )


def order_finding(comparisons: Sequence[Comparison], risks: Mapping[str, str]) -> str:
    """Say which model has the higher risk R, and of which we cannot tell.

    The rule is that of :attr:`~pcf_core.core.risk.Difference.ordered`, for all pages, reports and commands.

    Parameters
    ----------
    comparisons
        Of pairs of models, their p-values controlled where they are several; none gives no sentence.
    risks
        R of each model with its interval, as a text, by the key of its run.
    """
    if not comparisons:
        return ""
    if len(comparisons) == 1:
        return _of_two(comparisons[0], risks)
    names = {side.run: side.name for found in comparisons for side in (found.first, found.second)}
    told = [say("risks", risks=[say("risk_for", model=name, risk=risks[run]) for run, name in names.items()])]
    above = {run: _lower(run, comparisons) for run in names}
    told += [say("above", model=names[run], lower=lower) for run, lower in above.items() if lower]
    told += [
        say(
            "not_ordered",
            found=_total(found),
            names=(found.first.name, found.second.name),
            by_test_alone=_by_test_alone(_total(found)),
        )
        for kind in NOT_ORDERED
        for found in comparisons
        if _kind(_total(found)) == kind
    ]
    if len(comparisons) < len(names) * (len(names) - 1) // 2:
        told.append(say("others_not_compared"))
    return " ".join(told)


def _of_two(comparison: Comparison, risks: Mapping[str, str]) -> str:
    """Say it of the one pair."""
    found, sides = _total(comparison), (comparison.first, comparison.second)
    return say(
        "order_of_two",
        found=found,
        names=[side.name for side in sides],
        risks=[risks[side.run] for side in sides],
        by_test_alone=_by_test_alone(found),
    )


def _total(comparison: Comparison) -> Difference:
    return comparison.differences["overall_risk"]


def _kind(found: Difference) -> str:
    """Return what is said of a pair: that one is higher, or one of the three kinds without an order."""
    if found.verdict == "equal":
        return "equal"
    if not found.differs:
        return "unclear"
    return "higher" if found.ordered else "small"


def _lower(run: str, comparisons: Sequence[Comparison]) -> list[str]:
    """Name the models that a run is above."""
    found = []
    for comparison in comparisons:
        total, sides = _total(comparison), (comparison.first, comparison.second)
        if total.ordered and run in (sides[0].run, sides[1].run):
            higher, lower = sides if total.verdict == "first" else sides[::-1]
            found += [lower.name] if higher.run == run else []
    return found


def _by_test_alone(found: Difference) -> bool:
    """Tell whether the test finds a difference that the interval does not, so that no order is stated."""
    return found.verdict == "unclear" and found.controlled_p <= SIGNIFICANCE
