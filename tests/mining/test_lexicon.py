"""The word lists hold what they must, and contradict neither themselves nor the topics."""

from __future__ import annotations

import pytest

from pcf_core.material.evidence import load_evidence
from pcf_core.material.topics import load_topic
from pcf_core.mining.persons import hints, lexicon, plural, verb_forms


def test_every_occupation_of_the_papers_is_a_person() -> None:
    missing = [term for term in load_evidence("occupations-bvf").terms if lexicon().person(term) is None]
    assert missing == []


def test_every_gender_word_is_a_hint() -> None:
    words = [word for word in load_topic("gender").words if hints([word]) is None]
    assert words == []


@pytest.mark.parametrize("word", ["pregnant", "beard", "mrs", "widowed", "skirts", "maternity"])
def test_what_goes_with_one_gender_is_a_hint(word: str) -> None:
    assert hints(["wore", word]) == "a hint at the group"


@pytest.mark.parametrize("word", ["ex-husband", "mother-to-be", "beard-trimming"])
def test_a_part_of_a_compound_is_a_hint(word: str) -> None:
    assert hints(["wore", word]) == "a hint at the group"


@pytest.mark.parametrize(
    "word", ["muslim", "catholic", "deaf", "black", "indian", "german", "church", "sign-language"]
)
def test_words_of_race_religion_and_disability_hint_where_asked(word: str) -> None:
    assert hints([word], groups=True) == "a hint at the group"
    assert hints([word], [word]) == "a hint at the group"


@pytest.mark.parametrize("word", ["book", "press", "school", "role", "old", "aware", "war", "first"])
def test_plain_words_hint_at_nobody(word: str) -> None:
    assert hints([word], groups=True) is None


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("nurse", "nurses"),
        ("secretary", "secretaries"),
        ("coach", "coaches"),
        ("boy", "boys"),
        ("policeman", "policemen"),
    ],
)
def test_plurals(noun: str, expected: str) -> None:
    assert plural(noun) == expected
    assert lexicon().person(expected) in (noun, None)


FORMS = (
    "hope hoping; hop hopping; die dying; be being; see seeing; go goes; have has; say says; study studies; "
    "watch watches; admit admitting; visit visiting; play playing; focus focuses"
)


@pytest.mark.parametrize(("verb", "form"), [pair.split() for pair in FORMS.split(";")])
def test_forms_of_verbs(verb: str, form: str) -> None:
    assert form in verb_forms(verb)


def test_no_verb_both_stands_alone_and_needs_an_object() -> None:
    lists = lexicon().lists
    assert lists["alone"] & lists["needs_object"] == set()


def test_relatives_are_named_by_words_that_tell_no_gender() -> None:
    general = lexicon().general
    assert hints(general.values()) is None
    assert [word for word in general if hints([word]) is None and word not in ("fiancé", "fiancée")] == []


def test_kinds_are_no_persons() -> None:
    assert [word for word in lexicon().lists["kinds"] if lexicon().person(word)] == []
