"""What a model knows, in sentences.  Its confidence gap is never called caprice: it harms nobody."""

from __future__ import annotations

from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.show.findings.numbers import count, percent, two_decimals, with_interval


def set_finding(asked: KnowledgeSet) -> str:
    """Say what a set asks for."""
    return (
        f"“{asked.title}” asks for {count(len(asked.facts), 'fact')} in "
        f"{count(len(asked.templates), 'template')}, with {count(len(asked.words), 'answer')} in all. A "
        f"model has to read {count(len(asked.prompts), 'prompt')}."
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
    ahead = sum(fact.mean_probability > 0.5 for fact in report.facts)
    known = with_interval(report.knowledge, _over(report, "knowledge", "templates"))
    first = (
        f"For {ahead:,} of {count(len(report.facts), 'fact')}, {model} gives the right answers more than all "
        f"wrong ones together. Its knowledge (score {report.score}) is {known}; guessing gives "
        f"{two_decimals(report.chance)}."
    )
    both = _over(report, "gain", "both")
    if report.gain is None or report.elsewhere is None:
        return first
    same = f"The same answers get {two_decimals(report.elsewhere)} with other subjects."
    if both is None:
        return f"{first} {same} One {_single(report)} cannot tell whether the right subject adds to that."
    if both.low <= 0 <= both.high:
        return f"{first} {same} We cannot tell whether it knows more than which answers are frequent."
    gain = with_interval(abs(report.gain), _mirrored(both) if report.gain < 0 else both)
    how = "Naming the right subject adds" if report.gain > 0 else "Naming the right subject takes away"
    return f"{first} {same} {how} {gain}, over facts and templates."


def confidence_finding(report: KnowledgeReport) -> str:
    """Say what contexts take from what is known, and of which fact most."""
    if len(report.templates) == 1:
        return "There is one template, and so no other sentence: the confidence gap cannot be told."
    gap = with_interval(report.confidence_gap, _over(report, "confidence_gap", "templates"))
    if report.confidence_gap == 0:
        return "The confidence gap is 0: no fact gets another probability in another sentence."
    widest = max(report.facts, key=lambda fact: fact.confidence_gap)
    share = percent(report.confidence_gap / report.knowledge)
    return (
        f"The confidence gap is {gap}: other sentences take {share} of the knowledge away. They take most "
        f"for “{widest.subject}” (knowledge {two_decimals(widest.knowledge)}, gap "
        f"{two_decimals(widest.confidence_gap)})."
    )


def _single(report: KnowledgeReport) -> str:
    """Say what a report has one of, where it has no interval over both."""
    return "template" if len(report.templates) == 1 else "fact"


def _over(report: KnowledgeReport, quantity: str, over: str) -> Interval | None:
    return next((found for found in report.intervals.get(quantity, ()) if found.over == over), None)


def _mirrored(interval: Interval) -> Interval:
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})
