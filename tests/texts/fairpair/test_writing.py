"""Case, article and possessive of a counterpart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.fairpair.matching import article_before, capitalised, owning, recased, titled

LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("written", "word", "becomes", "expected"),
    [
        ("man", "man", "woman", "woman"),
        ("Man", "man", "woman", "Woman"),
        ("MAN", "man", "woman", "WOMAN"),
        ("mAn", "man", "woman", None),
        ("christian", "Christian", "Muslim", "muslim"),
        ("Old Man", "old man", "young man", "Young Man"),
        ("Old man", "old man", "young man", "Young man"),
        ("old \n man", "old man", "young man", "young \n man"),
        ("Mother-In-Law", "mother-in-law", "father-in-law", "Father-In-Law"),
        ("teenager", "teenager", "baby boomer", "baby boomer"),
        ("ma’am", "ma'am", "sir", "sir"),
        ("ſhe", "she", "he", None),
    ],
)
def test_case_is_kept(written: str, word: str, becomes: str, expected: str | None) -> None:
    assert recased(written, word, becomes, proper=False) == expected


@pytest.mark.parametrize(("written", "expected"), [("Mark", "Mary"), ("MARK", "MARY"), ("mark", None)])
def test_a_name_is_never_small(written: str, expected: str | None) -> None:
    assert recased(written, "Mark", "Mary", proper=True) == expected


@given(LETTERS, LETTERS, st.sampled_from([str.lower, str.upper, capitalised, titled]))
def test_a_counterpart_in_the_same_case_comes_back(word: str, other: str, form: object) -> None:
    assert callable(form)
    there = recased(form(word), word, other, proper=False)
    assert recased(there, other, word, proper=False) == form(word)


@pytest.mark.parametrize(
    ("article", "word", "becomes", "written", "expected"),
    [
        ("an", "old man", "young man", "old man", "a"),
        ("A", "young man", "old man", "young man", "An"),
        ("A", "MAN", "ACTOR", "MAN", "AN"),
        ("AN", "actor", "man", "ACTOR", "A"),
        ("a", "man", "woman", "man", "a"),
        ("an", "man", "woman", "man", "an"),  # a slip of the text stays one
    ],
)
def test_the_article_follows(article: str, word: str, becomes: str, written: str, expected: str) -> None:
    assert article_before(article, word, becomes, written) == expected


@pytest.mark.parametrize(
    ("mark", "word", "becomes", "plural", "is_possessive", "expected"),
    [
        ("'s", "John", "Jane", False, True, "'s"),
        ("'s", "gentlemen", "ladies", True, True, "'"),
        ("'", "ladies", "gentlemen", True, True, "'s"),
        ("’", "ladies", "gentlemen", True, True, "’s"),
        ("'", "boys", "girls", True, True, "'"),
        ("'", "James", "Mary", False, True, "'s"),
        ("'", "James", "Mary", False, False, "'"),
        ("'s", "waiter", "waitress", False, True, "'s"),
    ],
)
def test_possessives(
    mark: str, word: str, becomes: str, plural: bool, is_possessive: bool, expected: str
) -> None:
    assert owning(mark, word, becomes, plural, is_possessive) == expected
