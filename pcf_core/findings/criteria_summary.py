"""The criteria of one model in a sentence: which fail beyond chance, by how much, how sure; no cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pcf_core.findings.numbers import count, listed, number, with_interval
from pcf_core.records.answers import GAP_LINE
from pcf_core.records.criteria_summary import CRITERIA, Criterion, CriterionReading

Status = Literal["fails", "cannot be shown", "not tested", "undefined", "not asked"]
ANSWERED = {"written": "by texts that it wrote", "scored": "by scores of single words, not texts"}


def summary_finding(model: str, readings: Sequence[CriterionReading]) -> str:
    """Every criterion once: those that fail with numbers first, then those that cannot be shown to."""
    asked = {criterion: [row for row in readings if row.criterion == criterion] for criterion in CRITERIA}
    by_status: dict[Status, list[Criterion]] = {}
    for criterion, rows in asked.items():
        by_status.setdefault(status_of(rows), []).append(criterion)
    parts = []
    if failing := by_status.get("fails"):
        verb = "fails" if len(failing) == 1 else "fail"
        parts.append(f"{listed([clause(one, asked[one]) for one in failing])} {verb} beyond chance")
    if unshown := by_status.get("cannot be shown"):
        rows = [row for one in unshown for row in asked[one]]
        widest = max(rows, key=lambda row: row.size or 0.0)
        parts.append(
            f"no failure can be shown for {listed(list(unshown))}, where the largest is "
            f"{reading_text(widest)}{f' in {widest.criterion}' if len(unshown) > 1 else ''}"
        )
    if untested := by_status.get("not tested"):
        named = listed([clause(one, asked[one]) for one in untested])
        parts.append(f"no test can tell of {named}")
    if undefined := by_status.get("undefined"):
        named = listed([f"{one} ({reasons(asked[one])})" for one in undefined])
        parts.append(f"undefined: {named}")
    if lacking := by_status.get("not asked"):
        parts.append(f"not asked: {listed(list(lacking))}")
    ways = dict.fromkeys(ANSWERED[row.answering] for row in readings)
    return f"{model}, {listed(list(ways))}: {'; '.join(parts)}."


def status_of(rows: Iterable[CriterionReading]) -> Status:
    """What one criterion's readings come to: it fails where one of them does."""
    rows = list(rows)
    verdicts = {row.differs for row in rows}
    if not rows:
        return "not asked"
    if True in verdicts:
        return "fails"
    if False in verdicts:
        return "cannot be shown"
    return "undefined" if all(row.size is None for row in rows) else "not tested"


def clause(criterion: Criterion, rows: Sequence[CriterionReading]) -> str:
    """A criterion with its numbers: what differs, else its widest reading."""
    shown = [row for row in rows if row.differs] or [max(rows, key=lambda row: row.size or 0.0)]
    return f"{criterion} ({'; '.join(reading_text(row) for row in shown)})"


def reading_text(row: CriterionReading) -> str:
    """One quantity: size, interval, whom it is higher for, its test."""
    if row.size is None:
        return f"{row.quantity} undefined: {row.reason}"
    text = f"{row.quantity}{' gap' if row.gap else ''} {with_interval(row.size, row.interval)}"
    if row.largest is not None:
        text += f" of at most {number(row.largest)}"
    if row.few:
        text += ", of few texts"
    if row.higher:
        text += f", higher for {row.higher}"
    if row.over_line:
        text += ", all of it over the 20 % line"
    return text if row.p_value is None else f"{text}, p = {number(row.p_value)}"


def reasons(rows: Iterable[CriterionReading]) -> str:
    """Why nothing is defined, each reason once."""
    return "; ".join(dict.fromkeys(row.reason for row in rows if row.reason)) or "no valid answer"


def line_finding(found: Iterable[CriterionReading]) -> str:
    """How many of the gaps lie over the 20 % line, which is a line and no verdict; empty without gaps."""
    gaps = [row for row in found if row.gap and row.size is not None]
    if not gaps:
        return ""
    over = sum(row.over_line for row in gaps)
    between = sum(
        not row.over_line and row.interval is not None and row.interval.high > GAP_LINE for row in gaps
    )
    return (
        f"Of {count(len(gaps), 'gap')} between he and she, {over:,} lie over the 20 % line with all of their "
        f"interval and {between:,} reach across it. The line is a rule of thumb and no verdict."
    )
