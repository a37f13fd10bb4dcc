"""The languages that can be mined, and the rule for topics of one position and language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Topic
from pcf_core.material.safety.text import listed
from pcf_core.mining.chinese import Sentences, count_characters, lists_of_chinese
from pcf_core.mining.constructions import CHINESE, CONSTRUCTIONS, Construction, Position
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import lists_identity
from pcf_core.mining.sentences import Wanted, candidates
from pcf_core.mining.verb_groups import Candidate, Dropped

# (text, counter of other sentences) -> (offset, sentence) of those with a wanted word
Search = Callable[[str, Counter[str]], Iterator[tuple[int, str]]]

MOST_NAMED = 8  # wanted words listed in messages


@dataclass(frozen=True)
class Language:
    """A language that can be mined.

    ``lists``: hashes its word lists.  ``search``: makes a search for sentences with any of the words, or
    raises TopicError for a word that cannot be searched for.  ``count``: the length of a text in ``unit``.
    """

    name: str
    constructions: Mapping[str, Construction]
    lists: Callable[[], str]
    search: Callable[[Collection[str]], Search]
    count: Callable[[str], int]
    unit: str

    def offered(self, position: Position) -> tuple[Construction, ...]:
        """Return the constructions for topics of a position."""
        return tuple(one for one in self.constructions.values() if position in one.positions)

    def chosen(self, position: Position, names: Collection[str] = ()) -> tuple[Construction, ...]:
        """Return the constructions of these names, by default those that are on; or raise TopicError."""
        offered = self.offered(position)
        if not offered:
            mined = listed(
                sorted({f"{word}s" for one in self.constructions.values() for word in one.positions})
            )
            raise TopicError(
                f"Templates in {self.name} can be mined for topics whose words are {mined}, but the words of "
                f"this topic are {position}s: give its templates as a file."
            )
        choices = ", ".join(one.name for one in offered)
        unknown = sorted(set(names) - {one.name for one in offered})
        if unknown:
            raise TopicError(
                f"There is no construction {unknown[0]!r} for topics whose words are {position}s: choose "
                f"from {choices}."
            )
        chosen = tuple(one for one in offered if (one.name in names if names else one.on))
        if not chosen:
            raise TopicError(
                f"No construction of {self.name} is used by default, because none is known to be precise: "
                f"choose from {choices} (--construction, or Constructions on the page Templates)."
            )
        return chosen


def _english(words: Collection[str]) -> Search:
    wanted = Wanted(words)
    return lambda text, passed: candidates(text, wanted, passed)


LANGUAGES: Mapping[str, Language] = {
    "en": Language(
        "English", CONSTRUCTIONS, lists_identity, _english, lambda text: len(text.split()), "words"
    ),
    "zh": Language("Chinese", CHINESE, lists_of_chinese, Sentences, count_characters, "Chinese characters"),
}


def code_of(topic: Topic) -> str:
    """Return the first part of a topic's language code: ``zh`` of ``zh-Hans``."""
    return topic.language.partition("-")[0].lower()


def language_of(topics: Sequence[Topic]) -> str:
    """Return the topics' common language, a key of ``LANGUAGES``, or raise TopicError."""
    codes = {code_of(topic): topic for topic in topics}
    for code, topic in codes.items():
        if code not in LANGUAGES:
            raise TopicError(
                f"Templates can be mined from {' or '.join(one.name for one in LANGUAGES.values())} only, "
                f"but the topic {topic.name} is in the language {topic.language}: give its templates as a "
                "file."
            )
    if len(codes) > 1:
        raise TopicError(
            "Templates are mined for topics of one language, but "
            f"{listed([f'{topic.name} is in {code}' for code, topic in codes.items()])}: mine them "
            "separately."
        )
    return next(iter(codes))


@dataclass(frozen=True)
class Rule:
    """A rule for extracting the templates of topics; workers receive it pickled.

    ``name``: *clausal* if the topics' words are subjects ("The [X] said that [Y]"), *attributive* if
    predicates ("The [X], who was elected, is [Y]").  ``wanted``: lower-case words of which a sentence must
    have one; ``topic_words``: must not occur in a template.
    """

    name: Literal["clausal", "attributive"]
    wanted: tuple[str, ...]
    topic_words: frozenset[str]
    constructions: tuple[str, ...]
    language: str = "en"

    @property
    def looked_for(self) -> str:
        """The wanted words, for messages."""
        if self.name == "attributive" and self._is_papers:
            return "a noun that names people by what they do, such as “inspectors”"
        if self.name == "attributive":
            return f"a wanted word, such as {self.wanted[0]}"
        if len(self.wanted) > MOST_NAMED:
            return f"a word of the topic, such as {self.wanted[0]}"
        return " or ".join(self.wanted)

    @property
    def form(self) -> str:
        """The form of suitable sentences with an example, for messages."""
        if not self._is_papers:
            table = LANGUAGES[self.language].constructions
            return "one of these forms: " + " ".join(
                f"“{table[name].example[0]}”" for name in self.constructions
            )
        if self.name == "attributive":
            return (
                "such a noun as its subject, and a statement about these people, as in “The inspectors were "
                "appointed in May”"
            )
        return (
            f"a person, what the person says, thinks or does, and a clause with {self.looked_for} as its "
            f"subject, as in “The nurse said that {self.wanted[0]} was tired”"
        )

    @property
    def formless(self) -> str:
        """Why other sentences give no template, for messages."""
        if not self._is_papers:
            return "no wanted word stands where the chosen constructions have one"
        if self.name == "attributive":
            return "its subject is no noun for people by what they do"
        return f"{self.looked_for} is not the subject of a clause that depends on what someone says or does"

    @property
    def _is_papers(self) -> bool:
        """Whether only the construction of the papers is mined."""
        usual = "clause" if self.name == "clausal" else "attributive"
        return (self.language, self.constructions) == ("en", (usual,))

    def skeletons(self, tree: Tree) -> Iterator[Candidate | Dropped]:
        """Yield the templates of one sentence, or why a sentence of the form has none."""
        for name in self.constructions:
            construction = LANGUAGES[self.language].constructions[name]
            yield from construction.find(tree, construction.taken(self.topic_words), self.topic_words)


def rule_for(topics: Sequence[Topic], constructions: Sequence[str] = ()) -> Rule:
    """Return the rule that mines templates for topics of one position and one language.

    ``constructions``: names; by default those that are on.  Raises TopicError for topics without a common
    rule, and for unknown constructions.
    """
    positions = {topic.position for topic in topics}
    if len(positions) != 1:
        raise TopicError(
            "Templates are mined for topics of one position, subject or predicate, but "
            f"{', '.join(topic.name for topic in topics) or 'no topic'} was given: mine them separately."
        )
    (position,) = positions
    code = language_of(topics)
    words = frozenset(word.lower() for topic in topics for word in topic.words)
    chosen = LANGUAGES[code].chosen(position, constructions)
    wanted = tuple(dict.fromkeys(word for one in chosen for word in one.wanted(words)))
    if position == "subject" and not wanted:
        needed = ", ".join(dict.fromkeys(word for one in chosen for word in one.words))
        which = "that are used by default" if not constructions else "that were chosen"
        raise TopicError(
            f"The topic {topics[0].name} has no word that can be used in the constructions {which} "
            f"({needed}): add one, choose other constructions, or give it the position predicate."
        )
    name: Literal["clausal", "attributive"] = "clausal" if position == "subject" else "attributive"
    return Rule(name, wanted, words, tuple(one.name for one in chosen), code)
