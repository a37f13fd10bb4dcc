"""What has to be said of what came in a pack, or in a log of Inspect: who made it, and by whose word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcf_core.core.generation import INSPECTED, GenerationKey
from pcf_core.show.wording import sentences

KEPT = "imported"  # in the provenance of such a run or text audit
AS_IT_CAME = "taken as it came"

say = sentences("imported")


def imported_note(label: str, provenance: Mapping[str, Any]) -> str:
    """Say that a model's scores or texts are imported; nothing of what was made here."""
    told = imported_facts(provenance)
    if not told:
        return ""
    return say("imported", label=label, made=told[KEPT], as_it_came=told.get(AS_IT_CAME, ""))


def imported_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Say the same in a line each, with the licence note."""
    kept = provenance.get(KEPT)
    if not isinstance(kept, Mapping):
        return {}
    made = say("made_by", who=kept.get("scored_by"), signature=kept.get("signature"))
    came = [str(part) for part in kept.get("as_it_came") or ()]
    return {
        KEPT: made,
        **({AS_IT_CAME: "; ".join(came)} if came else {}),
        "licence note of the pack": str(kept.get("licence") or say("no_licence")),
    }


def inspected_note(key: GenerationKey) -> str:
    """Say that a model's texts came in a log of Inspect; nothing of those that were written here."""
    if not key.inspected:
        return ""
    model, _, day = key.model.removeprefix(INSPECTED).rpartition("@")
    return say("inspected", model=model, day=day)
