"""The word lists of Chinese, and that they agree with the shipped topic, occupations and templates."""

from __future__ import annotations

import pytest

from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining.chinese.words import words

TOPIC = load_topic("gender-zh")


def test_the_shipped_occupations_are_persons() -> None:
    assert set(load_evidence("occupations-zh").terms) <= words().person


def test_the_verbs_of_the_shipped_templates_are_verbs_of_saying() -> None:
    shipped = [template.text for template in load_templates("gender-zh-reporting").templates]
    verbs = {text.removeprefix("这位[X]").removesuffix("[Y]").rstrip("，") for text in shipped}
    assert len(verbs) == 10
    assert verbs <= words().saying


def test_the_words_of_a_gender_are_known() -> None:
    assert {word for word in TOPIC.groups[0].words if len(word) > 1} <= words().male
    assert {word for word in TOPIC.groups[1].words if len(word) > 1} <= words().female
    assert not words().male & words().female


def test_nothing_that_is_kept_hints_at_a_gender() -> None:
    kept = words().saying | words().negation | words().aspect | words().before_saying | set(words().own)
    kept |= {thing for things in words().own.values() for thing in things}
    assert not [word for word in kept if {"男", "女", "他", "她", "父", "母", "妻", "夫"} & set(word)]


@pytest.mark.parametrize("name", ["saying", "negation", "cut", "aspect", "one"])
def test_no_word_is_a_person(name: str) -> None:
    assert not getattr(words(), name) & words().person
