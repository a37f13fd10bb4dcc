"""The user's own knowledge sets: TOML files in the folder ``knowledge`` of the cache.

A set that was changed is another one to the store: its hash is that of its templates, subjects and answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.errors import TopicError
from pcf_core.records.knowledge import KnowledgeSet
from pcf_core.topics.knowledge import SHELF, load_knowledge, make_knowledge
from pcf_core.topics.knowledge_files import ENDINGS
from pcf_core.topics.own_files import OwnFiles
from pcf_core.topics.reading import MOST_NAMED
from pcf_core.topics.text import listed
from pcf_core.topics.toml import toml_lines
from pcf_core.topics.whole_files import check_ending, upload_label, uploaded


def checked_knowledge(asked: KnowledgeSet) -> KnowledgeSet:
    """The set normalised.

    Raises:
        TopicError: :func:`~pcf_core.topics.knowledge.make_knowledge` refuses it.
    """
    texts = {name: getattr(asked, name) for name in ("title", "language", "source", "notes")}
    return make_knowledge(
        asked.name, asked.templates, asked.facts, where="The knowledge set to save", **texts
    )


def knowledge_toml(asked: KnowledgeSet) -> str:
    """The set as a TOML file, which :func:`~pcf_core.topics.knowledge.load_knowledge` reads as the same."""
    facts = asked.model_dump(mode="json")
    several = facts.pop("facts")
    return "\n".join([toml_lines(facts), *(f"[[facts]]\n{toml_lines(fact)}" for fact in several)])


def load_knowledge_upload(files: Sequence[tuple[str, bytes]]) -> KnowledgeSet:
    """A set from an uploaded file, its name and content; nothing of it is kept.

    Raises:
        TopicError: not one file, another kind of file, or refused by
            :func:`~pcf_core.topics.knowledge.load_knowledge`.
        StoreError: there is no room for temporary files.
    """
    names = [upload_label(name) for name, _ in files]
    if len(files) != 1:
        raise TopicError(
            f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one, which holds a "
            "whole knowledge set."
        )
    check_ending(names[0], ENDINGS, "knowledge set", TopicError)
    with uploaded(names[0], files[0][1]) as path:
        return load_knowledge(path)


OWN = OwnFiles(SHELF, knowledge_toml, load_knowledge, checked_knowledge)
