"""Whose method, numbers and texts these are, who made imported ones, and what the journal holds."""

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
    """Map labels in stored results to names of sentences; imports late, as most pages need none."""
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
    """Say whose method and numbers these are; unknown labels are used as stored."""
    of = by_label().get(label)
    return say("source", of=of) if of else f"{begun(label).removesuffix('.')}."


def reason_of(without: str) -> str:
    """Say briefly why hobbies have no words and vectors."""
    from pcf_core.texts.criteria.records.independence import NOT_WRITTEN

    return say("no_text") if without == NOT_WRITTEN else without


KEPT = "imported"  # key in the provenance
AS_IT_CAME = "taken as it came"


def imported_note(label: str, provenance: Mapping[str, Any]) -> str:
    """Say that a model's scores or texts are imported, else return ""."""
    facts = imported_facts(provenance)
    if not facts:
        return ""
    return say("imported", label=label, made=facts[KEPT], as_it_came=facts.get(AS_IT_CAME, ""))


def imported_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the same as facts, with the licence note."""
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
    """Say that a model's texts came in a log of Inspect, else return ""."""
    if not key.inspected:
        return ""
    model, _, day = key.model.removeprefix(INSPECTED).rpartition("@")
    return say("inspected", model=model, day=day)


def journal_finding(journal: Journaled) -> str:
    """Say how many entries the journal holds, and whether its chain is intact."""
    entries = len(journal.entries)
    if journal.damage:
        return say("damaged", entries=entries, damage=journal.damage)
    return say("whole", entries=entries) if entries else say("empty")
