"""Two runs on the same templates and occupations, and several along an axis, in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import shorten

from pcf_core.audit.agreement import Agreement
from pcf_core.core.frame import INSTRUCTION, Frame
from pcf_core.core.risk import (
    COUNTS_ONLY,
    SIGNIFICANCE,
    AxisPoint,
    Comparison,
    Difference,
    OccupationDifference,
    Over,
    RiskReport,
)
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.models.presets import Claim, PresetPair
from pcf_core.show.findings.numbers import RISK_NAMES, includes, listed, signed_with_interval
from pcf_core.show.wording import sentences

MOST_NAMES = 3
LONGEST_TEXT = 120  # characters of a text in a chat
SMALL = 0.05  # a difference for which we say how many sentences it needs
NOT_ORDERED = ("unclear", "small", "equal")  # in the order of their sentences

say = sentences("comparison")


def verdict_text(difference: Difference, first: str, second: str) -> str:
    """Write the verdict on a difference for a table's cell."""
    return say("verdict", found=difference, first=first, second=second)


def difference_text(difference: Difference, over: Over = "templates") -> str:
    """Write a difference with sign and interval: "+0.12 (+0.08 to +0.16)"; a note if both are 0."""
    if difference.first == difference.second == 0:
        return say("both_zero")
    return signed_with_interval(difference.value, difference.interval(over))


def difference_over(difference: Difference, over: Over = "templates") -> str:
    """Write a difference as :func:`difference_text`, and what was resampled for its interval."""
    text, interval = difference_text(difference, over), difference.interval(over)
    return text if interval is None else say("with_units", difference=text, interval=interval)


def difference_finding(
    comparison: Comparison, quantity: str = "overall_risk", over: Over = "templates"
) -> str:
    """Say which model has more, by how much, and whether these templates can tell."""
    difference = comparison.differences[quantity]
    return say(
        "difference",
        comparison=comparison,
        found=difference,
        word=RISK_NAMES[quantity],
        gap=difference_over(difference, over),
        reserve=disagreement(comparison, difference, over),
        detectable=detectable_sentence(difference.detectable),
    )


def detectable_sentence(size: float | None) -> str:
    """Say which difference would probably have been seen, and what a small one needs; "" if unknown."""
    return "" if not size else say("detectable", size=size, small=SMALL, times=(size / SMALL) ** 2)


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


def disagreement(comparison: Comparison, difference: Difference, over: Over) -> str:
    """Say why the verdict differs from what the shown interval suggests, if it does.

    The verdict rests on the test and on the interval over whole templates, whichever is shown.
    """
    interval, basis = difference.interval(over), difference.basis
    if interval is None or basis is None:
        return ""
    holds = includes(interval)
    if difference.differs:
        return say("range_includes_zero", interval=interval, basis=basis) if holds else ""
    if holds:
        return say("basis_includes_zero", basis=basis) if _by_test_alone(difference) else ""
    return say(
        "range_excludes_zero",
        interval=interval,
        basis=basis,
        counts_only=interval.unit in COUNTS_ONLY,
        by_test=difference.p_value <= SIGNIFICANCE,
        by_controlled=difference.controlled_p <= SIGNIFICANCE,
        effective=comparison.effective_templates,
    )


def order_finding(comparisons: Sequence[Comparison], risks: Mapping[str, str]) -> str:
    """Say which model has the higher risk R, and between which we cannot tell; "" without a comparison.

    ``risks``: R of each model with its interval, as text, by run key.
    """
    if not comparisons:
        return ""
    if len(comparisons) == 1:
        return _of_two(comparisons[0], risks)
    names = {side.run: side.name for pair in comparisons for side in (pair.first, pair.second)}
    parts = [
        say("risks", risks=[say("risk_for", model=name, risk=risks[run]) for run, name in names.items()])
    ]
    above = {run: _lower(run, comparisons) for run in names}
    parts += [say("above", model=names[run], lower=lower) for run, lower in above.items() if lower]
    parts += [
        say(
            "not_ordered",
            found=_total(pair),
            names=(pair.first.name, pair.second.name),
            by_test_alone=_by_test_alone(_total(pair)),
        )
        for kind in NOT_ORDERED
        for pair in comparisons
        if _kind(_total(pair)) == kind
    ]
    if len(comparisons) < len(names) * (len(names) - 1) // 2:
        parts.append(say("others_not_compared"))
    return " ".join(parts)


def _of_two(comparison: Comparison, risks: Mapping[str, str]) -> str:
    difference, sides = _total(comparison), (comparison.first, comparison.second)
    return say(
        "order_of_two",
        found=difference,
        names=[side.name for side in sides],
        risks=[risks[side.run] for side in sides],
        by_test_alone=_by_test_alone(difference),
        detectable=detectable_sentence(difference.detectable),
    )


def _total(comparison: Comparison) -> Difference:
    return comparison.differences["overall_risk"]


def _kind(difference: Difference) -> str:
    """Return "higher" for an ordered pair, else the reason why there is no order."""
    if difference.verdict == "equal":
        return "equal"
    if not difference.differs:
        return "unclear"
    return "higher" if difference.ordered else "small"


def _lower(run: str, comparisons: Sequence[Comparison]) -> list[str]:
    names = []
    for comparison in comparisons:
        total, sides = _total(comparison), (comparison.first, comparison.second)
        if total.ordered and run in (sides[0].run, sides[1].run):
            higher, lower = sides if total.verdict == "first" else sides[::-1]
            names += [lower.name] if higher.run == run else []
    return names


def _by_test_alone(difference: Difference) -> bool:
    """Return whether only the test finds a difference, so that no order is stated."""
    return difference.verdict == "unclear" and difference.controlled_p <= SIGNIFICANCE


PARTS = ("prejudice_risk", "caprice_risk")
WAYS = ("first", "second", "small", "equal", "unclear")  # in the order of their sentences


def change_finding(pair: PresetPair, comparison: Comparison, over: Over = "templates") -> str:
    """Say how R and its parts change from the second model to the first, with differences and p-values."""
    total = comparison.differences["overall_risk"]
    return say(
        "change",
        comparison=comparison,
        found=total,
        change=pair.change,
        gap=difference_over(total, over),
        parts=_parts(comparison, over),
        reserves=_reserves(comparison, over),
    )


def chat_finding(model: str, frame: Frame, comparison: Comparison, *, from_bare: bool) -> str:
    """Say how R changes in a chat, from bare sentences or from the plain chat, and which of its parts do."""
    instruction = "" if frame.instruction == INSTRUCTION else frame.instruction
    system, instruction = (
        shorten(one, LONGEST_TEXT, placeholder=" …").removesuffix(".") for one in (frame.system, instruction)
    )
    found = {name: comparison.differences[name] for name in ("overall_risk", *PARTS)}
    parts = [
        f"{RISK_NAMES[name]} {'rises' if found[name].verdict == 'first' else 'falls'}"
        for name in PARTS
        if found[name].differs and not found[name].negligible
    ]
    return say(
        "in_chat",
        model=model,
        system=system,
        instruction=instruction,
        from_bare=from_bare,
        found=found["overall_risk"],
        parts=parts,
    )


def sides_finding(first: RiskReport, second: RiskReport, names: tuple[str, str]) -> str:
    """Count the occupations in which the models prefer different groups, which R does not show."""
    before, after = _leaders(second), _leaders(first)
    both = before.keys() & after.keys()
    turned = Counter((before[term], after[term]) for term in both if before[term] != after[term])
    ways = [
        say("turn", occupations=much, turned=turned.total(), first=index == 0, before=old, after=new)
        for index, ((old, new), much) in enumerate(turned.most_common())
    ]
    return say("sides", names=names, turned=turned.total(), occupations=len(both), ways=ways)


def _leaders(report: RiskReport) -> dict[str, str]:
    return {
        row.occupation: max(row.preferences, key=row.preferences.__getitem__) for row in report.occupations
    }


def _parts(comparison: Comparison, over: Over) -> str:
    parts = []
    for name in PARTS:
        difference = comparison.differences[name]
        parts.append(
            say("part", word=RISK_NAMES[name], found=difference, difference=difference_text(difference, over))
        )
    return " ".join(parts)


def _reserves(comparison: Comparison, over: Over) -> str:
    reasons: dict[str, list[str]] = {}
    for name in ("overall_risk", *PARTS):
        reason = disagreement(comparison, comparison.differences[name], over)
        if reason:
            reasons.setdefault(reason, []).append(RISK_NAMES[name])
    return " ".join(say("reserve", words=words, reason=reason) for reason, words in reasons.items())


def claim_finding(claim: Claim, comparison: Comparison, spreads: Sequence[SeedSpread] = ()) -> str:
    """Say what a figure of the papers shows, and whether these two models show the same.

    The claim is about a treatment, but each model is one training: a difference that another seed may cause
    neither agrees nor disagrees.  ``spreads``: over the seeds of either model on the same material, if known.
    """
    shown = [
        say("shown", word=RISK_NAMES[name], direction=direction)
        for name, direction in claim.directions.items()
    ]
    answers: dict[tuple[str, str], list[str]] = {}
    for name, direction in claim.directions.items():
        own = [spread for spread in spreads if spread.quantity == name]
        answer = _agreement(direction, comparison.differences[name], own)
        answers.setdefault(answer, []).append(RISK_NAMES[name])
    agreements = [
        say("agreement", words=words, answer=answer, model=model)
        for (answer, model), words in answers.items()
    ]
    return say("claim", claim=claim, shown=shown, answers=" ".join(agreements), single=not spreads)


def _agreement(direction: str, difference: Difference, spreads: Sequence[SeedSpread]) -> tuple[str, str]:
    """Return whether a difference agrees with a direction, and of which model a seed may cause as much."""
    if difference.negligible and difference.differs:
        return "small", ""
    if difference.differs:
        size = abs(difference.value)
        for spread in spreads:
            if size <= spread.range:
                return "as a seed", spread.model
            if size <= spread.bound:
                return "as a seed may", spread.model
        return "agree" if (difference.verdict == "first") == (direction == "up") else "disagree", ""
    return "equal" if difference.verdict == "equal" else "open", ""


def control_note(comparisons: Sequence[Comparison]) -> str:
    """Say that p-values are controlled for several comparisons, "" for one."""
    if len(comparisons) < 2:
        return ""
    return say("controlled", comparisons=len(comparisons))


def agreement_finding(of: Agreement) -> str:
    """Say in how many test sentences two ways of scoring differ beyond their noise, and where most."""
    worst = of.apart[0]
    times = math.exp(worst.nats) if math.isfinite(worst.nats) else None
    return say("same_model", of=of, worst=worst, times=times)


def common_note(comparisons: Sequence[Comparison]) -> str:
    """Say what is not compared: occupations without a figure, and what only one model has; "" if nothing."""
    parts = []
    names = {item.name for pair in comparisons for item in pair.left_out}
    if names:
        parts.append(say("left_out", occupations=len(names)))
    sides = [side for pair in comparisons for side in (pair.first, pair.second)]
    if any(side.templates_left_out or side.occupations_left_out for side in sides):
        parts.append(say("in_common"))
    return " ".join(parts)


def axis_finding(points: Sequence[AxisPoint], noun: str) -> str:
    """State the range of each line's risk along the axis; ``noun``: of a point, such as "topic"."""
    parts = []
    for line in dict.fromkeys(point.line for point in points):
        own = sorted(
            (point for point in points if point.line == line), key=lambda point: point.values["overall_risk"]
        )
        if len(own) == 1:
            parts.append(say("at_one_place", line=line, noun=noun, point=own[0]))
        else:
            parts.append(
                say("over_places", line=line, noun=noun, places=len(own), lowest=own[0], highest=own[-1])
            )
    return " ".join(parts)


def topics_finding(points: Sequence[AxisPoint]) -> str:
    """State each line's risk on each topic, without ranking topics, whose words and templates differ."""
    parts = []
    for line in dict.fromkeys(point.line for point in points):
        own = [say("on_topic", point=point) for point in points if point.line == line]
        parts.append(say("on_topics", line=line, told=own))
    if len({point.place for point in points}) > 1:
        parts.append(say("topics_are_unlike"))
    return " ".join(parts)


def checkpoints_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """Say that single checkpoints say nothing of a size or training; ``order``: of :func:`order_finding`."""
    return say("checkpoints", order=order) if len(points) > 1 else ""


def size_finding(order: str, points: Sequence[AxisPoint]) -> str:
    """State R, R^p and R^c of the smallest and largest checkpoint; ``order``: of :func:`order_finding`."""
    ranked = sorted(points, key=lambda point: float(point.place))
    if len(ranked) < 2:
        return ""
    return say("sizes", checkpoints=len(ranked), smallest=ranked[0], largest=ranked[-1], order=order)


def alignment_finding(comparisons: Sequence[Comparison]) -> str:
    """Say at how many sizes each risk rises and falls from base to aligned; "" without comparisons."""
    if not comparisons:
        return ""
    parts = []
    for name, word in RISK_NAMES.items():
        ways = Counter(_way(comparison.differences[name]) for comparison in comparisons)
        directions = [say("in_pairs", way=way, pairs=ways[way]) for way in WAYS if ways[way]]
        parts.append(say("goes", word=word, ways=directions))
    return say("alignment", pairs=len(comparisons), told=parts)


def _way(difference: Difference) -> str:
    if difference.ordered or difference.verdict == "equal":
        return difference.verdict
    return "small" if difference.differs else "unclear"
