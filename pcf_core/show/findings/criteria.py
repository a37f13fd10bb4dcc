"""What came of a criteria run, and of all criteria of one model: which fail, by how much, how sure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pcf_core.show.findings.anecdotes import amplification_finding, anecdotes_finding, reading_notes
from pcf_core.show.findings.answer_notes import notes, order_finding
from pcf_core.show.findings.answers import answers_finding, baseline_finding, rates_finding
from pcf_core.show.findings.hobbies import (
    embedding_finding,
    hobbies_finding,
    hobbies_notes,
    information_finding,
    words_finding,
)
from pcf_core.show.findings.numbers import begun, count, listed, p_value, two_decimals, with_interval
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.runs import CRITERIA, CriteriaResult, Criterion, CriterionReading
from pcf_core.texts.criteria.records.separation import GAP_LINE

MOST_ENTRIES = 3  # named in a sentence; all are in the record
MOST_EXPLAINED = 2  # criteria in a sentence


def criteria_findings(result: CriteriaResult) -> tuple[str, ...]:
    """Say what was found first, then what has to be known beside it."""
    report, model = result.report, result.asked.model
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
    told = tuple(sentence for sentence in (*beside, left_out_note(result)) if sentence)
    return (f"{model}: {answers_finding(report)}", rates_finding(report), *told, *notes(report))


def left_out_note(result: CriteriaResult) -> str:
    """Say how many entries of a file of questions no prompt was made from, and why of the first ones."""
    entries = result.entries_left_out
    if not entries:
        return ""
    first = " ".join(f"{begun(one.name)}: {one.reason.removesuffix('.')}." for one in entries[:MOST_ENTRIES])
    rest = len(entries) - MOST_ENTRIES
    more = f" {rest:,} more {'is' if rest == 1 else 'are'} left out." if rest > 0 else ""
    are = count(len(entries), "entry of the file is", "entries of the file are")
    them = "it" if len(entries) == 1 else "them"
    return f"{are} left out, as no prompt can be made of {them}. {first}{more}"


Status = Literal["fails", "cannot be shown", "not tested", "undefined", "not asked"]
ANSWERED = {"written": "by texts that it wrote", "scored": "by scores of single words, not texts"}
MEANINGS: Mapping[Criterion, str] = {
    "independence I": "the gender in its stories by profession",
    "independence II": "the hobbies it tells of by gender",
    "separation I": "its wrong answers to questions by the pronoun",
    "sufficiency I": "how far its answers to questions are right by the pronoun",
    "separation II": "its mistakes about who did a task by the pronoun",
    "sufficiency II": "how far its answers on who did a task are right by the pronoun",
}
VERDICTS: Mapping[Status, str] = {
    "fails": "fails beyond chance",
    "cannot be shown": "cannot be shown to fail",
    "not tested": "has no test",
}
OTHERWISE: Mapping[Status, str] = {
    "cannot be shown": "We cannot show that these fail:",
    "not tested": "No test tells of",
    "undefined": "Undefined:",
    "not asked": "Not asked:",
}


def summary_finding(model: str, readings: Sequence[CriterionReading]) -> str:
    """Give the verdict alone: how many of the criteria asked fail, and what became of each."""
    return f"{verdict_finding(model, readings)} {judged_finding(readings)}".strip()


def verdict_finding(model: str, readings: Sequence[CriterionReading]) -> str:
    """Say how many of the criteria asked fail, and which."""
    if not readings:
        return f"{model}: no criterion was asked."
    found = _by_status(readings)
    failing, asked = found.get("fails", []), len(CRITERIA) - len(found.get("not asked", []))
    return f"{model}: {_verdict(len(failing), asked)}{_naming(failing, asked)}."


def judged_finding(readings: Sequence[CriterionReading]) -> str:
    """Say how the criteria were judged, and what became of those that do not fail; empty without any."""
    if not readings:
        return ""
    ways = listed([said for way, said in ANSWERED.items() if any(row.answering == way for row in readings)])
    found = _by_status(readings)
    others = [f"{what} {listed(found[status])}." for status, what in OTHERWISE.items() if status in found]
    return " ".join([f"Judged {ways}.", *others])


def _by_status(readings: Sequence[CriterionReading]) -> dict[Status, list[Criterion]]:
    found: dict[Status, list[Criterion]] = {}
    for criterion, rows in by_criterion(readings).items():
        found.setdefault(status_of(rows), []).append(criterion)
    return found


def criterion_findings(readings: Sequence[CriterionReading]) -> tuple[str, ...]:
    """Write for every criterion asked what it compares, its verdict and its numbers."""
    return tuple(
        f"{criterion[0].upper()}{criterion[1:]} ({MEANINGS[criterion]}) {_came_of(rows)}"
        for criterion, rows in by_criterion(readings).items()
        if rows
    )


def by_criterion(readings: Sequence[CriterionReading]) -> dict[Criterion, list[CriterionReading]]:
    """Group the readings by criterion, in their order; none of what was not asked."""
    return {criterion: [row for row in readings if row.criterion == criterion] for criterion in CRITERIA}


def _came_of(rows: Sequence[CriterionReading]) -> str:
    status = status_of(rows)
    if status == "undefined":
        reasons = dict.fromkeys(row.reason for row in rows if row.reason)
        return f"is undefined: {'; '.join(reasons) or 'no valid answer'}."
    return f"{VERDICTS[status]}. {' '.join(f'{begun(reading_text(row))}.' for row in shown(rows))}"


def _verdict(failing: int, asked: int) -> str:
    if failing == asked == 1:
        return "the one criterion that was asked fails beyond chance"
    if failing == asked:
        whole = "both" if asked == 2 else f"all {asked:,}"
        return f"{whole} criteria that were asked fail beyond chance"
    verb = "fails" if failing == 1 else "fail"
    return f"{failing or 'none'} of {count(asked, 'criterion', 'criteria')} asked {verb} beyond chance"


def _naming(failing: Sequence[Criterion], asked: int) -> str:
    """Name the criteria that fail, few of them with what they are; empty where none or every one does."""
    if not failing or len(failing) == asked == len(CRITERIA):
        return ""
    named = [f"{name} ({MEANINGS[name]})" for name in failing] if len(failing) <= MOST_EXPLAINED else failing
    return f": {listed(named)}"


def status_of(rows: Iterable[CriterionReading]) -> Status:
    """Return the status of one criterion: it fails where one of its readings does."""
    rows = list(rows)
    verdicts = {row.differs for row in rows}
    if not rows:
        return "not asked"
    if True in verdicts:
        return "fails"
    if False in verdicts:
        return "cannot be shown"
    return "undefined" if all(row.size is None for row in rows) else "not tested"


def shown(rows: Sequence[CriterionReading]) -> list[CriterionReading]:
    """Choose what differs, else the widest reading; an undefined one where none is defined."""
    return [row for row in rows if row.differs] or [
        max(rows, key=lambda row: -1.0 if row.size is None else row.size)
    ]


def reading_text(row: CriterionReading) -> str:
    """Describe one quantity: size, interval, whom it is higher for, its test; then what is common."""
    if row.size is None:
        return f"{row.quantity} is undefined: {row.reason}"
    size = with_interval(row.size, row.interval)
    text = f"the {row.quantity} gap is {size}" if row.gap else f"{row.quantity} is {size}"
    if row.counted is not None:
        text += " freed of its bias"
    if who := between_text(row):
        text += f", {who}" if row.gap else f" {who}"  # else the size itself is how much higher it is
    if row.undefined:
        text += f", undefined for {listed(row.undefined)}"
    if row.over_line:
        text += ", all of it over the 20 % line"
    if row.p_value is not None:
        text += f", {p_value(row.p_value, at_most=row.at_most)}"
    elif row.differs is False and row.reason:
        text += f", {row.reason}"
    if row.counted is not None:
        text += f". As counted, it is {two_decimals(row.counted)}"
    if row.largest is not None:
        text += f". It could reach at most {two_decimals(row.largest)}"
    if row.few:
        text += ". The texts are few"
    if row.baseline is not None:
        common = with_interval(row.baseline, row.baseline_interval)
        text += f". Without a pronoun, {row.quantity} is {common}"
    return text


def between_text(row: CriterionReading) -> str:
    """Say whom a quantity is higher for, and than for whom; of a gap of 0 for whom it is the same."""
    if row.higher:
        return f"higher for {row.higher}{f' than for {row.lower}' if row.lower else ''}"
    return f"the same for {listed(row.compared)}" if row.gap and len(row.compared) > 1 else ""


def line_finding(found: Iterable[CriterionReading]) -> str:
    """Say how many of the gaps lie over the 20 % line, which is a line and no verdict; empty without gaps."""
    gaps = [row for row in found if row.gap and row.size is not None]
    if not gaps:
        return ""
    over = sum(row.over_line for row in gaps)
    between = sum(
        not row.over_line and row.interval is not None and row.interval.high > GAP_LINE for row in gaps
    )
    return (
        f"Of {count(len(gaps), 'gap')} between pronouns, {over:,} lie over the 20 % line with all of their "
        f"range. {between:,} reach across it. Each rate counts with one pair, that which differs or else the "
        "widest. The line is a rule of thumb and no verdict."
    )
