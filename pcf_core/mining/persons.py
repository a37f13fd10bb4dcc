"""Whether a noun phrase names a person, and of which gender, from word lists in ``assets/language``.

Sources: ``coreference.toml``, written for this project; ``given_names.csv``: given names of births in the USA
1940-2020 by sex as registered (US Social Security Administration, public domain), the 2,000 commonest of each
sex, from hackerb9/ssa-baby-names at 0b1a131.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal

from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verbs import past_participle, past_tense

EVIDENCE = "occupations-bvf"
VERB_LISTS = (
    "needs_object", "needs_predicate", "light", "together", "told", "recipient_optional", "that", "whether",
    "question", "alone",
)  # fmt: skip
DOUBLED = re.compile(
    r"[^aeiou]*[aeiou][^aeiouwxy]|.*(admit|permit|commit|submit|refer|prefer|occur|regret|rebel|control)"
)
ANYONE = frozenset([
    "people", "child", "kid", "person", "friend", "family", "other", "parent", "everyone", "someone",
    "anyone", "nobody", "public",
])  # fmt: skip


@dataclass(frozen=True)
class Lexicon:
    """Word lists of the rules.

    ``persons``: singular nouns for a person; ``plural``: their plurals -> singular.  ``hints``: words that
    drop any template; ``groups``: words of race, religion, disability and nationality, which drop an
    attributive one.  ``lists``: the sets of complements.toml by name; ``verbs``: verb, or ``be`` + verb for
    its passive, -> prepositions of which it needs one; ``adjectives`` likewise; ``adverbs``: verb -> adverbs
    it keeps; ``particles``: verb -> those with which it needs an object; ``idioms``: verb or preposition ->
    nouns that need no more after it; ``lemmas``: form of a listed verb -> possible verbs; ``needs_particle``:
    verb -> particles, one of which it needs before *that*; ``deaths``: how predicates of the dead begin;
    ``general``: noun for a relative -> one without gender.
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
    needs_particle: Mapping[str, frozenset[str]]
    deaths: tuple[str, ...]
    general: Mapping[str, str]

    def person(self, word: str) -> str | None:
        """Return the singular of a noun for a person; ``None`` for other nouns."""
        word = word.lower()
        return word if word in self.persons else self.plural.get(word)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Load the shipped lists."""
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
        needs_particle=_frames(needs["needs_particle"]),
        deaths=tuple(needs["deaths"]),
        general={noun: general for general, *nouns in map(str.split, words["relatives"]) for noun in nouns},
        lemmas=_lemmas(
            {*(verb for name in VERB_LISTS for verb in lists[name]), *(verb.split()[-1] for verb in verbs)}
        ),
    )


def hints(words: Iterable[str], more: Collection[str] = (), *, groups: bool = False) -> str | None:
    """Return why words may not be in a template, or ``None``: they hint at a gender, or a group.

    ``more``: words of the topic; ``groups``: also refuse words of groups.  Parts of compounds count.
    """
    lists = lexicon()
    for word in words:
        for part in {word, *word.split("-")}:
            if part in lists.hints or part in more or (groups and part in lists.groups):
                return "a hint at the group"
    return None


def plural(noun: str) -> str:
    """Form the regular plural, and that of -man and -person."""
    if noun.endswith(("man", "woman")):
        return noun[:-2] + "en"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def verb_forms(lemma: str) -> set[str]:
    """Inflect a verb: "hope" -> hope, hopes, hoping, hoped."""
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
    """Map each form to its verbs, first the one of which it is the past ("found": find, found)."""
    verbs_of: dict[str, list[str]] = {}
    for verb in sorted(verbs):
        for form in verb_forms(verb):
            verbs_of.setdefault(form, []).append(verb)
    return {
        form: tuple(sorted(lemmas, key=lambda verb: (verb == form, verb)))
        for form, lemmas in verbs_of.items()
    }


def lists_identity(folder: str = "") -> str:
    """Hash the lists in a folder of ``assets/language``."""
    files = (path for path in (settings().assets / "language" / folder).iterdir() if path.is_file())
    return digest({path.name: sha256(path.read_bytes()).hexdigest() for path in files})


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((settings().assets / "language" / f"{name}.toml").read_text(encoding="utf8"))


def _with_plurals(words: Iterable[str]) -> frozenset[str]:
    return frozenset(form for word in words for form in (word, plural(word)))


def _frames(entries: Iterable[str]) -> dict[str, frozenset[str]]:
    """Parse the frames of verbs: ``"be known for as"`` -> ``{"be known": {"for", "as"}}``."""
    frames: dict[str, frozenset[str]] = {}
    for entry in entries:
        first, *rest = entry.split()
        if first == "be" and rest and rest[0] not in ("there", "aware"):
            first = f"be {rest.pop(0)}"
        frames[first] = frames.get(first, frozenset()) | frozenset(rest)
    return frames


Gender = Literal["male", "female"]

GENDERS: Mapping[str, Gender] = {
    "he": "male",
    "him": "male",
    "his": "male",
    "she": "female",
    "her": "female",
    "hers": "female",
}
REFLEXIVES: Mapping[str, Gender] = {"himself": "male", "herself": "female"}
PRONOUNS: Mapping[str, Gender] = {**GENDERS, **REFLEXIVES}
NAME_PARTS = ("flat", "compound", "nmod:desc")
LEANS = 0.95  # share of a given name's bearers that determines its gender


@dataclass(frozen=True)
class Naming:
    """Lower-case word lists.  ``given``: given name -> share of women among its bearers, 0 to 1."""

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
    """Load the shipped lists."""
    folder = settings().assets / "language"
    texts = tomllib.loads((folder / "coreference.toml").read_text(encoding="utf8"))
    lists = {name: frozenset(text.split()) for name, text in texts.items()}
    lists["person"] |= lexicon().persons | lists["male"] | lists["female"]
    with (folder / "given_names.csv").open(encoding="utf8", newline="") as file:
        given = {row["name"].lower(): float(row["female_share"]) for row in csv.DictReader(file)}
    return Naming(**lists, given=given)


def name_of(tree: Tree, token: int) -> list[int]:
    """Return a noun and the parts of its name, from left to right: *Detective John Smith*."""
    parts = [token]
    for child in tree.children(token, *NAME_PARTS):
        parts.extend(name_of(tree, child))
    return sorted(parts)


def is_name(tree: Tree, token: int) -> bool:
    """Tell whether a noun is a proper one, or heads one: *Actress* in *Actress Smith*."""
    return any(
        tree.tags[part] == "NNP" for part in name_of(tree, token) if part == token or tree.has(part, "flat")
    )


def is_same_name(tree: Tree, one: int, other: int) -> bool:
    """Tell whether one name has all words of the other, apart from titles.

    *John Smith* and *Mr. Smith* are one person, *John Smith* and *Mary Smith* are not.
    """
    if one == other:
        return True
    if not (is_name(tree, one) and is_name(tree, other)):
        return False
    first, second = (
        set(words) - set(titles(words))
        for words in ([tree.words[part].lower() for part in name_of(tree, name)] for name in (one, other))
    )
    return bool(first and second) and (first <= second or second <= first)


def names_a_person(tree: Tree, token: int) -> bool:
    """Tell whether a proper noun may be a person's name.

    Its last word must not be an organisation, time or abbreviation (*BBC*), and one word needs a capital.
    Before it must be a title (*Detective Smith*), a noun for a person (*novelist Smith*) or a given name;
    otherwise no word may be an organisation, place or time, and no article may precede (*the Titanic*).
    """
    lists = naming()
    parts = [tree.words[part] for part in name_of(tree, token)]
    first, last = parts[0].lower(), parts[-1].lower()
    if last in lists.organisation or last in lists.time or is_abbreviation(parts[-1]):
        return False
    if parts[-1].islower() and tree.words[token].islower():
        return False
    if titles(parts) or any(part.lower() in lists.person for part in parts[:-1]):
        return last not in lists.place
    if first in lists.given and (len(parts) > 1 or first not in lists.place):
        return True
    nothing_else = not any(part.lower() in lists.organisation | lists.place | lists.time for part in parts)
    return nothing_else and not tree.children(token, "det")


def is_abbreviation(word: str) -> bool:
    """Tell whether a word has at least three letters, all capitals."""
    return len(word) > 2 and word.isalpha() and word.isupper()


def titles(parts: list[str]) -> list[str]:
    """Return the titles in a name."""
    lists = naming()
    return [
        part for part in map(str.lower, parts) if part in lists.title | lists.title_male | lists.title_female
    ]


def names_one_person(tree: Tree, token: int) -> bool:
    """Tell whether a noun may stand for one person, by name or by a noun such as *nurse*."""
    if is_name(tree, token):
        return names_a_person(tree, token)
    return tree.tags[token] == "NN" and tree.lemmas[token].lower() in naming().person


def gender_of(tree: Tree, token: int) -> Gender | None:
    """Return the gender of a pronoun, noun, title or given name, if known."""
    lists = naming()
    word = tree.words[token].lower()
    if word in GENDERS:
        return GENDERS[word]
    if not is_name(tree, token):
        noun = tree.lemmas[token].lower()
        if noun in lists.female or noun.endswith("woman"):
            return "female"
        return "male" if noun in lists.male or noun.endswith(("man", "master")) else None
    parts = [tree.words[part].lower() for part in name_of(tree, token)]
    for part in parts:
        if part in lists.title_male | lists.male:
            return "male"
        if part in lists.title_female | lists.female:
            return "female"
    for part in parts[:-1] or parts:  # the last of several is the surname
        share = lists.given.get(part)
        if share is not None:
            return "female" if share >= LEANS else "male" if share <= 1 - LEANS else None
    return None
