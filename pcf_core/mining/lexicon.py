"""Word lists of the rules, from ``assets/language/*.toml``: persons, hints, what words need beside them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from pcf_core.language.verbs import past_participle, past_tense
from pcf_core.records import digest
from pcf_core.settings import settings
from pcf_core.topics import load_evidence

EVIDENCE = "occupations-bvf"
VERB_LISTS = (
    "needs_object", "needs_predicate", "light", "together", "told", "recipient_optional", "that", "whether",
    "question", "alone",
)  # fmt: skip
DOUBLED = re.compile(
    r"[^aeiou]*[aeiou][^aeiouwxy]|.*(admit|permit|commit|submit|refer|prefer|occur|regret|rebel|control)"
)
ANYONE = frozenset(
    [
        "people",
        "child",
        "kid",
        "person",
        "friend",
        "family",
        "other",
        "parent",
        "everyone",
        "someone",
        "anyone",
        "nobody",
        "public",
    ]
)


@dataclass(frozen=True)
class Lexicon:
    """``persons``: nouns for a person, singular; ``plural``: their plurals -> singular.

    ``hints``: words that drop any template; ``groups``: words of race, religion, disability and nationality,
    which drop an attributive template.  ``lists``: the sets of complements.toml by name;
    ``verbs``: verb, or ``be`` + verb for its passive, -> prepositions of which it needs one; ``adjectives``
    likewise; ``adverbs``: verb -> adverbs it keeps; ``particles``: verb -> those with which it needs an
    object; ``idioms``: verb or preposition -> nouns that need no more after it; ``lemmas``: form of a listed
    verb -> the verbs it may belong to.
    """

    persons: frozenset[str]
    plural: Mapping[str, str]
    hints: frozenset[str]
    groups: frozenset[str]
    lists: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    adjectives: Mapping[str, frozenset[str]]
    adverbs: Mapping[str, frozenset[str]]
    particles: Mapping[str, frozenset[str]]
    idioms: Mapping[str, frozenset[str]]
    lemmas: Mapping[str, tuple[str, ...]]

    def person(self, word: str) -> str | None:
        """The singular of a noun for a person, of any number; ``None`` for other nouns."""
        word = word.lower()
        return word if word in self.persons else self.plural.get(word)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The shipped lists, read once."""
    persons, words, needs = (_table(name) for name in ("persons", "hints", "complements"))
    nouns = {noun for text in persons.values() for noun in text.split()}
    nouns |= set(load_evidence(EVIDENCE).terms)
    lists = {name: frozenset(text.split()) for name, text in needs.items() if isinstance(text, str)}
    verbs = _frames(needs["needs_preposition"])
    return Lexicon(
        persons=frozenset(nouns),
        plural={plural(noun): noun for noun in nouns},
        hints=_with_plurals(words["gendered"].split() + words["gender_hints"].split()),
        groups=_with_plurals(words["groups"].split()),
        lists=lists,
        verbs=verbs,
        adjectives=_frames(needs["adjectives"]),
        adverbs=_frames(needs["adverbs"]),
        particles=_frames(needs["particles"]),
        idioms=_frames(needs["idioms"]),
        lemmas=_lemmas(
            {*(verb for name in VERB_LISTS for verb in lists[name]), *(verb.split()[-1] for verb in verbs)}
        ),
    )


def hints(words: Iterable[str], more: Collection[str] = (), *, groups: bool = False) -> str | None:
    """Why words may not stand in a template, or ``None``: they hint at a gender or, with ``groups``, a group.

    ``more``: words of the topic that is mined.  A part of a compound with a hyphen counts as a word.
    """
    known = lexicon()
    for word in words:
        for part in {word, *word.split("-")}:
            if part in known.hints or part in more or (groups and part in known.groups):
                return "a hint at the group"
    return None


def plural(noun: str) -> str:
    """The regular plural, and that of -man and -person."""
    if noun.endswith(("man", "woman")):
        return noun[:-2] + "en"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def verb_forms(lemma: str) -> set[str]:
    """The inflected forms of a verb: "hope" -> hope, hopes, hoping, hoped."""
    last, stem = lemma[-1], lemma[:-1]
    if last == "e" and lemma != "be" and not lemma.endswith(("ee", "oe", "ye")):
        gerund = f"{lemma[:-2]}ying" if lemma.endswith("ie") else f"{stem}ing"
    elif DOUBLED.fullmatch(lemma):
        gerund = f"{lemma}{last}ing"
    else:
        gerund = f"{lemma}ing"
    third = {"be": "is", "have": "has"}.get(lemma) or plural(lemma) if last != "o" else f"{lemma}es"
    return {lemma, third, gerund, past_tense(lemma), past_participle(lemma)}


def _lemmas(verbs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Form -> the verbs it is a form of; that of which it is the past goes first ("found": find, found)."""
    found: dict[str, list[str]] = {}
    for verb in sorted(verbs):
        for form in verb_forms(verb):
            found.setdefault(form, []).append(verb)
    return {
        form: tuple(sorted(lemmas, key=lambda verb: (verb == form, verb))) for form, lemmas in found.items()
    }


def lists_identity() -> str:
    """Hash of all that ``assets/language`` holds: other lists may make another template of a sentence."""
    folder = settings().assets / "language"
    return digest({path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()})


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((settings().assets / "language" / f"{name}.toml").read_text(encoding="utf8"))


def _with_plurals(words: Iterable[str]) -> frozenset[str]:
    return frozenset(form for word in words for form in (word, plural(word)))


def _frames(entries: Iterable[str]) -> dict[str, frozenset[str]]:
    """``"be known for as"`` -> ``{"be known": {"for", "as"}}``."""
    frames: dict[str, frozenset[str]] = {}
    for entry in entries:
        first, *rest = entry.split()
        if first == "be" and rest and rest[0] not in ("there", "aware"):
            first = f"be {rest.pop(0)}"
        frames[first] = frames.get(first, frozenset()) | frozenset(rest)
    return frames
