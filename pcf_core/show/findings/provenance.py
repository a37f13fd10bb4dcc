"""Whose method, numbers and texts these are, who made what was imported, and what the journal holds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pcf_core.core.generation import INSPECTED, GenerationKey
from pcf_core.show.findings.numbers import begun
from pcf_core.show.wording import sentences
from pcf_core.store.journal import Journaled

say = sentences("provenance")


@cache
def by_label() -> Mapping[str, str]:
    """Map labels, which stored results keep as they are, to whose sentences say the same.

    The records of text audits take a tenth of a page's start, and most pages have none of them.
    """
    from pcf_core.texts.criteria.records import independence, separation
    from pcf_core.texts.fairpair.records import LABEL

    return {
        LABEL: "fairpair",
        separation.LABEL: "answers",
        independence.STORIES_LABEL: "stories",
        independence.SCORED_LABEL: "scored",
        independence.EMBEDDING_LABEL: "embedding",
        independence.HOBBIES_LABEL: "hobbies",
    }


def source_of(label: str) -> str:
    """Say whose method and numbers these are; a label of another release is said as it was stored."""
    of = by_label().get(label)
    return say("source", of=of) if of else f"{begun(label).removesuffix('.')}."


def reason_of(without: str) -> str:
    """Say why hobbies have no words and no vectors, in brief."""
    from pcf_core.texts.criteria.records.independence import NOT_WRITTEN

    return say("no_text") if without == NOT_WRITTEN else without


KEPT = "imported"  # in the provenance of such a run or text audit
AS_IT_CAME = "taken as it came"


def imported_note(label: str, provenance: Mapping[str, Any]) -> str:
    """Say that a model's scores or texts are imported; nothing of what was made here."""
    facts = imported_facts(provenance)
    if not facts:
        return ""
    return say("imported", label=label, made=facts[KEPT], as_it_came=facts.get(AS_IT_CAME, ""))


def imported_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Say the same in a line each, with the licence note."""
    record = provenance.get(KEPT)
    if not isinstance(record, Mapping):
        return {}
    made = say("made_by", who=record.get("scored_by"), signature=record.get("signature"))
    came = [str(part) for part in record.get("as_it_came") or ()]
    return {
        KEPT: made,
        **({AS_IT_CAME: "; ".join(came)} if came else {}),
        "licence note of the pack": str(record.get("licence") or say("no_licence")),
    }


def inspected_note(key: GenerationKey) -> str:
    """Say that a model's texts came in a log of Inspect; nothing of those that were written here."""
    if not key.inspected:
        return ""
    model, _, day = key.model.removeprefix(INSPECTED).rpartition("@")
    return say("inspected", model=model, day=day)


def journal_finding(journal: Journaled) -> str:
    """Say how much the journal holds, and whether every line follows the one before."""
    entries = len(journal.entries)
    if journal.damage:
        return say("damaged", entries=entries, damage=journal.damage)
    return say("whole", entries=entries) if entries else say("empty")
