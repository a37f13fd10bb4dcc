"""The results of a report as a model card: the hub's ``model-index`` in YAML, and the same in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from pcf_core.findings.models import drawn_again, interval_sentence
from pcf_core.findings.numbers import number, with_interval
from pcf_core.records import Interval, Over
from pcf_core.records.report import ReportDocument, RunFacts
from pcf_core.report.comparison import RISKS

# What a model of a family is asked for, in the hub's words.
TASKS = {
    "masked": ("fill-mask", "Fill-Mask"),
    "seq2seq": ("text2text-generation", "Text2Text Generation"),
}
USUAL_TASK = ("text-generation", "Text Generation")
MARKUP = str.maketrans({character: "\\" + character for character in "\\`*_{}[]#+!|~<>$&"})


def model_card(document: ReportDocument) -> str:
    """A snippet for the README of a model on the hub: metadata between ``---``, then Markdown.

    Every run has an entry with R, prejudice and caprice; the interval stands in the name of the metric, for
    the hub has no place of its own for it.
    """
    index = [
        {"name": model, "results": [result_of(run, document.request.over) for run in runs]}
        for model, runs in by_model(document).items()
    ]
    metadata = yaml.safe_dump({"model-index": index}, allow_unicode=True, sort_keys=False, width=110)
    return f"---\n{metadata}---\n\n{markdown_of(document)}"


def result_of(run: RunFacts, over: Over) -> dict[str, Any]:
    """One run as the hub writes a result."""
    kind, name = TASKS.get(run.scoring["family"], USUAL_TASK)
    topic = next((name.partition(" ")[2] for name in run.hashes if name.startswith("topic ")), "")
    return {
        "task": {"type": kind, "name": name},
        "dataset": {"type": f"pcf-audit-{topic}", "name": run.measured, "revision": run.run},
        "metrics": [
            {
                "type": f"pcf_{quantity}",
                "value": run.risks[quantity].value,
                "name": f"{label}{interval_text(interval_of(run, quantity, over))}",
            }
            for quantity, label in RISKS.items()
        ],
    }


def interval_of(run: RunFacts, quantity: str, over: Over) -> Interval | None:
    """The interval that a report shows: over what was asked, else the first that is known."""
    several = run.risks[quantity].intervals
    return next((one for one in several if one.over == over), several[0] if several else None)


def interval_text(interval: Interval | None) -> str:
    """An interval inside a name, with the units that are drawn again."""
    if interval is None:
        return ""
    ends = f"{number(interval.low)} to {number(interval.high)}"
    return f" ({100 * interval.level:.0f} % interval over {drawn_again(interval)}: {ends})"


def markdown_of(document: ReportDocument) -> str:
    """The same for people: the first sentences, a table, what has to be known, how to make it again."""
    over = document.request.over
    lines = ["## Discrimination audit", "", *(f"{plain(sentence)}\n" for sentence in document.headline)]
    lines += ["| model | measured | R | prejudice | caprice | run |", "|---|---|---|---|---|---|"]
    for run in document.runs:
        cells = [
            plain(with_interval(run.risks[quantity].value, interval_of(run, quantity, over)))
            for quantity in RISKS
        ]
        lines.append(f"| {' | '.join([plain(run.label), plain(run.measured), *cells, f'`{run.run}`'])} |")
    notes = interval_notes_of(document)
    lines += ["", *notes] if notes else []
    limits = next((section for section in document.sections if section.name == "limits"), None)
    if limits is not None:
        lines += ["", *(f"- {sentence}" for part in limits.parts for sentence in part.prose)]
    lines += [
        "",
        f"Measured with PCF Audit {plain(document.versions['pcf_core'])}; made again by:",
        "",
        "```",
    ]
    lines += [command for run in document.runs for command in run.commands]
    return "\n".join([*lines, "```", ""])


def interval_notes_of(document: ReportDocument) -> list[str]:
    """What the intervals of the table allow for, each kind once."""
    over = document.request.over
    found = (interval_of(run, "overall_risk", over) for run in document.runs)
    return list(dict.fromkeys(interval_sentence(interval) for interval in found if interval))


def by_model(document: ReportDocument) -> Mapping[str, list[RunFacts]]:
    """The runs of a report by their model."""
    found: dict[str, list[RunFacts]] = {}
    for run in document.runs:
        found.setdefault(run.scoring["model"], []).append(run)
    return found


def plain(text: str) -> str:
    """Text that Markdown shows as it is written, on one line."""
    return " ".join(text.split()).translate(MARKUP)
