"""Sentences about runs along an axis: checkpoints, sizes, base and aligned, text sources, topics."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.risk import AxisPoint, Comparison
from pcf_core.show.findings.comparison import WORDS
from pcf_core.show.findings.numbers import count, listed, number, with_interval


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
            sentences.append(f"{line} is scored for one {noun} alone, {own[0].place}: R is {_risk(own[0])}.")
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
    unlike = "Levels of different topics are not on one footing, so that none is higher than another's."
    return " ".join([*sentences, *([unlike] if several else [])])


def checkpoints_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """Say what single checkpoints have, and that they say nothing of a size or a training as such.

    ``order``: what is said of their order, see :func:`pcf_core.show.findings.order.order_finding`.
    """
    if len(points) < 2:
        return ""
    return (
        f"{order} These are single checkpoints, and they differ in more than one respect, so that nothing "
        "follows for families, sizes or trainings."
    ).strip()


def size_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """Say what R, R^p and R^c are from the smallest to the largest checkpoint; empty for one.

    ``order``: what is said of their order, see :func:`pcf_core.show.findings.order.order_finding`.
    """
    ranked = sorted(points, key=lambda point: float(point.place))
    if len(ranked) < 2:
        return ""
    small, large = ranked[0], ranked[-1]
    parts = [
        f"{word} {number(small.values[name])} and {number(large.values[name])}"
        for name, word in WORDS.items()
    ]
    said = [
        f"Of {_these(len(ranked))}, the smallest, of {count(int(float(small.place)), 'parameter')} "
        f"({small.line}), and the largest, of {count(int(float(large.place)), 'parameter')} ({large.line}), "
        f"have {listed(parts)}.",
        *([order] if order else []),
        "Single checkpoints differ in more than size, so that nothing follows for size as such.",
    ]
    return " ".join(said)


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
