"""Sentences about ready comparisons.

They say what changes from one model to another, whatever it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pcf_core.core.risk import Comparison, Difference, Over, RiskReport
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.models.presets import Claim, PresetPair
from pcf_core.show.findings.comparison import WORDS, begun, difference_text, disagreement, drawn
from pcf_core.show.findings.numbers import count, listed, p_value, people, two_decimals

PARTS = ("prejudice_risk", "caprice_risk")
MOVES = {"up": "rising", "down": "falling"}
HEAR = {"first": "rises", "second": "falls"}


def change_finding(pair: PresetPair, comparison: Comparison, over: Over = "templates") -> str:
    """Say how R goes from the second model to the first, and its parts; also where nothing can be told.

    Each has its difference and the p-value that its verdict rests on.
    """
    total = comparison.differences["overall_risk"]
    first, second = comparison.first.name, comparison.second.name
    values = f"{two_decimals(total.second)} for {second}, {two_decimals(total.first)} for {first}"
    gap = f"{difference_text(total, over)}{drawn(total, over)}, {p_value(total.controlled_p)}"
    said = f"{begun(_heard('R', total, pair.change))}: {values}; the difference is {gap}."
    return f"{said} {begun(_parts(comparison, over))}.{_reserves(comparison, over)}"


def sides_finding(first: RiskReport, second: RiskReport, names: tuple[str, str]) -> str:
    """Count the occupations that put another group's words first under one model than under the other.

    Risk does not count which group that is: a model may turn on half of its occupations and keep its R.
    """
    before, after = _leaders(second), _leaders(first)
    both = before.keys() & after.keys()
    turned = Counter((before[term], after[term]) for term in both if before[term] != after[term])
    told = f"of {len(both):,} occupations does {names[0]} favour another group than {names[1]}"
    if not turned:
        return f"In none {told}."
    ways = [f"{much:,} from {people(old)} to {people(new)}" for (old, new), much in turned.most_common()]
    changed = f"In {turned.total():,} of {len(both):,} occupations {names[0]} favours another group"
    return f"{changed} than {names[1]}: {listed(ways)}. The risk does not count which group that is."


def _leaders(report: RiskReport) -> dict[str, str]:
    """Return the group whose words come first on average, by occupation."""
    return {
        row.occupation: max(row.preferences, key=row.preferences.__getitem__) for row in report.occupations
    }


def _parts(comparison: Comparison, over: Over) -> str:
    """Say how prejudice and caprice go, with their differences unless these are none."""
    told = []
    for name in PARTS:
        found = comparison.differences[name]
        heard = _heard(WORDS[name], found)
        if found.verdict != "equal":
            heard += f", {difference_text(found, over)}, {p_value(found.controlled_p)}"
        told.append(heard)
    return "; ".join(told)


def _reserves(comparison: Comparison, over: Over) -> str:
    """Say where an interval and a verdict disagree, each reason once with its quantities."""
    reasons: dict[str, list[str]] = {}
    for name in ("overall_risk", *PARTS):
        reason = disagreement(comparison, comparison.differences[name], over).strip()
        if reason:
            reasons.setdefault(reason, []).append("R" if name == "overall_risk" else WORDS[name])
    return "".join(
        f" For {listed(names)}: {reason[0].lower()}{reason[1:]}" for reason, names in reasons.items()
    )


def _heard(word: str, found: Difference, change: str = "") -> str:
    """Say whether it rises, falls, stays, or cannot be told; ``change`` says from where to where."""
    end = f" {change}" if change else ""
    if found.verdict == "equal":
        return f"{word} is the same{end}"
    if found.verdict == "too few":
        return f"too few templates tell whether {word} changes{end}"
    if found.verdict == "unclear":
        return f"no change of {word} can be told{end}"
    if found.negligible:
        return f"{word} changes{end}, and too little to matter"
    return f"{word} {HEAR[found.verdict]}{end}"


def claim_finding(claim: Claim, comparison: Comparison, spreads: Sequence[SeedSpread] = ()) -> str:
    """Say what a figure of the papers shows, and whether these two models show the same.

    The claim is of what was done to a model, and each model here is one training of it: a difference that
    another seed may make neither agrees nor disagrees.

    Parameters
    ----------
    claim
        Of prejudice and of caprice.
    comparison
        Of the two models.
    spreads
        Over the seeds of either model, measured on what is compared; none where it is not known.
    """
    words = {name: WORDS[name] for name in PARTS}
    shown = [f"{words[name]} {MOVES[direction]}" for name, direction in claim.directions.items()]
    answers: dict[str, list[str]] = {}
    for name, direction in claim.directions.items():
        found = [spread for spread in spreads if spread.quantity == name]
        answer = _agreement(direction, comparison.differences[name], found)
        answers.setdefault(answer, []).append(words[name])
    told = [f"in {listed(names)} {answer}" for answer, names in answers.items()]
    single = "" if spreads else " These are single trainings; what another seed changes is not known here."
    return (
        f"Figure {claim.figure} of the {claim.paper} paper, which prints no numbers, shows {listed(shown)} "
        f"{claim.change}: {listed(told)}.{single}"
    )


def _agreement(direction: str, found: Difference, spreads: Sequence[SeedSpread]) -> str:
    """Say whether a difference goes in a direction, and whether a seed may make as much.

    The first part is its verb.
    """
    if found.negligible and found.differs:
        return "the difference is too small to matter"
    if found.differs:
        size = abs(found.value)
        for spread in spreads:
            if size <= spread.range:
                return f"the difference is no larger than another seed of {spread.model} changes"
            if size <= spread.bound:
                return f"the difference is no larger than another seed of {spread.model} may change"
        same = (found.verdict == "first") == (direction == "up")
        return "these models agree with it" if same else "these models disagree with it"
    if found.verdict == "equal":
        return "these models do not differ"
    return "these models leave it open"


def control_note(comparisons: Sequence[Comparison]) -> str:
    """Say that p-values are controlled for several comparisons; empty for one."""
    if len(comparisons) < 2:
        return ""
    return (
        f"The p-values are controlled for the {len(comparisons):,} comparisons (Holm), for R, prejudice and "
        "caprice apart."
    )


def common_note(comparisons: Sequence[Comparison]) -> str:
    """Say what is not compared; empty where that is nothing.

    It is occupations without a figure, and whatever one model of a pair alone has.  Which templates and
    occupations those are is among the warnings of a comparison.
    """
    said = []
    names = {item.name for found in comparisons for item in found.left_out}
    if names:
        said.append(
            "Left out, for want of a figure for the weights or the neutral point: "
            f"{count(len(names), 'occupation')}."
        )
    sides = [side for found in comparisons for side in (found.first, found.second)]
    if any(side.templates_left_out or side.occupations_left_out for side in sides):
        said.append(
            "A model's R is over all that it was scored on, a difference over what its two models have in "
            "common: the order by R may be another than that of the differences."
        )
    return " ".join(said)
