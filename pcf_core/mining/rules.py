"""The seam between rules and miner: which rule a topic needs, what it looks for, what a sentence gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Topic
from pcf_core.mining.constructions import Construction
from pcf_core.mining.languages import LANGUAGES, language_of
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped, Found


class Rule(Protocol):
    """What a topic's templates are made of; workers get it pickled.

    ``language``: a key of :data:`pcf_core.mining.languages.LANGUAGES`; ``constructions``: names of what it
    looks for there (:mod:`pcf_core.mining.constructions`).
    ``wanted``: words of which a sentence must have one, in lower case; ``looked_for``: these, for a sentence.
    ``form``: of sentences that can give a template, with an example; ``formless``: why others give none.
    """

    @property
    def name(self) -> Literal["clausal", "attributive"]:
        """The rule's name."""
        ...

    @property
    def language(self) -> str:
        """The code of the language."""
        ...

    @property
    def constructions(self) -> tuple[str, ...]:
        """The names of the constructions."""
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

    def skeletons(self, tree: Tree) -> Iterator[Found | Dropped]:
        """Yield the templates of one sentence, or why it has none where it had the rule's form."""


@dataclass(frozen=True)
class ClausalRule:
    """Templates for topics whose words are subjects: "The [X] said that [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    constructions: tuple[str, ...] = ("clause",)
    language: str = "en"
    name: Literal["clausal"] = "clausal"

    @property
    def looked_for(self) -> str:
        """The wanted words, joined by "or"; of many the first."""
        few = len(self.wanted) <= MOST_NAMED
        return " or ".join(self.wanted) if few else f"a word of the topic, such as {self.wanted[0]}"

    @property
    def form(self) -> str:
        """The form of sentence, with an example."""
        if not self._is_english_clause:
            return examples_of(self.language, self.constructions)
        return (
            f"a person, what they say, think or do, and a clause with {self.looked_for} as its subject, as "
            f"in “The nurse said that {self.wanted[0]} was tired”"
        )

    @property
    def formless(self) -> str:
        """Why a sentence does not have the form."""
        if not self._is_english_clause:
            return ELSEWHERE
        return f"{self.looked_for} is not the subject of a clause that depends on what someone says or does"

    @property
    def _is_english_clause(self) -> bool:
        return (self.language, self.constructions) == ("en", ("clause",))

    def skeletons(self, tree: Tree) -> Iterator[Found | Dropped]:
        """Yield the templates of one sentence, or why it has none."""
        return found_in(tree, self.language, self.constructions, self.topic_words)


@dataclass(frozen=True)
class AttributiveRule:
    """Templates for topics whose words are predicates: "The [X], who was elected, is [Y]"."""

    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    constructions: tuple[str, ...] = ("attributive",)
    language: str = "en"
    name: Literal["attributive"] = "attributive"

    @property
    def looked_for(self) -> str:
        """The kind of noun that is searched for, with an example."""
        if self.constructions != ("attributive",):
            return f"a wanted word, such as {self.wanted[0]}"
        return "a noun for people by what they do, such as “inspectors”"

    @property
    def form(self) -> str:
        """The form of sentence, with an example."""
        if self.constructions != ("attributive",):
            return examples_of(self.language, self.constructions)
        return (
            "such a noun as its subject, and what is said of them, as in “The inspectors were appointed in "
            "May”"
        )

    @property
    def formless(self) -> str:
        """Why a sentence does not have the form."""
        if self.constructions != ("attributive",):
            return ELSEWHERE
        return "its subject is no noun for people by what they do"

    def skeletons(self, tree: Tree) -> Iterator[Found | Dropped]:
        """Yield the templates of one sentence, or why it has none."""
        return found_in(tree, self.language, self.constructions, self.topic_words)


MOST_NAMED = 8  # wanted words that a message names
ELSEWHERE = "no wanted word stands where the chosen constructions have one"


def found_in(
    tree: Tree, language: str, constructions: Sequence[str], topic_words: frozenset[str]
) -> Iterator[Found | Dropped]:
    """Yield what each construction of a language finds in a sentence, one after the other."""
    for name in constructions:
        construction = LANGUAGES[language].constructions[name]
        yield from construction.find(tree, construction.taken(topic_words), topic_words)


def examples_of(language: str, constructions: Sequence[str]) -> str:
    """Name a sentence of each construction of a language."""
    known = LANGUAGES[language].constructions
    return "one of these forms: " + " ".join(f"“{known[name].example[0]}”" for name in constructions)


def rule_for(topics: Sequence[Topic], constructions: Sequence[str] = ()) -> Rule:
    """Return the rule that mines templates for topics, all of one position and one language.

    ``constructions``: names of what is looked for; where there is none, what is on by itself.

    Raises
    ------
    TopicError
        No topic, positions or languages that differ, a language that is not mined, no word that can stand in
        the constructions, one of these that is not known, none that is on by itself.
    """
    positions = {topic.position for topic in topics}
    if len(positions) != 1:
        raise TopicError(
            f"Templates are mined for topics of one position, subject or predicate; "
            f"{', '.join(topic.name for topic in topics) or 'no topic'} came: mine them apart."
        )
    code = language_of(topics)
    language = LANGUAGES[code]
    words = frozenset(word.lower() for topic in topics for word in topic.words)
    if positions == {"predicate"}:
        chosen = language.chosen("predicate", constructions)
        return AttributiveRule(_wanted(chosen, words), words, tuple(one.name for one in chosen), code)
    chosen = language.chosen("subject", constructions)
    wanted = _wanted(chosen, words)
    if not wanted:
        needed = ", ".join(dict.fromkeys(word for one in chosen for word in one.words))
        which = "that are on by themselves" if not constructions else "that were chosen"
        raise TopicError(
            f"The topic {topics[0].name} has no word that can stand in the constructions {which} ({needed}): "
            "add one, choose other constructions, or give it the position predicate."
        )
    return ClausalRule(wanted, words, tuple(one.name for one in chosen), code)


def _wanted(constructions: Sequence[Construction], words: frozenset[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for one in constructions for word in one.wanted(words)))
