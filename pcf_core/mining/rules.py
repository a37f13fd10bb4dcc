"""The seam between rules and miner: which rule a topic needs, what it looks for, what a sentence gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pcf_core.errors import TopicError
from pcf_core.language.trees import Tree
from pcf_core.mining import attributive, clausal
from pcf_core.mining.refusal import Dropped
from pcf_core.records import Topic


class Rule(Protocol):
    """``wanted``: words of which a sentence must have one, in lower case.  Workers get it pickled."""

    @property
    def name(self) -> Literal["clausal", "attributive"]: ...

    @property
    def wanted(self) -> tuple[str, ...]: ...

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        """The templates of one sentence; why it has none where it had the rule's form; nothing otherwise."""


@dataclass(frozen=True)
class ClausalRule:
    """Templates for topics whose words are subjects: "The [X] said that [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    name: Literal["clausal"] = "clausal"

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        return clausal.clausal(tree, self.wanted, self.topic_words)


@dataclass(frozen=True)
class AttributiveRule:
    """Templates for topics whose words are predicates: "The [X], who was elected, is [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    name: Literal["attributive"] = "attributive"

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        return attributive.attributive(tree, self.topic_words)


def rule_for(topics: Sequence[Topic]) -> Rule:
    """The rule that mines templates for topics, all of one position.

    Raises:
        TopicError: no topic, positions that differ, not English, no word that can be a subject.
    """
    positions = {topic.position for topic in topics}
    if len(positions) != 1:
        raise TopicError(
            f"Templates are mined for topics of one position, subject or predicate; "
            f"{', '.join(topic.name for topic in topics) or 'no topic'} came: mine them apart."
        )
    for topic in topics:
        if topic.language.split("-")[0] != "en":
            raise TopicError(
                f"Templates are mined from English; the topic {topic.name} is in the language "
                f"{topic.language}: give its templates as a file."
            )
    words = frozenset(word.lower() for topic in topics for word in topic.words)
    if positions == {"predicate"}:
        return AttributiveRule(attributive.wanted(), words)
    wanted = clausal.wanted(topics)
    if not wanted:
        raise TopicError(
            f"The topic {topics[0].name} has no word that can be the subject of a clause "
            f"({', '.join(clausal.SUBJECTS)}): add one, or give it the position predicate."
        )
    return ClausalRule(wanted, words)
