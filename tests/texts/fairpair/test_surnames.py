"""What is taken for a surname: the word before it decides."""

from __future__ import annotations

import pytest

from pcf_core.texts.fairpair.matching import given_names, is_surname
from pcf_core.texts.fairpair.tables import load_table


@pytest.mark.parametrize(
    ("text", "is_name", "is_also_surname", "expected"),
    [
        ("Elton John", True, False, True),
        ("Stephen King", False, True, True),
        ("Stephen Policeman", False, False, False),
        ("elton John", True, False, False),
        ("Elton john", True, False, False),
        ("B. King", False, True, True),
        ("J. R. King", False, True, True),
        ("Mr. B. King", False, True, True),
        ("Ann B. John", True, False, True),
        ("A. John", True, False, False),
        ("A. Bob B. John", True, False, False),
        ("Vitamin C. John", True, False, False),
        ("It was I. John", True, False, False),
        ("B King", False, True, False),
        ("Dr. King", False, False, True),
        ("Dr. John", True, False, False),
        ("Will John", True, False, False),
        ("Merry King", False, True, False),
        ("Elton\nJohn", True, False, False),
        ("John", True, False, False),
    ],
)
def test_by_hand(text: str, is_name: bool, is_also_surname: bool, expected: bool) -> None:
    begin = max(text.rfind(" "), text.rfind("\n")) + 1
    assert is_surname(text, begin, is_name, is_also_surname) == expected


@pytest.mark.parametrize("word", ["will", "may", "merry", "mark", "drew", "rich", "ever", "art", "dallas"])
def test_a_word_that_is_a_name_too_is_no_given_name_for_sure(word: str) -> None:
    assert word not in given_names()


def test_first_names_of_the_tables_are_given_names_for_sure() -> None:
    """Else the way back would take another word for a surname: George Thomas, Carol Thomas."""
    assert {name.lower() for pair in load_table("gender").names for name in pair} <= given_names()
