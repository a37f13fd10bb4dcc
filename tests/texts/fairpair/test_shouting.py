"""Sentences in large letters become small ones of the same length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.fairpair.perturbation import calmed

NAMES = frozenset({"john", "mary"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HE LOST HIS KEYS.", "he lost his keys."),
        ("JOHN AND I SAW MARY'S DOG!", "John and I saw Mary's dog!"),
        ("John left. IT IS HIS. Hers too", "John left. it is his. Hers too"),
        ("NASA. IBM in the USA", "NASA. IBM in the USA"),
        ("İT IS ẞ", "İt is ß"),
        ("", ""),
    ],
)
def test_by_hand(text: str, expected: str) -> None:
    assert calmed(text, NAMES) == expected


@given(st.text(max_size=60))
def test_every_character_keeps_its_place(text: str) -> None:
    calm = calmed(text, NAMES)
    assert len(calm) == len(text)
    assert all(new in (old, old.lower()) for old, new in zip(text, calm, strict=True))
    assert calmed(calm, NAMES) == calm
