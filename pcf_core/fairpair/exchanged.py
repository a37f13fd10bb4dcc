"""Which words of a text p may have put there: those that a table exchanges."""

from __future__ import annotations

from pcf_core.fairpair.tokens import word_tokens
from pcf_core.records.perturbation import Pair, PerturbationTable
from pcf_core.topics.swapping import with_article


def exchanged_words(table: PerturbationTable, entity: Pair) -> frozenset[str]:
    """Words in lower case that p takes or puts, of both sides: names, titles, words, plurals and rules.

    Of a pair of phrases those that differ: "old man" and "young man" exchange *old* and *young*, not *man*.
    *a* and *an* too, where a word and its counterpart want different ones.  Words without a counterpart are
    none of them.

    Args:
        table: of p.
        entity: the names that it exchanges besides those of the table.
    """
    rules = [(rule.word, rule.becomes) for rule in table.rules]
    words = (*table.titles, *table.words, *table.plurals, *rules)
    found = {word for pair in (entity, *table.names, *words) for word in _apart(*pair)}
    if any(_article(first) != _article(second) for first, second in (*table.words, *rules)):
        found |= {"a", "an"}
    return frozenset(found)


def is_exchanged(word: str, exchanged: frozenset[str]) -> bool:
    """Whether a lower-case word is one of them, or one with something behind an apostrophe: "he's"."""
    return word in exchanged or word.partition("'")[0] in exchanged


def _apart(first: str, second: str) -> set[str]:
    """Words that one of the two has and the other has not."""
    return set(word_tokens(first)) ^ set(word_tokens(second))


def _article(word: str) -> str:
    return with_article(word).split(" ", 1)[0]
