"""Words of a topic that are forms of one word: he and his, man and men, asian and Asian.

Simple rules of English spelling, for a note and not for a number: every form is counted as a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

PRONOUNS = (
    ("he", "him", "his", "himself"),
    ("she", "her", "hers", "herself"),
    ("they", "them", "their", "theirs", "themself", "themselves"),
    ("it", "its", "itself"),
    ("i", "me", "my", "mine", "myself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("you", "your", "yours", "yourself", "yourselves"),
)
BASE_OF = {form: forms[0] for forms in PRONOUNS for form in forms}
IRREGULAR = {"child": "children", "person": "people"}
HISSING = ("s", "x", "z", "ch", "sh")
VOWELS = frozenset("aeiou")


def plurals(word: str) -> tuple[str, ...]:
    """How a noun in small letters may be written of several."""
    found = [f"{word}es"] if word.endswith((*HISSING, "o")) else []
    if not word.endswith(HISSING):
        found.append(f"{word}s")
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        found.append(f"{word[:-1]}ies")
    if word.endswith("fe"):
        found.append(f"{word[:-2]}ves")
    elif word.endswith("f"):
        found.append(f"{word[:-1]}ves")
    if word.endswith("man"):
        found.append(f"{word[:-3]}men")
    found += [f"{word[: -len(one)]}{several}" for one, several in IRREGULAR.items() if word.endswith(one)]
    return tuple(found)


def word_forms(words: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Words that are forms of one, two or more each, in the order of ``words``: spellings that differ in
    case, a pronoun's forms, a noun and its plural or possessive."""
    given = tuple(dict.fromkeys(words))
    known = {word.casefold() for word in given}
    base = {form: BASE_OF[form] for form in known if form in BASE_OF}
    for word in sorted(known - set(BASE_OF)):
        forms = (*plurals(word), f"{word}'s", f"{word}’s")
        base |= {form: word for form in forms if form in known and form not in BASE_OF}
    families: dict[str, list[str]] = {}
    for word in given:
        families.setdefault(_root(word.casefold(), base), []).append(word)
    return tuple(tuple(family) for family in families.values() if len(family) > 1)


def _root(word: str, base: dict[str, str]) -> str:
    """The word that no other is the base of."""
    while word in base and base[word] != word:
        word = base[word]
    return word
