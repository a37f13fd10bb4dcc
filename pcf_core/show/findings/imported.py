"""What has to be said of a run that came in a pack: who scored it, by their own word, and who signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEPT = "imported"  # in the provenance of such a run
SIGNATURES = {
    "not signed": "not signed",
    "unknown key": "signed with an unknown key",
    "not checked": "signature not checked",
}


def imported_note(label: str, provenance: Mapping[str, Any]) -> str:
    """Say that a model's scores are imported; nothing of a run that was scored here."""
    told = imported_facts(provenance)
    return f"{label} is {KEPT}: {told[KEPT]}." if told else ""


def imported_facts(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Say the same in two lines, with the licence note."""
    kept = provenance.get(KEPT)
    if not isinstance(kept, Mapping):
        return {}
    who = str(kept.get("scored_by") or "somebody who gives no name")
    signature = str(kept.get("signature") or "not signed")
    said = SIGNATURES.get(signature, signature)
    return {
        KEPT: f"scored by {who}, weights not seen here ({said})",
        "licence note of the pack": str(kept.get("licence") or "none"),
    }
