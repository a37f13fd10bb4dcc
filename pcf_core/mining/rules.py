"""The seam between rules and miner: which rule a topic needs, what it looks for, what a sentence gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Topic
from pcf_core.mining import attributive, clausal
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped


class Rule(Protocol):
    """What a topic's templates are made of; workers get it pickled.

    ``wanted``: words of which a sentence must have one, in lower case; ``looked_for``: these, for a sentence.
    ``form``: of sentences that can give a template, with an example; ``formless``: why others give none.
    """

    @property
    def name(self) -> Literal["clausal", "attributive"]:
        """The rule's name."""
        ...

    @property
    def wanted(self) -> tuple[str, ...]:
        """The words for which sentences are searched."""
        ...

    @property
    def looked_for(self) -> str:
        """The words that are searched for, as messages name them."""
        ...

    @property
    def form(self) -> str:
        """The form of sentence that the rule reads, as messages describe it."""
        ...

    @property
    def formless(self) -> str:
        """Why a sentence does not have the form, as messages say it."""
        ...

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        """Yield the templates of one sentence, or why it has none where it had the rule's form."""


@dataclass(frozen=True)
class ClausalRule:
    """Templates for topics whose words are subjects: "The [X] said that [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    name: Literal["clausal"] = "clausal"

    @property
    def looked_for(self) -> str:
        """The wanted words, joined by "or"."""
        return " or ".join(self.wanted)

    @property
    def form(self) -> str:
        """The form of sentence, with an example."""
        return (
            f"a person, what they say, think or do, and a clause with {self.looked_for} as its subject, as "
            f"in “The nurse said that {self.wanted[0]} was tired”"
        )

    @property
    def formless(self) -> str:
        """Why a sentence does not have the form."""
        return f"{self.looked_for} is not the subject of a clause that depends on what someone says or does"

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        """Yield the templates of one sentence, or why it has none."""
        return clausal.clausal(tree, self.wanted, self.topic_words)


@dataclass(frozen=True)
class AttributiveRule:
    """Templates for topics whose words are predicates: "The [X], who was elected, is [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    name: Literal["attributive"] = "attributive"

    @property
    def looked_for(self) -> str:
        """The kind of noun that is searched for, with an example."""
        return "a noun for people by what they do, such as “inspectors”"

    @property
    def form(self) -> str:
        """The form of sentence, with an example."""
        return (
            "such a noun as its subject, and what is said of them, as in “The inspectors were appointed in "
            "May”"
        )

    @property
    def formless(self) -> str:
        """Why a sentence does not have the form."""
        return "its subject is no noun for people by what they do"

    def skeletons(self, tree: Tree) -> Iterator[str | Dropped]:
        """Yield the templates of one sentence, or why it has none."""
        return attributive.attributive(tree, self.topic_words)


def rule_for(topics: Sequence[Topic]) -> Rule:
    """Return the rule that mines templates for topics, all of one position.

    Raises
    ------
    TopicError
        No topic, positions that differ, not English, no word that can be a subject.
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
