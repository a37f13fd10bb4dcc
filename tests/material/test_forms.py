"""Forms of one word, by simple rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.suiting import word_forms
from pcf_core.material.topics import load_topic


@pytest.mark.parametrize(
    ("words", "forms"),
    [
        (["he", "him", "king", "his"], [("he", "him", "his")]),
        (["her", "hers", "herself"], [("her", "hers", "herself")]),
        (["man", "woman", "men", "women"], [("man", "men"), ("woman", "women")]),
        (
            ["lady", "ladies", "wives", "wife", "wolf", "wolves"],
            [("lady", "ladies"), ("wives", "wife"), ("wolf", "wolves")],
        ),
        (["heroes", "hero", "heroine", "heros"], [("heroes", "hero", "heros")]),
        (["waitress", "waitresses", "waiter"], [("waitress", "waitresses")]),
        (["prince", "princes", "princess"], [("prince", "princes")]),
        (["Asian", "asian", "asians"], [("Asian", "asian", "asians")]),
        (["child", "children", "child's", "grandchildren"], [("child", "children", "child's")]),
        (["boy", "boys", "boies"], [("boy", "boys")]),
        (["old person", "old people"], [("old person", "old people")]),
        (["king", "queen"], []),
        ([], []),
    ],
)
def test_families(words: list[str], forms: list[tuple[str, ...]]) -> None:
    assert list(word_forms(words)) == forms


def test_of_the_papers_words_the_pronouns_and_men_are_forms() -> None:
    assert set(word_forms(load_topic("gender").words)) == {
        ("him", "his", "himself", "he"),
        ("her", "hers", "herself", "she"),
        ("man", "men"),
        ("ladies", "lady"),
        ("woman", "women"),
    }


@given(st.lists(st.text(max_size=5) | st.sampled_from(["he", "his", "man", "men", "ass", "as", "s"])))
def test_families_are_disjoint_parts_of_the_words(words: list[str]) -> None:
    found = [word for family in word_forms(words) for word in family]
    assert len(found) == len(set(found))
    assert set(found) <= set(words)
    assert all(len(family) > 1 for family in word_forms(words))
