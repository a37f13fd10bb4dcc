"""The languages that are mined: the one seam between what is common to all and the rules of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Topic
from pcf_core.material.safety.text import listed
from pcf_core.mining.chinese import Sentences, count_characters, lists_of_chinese
from pcf_core.mining.constructions import CHINESE, CONSTRUCTIONS, Construction, Position
from pcf_core.mining.persons import lists_identity
from pcf_core.mining.sentences import Wanted, candidates

# From a text, and what counts the sentences passed over, to (offset, sentence) of those with a wanted word.
Search = Callable[[str, Counter[str]], Iterator[tuple[int, str]]]


@dataclass(frozen=True)
class Language:
    """A language that is mined.

    ``constructions``: what its rules find, by name.  ``lists``: hashes all its word
    lists.  ``search``: makes a search for sentences of the words that one must have; it raises
    :class:`~pcf_core.core.errors.TopicError` where a word cannot be looked for.  ``count``: how long a text
    is, in ``unit``.
    """

    name: str
    constructions: Mapping[str, Construction]
    lists: Callable[[], str]
    search: Callable[[Collection[str]], Search]
    count: Callable[[str], int]
    unit: str

    def offered(self, position: Position) -> tuple[Construction, ...]:
        """Return the constructions that can be mined for topics of a position."""
        return tuple(one for one in self.constructions.values() if position in one.positions)

    def chosen(self, position: Position, names: Collection[str] = ()) -> tuple[Construction, ...]:
        """Return constructions for topics of a position, in the table's order: those named, else those on.

        Raises
        ------
        TopicError
            A name that is none of this position's; none that can be mined or that is on by itself.
        """
        offered = self.offered(position)
        if not offered:
            mined = listed(
                sorted({f"{word}s" for one in self.constructions.values() for word in one.positions})
            )
            raise TopicError(
                f"Templates of {self.name} are mined for topics whose words are {mined}, and here they are "
                f"{position}s: give their templates as a file."
            )
        known = ", ".join(one.name for one in offered)
        unknown = sorted(set(names) - {one.name for one in offered})
        if unknown:
            raise TopicError(
                f"There is no construction {unknown[0]!r} for topics whose words are {position}s: choose of "
                f"{known}."
            )
        chosen = tuple(one for one in offered if (one.name in names if names else one.on))
        if not chosen:
            raise TopicError(
                f"No construction of {self.name} is on by itself, as none is known to be precise: choose of "
                f"{known} (--construction, or Constructions on the page Templates)."
            )
        return chosen


def _english(words: Collection[str]) -> Search:
    """Return a search for sentences between full stops, of words between spaces."""
    return partial(_found, Wanted(words))


def _found(wanted: Wanted, text: str, passed: Counter[str]) -> Iterator[tuple[int, str]]:
    return candidates(text, wanted, passed)


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
    """Return the code of the topics' one language, a key of ``LANGUAGES``.

    Raises
    ------
    TopicError
        Several languages, or one that is not mined.
    """
    codes = {code_of(topic): topic for topic in topics}
    for code, topic in codes.items():
        if code not in LANGUAGES:
            raise TopicError(
                f"Templates are mined from {' or '.join(one.name for one in LANGUAGES.values())}; the topic "
                f"{topic.name} is in the language {topic.language}: give its templates as a file."
            )
    if len(codes) > 1:
        raise TopicError(
            "Templates are mined for topics of one language; "
            f"{listed([f'{topic.name} is in {code}' for code, topic in codes.items()])}: mine them apart."
        )
    return next(iter(codes))
