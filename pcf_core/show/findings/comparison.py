"""Sentences about two runs on the same templates and occupations, and about runs along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import (
    COUNTS_ONLY,
    SIGNIFICANCE,
    Comparison,
    Difference,
    OccupationDifference,
    Over,
)
from pcf_core.show.findings.numbers import count, listed, number, p_value, percent, signed_two, two_decimals

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
    interval = difference.interval(over)
    if difference.first == difference.second == 0:
        return "0: both are 0 in every context here"
    if interval is None:
        return signed_two(difference.value)
    return f"{signed_two(difference.value)} ({signed_two(interval.low)} to {signed_two(interval.high)})"


def signed(value: float) -> str:
    """Write a number with its sign, and 0 without one."""
    return with_sign(number(value))


def with_sign(text: str) -> str:
    """Put the sign before a number that is written already; 0 has none."""
    return text if text.startswith("−") or not text.strip("0.") else f"+{text}"


def difference_finding(
    comparison: Comparison, quantity: str = "overall_risk", over: Over = "templates"
) -> str:
    """Say which of the two has more, by how much, and whether these templates can tell."""
    first, second = comparison.first.name, comparison.second.name
    found, word = comparison.differences[quantity], WORDS[quantity]
    where = (
        f"on the same {count(len(comparison.occupations), 'occupation')} and "
        f"{count(len(comparison.templates), 'template')}"
    )
    if found.verdict == "equal":
        return f"{first} and {second} have the same {word}, {two_decimals(found.first)}, {where}."
    one, other = two_decimals(found.first), two_decimals(found.second)
    values = f"the {word} of {first} ({one}) and that of {second} ({other})"
    gap = f"the difference is {difference_text(found, over)}{drawn(found, over)}, {p_text(found)}"
    if found.verdict == "too few":
        return (
            f"{count(len(comparison.templates), 'template')} cannot tell {values} apart: {gap}, and p cannot "
            f"fall under {number(found.least_p)}."
        )
    reserve = disagreement(comparison, found, over)
    if found.verdict == "unclear":
        less = f" If they differ, then by less than {number(found.margin)}." if found.negligible else ""
        return f"We cannot tell {values} apart with these sentences: {gap}, {where}.{less}{reserve}"
    if found.negligible:
        return (
            f"{begun(values)} are different, and the difference is too small to matter, under "
            f"{number(found.margin)}: {gap}, {where}.{reserve}"
        )
    higher, lower = (first, second) if found.verdict == "first" else (second, first)
    return (
        f"{begun(f'the {word} of {higher}')} is higher than that of {lower}: {one} for "
        f"{first}, {other} for {second}; {gap}, {where}.{reserve}"
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
            f"For no single occupation can a difference in {WORDS[quantity]} be shown: with "
            f"{count(len(comparison.templates), 'template')} p cannot fall under "
            f"{number(comparison.permutations.least_p)}."
        )
    surviving = comparison.surviving(quantity)
    control = f"false discoveries controlled at {percent(SIGNIFICANCE)}"
    if not surviving:
        return (
            f"No difference in {WORDS[quantity]} of one of {count(total, 'occupation')} is beyond chance, "
            f"{control}."
        )
    parts = []
    for side, verdict in ((comparison.first, "first"), (comparison.second, "second")):
        rows = [row for row in surviving if row.differences[quantity].verdict == verdict]
        if rows:
            parts.append(f"{side.name} has more for {len(rows):,}, most for {_most(rows, quantity)}")
    rest = total - len(surviving)
    others = f"; we cannot tell the other {rest:,} apart with these sentences" if rest else ""
    return (
        f"The {WORDS[quantity]} of {len(surviving):,} of {count(total, 'occupation')} differs beyond chance, "
        f"{control}: {'; '.join(parts)}{others}."
    )


def _most(rows: Sequence[OccupationDifference], quantity: str) -> str:
    ranked = sorted(rows, key=lambda row: -abs(row.differences[quantity].value))[:MOST_NAMES]
    return listed(
        [f"“{row.occupation}” ({two_decimals(abs(row.differences[quantity].value))})" for row in ranked]
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
            f" That is said of these occupations, by the test and the interval over {basis.unit}s; the one"
            f"{drawn(found, over)} holds 0."
        )
    if holds and found.verdict == "unclear" and found.controlled_p <= SIGNIFICANCE:
        return f" The test rejects, but the interval over {basis.unit}s holds 0; a verdict needs both."
    if holds:
        return ""
    if found.p_value > SIGNIFICANCE and interval.unit in COUNTS_ONLY:
        return (
            f" The interval{drawn(found, over)} leaves out 0, but the test swaps whole templates, and by "
            f"their weights these count as {comparison.effective_templates:.1f}."
        )
    if found.p_value > SIGNIFICANCE:
        return (
            f" The interval{drawn(found, over)} leaves out 0, but a verdict needs the test, which does not "
            "reject."
        )
    if found.controlled_p > SIGNIFICANCE:
        return (
            f" The interval{drawn(found, over)} leaves out 0, but the test, controlled for several "
            "comparisons, does not reject."
        )
    return (
        f" The interval{drawn(found, over)} leaves out 0, but the one over {basis.unit}s, "
        f"{signed(basis.low)} to {signed(basis.high)}, does not."
    )


def begun(sentence: str) -> str:
    """Capitalise the first letter of a sentence."""
    return sentence[0].upper() + sentence[1:]
