"""Words that a table exchanges: of both sides, with what stands behind an apostrophe, and not the others."""

from __future__ import annotations

import pytest

from pcf_core.texts.fairpair.dissimilarity import exchanged_words, is_exchanged
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.perturbation import Perturbation
from pcf_core.texts.fairpair.tables import load_table

GENDER = exchanged_words(load_table("gender"), ("Alice", "Bob"))


def test_both_sides_of_every_list_are_there() -> None:
    said = (
        "Bob alice Jane he him his himself she her hers herself Mrs mister countess waiters ma'am host bride"
    )
    assert all(is_exchanged(word, GENDER) for word in word_tokens(said))


def test_other_words_are_not_nor_those_without_a_counterpart() -> None:
    assert not any(is_exchanged(word, GENDER) for word in word_tokens("the a nurse sultan"))
    assert not {"a", "an"} & GENDER  # of the words of this table none wants another article


def test_what_stands_behind_an_apostrophe_does_not_hide_a_word() -> None:
    assert is_exchanged("he's", GENDER)
    assert is_exchanged("mother's", GENDER)
    assert not is_exchanged("there's", GENDER)


def test_of_phrases_only_what_differs() -> None:
    age = exchanged_words(load_table("age"), ("Emma", "Dorothy"))
    assert {"old", "young", "a", "an"} <= age  # "an old man" becomes "a young man"
    assert not {"man", "person", "people"} & age


@pytest.mark.parametrize("text", ["he gave her his book", "My uncle's wife is an actress.", "She's a widow"])
def test_what_p_changes_is_exchanged_and_what_stays_is_not(text: str) -> None:
    """A second opinion: by the perturbation itself."""
    (after,) = Perturbation.of("gender", entity=("Bob", "Alice"))([text])
    before, now = word_tokens(text), word_tokens(after)
    assert [is_exchanged(word, GENDER) for word in before] == [
        one != other for one, other in zip(before, now, strict=True)
    ]
