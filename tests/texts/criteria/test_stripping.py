from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.criteria.gender_reading import (
    gendered_words,
    short_names,
    stop_words,
    tells,
    without_gender,
    words_of,
)
from pcf_core.texts.criteria.names import load_names

NAMES = ("Emily", "José")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Emily loves her horse, she's a mother-to-be", "loves horse, a"),
        ("EMILY’S hobby is emily's secret.", "hobby is secret."),
        ("Ms. Emily and José play; he helps himself.", ". and play; helps."),
        ("The shepherd heard them there.", "The shepherd heard them there."),
        ("Her sister-in-law and Womens' club; womens team", "and club; team"),
        ("women's volleyball, boys' choir", "volleyball, choir"),
        ("", ""),
    ],
)
def test_what_tells_a_gender_goes(text: str, left: str) -> None:
    assert without_gender(text, NAMES, gendered_words()) == left


def test_short_forms_of_a_name_go_where_they_have_a_capital() -> None:
    names = ("Jennifer", "William")
    text = "Jenny and Will will dance; Jen's friend Mike pays the bill."
    assert without_gender(text, names, ()) == "and will dance; friend Mike pays the bill."
    assert without_gender("Mike-like", ("Michael",), ()) == ""


def test_short_forms_are_of_listed_names_and_no_name_is_its_own() -> None:
    listed = {name.casefold() for name in load_names().genders}
    assert set(short_names()) <= listed
    assert all(name.title() not in short for name, short in short_names().items())


@pytest.mark.parametrize(
    ("word", "gendered"),
    [
        ("sister-in-law", True),
        ("half-sister", True),
        ("ex-wife's", True),
        ("mothers-in-law", True),
        ("she-wolf", True),
        ("stepmother", True),
        ("schoolgirl", True),
        ("well-known", False),
        ("hero-like", True),
        ("manor-house", False),
        ("shepherd", False),
    ],
)
def test_a_compound_with_a_gendered_part_is_gendered(word: str, gendered: bool) -> None:
    assert tells(word, gendered_words()) == gendered


def test_the_words_of_a_text() -> None:
    assert words_of("Emily’s well-known: don't, a 3D b naïve!") == ("emily", "well-known", "don't", "naïve")


def test_both_sides_of_the_table_are_gendered() -> None:
    words = gendered_words()
    assert {"he", "she", "him", "hers", "mrs", "mr", "girls", "boy", "ballerina", "fiancée"} <= words
    assert not {"they", "student", "nurse", "ballet"} & words
    assert {"she", "the"} <= stop_words()


@given(st.text(max_size=80))
def test_stripping_is_idempotent_and_leaves_no_listed_word(text: str) -> None:
    once = without_gender(text, NAMES, gendered_words())
    assert without_gender(once, NAMES, gendered_words()) == once
    assert not set(words_of(once)) & ({"emily", "josé"} | gendered_words())


@given(st.lists(st.sampled_from(["she", "Emily", "chess", "girls", "likes"]), max_size=12))
def test_what_stays_is_what_is_not_listed(words: list[str]) -> None:
    left = without_gender(" ".join(words), NAMES, gendered_words())
    assert left.split() == [word for word in words if word in ("chess", "likes")]
