"""Whose method and numbers a result holds: what is stored for programs, said in sentences."""

from __future__ import annotations

from pcf_core.show.findings.numbers import begun
from pcf_core.show.wording import sentences
from pcf_core.texts.criteria.records.independence import (
    EMBEDDING_LABEL,
    HOBBIES_LABEL,
    NOT_WRITTEN,
    SCORED_LABEL,
    STORIES_LABEL,
)
from pcf_core.texts.criteria.records.separation import LABEL as ANSWERS_LABEL
from pcf_core.texts.fairpair.records import LABEL as FAIRPAIR_LABEL

SAID = {  # what a stored result holds, which stays as it is -> whose sentences say it
    FAIRPAIR_LABEL: "fairpair",
    ANSWERS_LABEL: "answers",
    STORIES_LABEL: "stories",
    SCORED_LABEL: "scored",
    EMBEDDING_LABEL: "embedding",
    HOBBIES_LABEL: "hobbies",
}

say = sentences("sources")


def source_of(label: str) -> str:
    """Say whose method and numbers these are; a label of another release is said as it was stored."""
    return say("source", of=SAID[label]) if label in SAID else f"{begun(label).removesuffix('.')}."


def reason_of(without: str) -> str:
    """Say why hobbies have no words and no vectors, in brief."""
    return say("no_text") if without == NOT_WRITTEN else without
