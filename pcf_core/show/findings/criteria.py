"""A criteria run, and all criteria of a model, in sentences: which fail, by how much, how sure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from pcf_core.show.findings.answers import (
    answers_finding,
    baseline_finding,
    notes,
    order_finding,
    rates_finding,
)
from pcf_core.show.findings.independence import (
    amplification_finding,
    anecdotes_finding,
    embedding_finding,
    hobbies_finding,
    hobbies_notes,
    information_finding,
    reading_notes,
    words_finding,
)
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.quantities import Answering
from pcf_core.texts.criteria.records.runs import CRITERIA, CriteriaResult, Criterion, CriterionReading
from pcf_core.texts.criteria.records.separation import GAP_LINE
from pcf_core.texts.criteria.summary import CriteriaCount, Status, status_of

MOST_ENTRIES = 3  # named in a sentence; all are in the record
MOST_EXPLAINED = 2  # criteria in a sentence

OTHERWISE: tuple[Status, ...] = ("cannot be shown", "too few", "not tested", "undefined", "not asked")

say = sentences("criteria")

ANSWERED: Mapping[Answering, str] = {way: say("answered", answering=way) for way in get_args(Answering)}


def criteria_findings(result: CriteriaResult) -> tuple[str, ...]:
    """List the findings, then what else to know."""
    report, model = result.report, result.asked.name
    if isinstance(report, AnecdotesReport):
        return (anecdotes_finding(report, model), amplification_finding(report), *reading_notes(report))
    if isinstance(report, HobbiesReport):
        own = () if report.embedding is None else (embedding_finding(report.embedding),)
        return (
            hobbies_finding(report, model),
            information_finding(report),
            words_finding(report),
            *own,
            *hobbies_notes(report),
        )
    beside = (baseline_finding(report), order_finding(report))
    beside_others = tuple(sentence for sentence in (*beside, left_out_note(result)) if sentence)
    return (f"{model}: {answers_finding(report)}", rates_finding(report), *beside_others, *notes(report))


def left_out_note(result: CriteriaResult) -> str:
    """Say from how many entries of a file no prompt was made, and why for the first ones."""
    entries = result.entries_left_out
    if not entries:
        return ""
    more = max(0, len(entries) - MOST_ENTRIES)
    return say("left_out", entries=len(entries), first=entries[:MOST_ENTRIES], more=more)


def summary_finding(model: str, readings: Sequence[CriterionReading]) -> str:
    """Say how many criteria fail, how they were judged, and what became of the others."""
    return " ".join(filter(None, (verdict_finding(model, readings), judged_finding(readings))))


def verdict_finding(model: str, readings: Sequence[CriterionReading]) -> str:
    """Say how many of the tested criteria fail, and which."""
    if not readings:
        return say("none_asked", model=model)
    counted = CriteriaCount.of(readings)
    failing = counted.by_status.get("fails", [])
    named = _named(failing, counted.asked)
    return say("verdict", model=model, failing=len(failing), asked=counted.asked, named=named)


def criteria_title(readings: Sequence[CriterionReading]) -> str:
    """Count the criteria of one model that fail, of those with a result, for a title."""
    counted = CriteriaCount.of(readings)
    return say("title", failing=counted.number("fails"), asked=counted.asked)


def judged_finding(readings: Sequence[CriterionReading]) -> str:
    """Say how the criteria were judged, and the outcome of those that do not fail."""
    if not readings:
        return ""
    ways = [words for way, words in ANSWERED.items() if any(row.answering == way for row in readings)]
    by_status = CriteriaCount.of(readings).by_status
    others = [
        say("otherwise", status=each, criteria=by_status[each]) for each in OTHERWISE if each in by_status
    ]
    return " ".join([say("judged", ways=ways), *others])


def criterion_findings(readings: Sequence[CriterionReading]) -> tuple[str, ...]:
    """Write for every tested criterion what it compares, its verdict and numbers."""
    return tuple(_came_of(criterion, rows) for criterion, rows in by_criterion(readings).items() if rows)


def by_criterion(readings: Sequence[CriterionReading]) -> dict[Criterion, list[CriterionReading]]:
    """Group readings by criterion, in order."""
    return {criterion: [row for row in readings if row.criterion == criterion] for criterion in CRITERIA}


def _came_of(criterion: Criterion, rows: Sequence[CriterionReading]) -> str:
    status = status_of(rows)
    if status == "undefined":
        reasons = list(dict.fromkeys(row.reason for row in rows if row.reason))
        return say("undefined", criterion=criterion, reasons=reasons)
    readings = [reading_text(row) for row in differing_or_widest(rows)]
    return say("criterion", criterion=criterion, status=status, readings=readings)


def _named(failing: Sequence[Criterion], number: int) -> Sequence[str]:
    """Name the criteria that fail, with their meaning if they are few; none if all fail."""
    if len(failing) == number == len(CRITERIA):
        return ()
    if len(failing) > MOST_EXPLAINED:
        return failing
    return [say("with_meaning", criterion=criterion) for criterion in failing]


def differing_or_widest(rows: Sequence[CriterionReading]) -> list[CriterionReading]:
    """Choose the readings that differ, else the widest."""
    return [row for row in rows if row.differs] or [
        max(rows, key=lambda row: -1.0 if row.size is None else row.size)
    ]


def reading_text(row: CriterionReading) -> str:
    """Describe one quantity: size, interval, direction, test, and the common part."""
    return say("reading", row=row)


def between_text(row: CriterionReading) -> str:
    """Say for whom a quantity is higher and lower, or the same."""
    return say("between", row=row)


def line_finding(readings: Iterable[CriterionReading]) -> str:
    """Say how many gaps exceed the 20 % line, which is no verdict; "" without gaps."""
    gaps = [row for row in readings if row.gap and row.size is not None]
    if not gaps:
        return ""
    across = [row for row in gaps if not row.over_line and row.interval and row.interval.high > GAP_LINE]
    return say("line", gaps=len(gaps), over=sum(row.over_line for row in gaps), across=len(across))
