"""Whose method and numbers a result holds: what is stored for programs, said in sentences."""

from __future__ import annotations

from pcf_core.show.findings.numbers import begun
from pcf_core.texts.criteria.records.independence import (
    EMBEDDING_LABEL,
    HOBBIES_LABEL,
    NOT_WRITTEN,
    SCORED_LABEL,
    STORIES_LABEL,
)
from pcf_core.texts.criteria.records.separation import LABEL as ANSWERS_LABEL
from pcf_core.texts.fairpair.records import LABEL as FAIRPAIR_LABEL

SAID = {  # what a stored result holds, which stays as it is -> its sentences
    FAIRPAIR_LABEL: "This is our reconstruction. The paper's tables were not available.",
    ANSWERS_LABEL: (
        "Prompts, reading of answers, intervals and tests are ours. The rates are as published (arXiv "
        "2403.08564)."
    ),
    STORIES_LABEL: (
        "The design is that of Sterlie, Weng & Feragen (arXiv 2403.08564, independence I). Wording, "
        "professions and reading of gender are ours. Their numbers come from another list and other prompts."
    ),
    SCORED_LABEL: (
        "This method is ours. It takes the shares of the topic's words at a gap in place of written stories. "
        "Do not mix the two."
    ),
    EMBEDDING_LABEL: (
        "Names and prompts are ours. The method is that of arXiv 2403.08564, about the true midpoint of she "
        "and he."
    ),
    HOBBIES_LABEL: (
        "Names, prompts and labels are ours. The method is that of arXiv 2403.08564, whose figures we could "
        "not read."
    ),
}


def source_of(label: str) -> str:
    """Say whose method and numbers these are; a label of another release is said as it was stored."""
    return SAID.get(label) or f"{begun(label).removesuffix('.')}."


def reason_of(without: str) -> str:
    """Say why hobbies have no words and no vectors, in brief."""
    return "words were scored and no text was written" if without == NOT_WRITTEN else without
