"""The limits of a policy in sentences: whether a model keeps them, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.audit.gate import ContextReport, GateReport, Judged
from pcf_core.audit.policy import Limit
from pcf_core.core.run import RunSpec
from pcf_core.show.findings.numbers import NO_FIGURE, ROUNDING, digits, signed_with_interval, with_interval
from pcf_core.show.wording import sentences

say = sentences("gate")


def limit_name(limit: Limit) -> str:
    """Name a limit: "Risk at most 0.4", "Risk at most 0.03 above the baseline"."""
    return say("limit", asked=limit, below=limit.limit < 0)


def figure_text(judged: Judged, context: ContextReport) -> str:
    """Write a figure with its interval, signed for differences and tilts; a dash if unreliable."""
    if not context.reliable:
        return NO_FIGURE
    interval = judged.interval
    if _too_near(judged):
        return f"{digits(judged.value)} ({digits(interval.low)}–{digits(interval.high)})"
    if judged.limit.increase or judged.limit.quantity == "tilt":
        return signed_with_interval(judged.value, interval)
    return with_interval(judged.value, interval)


def verdict_word(judged: Judged, context: ContextReport) -> str:
    """Name the verdict on a limit, unless its figures are unreliable."""
    return judged.verdict if context.reliable else say("no_reliable_answer")


def _too_near(judged: Judged) -> bool:
    """Return whether two decimals cannot show on which side of the limit an end of the interval is."""
    limit, ends = judged.limit.limit, (judged.interval.low, judged.interval.high)
    return any(round(end, 2) == round(limit, 2) and abs(end - limit) > ROUNDING for end in ends)


def limit_finding(judged: Judged, context: ContextReport) -> str:
    """Say whether a limit is kept: "Risk is 0.30 (0.26–0.34), within the limit of 0.4."."""
    if not context.reliable:
        return say("unreliable", asked=judged.limit)
    return say(
        "verdict",
        judged=judged,
        figure=figure_text(judged, context),
        baseline=context.baseline,
        early=judged.templates < judged.available,
    )


def gate_answer(report: GateReport) -> str:
    """Say whether a model keeps a policy, and what follows."""
    model, limits = report.model, len(report.judged)
    exceeded = sum(one.verdict == "exceeds" for one in report.judged)
    within = sum(one.verdict == "within" for one in report.judged)
    if exceeded:
        return say("fails", model=model, exceeded=exceeded, limits=limits)
    if within == limits:
        return say("passes", model=model, limits=limits)
    return say("unclear", model=model, unclear=limits - within, limits=limits, outcome=report.outcome)


def certainty_note(report: GateReport) -> str:
    """Say how sure the verdicts are, and what they do not cover."""
    times = f"{100 * (1 - report.error):g}"
    return say("certainty", limits=len(report.judged), times=times, early=report.stop_early)


def templates_note(context: ContextReport) -> str:
    """Say how many sentences the verdicts took: "25 of 100 sentences of gender-wikipedia-100"."""
    most = max(context.judged, key=lambda one: one.templates)
    return say("sentences_taken", taken=most.templates, available=most.available)


def unscored_note(model: str, missing: Sequence[RunSpec]) -> str:
    """Say that there is no verdict yet, and which measurements are missing."""
    names = dict.fromkeys(
        say("measured", topic=run.topic.name, templates=run.templates.name) for run in missing
    )
    return say("unscored", model=model, missing=list(names))
