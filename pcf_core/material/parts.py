"""Parts of speech of a topic's words, and which of them fit at ``[Y]``.

A template says what fits there (:attr:`~pcf_core.core.topics.Template.fits`); ``assets/lexicons/parts.toml``
says what the words are.  A word that is in no list may be anything, and a template that says nothing takes
every word: what is not known leaves nothing out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from pcf_core.core.settings import settings
from pcf_core.core.topics import PARTS, Part, Topic

ARTICLES = ("a ", "an ", "the ")
NAMES: Mapping[Part, str] = {
    "pronoun": "a pronoun that can be a subject",
    "object": "a pronoun that is an object",
    "possessive": "a possessive",
    "determiner": "a possessive before its noun",
    "reflexive": "a reflexive pronoun",
    "plural": "a noun in the plural",
    "noun": "a noun without an article",
    "phrase": "a noun with its article",
    "adjective": "an adjective",
}


def parts_of(word: str, language: str = "en") -> frozenset[Part]:
    """Return what a word can be; empty where that is not known."""
    known = _lists(settings().assets / "lexicons" / "parts.toml")
    if language.partition("-")[0].lower() != "en":
        return frozenset()
    if word.lower().startswith(ARTICLES):
        return frozenset({"phrase"})
    return known.get(word.casefold(), frozenset())


def unfit_words(topic: Topic, fits: Iterable[tuple[Part, ...]]) -> dict[str, str]:
    """Return the words that do not fit in every template, each with the reason.

    Parameters
    ----------
    topic
        Whose words are looked up.
    fits
        What each template takes at ``[Y]``; empty for anything.
    """
    taken = [one for one in dict.fromkeys(fits) if one]
    found = {}
    for word in topic.words:
        parts = parts_of(word, topic.language)
        wanted = next((one for one in taken if parts and parts.isdisjoint(one)), None)
        if wanted:
            found[word] = f"it is {_named(parts)}, and at [Y] stands {_named(wanted)}"
    return found


def _named(parts: Collection[Part]) -> str:
    """Name parts of speech; one that a wider one covers goes without saying."""
    narrower = {"determiner"} if "possessive" in parts else set()
    return " or ".join(NAMES[part] for part in PARTS if part in parts and part not in narrower)


@lru_cache(maxsize=2)
def _lists(path: Path) -> Mapping[str, frozenset[Part]]:
    table = tomllib.loads(path.read_text(encoding="utf8"))
    found: dict[str, set[Part]] = {}
    for part in PARTS:
        for word in table.get(part, ()):
            found.setdefault(word, set()).add(part)
    return {word: frozenset(parts) for word, parts in found.items()}
