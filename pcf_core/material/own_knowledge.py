"""The user's own knowledge sets: TOML files in the folder ``knowledge`` of the cache.

A set that was changed is another one to the store: its hash is that of its templates, subjects and answers.
"""

from __future__ import annotations

from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.material.knowledge import SHELF, load_knowledge, make_knowledge
from pcf_core.material.own_files import OwnFiles, toml_lines


def checked_knowledge(asked: KnowledgeSet) -> KnowledgeSet:
    """Return the set normalised.

    Raises
    ------
    TopicError
        :func:`~pcf_core.material.knowledge.make_knowledge` refuses it.
    """
    texts = {name: getattr(asked, name) for name in ("title", "language", "source", "notes")}
    return make_knowledge(
        asked.name, asked.templates, asked.facts, where="The knowledge set to save", **texts
    )


def knowledge_toml(asked: KnowledgeSet) -> str:
    """Write a set as TOML that :func:`~pcf_core.material.knowledge.load_knowledge` reads as the same set."""
    facts = asked.model_dump(mode="json")
    several = facts.pop("facts")
    return "\n".join([toml_lines(facts), *(f"[[facts]]\n{toml_lines(fact)}" for fact in several)])


OWN = OwnFiles(SHELF, lambda asked: knowledge_toml(asked).encode(), load_knowledge, checked_knowledge)
