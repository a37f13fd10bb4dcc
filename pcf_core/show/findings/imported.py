"""What has to be said of what came in a pack: who scored it, by their own word, and who signed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
