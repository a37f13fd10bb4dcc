"""Which languages are mined, and what is refused."""

from __future__ import annotations

import pytest

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Group, Topic
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.mining.languages import LANGUAGES, language_of
from pcf_core.mining.parser.schemes import READINGS
from pcf_core.mining.persons import lists_identity

GROUPS = [Group(name="a", words=("a",)), Group(name="b", words=("b",))]
FRENCH = make_topic("fr", GROUPS, language="fr")


def test_a_language_of_the_rules_is_one_of_the_parser() -> None:
    assert {code: one.name for code, one in LANGUAGES.items()} == {
        code: reading.name for code, reading in READINGS.items()
    }


@pytest.mark.parametrize(
    ("code", "language"), [("en", "en"), ("en-GB", "en"), ("zh", "zh"), ("zh-Hans", "zh")]
)
def test_the_first_part_of_the_code_decides(code: str, language: str) -> None:
    assert language_of([make_topic("own", GROUPS, language=code)]) == language


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([FRENCH], "mined from English or Chinese; the topic fr is in the language fr: give its templates"),
        (
            [load_topic("gender"), load_topic("gender-zh")],
            "of one language; gender is in en and gender-zh is in zh: mine them apart",
        ),
    ],
)
def test_other_languages_and_several_are_refused(topics: list[Topic], message: str) -> None:
    with pytest.raises(TopicError, match=message):
        language_of(topics)


def test_what_is_not_known_to_be_precise_has_to_be_chosen() -> None:
    chinese = LANGUAGES["zh"]
    with pytest.raises(
        TopicError, match=r"No construction of Chinese is on by itself.*: choose of clause, poss"
    ):
        chinese.chosen("subject")
    assert [one.name for one in chinese.chosen("subject", ["possessive"])] == ["possessive"]
    assert {one.standing for one in chinese.constructions.values()} == {"off by itself: not measured"}


def test_words_that_describe_are_not_mined_in_chinese() -> None:
    with pytest.raises(
        TopicError, match="whose words are subjects, and here they are predicates: give their"
    ):
        LANGUAGES["zh"].chosen("predicate")


def test_each_language_has_lists_of_its_own() -> None:
    assert LANGUAGES["en"].lists() == lists_identity() != LANGUAGES["zh"].lists()
