"""What a model knows, in sentences.  Its confidence gap is never called caprice: it harms nobody."""

from __future__ import annotations

from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.measure.knowledge import SCORES
from pcf_core.show.wording import sentences

say = sentences("knowledge")


def set_finding(asked: KnowledgeSet) -> str:
    """Say what a set asks for."""
    return say(
        "asked",
        title=asked.title,
        facts=len(asked.facts),
        templates=len(asked.templates),
        answers=len(asked.words),
        prompts=len(asked.prompts),
    )


def knowledge_finding(model: str, report: KnowledgeReport) -> str:
    """Say how much is known, and whether that is more than a liking for some answers.

    Parameters
    ----------
    model
        Its name.
    report
        Of one set; intervals over templates stand behind the numbers, but whether the subject adds anything
        is judged by the interval over templates and facts.
    """
    known = say(
        "known",
        model=model,
        report=report,
        score=SCORES[report.score].words,
        ahead=sum(fact.mean_probability > 0.5 for fact in report.facts),
        facts=len(report.facts),
        interval=_over(report, "knowledge", "templates"),
    )
    return " ".join(filter(None, [known, _gain_sentence(report)]))


def _gain_sentence(report: KnowledgeReport) -> str:
    """Say whether the right subject adds to what the same answers get anyway; empty where that is unknown."""
    gain, elsewhere, both = report.gain, report.elsewhere, _over(report, "gain", "both")
    if gain is None or elsewhere is None:
        return ""
    if both is None:
        return say("one_alone", elsewhere=elsewhere, template=len(report.templates) == 1)
    if both.low <= 0 <= both.high:
        return say("no_more_than_frequent", elsewhere=elsewhere)
    interval = _mirrored(both) if gain < 0 else both
    return say("subject_matters", elsewhere=elsewhere, adds=gain > 0, by=abs(gain), interval=interval)


def confidence_finding(report: KnowledgeReport) -> str:
    """Say what contexts take from what is known, and of which fact most."""
    if len(report.templates) == 1:
        return say("no_other_sentence")
    if report.confidence_gap == 0:
        return say("no_gap")
    return say(
        "gap",
        gap=report.confidence_gap,
        interval=_over(report, "confidence_gap", "templates"),
        share=report.confidence_gap / report.knowledge,
        widest=max(report.facts, key=lambda fact: fact.confidence_gap),
    )


def _over(report: KnowledgeReport, quantity: str, over: str) -> Interval | None:
    return next((found for found in report.intervals.get(quantity, ()) if found.over == over), None)


def _mirrored(interval: Interval) -> Interval:
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})
