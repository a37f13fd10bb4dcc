"""A criteria result as a JSON document, the shape of ``criteria --json`` (schema in docs/cli.md)."""

from __future__ import annotations

from typing import Any

from pcf_core.report.documents import finite
from pcf_core.texts.criteria.records.runs import CriteriaResult, EmbeddingResult


def criteria_document(result: CriteriaResult) -> dict[str, Any]:
    """Return plain dictionaries, lists, numbers and texts; what does not exist is null.

    ``report`` is the experiment's own record, field by field; the texts are left out.
    """
    asked = result.asked
    document = {
        "asked": asked.hash,
        "model": asked.model,
        "experiment": asked.experiment,
        "title": asked.title,
        "material": asked.material,
        "answering": asked.answering,
        "wording": asked.wording,
        "repeats": asked.repeats,
        "key": asked.key.model_dump(mode="json"),
        "report": result.report.model_dump(mode="json"),
        "ends": result.ends,
        "left_out": [item.model_dump() for item in result.left_out],
        "entries_left_out": [item.model_dump() for item in result.entries_left_out],
        "provenance": result.provenance,
    }
    return finite(document)  # type: ignore[no-any-return]


def embedding_document(result: EmbeddingResult) -> dict[str, Any]:
    """Describe the embedding score over several models: ``embedding_of_all`` of ``criteria --json``."""
    document = {
        "asked": result.asked.hash,
        "alike": result.asked.alike,
        "report": result.report.model_dump(mode="json"),
        "provenance": result.provenance,
    }
    return finite(document)  # type: ignore[no-any-return]
