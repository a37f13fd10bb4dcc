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
from pcf_core.show.findings.numbers import (
    begun,
    called,
    count,
    listed,
    number,
    p_value,
    percent,
    signed,
    signed_with_interval,
    two_decimals,
)

WORDS = {"overall_risk": "risk", "prejudice_risk": "prejudice", "caprice_risk": "caprice"}
MOST_NAMES = 3
UNCLEAR = "we cannot tell them apart with these sentences"


def verdict_text(difference: Difference, first: str, second: str) -> str:
    """Write the verdict on one difference, short enough for a cell of a table."""
    if difference.verdict == "equal":
        return "the same"
    if difference.verdict == "too few":
        return f"{UNCLEAR}: too few for a test"
    if difference.verdict == "unclear":
        return UNCLEAR
    if difference.negligible:
        return "different, and too small to matter"
    return f"{first if difference.verdict == 'first' else second} is higher"


def difference_text(difference: Difference, over: Over = "templates") -> str:
    """Write a difference with sign and interval: "+0.12 (+0.08 to +0.16)"; none where both are 0."""
    if difference.first == difference.second == 0:
        return "0: both are 0 in every sentence here"
    return signed_with_interval(difference.value, difference.interval(over))


def difference_finding(
    comparison: Comparison, quantity: str = "overall_risk", over: Over = "templates"
) -> str:
    """Say which of the two has more, by how much, and whether these templates can tell."""
    first, second = comparison.first.name, comparison.second.name
    found, word = comparison.differences[quantity], WORDS[quantity]
    where = (
        f"Both are scored on the same {count(len(comparison.occupations), 'occupation')} and "
        f"{count(len(comparison.templates), 'template')}."
    )
    if found.verdict == "equal":
        return f"{first} and {second} have the same {word}, {two_decimals(found.first)}. {where}"
    one, other = two_decimals(found.first), two_decimals(found.second)
    values = f"the {word} of {first} ({one}) and that of {second} ({other})"
    gap = f"The difference is {difference_text(found, over)}{drawn(found, over)}, {p_text(found)}."
    if found.verdict == "too few":
        return (
            f"{count(len(comparison.templates), 'template')} cannot tell {values} apart. {gap} With so few, "
            f"{least_text(found.least_p)}."
        )
    reserve = disagreement(comparison, found, over)
    if found.verdict == "unclear":
        less = f" If they differ, then by less than {number(found.margin)}." if found.negligible else ""
        return f"We cannot tell {values} apart with these sentences. {gap}{less} {where}{reserve}"
    if found.negligible:
        return (
            f"{begun(values)} differ too little to matter, by less than {number(found.margin)}. {gap} "
            f"{where}{reserve}"
        )
    higher, lower = (first, second) if found.verdict == "first" else (second, first)
    most, least = (one, other) if found.verdict == "first" else (other, one)
    return (
        f"{begun(f'the {word} of {higher}')} is higher than that of {lower}: {most} against {least}. {gap} "
        f"{where}{reserve}"
    )


def p_text(found: Difference) -> str:
    """Write the p-value of a test, and where several are read together the controlled one too."""
    controlled = "" if found.adjusted is None else f" ({p_value(found.adjusted)} controlled)"
    return f"{p_value(found.p_value)}{controlled}"


def occupations_difference_finding(comparison: Comparison, quantity: str = "overall_risk") -> str:
    """Count the occupations whose difference survives the control of false discoveries; name the largest."""
    total = len(comparison.occupations)
    if comparison.permutations.least_p > SIGNIFICANCE:
        return (
            f"No difference in {WORDS[quantity]} can be shown for a single occupation. With "
            f"{count(len(comparison.templates), 'template')}, {least_text(comparison.permutations.least_p)}."
        )
    surviving = comparison.surviving(quantity)
    control = f"(false discoveries controlled at {percent(SIGNIFICANCE)})"
    if not surviving:
        return (
            f"In none of {count(total, 'occupation')} is the difference in {WORDS[quantity]} beyond chance "
            f"{control}."
        )
    parts = []
    for side, verdict in ((comparison.first, "first"), (comparison.second, "second")):
        rows = [row for row in surviving if row.differences[quantity].verdict == verdict]
        if rows:
            parts.append(f" {side.name} has more in {len(rows):,}, most for {_most(rows, quantity)}.")
    rest = total - len(surviving)
    others = f" We cannot tell them apart in the other {rest:,} with these sentences." if rest else ""
    return (
        f"The {WORDS[quantity]} differs beyond chance in {len(surviving):,} of {count(total, 'occupation')} "
        f"{control}.{''.join(parts)}{others}"
    )


def _most(rows: Sequence[OccupationDifference], quantity: str) -> str:
    ranked = sorted(rows, key=lambda row: -abs(row.differences[quantity].value))[:MOST_NAMES]
    return listed(
        [
            f"“{called(row.occupation)}” ({two_decimals(abs(row.differences[quantity].value))})"
            for row in ranked
        ]
    )


def drawn(found: Difference, over: Over) -> str:
    """Say what was resampled for the interval."""
    interval = found.interval(over)
    if interval is None:
        return ""
    return f" over {interval.unit}s{' and occupations' if over == 'both' else ''}"


def disagreement(comparison: Comparison, found: Difference, over: Over) -> str:
    """Say why the verdict is another than the interval that is shown suggests, where that is so.

    The verdict rests on the test and on the interval over whole templates, whichever is shown.
    """
    interval, basis = found.interval(over), found.basis
    if interval is None or basis is None:
        return ""
    holds = interval.low <= 0 <= interval.high
    if found.differs:
        if not holds:
            return ""
        return (
            f" The test and the range over {basis.unit}s say so for these occupations; the range"
            f"{drawn(found, over)} includes 0."
        )
    if holds and found.verdict == "unclear" and found.controlled_p <= SIGNIFICANCE:
        return (
            f" The test finds a difference, but the range over {basis.unit}s includes 0. A verdict "
            "needs both."
        )
    if holds:
        return ""
    excludes = f" The range{drawn(found, over)} excludes 0, but"
    if found.p_value > SIGNIFICANCE and interval.unit in COUNTS_ONLY:
        return (
            f"{excludes} the test swaps whole templates. By their weights these count as "
            f"{comparison.effective_templates:.1f}."
        )
    if found.p_value > SIGNIFICANCE:
        return f"{excludes} a verdict needs the test, which finds no difference."
    if found.controlled_p > SIGNIFICANCE:
        return f"{excludes} the test, controlled for several comparisons, finds no difference."
    return f"{excludes} the one over {basis.unit}s, {signed(basis.low)} to {signed(basis.high)}, includes it."


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
    told += [
        f"By the paired test, {names[run]} has a higher risk than {listed(lower)}."
        for run, lower in above.items()
        if lower
    ]
    for said, kind in (
        ("We cannot tell {} apart with these sentences{}.", "unclear"),
        ("{} differ too little to matter{}.", "small"),
        ("{} have the same risk{}.", "equal"),
    ):
        told += [said.format(*_pair(found)) for found in comparisons if _kind(_total(found)) == kind]
    if len(comparisons) < len(names) * (len(names) - 1) // 2:
        told.append("Other pairs are not compared.")
    return " ".join(told)


def _of_two(comparison: Comparison, risks: Mapping[str, str]) -> str:
    """Say it of the one pair."""
    found, sides = _total(comparison), (comparison.first, comparison.second)
    one, other = (f"{side.name}, {risks[side.run]}," for side in sides)
    p = f"({_tested(found)})"
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


def _pair(comparison: Comparison) -> tuple[str, str]:
    """Return the names of a pair, and the p of its test."""
    found = _total(comparison)
    p = "" if found.verdict == "equal" else f" ({_tested(found)})"
    return f"{comparison.first.name} and {comparison.second.name}", p


def _tested(found: Difference) -> str:
    """Return the p of the test, and why it decides nothing where it is small and no order is stated."""
    alone = found.verdict == "unclear" and found.controlled_p <= SIGNIFICANCE
    return f"{p_value(found.controlled_p)}{', but the range includes 0' if alone else ''}"


def least_text(least_p: float) -> str:
    """Say that a test can give no smaller p."""
    return f"{p_value(least_p)} is the smallest that the test can give"
