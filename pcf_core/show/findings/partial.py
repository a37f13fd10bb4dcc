"""A run in sentences while it is being scored."""

from __future__ import annotations

from pcf_core.audit.partial import CompletePart, range_of_whole
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import ScoredSentence
from pcf_core.show.findings.notes import forbidden_clause
from pcf_core.show.findings.numbers import count
from pcf_core.show.overview import leading
from pcf_core.show.wording import sentences

say = sentences("partial")


def so_far_note(part: CompletePart) -> str:
    """Say how much of a run is complete, for a title: "12 of 120 occupations so far"."""
    return say("so_far", done=part.done, total=part.total, noun=part.noun)


def partial_finding(model: str, part: CompletePart, report: RiskReport) -> str:
    """State the risk so far and the probable range of the whole, or that there is no answer."""
    done, total, noun = part.done, part.total, part.noun
    if report.says_little:
        return say(
            "no_answer_so_far",
            model=model,
            coverage=report.coverage,
            forbidden=forbidden_clause(model, report),
            done=done,
            total=total,
            noun=noun,
        )
    risk, whole = report.overall_risk, range_of_whole(part, report)
    return say("risk_so_far", model=model, risk=risk, done=done, total=total, noun=noun, range=whole)


def favours_so_far_finding(part: CompletePart, report: RiskReport) -> str:
    """Count the occupations that the first two groups lead so far; "" without an answer."""
    firsts = leading(report)
    if report.says_little or not any(firsts.values()):
        return ""
    ranked = sorted(firsts, key=lambda group: -firsts[group])
    occupations = count(len(report.occupations), part.run.evidence.noun)
    return say("favours_so_far", ranked=ranked, leading=firsts, occupations=occupations)


def scored_sentence_note(sentence: ScoredSentence) -> str:
    """Say whom a model prefers in one sentence: "“The nurse said that …” women 89 %"."""
    group, share = max(sentence.preferences.items(), key=lambda pair: pair[1])
    return say("scored", sentence=sentence.prompt.replace("[Y]", "…"), group=group, share=share)
