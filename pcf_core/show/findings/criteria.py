"""What came of a criteria run, in sentences: those of the experiment's own report, the model named once."""

from __future__ import annotations

from pcf_core.show.findings.anecdotes import amplification_finding, anecdotes_finding, reading_notes
from pcf_core.show.findings.answer_notes import notes, order_finding
from pcf_core.show.findings.answers import answers_finding, baseline_finding, rates_finding
from pcf_core.show.findings.embedding import embedding_finding
from pcf_core.show.findings.hobbies import hobbies_finding, hobbies_notes, information_finding, words_finding
from pcf_core.show.findings.numbers import count
from pcf_core.texts.criteria.records.independence import AnecdotesReport, HobbiesReport
from pcf_core.texts.criteria.records.runs import CriteriaResult

MOST_ENTRIES = 3  # named in a sentence; all are in the record


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
    first = "; ".join(f"{one.name}: {one.reason.removesuffix('.')}" for one in entries[:MOST_ENTRIES])
    more = f"; and {len(entries) - MOST_ENTRIES:,} more" if len(entries) > MOST_ENTRIES else ""
    are = count(len(entries), "entry of the file is", "entries of the file are")
    return f"{are} left out, as no prompt can be made of such ({first}{more})."
