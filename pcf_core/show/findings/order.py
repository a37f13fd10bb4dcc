"""Sentences about which model has the higher risk: said where a paired test supports it, and only there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import Comparison, Difference
from pcf_core.show.findings.numbers import listed, number, p_value


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
    told = [f"The risks are {listed([f'{risks[run]} for {name}' for run, name in names.items()])}."]
    above = {run: _lower(run, comparisons) for run in names}
    if orders := [f"{names[run]} is above {listed(lower)}" for run, lower in above.items() if lower]:
        told.append(f"By the paired test, {'; '.join(orders)}.")
    for said, kind in (
        ("We cannot tell apart with these sentences", "unclear"),
        ("Different, and too small to matter", "small"),
        ("The same", "equal"),
    ):
        if pairs := [_pair(found) for found in comparisons if _kind(_total(found)) == kind]:
            told.append(f"{said}: {'; '.join(pairs)}.")
    if len(comparisons) < len(names) * (len(names) - 1) // 2:
        told.append("Other pairs are not compared.")
    return " ".join(told)


def _of_two(comparison: Comparison, risks: Mapping[str, str]) -> str:
    """Say it of the one pair."""
    found, sides = _total(comparison), (comparison.first, comparison.second)
    one, other = (f"{side.name}, {risks[side.run]}," for side in sides)
    p = f"({p_value(found.controlled_p)})"
    if found.ordered:
        higher, lower = sides if found.verdict == "first" else sides[::-1]
        return (
            f"{higher.name} has the higher risk, {risks[higher.run]}, and {lower.name} the lower, "
            f"{risks[lower.run]} {p}."
        )
    if found.verdict == "equal":
        return f"{sides[0].name} and {sides[1].name} have the same risk, {risks[sides[0].run]}."
    if found.differs:
        return f"The risks of {one} and {other} differ, and too little to matter {p}."
    if found.verdict == "too few":
        return f"These sentences are too few to tell the risks of {one} and {other} apart."
    less = f" If they differ, then by less than {number(found.margin)}." if found.negligible else ""
    return f"We cannot tell the risks of {one} and {other} apart with these sentences {p}.{less}"


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


def _pair(comparison: Comparison) -> str:
    found = _total(comparison)
    p = "" if found.verdict == "equal" else f" ({p_value(found.controlled_p)})"
    return f"{comparison.first.name} and {comparison.second.name}{p}"
