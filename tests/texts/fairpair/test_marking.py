"""Marked words: those of the Jaccard dissimilarity, and not a character of a text is lost."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.fairpair.dissimilarity import Jaccard, phrase_places, words_apart
from pcf_core.texts.fairpair.matching import word_tokens

TEXTS = st.text(st.sampled_from("ab AB.'’\n-é中_1\u0301"), max_size=30)


@pytest.mark.parametrize(
    ("text", "other", "pieces"),
    [
        ("He left.", "she left", [("He", True), (" left.", False)]),
        ("big dog ran", "ran", [("big dog", True), (" ran", False)]),
        ("Don’t go", "don't go", [("Don’t go", False)]),
        ("a, b", "", [("a", True), (", ", False), ("b", True)]),
        ("", "a", []),
        ("…", "a", [("…", False)]),
    ],
)
def test_words_that_the_other_text_lacks(text: str, other: str, pieces: list[tuple[str, bool]]) -> None:
    assert words_apart(text, other) == pieces


@given(TEXTS, TEXTS)
def test_pieces_are_the_text_and_marks_are_jaccards_words(text: str, other: str) -> None:
    pieces = words_apart(text, other)
    assert "".join(piece for piece, _ in pieces) == unicodedata.normalize("NFC", text)
    marked = {word for piece, mark in pieces if mark for word in word_tokens(piece)}
    assert marked == set(word_tokens(text)) - set(word_tokens(other))


@given(TEXTS, TEXTS)
def test_nothing_is_marked_on_either_side_where_jaccard_is_0(text: str, other: str) -> None:
    (phi,) = Jaccard().matrix([text], [other]).ravel()
    marked = [mark for pieces in (words_apart(text, other), words_apart(other, text)) for _, mark in pieces]
    assert (phi == 0) == (not any(marked))


@pytest.mark.parametrize(
    ("text", "phrase", "marked"),
    [
        ("Her family and her Family.", "her family", ["Her family", "her Family"]),
        ("her. Family", "her family", []),
        ("a a a", "a a", ["a a"]),
        ("familyless", "family", []),
        ("x", "", []),
    ],
)
def test_a_phrase_is_found_within_clauses(text: str, phrase: str, marked: list[str]) -> None:
    pieces = phrase_places(text, phrase)
    assert [piece for piece, mark in pieces if mark] == marked
    assert "".join(piece for piece, _ in pieces) == text
