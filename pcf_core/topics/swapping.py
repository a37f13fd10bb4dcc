"""X and Y swapped: a topic's words stand at ``[X]``, the terms of an evidence list at ``[Y]``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pcf_core.errors import TopicError
from pcf_core.records import Evidence, Group, Topic
from pcf_core.topics.evidence import make_evidence
from pcf_core.topics.shelves import safe_name
from pcf_core.topics.text import MAX_NAME, listed
from pcf_core.topics.topic_files import UNNAMED
from pcf_core.topics.topics import make_topic

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
PRONOUNS = frozenset((*SUBJECTS, *OTHERS))


def swapped(topic: Topic, evidence: Evidence) -> tuple[Topic, Evidence]:
    """What a model expects people of each group to be, instead of whom it expects where an occupation stands.

    The new list has the topic's words, without "a" or "an" and without pronouns, which cannot stand behind
    "The"; its notes name them.  The new topic has a group for every term of the list, whose one word is the
    term with its article: predicates, for templates such as "The [X], who came, is [Y]".  With race-gender
    and occupations, "The black woman, who came, is" is asked for "a nurse" or "an engineer".

    R then says how far the model is from expecting every term alike, so common occupations alone make it
    large: read it between the words at ``[X]``, not beside the R of the topic as it was.  A term must name
    one person (not "crew").

    Raises:
        TopicError: a topic that is not English, which has no such articles, or of pronouns alone; under two
            terms; two terms that differ in case or article alone.
    """
    if topic.language.partition("-")[0].lower() != "en":
        raise TopicError(
            f"X and Y are swapped in English only, where the article is known; {topic.name} is in the "
            f"language {topic.language}."
        )
    bare = dict.fromkeys(ARTICLE.sub("", word, count=1) for word in topic.words)
    terms = [word for word in bare if word.casefold() not in PRONOUNS]
    if not terms:
        raise TopicError(
            f"The topic {topic.name} has pronouns alone, which cannot stand behind The: take another."
        )
    left_out = [word for word in bare if word.casefold() in PRONOUNS]
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
    """A name for every term, no two alike; where names would be, as of "C developer" and "C++ developer", or
    of terms without a letter of ASCII, they are numbered."""
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
    """The term behind "a" or "an", unless it has one: "a university teacher", "an heir", "an X-ray"."""
    if ARTICLE.match(term):
        return term
    if SPELT.match(term):
        return f"{'an' if term[0] in VOWEL_LETTER else 'a'} {term}"
    vowel = VOWEL_SOUND.match(term) and not CONSONANT_SOUND.match(term)
    return f"{'an' if vowel else 'a'} {term}"
