"""The user's own evidence lists: TOML files in the folder ``evidence`` of the cache.

A list of other terms is another one to the store; weights decide no score.
"""

from __future__ import annotations

from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import SHELF, load_evidence, make_evidence
from pcf_core.material.own_files import OwnFiles, toml_lines


def checked_evidence(evidence: Evidence) -> Evidence:
    """Return the list normalised.

    Raises
    ------
    EvidenceError
        :func:`~pcf_core.material.evidence.make_evidence` refuses it.
    """
    facts = {name: getattr(evidence, name) for name in ("weights", "noun", "title", "source", "notes")}
    return make_evidence(evidence.name, evidence.terms, where="The evidence list to save", **facts)


def evidence_toml(evidence: Evidence) -> str:
    """Write a list as TOML that :func:`~pcf_core.material.evidence.load_evidence` reads as the same list."""
    return toml_lines(evidence.model_dump(mode="json"))


OWN = OwnFiles(SHELF, lambda evidence: evidence_toml(evidence).encode(), load_evidence, checked_evidence)
