"""Sentences about several runs: ready comparisons, and runs along an axis such as sizes or text sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pcf_core.core.risk import AxisPoint, Comparison, Difference, Over, RiskReport
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.models.presets import Claim, PresetPair
from pcf_core.show.findings.comparison import WORDS, difference_text, disagreement, drawn
from pcf_core.show.findings.numbers import begun, count, listed, p_value, people, two_decimals, with_interval

PARTS = ("prejudice_risk", "caprice_risk")
MOVES = {"up": "rising", "down": "falling"}
HEAR = {"first": "rises", "second": "falls"}
WAYS = (*HEAR.values(), "changes too little to matter", "is the same", "cannot be told")


def change_finding(pair: PresetPair, comparison: Comparison, over: Over = "templates") -> str:
    """Say how R goes from the second model to the first, and its parts; also where nothing can be told.

    Each has its difference and the p-value that its verdict rests on.
    """
    total = comparison.differences["overall_risk"]
    first, second = comparison.first.name, comparison.second.name
    values = f"It is {two_decimals(total.second)} for {second} and {two_decimals(total.first)} for {first}."
    gap = f"{difference_text(total, over)}{drawn(total, over)}, {p_value(total.controlled_p)}"
    said = f"{begun(_heard('the risk', total, pair.change))}. {values} The difference is {gap}."
    return f"{said} {_parts(comparison, over)}{_reserves(comparison, over)}"


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
    ways = [f"{much:,} turn from {people(old)} to {people(new)}" for (old, new), much in turned.most_common()]
    changed = f"In {turned.total():,} of {len(both):,} occupations {names[0]} favours another group"
    return (
        f"{changed} than {names[1]}. Of these, {listed(ways)}. The risk does not count which group that is."
    )


def _leaders(report: RiskReport) -> dict[str, str]:
    """Return the group whose words come first on average, by occupation."""
    return {
        row.occupation: max(row.preferences, key=row.preferences.__getitem__) for row in report.occupations
    }


def _parts(comparison: Comparison, over: Over) -> str:
    """Say how prejudice and caprice go, a sentence each, with their differences unless these are none."""
    told = []
    for name in PARTS:
        found = comparison.differences[name]
        heard = begun(_heard(WORDS[name], found))
        if found.verdict != "equal":
            heard += f": {difference_text(found, over)}, {p_value(found.controlled_p)}"
        told.append(f"{heard}.")
    return " ".join(told)


def _reserves(comparison: Comparison, over: Over) -> str:
    """Say where an interval and a verdict disagree, each reason once with its quantities."""
    reasons: dict[str, list[str]] = {}
    for name in ("overall_risk", *PARTS):
        reason = disagreement(comparison, comparison.differences[name], over).strip()
        if reason:
            reasons.setdefault(reason, []).append(WORDS[name])
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
        return f"we cannot tell whether {word} changes{end}"
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
    told = " ".join(f"In {listed(names)} {answer}." for answer, names in answers.items())
    single = "" if spreads else " Each model is a single training: another seed may change this."
    return (
        f"Figure {claim.figure} of the {claim.paper} paper shows {listed(shown)} {claim.change}. It prints "
        f"no numbers. {told}{single}"
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
        f"The p-values are controlled for the {len(comparisons):,} comparisons (Holm), for risk, prejudice "
        "and caprice apart."
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
            f"{count(len(names), 'occupation')} left out: a figure for the weights or the neutral point is "
            "missing."
        )
    sides = [side for found in comparisons for side in (found.first, found.second)]
    if any(side.templates_left_out or side.occupations_left_out for side in sides):
        said.append(
            "A risk is over all that its model was scored on, a difference over what both have in common. "
            "So the two may be in another order."
        )
    return " ".join(said)


def axis_finding(points: Sequence[AxisPoint], noun: str) -> str:
    """Say the range of each line's risk over the places.

    Parameters
    ----------
    points
        Of our own runs.
    noun
        What a place is, in the singular: "text source", "topic".
    """
    sentences = []
    for line in dict.fromkeys(point.line for point in points):
        own = sorted(
            (point for point in points if point.line == line), key=lambda point: point.values["overall_risk"]
        )
        if len(own) == 1:
            where = f"one {noun} alone, {own[0].place}"
            sentences.append(f"{line} is scored for {where}: its risk is {_risk(own[0])}.")
        else:
            sentences.append(
                f"Over {count(len(own), noun)} the risk of {line} lies between {_risk(own[0])} for "
                f"{own[0].place} and {_risk(own[-1])} for {own[-1].place}."
            )
    return " ".join(sentences)


def topics_finding(points: Sequence[AxisPoint]) -> str:
    """Say what each line's risk is on each topic, in the order of the places; topics are not ranked.

    Other groups, words and templates are behind each, so that no topic's level is above another's.
    """
    sentences = []
    for line in dict.fromkeys(point.line for point in points):
        own = [point for point in points if point.line == line]
        told = listed([f"{_risk(point)} on {point.place}" for point in own])
        sentences.append(f"The risk of {line} is {told}.")
    several = len({point.place for point in points}) > 1
    unlike = "Topics have other groups, words and templates: do not compare their levels."
    return " ".join([*sentences, *([unlike] if several else [])])


def checkpoints_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """Say what single checkpoints have, and that they say nothing of a size or a training as such.

    ``order``: what is said of their order, see :func:`pcf_core.show.findings.comparison.order_finding`.
    """
    if len(points) < 2:
        return ""
    return (
        f"{order} These single checkpoints differ in more than one respect. Nothing follows for families, "
        "sizes or trainings."
    ).strip()


def size_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """Say what R, R^p and R^c are from the smallest to the largest checkpoint; empty for one.

    ``order``: what is said of their order, see :func:`pcf_core.show.findings.comparison.order_finding`.
    """
    ranked = sorted(points, key=lambda point: float(point.place))
    if len(ranked) < 2:
        return ""
    said = [f"{_sized(place, point)}." for place, point in (("smallest", ranked[0]), ("largest", ranked[-1]))]
    said[0] = f"Of {_these(len(ranked))}, {said[0][0].lower()}{said[0][1:]}"
    unlike = "Single checkpoints differ in more than size, so that nothing follows for size as such."
    return " ".join([*said, *([order] if order else []), unlike])


def alignment_finding(comparisons: Sequence[Comparison]) -> str:
    """Say at how many sizes each risk rises and falls from base to aligned, by as much as may matter.

    Empty without a pair.

    Parameters
    ----------
    comparisons
        Of the aligned checkpoint, the first, with its base, a pair each.
    """
    if not comparisons:
        return ""
    told = []
    for name, word in WORDS.items():
        ways = Counter(_way(comparison.differences[name]) for comparison in comparisons)
        heard = [f"{way} in {ways[way]:,}" for way in WAYS if ways[way]]
        told.append(f"{word} {listed(heard)}")
    pairs = count(len(comparisons), "pair")
    return f"From base to aligned, over {pairs} of one size each: {'; '.join(told)}."


def _way(found: Difference) -> str:
    """Return one of ``WAYS``: up or down only where an order is stated."""
    if found.ordered:
        return HEAR[found.verdict]
    if found.verdict == "equal":
        return "is the same"
    return "changes too little to matter" if found.differs else "cannot be told"


def _these(checkpoints: int) -> str:
    return "these two checkpoints" if checkpoints == 2 else f"these {checkpoints:,} checkpoints"


def _risk(point: AxisPoint) -> str:
    return with_interval(point.values["overall_risk"], point.intervals.get("overall_risk"))


def _sized(place: str, point: AxisPoint) -> str:
    """Say what the risks of one checkpoint are."""
    parts = [f"{word} {two_decimals(point.values[name])}" for name, word in WORDS.items()]
    size = count(int(float(point.place)), "parameter")
    return f"The {place} ({point.line}, {size}) has {listed(parts)}"
