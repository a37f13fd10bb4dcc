"""The results of a report as a model card: the hub's ``model-index`` in YAML, and the same in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from pcf_core.core.families import facts_of
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval, Over
from pcf_core.report.documents import RISKS
from pcf_core.report.files import plain
from pcf_core.report.provenance import reading_of
from pcf_core.report.records import ReportDocument, RiskNumber, RunFacts
from pcf_core.show.findings.models import drawn_again, interval_sentence, unseen_words
from pcf_core.show.findings.numbers import two_decimals, with_interval

TEXT_AUDITS = ("fairpair", "criteria")  # sections
MOST_NAMED = 10  # of what was left out of one run; the report names all


def model_card(document: ReportDocument) -> str:
    """Write a snippet for the README of a model on the hub: metadata between ``---``, then Markdown.

    Every run has an entry with R, prejudice and caprice; the intervals stand in the name of the metric, with
    what was drawn again for each, for the hub has no place of its own for them.  Text audits have no number
    of that kind: of them alone there is only Markdown.
    """
    if not document.runs:
        return markdown_of(document)
    index = [
        {"name": model, "results": [result_of(run, document.request.over) for run in runs]}
        for model, runs in by_model(document).items()
    ]
    metadata = yaml.safe_dump({"model-index": index}, allow_unicode=True, sort_keys=False, width=110)
    return f"---\n{metadata}---\n\n{markdown_of(document)}"


def result_of(run: RunFacts, over: Over) -> dict[str, Any]:
    """Return one run as the hub writes a result: another reading of the same scores is another entry."""
    kind, name = facts_of(run.scoring["family"]).task
    topic = next((name.partition(" ")[2] for name in run.hashes if name.startswith("topic ")), "")
    return {
        "task": {"type": kind, "name": name},
        "dataset": {
            "type": f"pcf-audit-{topic}",
            "name": run.measured,
            "config": read_text(run),
            "revision": run.run,
            "args": dict(run.options),
        },
        "metrics": [
            {
                "type": f"pcf_{quantity}",
                "value": run.risks[quantity].value,
                "name": f"{label}{interval_text(run.risks[quantity], intervals_of(run, quantity, over))}",
            }
            for quantity, label in RISKS.items()
        ],
    }


def intervals_of(run: RunFacts, quantity: str, over: Over) -> tuple[Interval, ...]:
    """Return the intervals that a card shows: over what was asked all units, else the first known one."""
    several = run.risks[quantity].intervals
    return tuple(one for one in several if one.over == over) or several[:1]


def read_text(run: RunFacts) -> str:
    """Say how its scores were read, in one line."""
    return "; ".join(f"{name}: {value}" for name, value in reading_of(run.facts).items())


def interval_text(found: RiskNumber, intervals: Sequence[Interval]) -> str:
    """Write intervals inside a name, with the resampled units of each and the table's decimals."""
    if found.unseen is not None:
        return f" ({unseen_words(found.unseen)})"
    if not intervals:
        return ""
    parts = [f"over {drawn_again(one)}: {one.low:.2f} to {one.high:.2f}" for one in intervals]
    plural = "s" if len(parts) > 1 else ""
    return f" ({100 * intervals[0].level:.0f} % interval{plural} {'; '.join(parts)})"


def markdown_of(document: ReportDocument) -> str:
    """Write the same for people: first sentences, table, what has to be known, how to reproduce it."""
    lines = ["## Discrimination audit", "", *(f"{plain(sentence)}\n" for sentence in document.headline)]
    lines += table_lines(document) if document.runs else []
    lines += text_lines(document)
    lines += listed_lines(known_lines(document))
    limits = next((section for section in document.sections if section.name == "limits"), None)
    lines += listed_lines([sentence for part in limits.parts for sentence in part.prose] if limits else [])
    lines += [f"Measured with PCF Audit {plain(document.versions['pcf_core'])}; made again by:", "", "```"]
    lines += [command for facts in (*document.runs, *document.texts) for command in facts.commands]
    return "\n".join([*lines, "```", ""])


def table_lines(document: ReportDocument) -> list[str]:
    """Write the risks, a row for each resampled unit, and what the intervals allow for."""
    drawn_head = "drawn again for the intervals"
    heads = ["model", "measured", "read with", "R", "prejudice", "caprice", drawn_head, "run"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for run in document.runs:
        several = {quantity: intervals_of(run, quantity, document.request.over) for quantity in RISKS}
        for index in range(max(1, *map(len, several.values()))):
            shown = {name: found[index] if found else None for name, found in several.items()}
            drawn = shown["overall_risk"]
            cells = [plain(with_bounds(run.risks[name], one)) for name, one in shown.items()]
            unit = drawn_again(drawn) if drawn else "no interval"
            said = [plain(run.label), plain(run.measured), plain(read_text(run))]
            row = [*said, *cells, unit, f"`{run.run}`"]
            lines.append(f"| {' | '.join(row)} |")
    return [*lines, "", *(f"{plain(note)}\n" for note in interval_notes_of(document))]


def with_bounds(found: RiskNumber, interval: Interval | None) -> str:
    """Write a risk with its interval; for a caprice of 0 with what may be unseen."""
    if found.unseen is not None:
        return f"{two_decimals(found.value)} ({unseen_words(found.unseen)})"
    return with_interval(found.value, interval)


def text_lines(document: ReportDocument) -> list[str]:
    """Write what the text audits found and what has to be known of it, under a title each."""
    lines = []
    for section in document.sections:
        if section.name in TEXT_AUDITS:
            said = [line for part in section.parts for line in (*part.findings, *part.notes)]
            lines += [f"### {plain(section.title)}", "", *listed_lines(list(map(plain, said)))]
    audits = [f"{plain(facts.label)}: `{facts.run}`" for facts in document.texts]
    return [*lines, *listed_lines(audits)]


def known_lines(document: ReportDocument) -> list[str]:
    """Write warnings, what else has to be known of the numbers, and what was left out of each run."""
    several = {section.name: section.parts for section in document.sections}
    notes = [note for part in several.get("limits", ()) for note in part.notes]
    notes += [
        f"{run.label}: {warning}"
        for run in document.runs
        for warning in run.warnings
        if not any(warning in note for note in notes)
    ]
    told = set(interval_notes_of(document)) if document.runs else set()
    for facts in (*document.runs, *document.texts):
        if facts.left_out:
            notes.append(f"{facts.label} left out {left_out_text(facts.left_out)}")
    return [plain(note) for note in dict.fromkeys(notes) if note not in told]


def left_out_text(several: Sequence[LeftOut]) -> str:
    """Write what was left out, by reason."""
    by_reason: dict[str, list[str]] = {}
    for item in several[:MOST_NAMED]:
        by_reason.setdefault(item.reason, []).append(item.name)
    more = len(several) - MOST_NAMED
    parts = [f"{', '.join(names)} ({reason})" for reason, names in by_reason.items()]
    return "; ".join(parts) + (f"; and {more:,} more" if more > 0 else "")


def listed_lines(sentences: Sequence[str]) -> list[str]:
    """Write a list of sentences and the empty line after it; nothing where there is none."""
    return [*(f"- {sentence}" for sentence in sentences), ""] if sentences else []


def interval_notes_of(document: ReportDocument) -> list[str]:
    """Return what the intervals of the table allow for, each kind once."""
    found = (intervals_of(run, "overall_risk", document.request.over) for run in document.runs)
    return list(dict.fromkeys(interval_sentence(interval) for several in found for interval in several))


def by_model(document: ReportDocument) -> Mapping[str, list[RunFacts]]:
    """Group the runs of a report by their model."""
    found: dict[str, list[RunFacts]] = {}
    for run in document.runs:
        found.setdefault(run.scoring["model"], []).append(run)
    return found
