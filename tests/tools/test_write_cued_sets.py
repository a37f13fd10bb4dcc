"""The sets that name a topic's words before asking for one: fair to every group, and as shipped."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.material.suiting import names_all_groups, suiting_sets, template_cards
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from tools.write_cued_sets import CUES, FEWEST, balanced_orders, cued_sentences, words_named, write_set

SIZES = {
    "religion": 24,
    "race-capitalised": 30,
    "age": 24,
    "gender-inclusive": 24,
    "disability": 28,
    "race-gender": 30,
    "nationality": 30,
}
each_topic = pytest.mark.parametrize("topic", CUES)


def order_in(sentence: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words in the order of a sentence, which has each of them once."""
    starts = {word: [match.start() for match in re.finditer(rf"\b{word}\b", sentence)] for word in words}
    assert {len(several) for several in starts.values()} == {1}, sentence
    return tuple(sorted(words, key=lambda word: starts[word]))


@each_topic
def test_shipped_sets_are_what_the_tool_writes(topic: str, tmp_path: Path) -> None:
    write_set(topic, tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_text(encoding="utf8") == (settings().assets / "templates" / file.name).read_text(
            "utf8"
        )


@each_topic
def test_every_group_has_each_position_and_follows_each_other_group_equally_often(topic: str) -> None:
    words, sentences = words_named(topic), cued_sentences(topic)
    orders = [order_in(sentence, words) for sentence in sentences]
    positions = Counter(pair for order in orders for pair in enumerate(order))
    behind = Counter(pair for order in orders for pair in pairwise(order))
    assert set(positions) == {(number, word) for number in range(len(words)) for word in words}
    assert set(behind) == set(permutations(words, 2))
    assert set(positions.values()) == set(behind.values()) == {len(sentences) / len(words)}


@pytest.mark.parametrize("size", range(2, 17))
def test_no_smaller_number_of_orders_is_balanced(size: int) -> None:
    orders = balanced_orders(size)
    assert len(orders) == len(set(orders)) == (2 * size if size % 2 else size)
    assert all(sorted(order) == list(range(size)) for order in orders)


@each_topic
def test_frames_have_equally_many_sentences_and_no_order_twice(topic: str) -> None:
    words, frames = words_named(topic), CUES[topic].frames
    families: dict[str, list[tuple[str, ...]]] = {}
    for sentence, family in cued_sentences(topic).items():
        assert family.endswith(re.split(r"[.?] (?=[A-Z])", sentence)[-1])
        families.setdefault(family, []).append(order_in(sentence, words))
    assert len(families) == len(frames) >= 8
    assert set(load_templates(f"{topic}-choices").families) == set(families)
    sizes = {len(orders) for orders in families.values()}
    assert max(sizes) - min(sizes) <= 1
    assert all(len(set(orders)) == len(orders) for orders in families.values())


@each_topic
def test_there_are_enough_different_sentences_that_end_where_a_word_is_asked_for(topic: str) -> None:
    sentences = cued_sentences(topic)
    assert len(sentences) == SIZES[topic] >= FEWEST
    assert all(sentence.endswith(" [Y]") and sentence.count("[X]") == 1 for sentence in sentences)
    assert not re.search("[\"'“”‘’]", " ".join(sentences)), "quotation marks"
    assert load_templates(f"{topic}-choices").texts == tuple(sentences)
    assert names_all_groups(load_topic(topic), tuple(sentences))


@each_topic
def test_the_topic_opens_on_its_set_and_no_other_topic_offers_it(topic: str) -> None:
    cards = template_cards()
    assert suiting_sets(load_topic(topic), cards)[0] == f"{topic}-choices"
    assert all(
        f"{topic}-choices" not in suiting_sets(load_topic(other), cards) for other in CUES if other != topic
    )
