"""A knowledge report as a JSON document, the shape of ``knowledge --json`` (schema in docs/cli.md)."""

from __future__ import annotations

from typing import Any

from pcf_core.core.knowledge import KnowledgeReport
from pcf_core.core.risk import Interval
from pcf_core.report.documents import finite

OVER = {"occupations": "facts"}  # the axis of the evidence, by the name of what it is here


def knowledge_document(report: KnowledgeReport) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts; NaN and infinities become null."""
    document = {
        "set": report.name,
        "title": report.title,
        "score": report.score,
        "knowledge": report.knowledge,
        "mean_score": report.mean_score,
        "confidence_gap": report.confidence_gap,
        "chance": report.chance,
        "elsewhere": report.elsewhere,
        "gain": report.gain,
        "intervals": {
            name: [interval_document(interval) for interval in several]
            for name, several in report.intervals.items()
        },
        "templates": list(report.templates),
        "facts": [
            {
                "subject": fact.subject,
                "right": list(fact.right),
                "wrong": list(fact.wrong),
                "weight": fact.weight,
                "mean_probability": fact.mean_probability,
                "knowledge": fact.knowledge,
                "mean_score": fact.mean_score,
                "confidence_gap": fact.confidence_gap,
                "chance": fact.chance,
                "elsewhere": fact.elsewhere,
                "interval": None if fact.interval is None else interval_document(fact.interval),
                "probabilities": fact.probabilities.tolist(),
            }
            for fact in report.facts
        ],
        "left_out": [item.model_dump() for item in report.left_out],
        "warnings": list(report.warnings),
    }
    return finite(document)  # type: ignore[no-any-return]


def interval_document(interval: Interval) -> dict[str, Any]:
    """Describe an interval, over ``templates``, ``facts`` or ``both``."""
    return interval.model_dump() | {"over": OVER.get(interval.over, interval.over)}
