"""Sentences about runs along an axis: checkpoints, sizes, base and aligned, text sources, topics."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import AxisPoint, Comparison
from pcf_core.show.findings.comparison import WORDS
from pcf_core.show.findings.numbers import count, listed, number, with_interval

UNTESTED = "the view “two models” tests whether two differ beyond chance"


def axis_finding(points: Sequence[AxisPoint], noun: str) -> str:
    """Say the range of each line's risk over the places, and how often the same line is highest.

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
            sentences.append(f"{line} is scored for one {noun} alone, {own[0].place}: R is {_risk(own[0])}.")
        else:
            sentences.append(
                f"Over {count(len(own), noun)} the risk of {line} lies between {_risk(own[0])} for "
                f"{own[0].place} and {_risk(own[-1])} for {own[-1].place}."
            )
    return " ".join([*sentences, order_finding(points, noun)]).strip()


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
    unlike = "Levels of different topics are not on one footing, so that none is higher than another's."
    return " ".join([*sentences, *([unlike] if several else []), order_finding(points, "topic")]).strip()


def order_finding(points: Sequence[AxisPoint], noun: str) -> str:
    """Say how often each line has the highest risk, over the places where all lines stand.

    Empty for one line.
    """
    lines = list(dict.fromkeys(point.line for point in points))
    risks = {(point.line, point.place): point.values["overall_risk"] for point in points}
    places = [
        place
        for place in dict.fromkeys(point.place for point in points)
        if all((line, place) in risks for line in lines)
    ]
    if len(lines) < 2 or len(places) < 2:
        return ""
    tops = [max(lines, key=lambda line: risks[line, place]) for place in places]
    wins = sorted(((tops.count(line), line) for line in set(tops)), reverse=True)
    best = "higher" if len(lines) == 2 else "highest"
    shared = count(len(places), noun)
    if len(wins) == 1:
        return f"{wins[0][1]} has the {best} risk in all {shared}, by the estimates alone; {UNTESTED}."
    return (
        f"Which model has the {best} risk changes with the {noun}: of {shared}, it is "
        f"{listed([f'{line} in {times:,}' for times, line in wins])}, by the estimates alone; {UNTESTED}."
    )


def checkpoints_finding(points: Sequence[AxisPoint]) -> str:
    """Say what single checkpoints have, and that they say nothing of a size or a training as such."""
    highest = max(points, key=lambda point: point.values["overall_risk"])
    lowest = min(points, key=lambda point: point.values["overall_risk"])
    if highest is lowest:
        return ""
    more, less = ("higher", "lower") if len(points) == 2 else ("highest", "lowest")
    return (
        f"Of {_these(len(points))}, {highest.place} has the {more} risk, {_risk(highest)}, and "
        f"{lowest.place} the {less}, {_risk(lowest)}, by the estimates alone; {UNTESTED}. They differ in "
        "more than one respect, so that nothing follows for families, sizes or trainings."
    )


def size_finding(points: Sequence[AxisPoint]) -> str:
    """Say how R, R^p and R^c go from the smallest to the largest checkpoint; empty for one."""
    ranked = sorted(points, key=lambda point: float(point.place))
    if len(ranked) < 2:
        return ""
    small, large = ranked[0], ranked[-1]
    parts = [
        f"{word} goes from {number(small.values[name])} to {number(large.values[name])}"
        for name, word in WORDS.items()
    ]
    return (
        f"Of {_these(len(ranked))}, from {count(int(float(small.place)), 'parameter')} ({small.line}) to "
        f"{count(int(float(large.place)), 'parameter')} ({large.line}), {listed(parts)}, by the "
        f"estimates alone; {UNTESTED}. Single checkpoints differ in more than size, so that nothing follows "
        "for size as such."
    )


def alignment_finding(comparisons: Sequence[Comparison]) -> str:
    """Say at how many sizes each risk rises and falls from base to aligned; empty without a pair.

    Parameters
    ----------
    comparisons
        Of the aligned checkpoint, the first, with its base, a pair each.
    """
    if not comparisons:
        return ""
    told = []
    for name, word in WORDS.items():
        verdicts = [comparison.differences[name].verdict for comparison in comparisons]
        parts = {"rises": verdicts.count("first"), "falls": verdicts.count("second")}
        heard = [f"{verb} in {times:,}" for verb, times in parts.items() if times]
        heard += [f"cannot be told in {rest:,}"] if (rest := len(verdicts) - sum(parts.values())) else []
        told.append(f"{word} {listed(heard)}")
    pairs = count(len(comparisons), "pair")
    return f"From base to aligned, of {pairs} of one size each: {'; '.join(told)}."


def _these(checkpoints: int) -> str:
    return "these two checkpoints" if checkpoints == 2 else f"these {checkpoints:,} checkpoints"


def _risk(point: AxisPoint) -> str:
    return with_interval(point.values["overall_risk"], point.intervals.get("overall_risk"))
