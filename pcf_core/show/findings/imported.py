"""What has to be said of what came in a pack, or in a log of Inspect: who made it, and by whose word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pcf_core.core.generation import INSPECTED, GenerationKey

KEPT = "imported"  # in the provenance of such a run or text audit
AS_IT_CAME = "taken as it came"
SIGNATURES = {
    "not signed": "not signed",
    "unknown key": "signed with an unknown key",
    "not checked": "signature not checked",
}


def imported_note(label: str, provenance: Mapping[str, Any]) -> str:
    """Say that a model's scores or texts are imported; nothing of what was made here."""
    told = imported_facts(provenance)
    came = f" Not worked out again here: {told[AS_IT_CAME]}." if AS_IT_CAME in told else ""
    return f"{label} is {KEPT}: {told[KEPT]}.{came}" if told else ""


def imported_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Say the same in a line each, with the licence note."""
    kept = provenance.get(KEPT)
    if not isinstance(kept, Mapping):
        return {}
    who = str(kept.get("scored_by") or "somebody who gives no name")
    signature = str(kept.get("signature") or "not signed")
    said = SIGNATURES.get(signature, signature)
    came = [str(part) for part in kept.get("as_it_came") or ()]
    return {
        KEPT: f"scored by {who}, weights not seen here ({said})",
        **({AS_IT_CAME: "; ".join(came)} if came else {}),
        "licence note of the pack": str(kept.get("licence") or "none"),
    }


def inspected_note(key: GenerationKey) -> str:
    """Say that a model's texts came in a log of Inspect; nothing of those that were written here."""
    if not key.inspected:
        return ""
    model, _, day = key.model.removeprefix(INSPECTED).rpartition("@")
    return f"The texts of {model} came in a log of Inspect of {day}; nobody here has asked that model."
