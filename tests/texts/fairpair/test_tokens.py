"""Words of a text: case, punctuation, apostrophes, clauses, and the list of stop words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.fairpair.matching import clauses, stop_words, word_tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don’t go!", ("don't", "go")),
        ("A well-known nurse, aged 42.", ("a", "well", "known", "nurse", "aged", "42")),
        ("cafe\u0301 'quoted' rock_n_roll", ("café", "quoted", "rock", "n", "roll")),
        (" …!? ", ()),
        ("", ()),
    ],
)
def test_examples(text: str, words: tuple[str, ...]) -> None:
    assert word_tokens(text) == words


@given(st.text())
def test_words_are_words_again(text: str) -> None:
    found = word_tokens(text)
    assert word_tokens(" ".join(found)) == found


def test_no_phrase_reaches_over_a_full_stop() -> None:
    assert clauses("She left. He (too) stayed") == (("she", "left"), ("he",), ("too",), ("stayed",))


def test_stop_words_are_words_and_come_in_both_genders() -> None:
    found = stop_words()
    assert all(word_tokens(word) == (word,) for word in found)
    assert {"he", "she", "his", "her", "him", "hers", "himself", "herself", "he's", "she's"} <= found
