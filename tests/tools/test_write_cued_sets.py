"""The sets that name a topic's words before asking for one: fair to every group, and as shipped."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from tools.write_cued_sets import CHOICES, FEWEST, SUBJECTS, cued_sentences, write_set

pytestmark = pytest.mark.parametrize("topic", SUBJECTS)


def words_named(topic: str) -> tuple[str, ...]:
    return tuple(group.words[0] for group in load_topic(topic).groups)


def test_shipped_sets_are_what_the_tool_writes(topic: str, tmp_path: Path) -> None:
    write_set(topic, tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_text(encoding="utf8") == (settings().assets / "templates" / file.name).read_text(
            "utf8"
        )


def test_every_group_is_named_once_and_stands_everywhere_equally_often(topic: str) -> None:
    named, sentences = words_named(topic), cued_sentences(topic)
    positions: Counter[tuple[int, str]] = Counter()
    for sentence in sentences:
        spans = {word: [match.start() for match in re.finditer(rf"\b{word}\b", sentence)] for word in named}
        assert {len(starts) for starts in spans.values()} == {1}, sentence
        positions.update(enumerate(sorted(named, key=lambda word: spans[word])))
    assert set(positions.values()) == {len(sentences) // len(named)}
    assert len(positions) == len(named) ** 2


def test_there_are_enough_different_sentences(topic: str) -> None:
    sentences = cued_sentences(topic)
    assert len(set(sentences)) == len(sentences) >= FEWEST
    assert len(CHOICES) >= 8
    assert load_templates(f"{topic}-choices").texts == sentences


def test_the_topic_opens_on_its_set_and_no_other_topic_offers_it(topic: str) -> None:
    cards = template_cards()
    assert suiting_sets(load_topic(topic), cards)[0] == f"{topic}-choices"
    assert all(
        f"{topic}-choices" not in suiting_sets(load_topic(other), cards)
        for other in SUBJECTS
        if other != topic
    )
