"""Which template sets suit a topic: computed from their cards, so that newly mined sets count too.

Also what a topic's words would be asked in: sentences made of a template set and an evidence list; and X and
Y swapped: a topic's words at ``[X]``, the terms of an evidence list at ``[Y]``.

**Words of a topic that are forms of one word: he and his, man and men, asian and Asian.**  Simple rules of
English spelling, for a note and not for a number: every form is counted as a word of its own.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pcf_core.core.errors import InputError, TopicError
from pcf_core.core.topics import Evidence, Group, SetCard, Template, TemplateSet, Topic, with_person
from pcf_core.material.evidence import make_evidence
from pcf_core.material.groups import UNNAMED
from pcf_core.material.safety.text import MAX_NAME, listed
from pcf_core.material.shelves import safe_name
from pcf_core.material.templates import SHELF, load_card
from pcf_core.material.topics import make_topic

FORMS: Mapping[str, str] = {"subject": "clausal", "predicate": "attributive"}  # by the position of the words


def template_cards() -> dict[str, SetCard]:
    """Load name -> card of every set, the shipped ones first; damaged ones of the user's own are left out.

    Raises
    ------
    TemplateError
        The card of a shipped set is damaged.
    """
    own = SHELF.own()
    cards = {name: load_card(name) for name in SHELF.shipped()}
    return cards | {name: card for name in own if (card := _tried(name)) is not None}


def suiting_sets(topic: Topic, cards: Mapping[str, SetCard]) -> tuple[str, ...]:
    """List the sets that suit a topic: those made for it, its default, the others in the order of ``cards``.

    A set suits where its language is the topic's and its form leaves a place for the topic's words: a clausal
    set ("The [X] said that [Y]") for subjects, an attributive one ("The [X], who came, is [Y]") for
    predicates, one with people at [P] for decisions about them.  A set of unknown form suits only a topic
    that begins with it, and one that was made for a topic suits no other.
    """
    language = _primary(topic.language)
    form = "decision" if topic.decides else FORMS[topic.position]
    made_for = [name for name, card in cards.items() if card.topic == topic.name]
    fitting = [
        name
        for name, card in cards.items()
        if not card.topic and card.form == form and _primary(card.language) == language
    ]
    usual = [topic.templates] if topic.templates in cards else []
    return tuple(dict.fromkeys([*made_for, *usual, *fitting]))


def usual_set(topic: Topic, cards: Mapping[str, SetCard]) -> str:
    """Return the set on which a topic opens: one made for it if there is any, so that it answers."""
    first = next(iter(suiting_sets(topic, cards)), "")
    return first if first and cards[first].topic == topic.name else topic.templates


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()


def _tried(name: str) -> SetCard | None:
    try:
        return load_card(name)
    except InputError:
        return None


# What a topic's words would be asked in: sentences made of a template set and an evidence list.


def heaviest_templates(templates: TemplateSet, number: int) -> tuple[Template, ...]:
    """Return the templates with the largest counts, largest first; ties keep the order of the set."""
    return tuple(sorted(templates.templates, key=lambda template: -template.count)[:number])


def spread_terms(evidence: Evidence, number: int) -> tuple[str, ...]:
    """Pick at most ``number`` terms at even distances of the list, its first one among them."""
    terms = evidence.terms
    size = min(number, len(terms))
    return tuple(terms[index * len(terms) // size] for index in range(size))


def probe_prompts(templates: TemplateSet, evidence: Evidence, number: int = 10) -> tuple[str, ...]:
    """Make sentences with ``[Y]`` open: the heaviest templates, each with another term of the list.

    Where there are fewer templates or terms than ``number``, they begin again, and no sentence stands twice.
    """
    chosen = heaviest_templates(templates, number)
    terms = spread_terms(evidence, number)
    every = (
        template.prompt(terms[(index + shift) % len(terms)])
        for shift in range(len(terms))
        for index, template in enumerate(chosen)
    )
    return tuple(itertools.islice(dict.fromkeys(every), number))


def names_all_groups(topic: Topic, texts: Iterable[str]) -> bool:
    """Say whether each of some template texts has a word of every group of a topic."""
    return all(word.search(text) for text in texts for word in _words_of(topic))


def rotates_groups(topic: Topic, texts: Iterable[str]) -> bool:
    """Say whether in template texts that name all groups each stands at each position equally often."""
    words, times = _words_of(topic), Counter[tuple[int, int]]()
    for text in texts:
        starts = [match.start() if (match := word.search(text)) else -1 for word in words]
        positions = sorted(range(len(words)), key=lambda group: starts[group])
        times.update((group, position) for position, group in enumerate(positions))
    return len(times) == len(words) ** 2 and len(set(times.values())) == 1


def _words_of(topic: Topic) -> list[re.Pattern[str]]:
    """Return the pattern of each group that finds any of its words."""
    return [re.compile(rf"\b(?:{'|'.join(map(re.escape, group.words))})(?!\w)") for group in topic.groups]


def filled_prompts(
    topic: Topic, templates: Sequence[Template], terms: Sequence[str]
) -> tuple[tuple[str, str, str], ...]:
    """Return (group, word, sentence) for every template, term and word, in this order."""

    def filled(prompt: str, word: str) -> str:
        return with_person(prompt, word).replace("[Y]", "…") if topic.decides else prompt.replace("[Y]", word)

    return tuple(
        (group.name, word, filled(template.prompt(term), word))
        for template in templates
        for term in terms
        for group in topic.groups
        for word in group.words
    )


# X and Y swapped: a topic's words stand at ``[X]``, the terms of an evidence list at ``[Y]``.


NAMELESS = "term"
AS_GROUPS, AS_EVIDENCE = "-as-groups", "-as-evidence"  # behind the name of what was swapped
ARTICLE = re.compile(r"an? (?=\S)", re.IGNORECASE)
# Vowel letters that sound like a consonant, silent h: what "a" or "an" goes by is the sound.
CONSONANT_SOUND = re.compile(r"eu|one\b|once|uni(?![dmn])|use|usu|uti|uro|uk|ugan", re.IGNORECASE)
VOWEL_SOUND = re.compile(r"[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE)
# Letters read one by one, "MRI" and the "X" of "X-ray", but not "MAN" in a text of capital letters.
SPELT = re.compile(r"(?![^AEIOU][AEIOU][^AEIOU]\b)[A-Z]{1,3}(?![A-Za-z])")
VOWEL_LETTER = frozenset("AEFHILMNORSX")
SUBJECTS = ("he", "she", "they", "ze", "xe")
OTHERS = ("him", "his", "himself", "her", "hers", "herself", "them", "theirs", "themself", "themselves")
PERSONAL_PRONOUNS = frozenset((*SUBJECTS, *OTHERS))


def swapped(topic: Topic, evidence: Evidence) -> tuple[Topic, Evidence]:
    """Exchange the slots: what people of each group are expected to be, not who has an occupation.

    The new list has the topic's words, without "a" or "an" and without pronouns, which cannot stand behind
    "The"; its notes name them.  The new topic has a group for every term of the list, whose one word is the
    term with its article: predicates, for templates such as "The [X], who came, is [Y]".  With race-gender
    and occupations, "The black woman, who came, is" is asked for "a nurse" or "an engineer".

    R then says how far the model is from expecting every term alike, so common occupations alone make it
    large: read it between the words at ``[X]``, not beside the R of the topic as it was.  A term must name
    one person (not "crew").

    Raises
    ------
    TopicError
        A topic that is not English, which has no such articles, of people or of pronouns alone; under two
        terms; two terms that differ in case or article alone.
    """
    if topic.decides:
        raise TopicError(
            f"{topic.name} is about people at [P], so X and Y cannot be swapped: choose another topic."
        )
    if topic.language.partition("-")[0].lower() != "en":
        raise TopicError(
            "X and Y can be swapped in English only, because articles of other languages are not known; "
            f"{topic.name} is in the language {topic.language}."
        )
    bare = dict.fromkeys(ARTICLE.sub("", word, count=1) for word in topic.words)
    terms = [word for word in bare if word.casefold() not in PERSONAL_PRONOUNS]
    if not terms:
        raise TopicError(
            f"The topic {topic.name} has only pronouns, which cannot follow “The”, so X and Y cannot be "
            "swapped: choose another topic."
        )
    left_out = [word for word in bare if word.casefold() in PERSONAL_PRONOUNS]
    groups = [
        Group(name=name, words=(with_article(term),))
        for name, term in zip(group_names(evidence.terms), evidence.terms, strict=True)
    ]
    as_topic = make_topic(
        safe_name(f"{evidence.name}{AS_GROUPS}"),
        groups,
        title=f"{evidence.title}, as groups",
        position="predicate",
        source=evidence.source,
        notes=evidence.notes,
        templates=topic.templates if topic.position == "predicate" else "",
        where=f"The swapped list {evidence.name}",
    )
    as_evidence = make_evidence(
        safe_name(f"{topic.name}{AS_EVIDENCE}"),
        terms,
        noun="person",
        title=f"{topic.title}, as evidence",
        source=topic.source,
        notes=f"{topic.notes} Left out: {listed(left_out)}, no names of people." if left_out else topic.notes,
        where=f"The swapped topic {topic.name}",
    )
    return as_topic, as_evidence


def group_names(terms: Sequence[str]) -> list[str]:
    """Make a name for every term, no two alike.

    Where names would be alike, as of "C developer" and "C++ developer", or of terms without a letter of
    ASCII, they are numbered.
    """
    names: list[str] = []
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for term in terms:
        stem = safe_name(term)
        stem = NAMELESS if stem == UNNAMED else stem
        name = stem
        while name in taken:
            numbers[stem] += 1
            number = f"-{numbers[stem] + 1}"
            name = stem[: MAX_NAME - len(number)].rstrip("-") + number
        names.append(name)
        taken.add(name)
    return names


def with_article(term: str) -> str:
    """Put "a" or "an" before the term, unless it has one: "a university teacher", "an heir", "an X-ray"."""
    if ARTICLE.match(term):
        return term
    if SPELT.match(term):
        return f"{'an' if term[0] in VOWEL_LETTER else 'a'} {term}"
    vowel = VOWEL_SOUND.match(term) and not CONSONANT_SOUND.match(term)
    return f"{'an' if vowel else 'a'} {term}"


# Words of a topic that are forms of one word: he and his, man and men, asian and Asian.


PRONOUN_FORMS = (
    ("he", "him", "his", "himself"),
    ("she", "her", "hers", "herself"),
    ("they", "them", "their", "theirs", "themself", "themselves"),
    ("it", "its", "itself"),
    ("i", "me", "my", "mine", "myself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("you", "your", "yours", "yourself", "yourselves"),
)
BASE_OF = {form: forms[0] for forms in PRONOUN_FORMS for form in forms}
IRREGULAR = {"child": "children", "person": "people"}
HISSING = ("s", "x", "z", "ch", "sh")
VOWELS = frozenset("aeiou")


def plurals(word: str) -> tuple[str, ...]:
    """Return how the plural of a noun in small letters may be spelled."""
    spellings = [f"{word}es"] if word.endswith((*HISSING, "o")) else []
    if not word.endswith(HISSING):
        spellings.append(f"{word}s")
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        spellings.append(f"{word[:-1]}ies")
    if word.endswith("fe"):
        spellings.append(f"{word[:-2]}ves")
    elif word.endswith("f"):
        spellings.append(f"{word[:-1]}ves")
    if word.endswith("man"):
        spellings.append(f"{word[:-3]}men")
    spellings += [f"{word[: -len(one)]}{several}" for one, several in IRREGULAR.items() if word.endswith(one)]
    return tuple(spellings)


def word_forms(words: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """List words that are forms of one, two or more each, in the order of ``words``.

    Forms are spellings that differ in case, a pronoun's forms, a noun and its plural or possessive.
    """
    given = tuple(dict.fromkeys(words))
    lower = {word.casefold() for word in given}
    base = {form: BASE_OF[form] for form in lower if form in BASE_OF}
    for word in sorted(lower - set(BASE_OF)):
        forms = (*plurals(word), f"{word}'s", f"{word}’s")
        base |= {form: word for form in forms if form in lower and form not in BASE_OF}
    families: dict[str, list[str]] = {}
    for word in given:
        families.setdefault(_root(word.casefold(), base), []).append(word)
    return tuple(tuple(family) for family in families.values() if len(family) > 1)


def _root(word: str, base: dict[str, str]) -> str:
    """Return the word that has no base among the others."""
    while word in base and base[word] != word:
        word = base[word]
    return word
