"""What a noun phrase names: a person or something else, and of which gender, without a recogniser of names.

Sources: ``assets/language/coreference.toml``, written for this project; ``given_names.csv`` beside it,
given names of births in the USA 1940-2020 by sex as registered (US Social Security Administration, public
domain), the 2,000 commonest of each sex, from hackerb9/ssa-baby-names at 0b1a131.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pcf_core.language.trees import Tree
from pcf_core.mining.lexicon import lexicon
from pcf_core.settings import settings

Gender = Literal["male", "female"]

GENDERS: Mapping[str, Gender] = {
    "he": "male",
    "him": "male",
    "his": "male",
    "she": "female",
    "her": "female",
    "hers": "female",
}
NAME_PARTS = ("flat", "compound", "nmod:desc")
LEANS = 0.95  # a given name tells a gender where at least this share of its bearers is of it


@dataclass(frozen=True)
class Naming:
    """The word lists, in lower case.  ``given``: given name -> share of women among its bearers, 0 to 1."""

    person: frozenset[str]
    male: frozenset[str]
    female: frozenset[str]
    title: frozenset[str]
    title_male: frozenset[str]
    title_female: frozenset[str]
    organisation: frozenset[str]
    place: frozenset[str]
    time: frozenset[str]
    given: Mapping[str, float]


@lru_cache(maxsize=1)
def naming() -> Naming:
    """The shipped lists, read once; the nouns for persons are those of the lexicon and some more."""
    folder = settings().assets / "language"
    texts = tomllib.loads((folder / "coreference.toml").read_text(encoding="utf8"))
    lists = {name: frozenset(text.split()) for name, text in texts.items()}
    lists["person"] |= lexicon().persons | lists["male"] | lists["female"]
    with (folder / "given_names.csv").open(encoding="utf8", newline="") as file:
        given = {row["name"].lower(): float(row["female_share"]) for row in csv.DictReader(file)}
    return Naming(**lists, given=given)


def name_of(tree: Tree, token: int) -> list[int]:
    """A noun and the parts of a name that hang on it, from left to right: *Detective John Smith*."""
    parts = [token]
    for child in tree.children(token, *NAME_PARTS):
        parts.extend(name_of(tree, child))
    return sorted(parts)


def is_name(tree: Tree, token: int) -> bool:
    """Whether a noun is a proper one, or heads one: *Actress* in *Actress Smith*."""
    return any(
        tree.tags[part] == "NNP" for part in name_of(tree, token) if part == token or tree.has(part, "flat")
    )


def names_a_person(tree: Tree, token: int) -> bool:
    """Whether a proper noun may be a person's name.

    Its last word is of no organisation or time, and no abbreviation such as *BBC*.  A title (*Detective
    Smith*), a noun for a person (*novelist Smith*) or a given name goes before; or no word is of an
    organisation, a place or a time, and no article stands before (*the Titanic*).
    """
    known = naming()
    parts = [tree.words[part] for part in name_of(tree, token)]
    first, last = parts[0].lower(), parts[-1].lower()
    if last in known.organisation or last in known.time or is_abbreviation(parts[-1]):
        return False
    if titles(parts) or any(part.lower() in known.person for part in parts[:-1]):
        return last not in known.place
    if first in known.given and (len(parts) > 1 or first not in known.place):
        return True
    nothing_else = not any(part.lower() in known.organisation | known.place | known.time for part in parts)
    return nothing_else and not tree.children(token, "det")


def is_abbreviation(word: str) -> bool:
    """Three letters or more, all of them capital."""
    return len(word) > 2 and word.isalpha() and word.isupper()


def titles(parts: list[str]) -> list[str]:
    """The words of a name that are titles."""
    known = naming()
    return [
        part for part in map(str.lower, parts) if part in known.title | known.title_male | known.title_female
    ]


def names_one_person(tree: Tree, token: int) -> bool:
    """Whether a noun may stand for one person, by name or by a noun such as *nurse*."""
    if is_name(tree, token):
        return names_a_person(tree, token)
    return tree.tags[token] == "NN" and tree.lemmas[token].lower() in naming().person


def gender_of(tree: Tree, token: int) -> Gender | None:
    """The gender that a pronoun, a noun, a title or a given name tells; ``None`` where nothing does."""
    known = naming()
    word = tree.words[token].lower()
    if word in GENDERS:
        return GENDERS[word]
    if not is_name(tree, token):
        noun = tree.lemmas[token].lower()
        if noun in known.female or noun.endswith("woman"):
            return "female"
        return "male" if noun in known.male or noun.endswith(("man", "master")) else None
    parts = [tree.words[part].lower() for part in name_of(tree, token)]
    for part in parts:
        if part in known.title_male | known.male:
            return "male"
        if part in known.title_female | known.female:
            return "female"
    for part in parts[:-1] or parts:  # the last of several is the family's
        share = known.given.get(part)
        if share is not None:
            return "female" if share >= LEANS else "male" if share <= 1 - LEANS else None
    return None
