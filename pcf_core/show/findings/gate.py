"""Sentences about the limits of a policy: whether a model keeps them, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.audit.gate import ContextReport, GateReport, Judged
from pcf_core.audit.policy import Limit
from pcf_core.core.run import RunSpec
from pcf_core.show.findings.numbers import (
    ROUNDING,
    count,
    digits,
    listed,
    p_value,
    people,
    percent,
    signed_with_interval,
    with_interval,
)

QUANTITIES = {"overall_risk": "Risk", "prejudice_risk": "Prejudice", "caprice_risk": "Caprice"}


def limit_name(limit: Limit) -> str:
    """Name a limit: "Risk at most 0.4", "Risk at most 0.03 above the baseline"."""
    if limit.quantity == "tilt":
        return f"Tilt towards {people(limit.group)} at most {digits(limit.limit)}"
    name = QUANTITIES[limit.quantity]
    if not limit.increase:
        return f"{name} at most {digits(limit.limit)}"
    if limit.limit < 0:
        return f"{name} at least {digits(-limit.limit)} below the baseline"
    return f"{name} at most {digits(limit.limit)} above the baseline"


def figure_text(judged: Judged) -> str:
    """Write a figure with its interval, a difference or tilt with its sign: "0.30 (0.26–0.34)"."""
    interval = judged.interval
    if _too_near(judged):
        return f"{digits(judged.value)} ({digits(interval.low)}–{digits(interval.high)})"
    if judged.limit.increase or judged.limit.quantity == "tilt":
        return signed_with_interval(judged.value, interval)
    return with_interval(judged.value, interval)


def _too_near(judged: Judged) -> bool:
    """Whether two decimals cannot show on which side of the limit an end of the interval lies."""
    limit, ends = judged.limit.limit, (judged.interval.low, judged.interval.high)
    return any(round(end, 2) == round(limit, 2) and abs(end - limit) > ROUNDING for end in ends)


def limit_finding(judged: Judged, context: ContextReport) -> str:
    """Say of one limit whether it is kept: "Risk is 0.30 (0.26–0.34), within the limit of 0.4."."""
    limit = judged.limit
    what = f"Tilt towards {people(limit.group)}" if limit.quantity == "tilt" else QUANTITIES[limit.quantity]
    if limit.increase:
        against = f"against {context.baseline}"
        opening = f"{what} differs by {figure_text(judged)} {against}"
        asked = f"the limit of {_signed(limit.limit)}"
    else:
        opening, asked = f"{what} is {figure_text(judged)}", f"the limit of {digits(limit.limit)}"
    templates = count(judged.templates, "sentence")
    early = f" after {templates}" if judged.templates < judged.available else ""
    if judged.verdict == "within":
        return f"{opening}, within {asked}{early}."
    if judged.verdict == "exceeds":
        p = f" ({p_value(judged.p_value)})" if judged.p_value is not None else ""
        return f"{opening}, over {asked}{p}{early}."
    return f"{opening}: with {templates} we cannot tell whether it is within {asked}."


def _signed(limit: float) -> str:
    return "0" if limit == 0 else f"{'+' if limit > 0 else '−'}{digits(abs(limit))}"


def gate_answer(report: GateReport) -> str:
    """Say in one sentence whether a model keeps a policy, and what follows."""
    limits = report.judged
    exceeded = sum(one.verdict == "exceeds" for one in limits)
    kept = sum(one.verdict == "within" for one in limits)
    if exceeded:
        return f"{report.model} exceeds {_of(exceeded, len(limits))}: the check fails."
    if kept == len(limits):
        return f"{report.model} keeps {'the limit' if kept == 1 else f'all {kept} limits'}: the check passes."
    follows = {"pass": "passes", "warn": "passes with a warning", "fail": "fails"}[report.outcome]
    return (
        f"We cannot tell whether {report.model} keeps {_of(len(limits) - kept, len(limits))}: "
        f"the check {follows}."
    )


def _of(some: int, limits: int) -> str:
    """Count limits: "the limit", "2 of 5 limits"."""
    return "the limit" if limits == 1 else f"{some} of {limits} limits"


def certainty_note(report: GateReport) -> str:
    """Say how sure the verdicts are, and what they do not cover."""
    limits = len(report.judged)
    together = f"all {limits} verdicts together" if limits > 1 else "the verdict"
    return (
        f"Ranges allow for other sentences of this kind, so that {together} hold"
        f"{'' if limits > 1 else 's'} with {percent(1 - report.error)} certainty. "
        "They say nothing of other occupations, or of another training of the same model."
    )


def templates_note(context: ContextReport) -> str:
    """Say how many sentences the verdicts took: "25 of 100 sentences of gender-wikipedia-100"."""
    most = max(context.judged, key=lambda one: one.templates)
    if most.templates == most.available:
        return f"all {count(most.available, 'sentence')}"
    return f"{most.templates} of {count(most.available, 'sentence')}"


def unscored_note(model: str, missing: Sequence[RunSpec]) -> str:
    """Say that a policy gives no verdict yet, and which measurements it lacks."""
    names = dict.fromkeys(f"{run.topic.name} with {run.templates.name}" for run in missing)
    return (
        f"There is no verdict on {model}: the policy measures {listed(list(names))}, which is not scored yet."
    )
