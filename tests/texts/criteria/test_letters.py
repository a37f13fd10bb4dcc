"""The letter of an option, in the words of a model."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.texts.criteria.answers import read_letter

RIVERS = ("The Danube", "The Nile")
PHRASES = (
    "{}",
    "({})",
    "**{}**",
    "{}) it flows there",
    "It is {}.",
    "It's {}",
    "I think it is {}",
    "I'd go with {}.",
    "I would choose option {}.",
    "My answer would be {}.",
    "The answer is {}, not {other}.",
    "It is {} rather than {other}.",
    "{other} is wrong, so {}.",
    "{other} is not correct.",
    "Not {other}.",
    "A. The Danube\nB. The Nile\n\nAnswer: {}",
    "A. The Danube\nB. The Nile\n\nAnswer: {}. {option}",
    "A) The Danube B) The Nile. I say {}",
    "Option {} is the right one.",
    "At first I thought of {other}, but the answer is {}.",
)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("b.", "B"),
        ("(B)", "B"),
        ("**B**", "B"),
        ("B. The Nile", "B"),
        ("A", "A"),
        ("A. The Danube", "A"),
        ("The answer is B.", "B"),
        ("The correct option is B.", "B"),
        ("Answer: A", "A"),
        ("The Nile.", "B"),
        ("A or B", None),
        ("A river in Egypt.", None),
        ("None of them.", None),
        ("C", None),
        ("", None),
        ("The Danube or the Nile.", None),
    ],
)
def test_the_letter_of_an_option(text: str, letter: str | None) -> None:
    assert read_letter(text, ("The Danube", "The Nile"), "AB") == letter


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_letter_is_read_more_easily_than_the_other(phrase: str) -> None:
    for letter, other in ("AB", "BA"):
        text = phrase.format(letter, other=other, option=RIVERS["AB".index(letter)])
        assert read_letter(text, RIVERS, "AB") == letter
        assert read_letter(text, ("Lake One", "Lake Two"), "AB") in (letter, None)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Neither A nor B.", None),
        ("A or B, I cannot say", None),
        ("Answer: A or B", None),
        ("A lake in Africa", None),
        ("It is A lake", None),
        ("A: The Danube is wrong", "B"),
        ("I would say B because A is the Danube.", "B"),
        ("B is right and A is wrong", "B"),
    ],
)
def test_letters_that_are_words_or_denied(text: str, letter: str | None) -> None:
    assert read_letter(text, RIVERS, "AB") == letter


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Option {}.", 1),
        ("option {}) it flows there", 1),
        ("The answer is {}.", 1),
        ("the correct answer is ({})", 1),
        ("Best choice: {}", 1),
        ("option {} is correct", 1),
        ("option {other} or {}", 0),
        ("Either option {} or option {other}", 0),
        ("Neither option {} nor option {other}", 0),
        ("The answer is {} or {other}", 0),
    ],
)
def test_small_letters_are_letters_where_they_are_named(text: str, letter: int) -> None:
    for each, other in ("AB", "BA"):
        found = read_letter(text.format(each.lower(), other=other.lower()), RIVERS, "AB")
        assert found == (each if letter else None)


@pytest.mark.parametrize(
    "text",
    [
        "It can't be {}.",
        "It cannot be {}",
        "I cannot choose {}.",
        "Rule out {}.",
        "{} is out.",
        "{} can't be right.",
        "{} isn't right",
        "{} would be wrong",
    ],
)
def test_a_denied_letter_of_two_is_the_other(text: str) -> None:
    for letter, other in ("AB", "BA"):
        assert read_letter(text.format(letter), RIVERS, "AB") == other


@pytest.mark.parametrize(
    "text",
    [
        "I can't rule out {}",
        "I don't think it is {}",
        "{} is not wrong",
        "I doubt it is {}",
        "I'm not sure about {}.",
        "The best answer a geographer can give",
    ],
)
def test_what_may_be_either_gives_no_letter(text: str) -> None:
    for letter in "AB":
        assert read_letter(text.format(letter), RIVERS, "AB") is None


def test_no_small_a_of_a_sentence_is_a_letter() -> None:
    assert read_letter("The best answer a geographer can give is the Nile.", RIVERS, "AB") == "B"
    assert read_letter("The answer is a river.", RIVERS, "AB") is None


def test_a_letter_inside_an_option_is_none() -> None:
    options = ("Vitamin A", "Vitamin B", "Vitamin C")
    assert read_letter("B. Vitamin B", options, "ABC") == "B"
    assert read_letter("Vitamin C", options, "ABC") == "C"
    assert read_letter("The answer is A, not Vitamin B", options, "ABC") == "A"


def test_the_longest_option_is_the_one_that_is_named() -> None:
    assert read_letter("the blue Nile", ("The Nile", "The Blue Nile"), "AB") == "B"
    assert read_letter("Blue Nile", ("Nile", "Blue Nile"), "AB") == "B"


def test_of_more_than_two_options_a_denied_one_leaves_the_others_open() -> None:
    assert read_letter("A is wrong", ("x", "y", "z"), "ABC") is None


@given(st.text(max_size=200), st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_any_text_has_a_letter_or_none(text: str, one: str, other: str) -> None:
    assert read_letter(text, (one, other), "AB") in ("A", "B", None)


@given(st.text(alphabet="BC .,:;()notiswrg'\n", max_size=60))
def test_exchanged_letters_are_exchanged_answers(text: str) -> None:
    options, exchanged = ("x1", "x2", "x3"), {"B": "C", "C": "B"}
    found = read_letter(text, options, "ABC")
    other = read_letter(text.translate(str.maketrans(exchanged)), options, "ABC")
    assert other == exchanged.get(str(found), found)


@pytest.mark.parametrize("part", ["(", "-", "A ", "B. ", "answer ", "not A", " "])
def test_time_grows_with_the_length_of_a_text_and_no_faster(part: str) -> None:
    begun = perf_counter()
    read_letter(part * (50_000 // len(part)), RIVERS, "AB")
    assert perf_counter() - begun < 5
