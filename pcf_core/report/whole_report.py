"""What a whole report will hold, and what it holds, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.core.run import RunSpec
from pcf_core.report.records import ReportDocument
from pcf_core.show.findings.numbers import count, listed

MOST_NAMED = 4


def contents_finding(runs: Sequence[RunSpec], facts: int, fairpair: int, criteria: int) -> str:
    """Say before it is made whose runs on which topics, how many sets and audits; empty for none."""
    parts = []
    for topic in dict.fromkeys(run.topic.title for run in runs):
        models = list(dict.fromkeys(run.scoring.name for run in runs if run.topic.title == topic))
        parts.append(f"{_named(models)} on “{topic}”")
    parts += [count(facts, "set of facts", "sets of facts")] if facts else []
    parts += [f"{count(fairpair, 'result')} of FairPair"] if fairpair else []
    parts += [f"{count(criteria, 'experiment')} of the criteria"] if criteria else []
    if not parts:
        return ""
    return f"The report tells of {listed(parts)}."


def made_finding(document: ReportDocument) -> str:
    """Say once it is made how much is in it."""
    findings = sum(len(part.findings) for section in document.sections for part in section.parts)
    return (
        f"{count(len(document.sections), 'section')} with {count(findings, 'finding')}, "
        f"{count(len(document.figures), 'chart')} and {count(len(document.tables), 'table')}."
    )


def _named(models: Sequence[str]) -> str:
    if len(models) <= MOST_NAMED:
        return listed(models)
    return f"{', '.join(models[:MOST_NAMED])} and {count(len(models) - MOST_NAMED, 'further model')}"
