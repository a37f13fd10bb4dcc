"""The user's own evidence lists: TOML files in the folder ``evidence`` of the cache.

A list of other terms is another one to the store; weights decide no score.
"""

from __future__ import annotations

from pcf_core.records import Evidence
from pcf_core.topics.evidence import SHELF, load_evidence, make_evidence
from pcf_core.topics.own_files import OwnFiles
from pcf_core.topics.toml import toml_lines


def checked_evidence(evidence: Evidence) -> Evidence:
    """The list normalised.

    Raises:
        EvidenceError: :func:`~pcf_core.topics.evidence.make_evidence` refuses it.
    """
    facts = {name: getattr(evidence, name) for name in ("weights", "noun", "title", "source", "notes")}
    return make_evidence(evidence.name, evidence.terms, where="The evidence list to save", **facts)


def evidence_toml(evidence: Evidence) -> str:
    """The list as a TOML file, which :func:`~pcf_core.topics.evidence.load_evidence` reads as the same."""
    return toml_lines(evidence.model_dump(mode="json"))


OWN = OwnFiles(SHELF, lambda evidence: evidence_toml(evidence).encode(), load_evidence, checked_evidence)
