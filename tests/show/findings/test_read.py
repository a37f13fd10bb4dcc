"""Sentences about what was read and what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.core.factors import TrainingText
from pcf_core.core.risk import Interval
from pcf_core.show.findings.read import (
    other_topic_finding,
    read_finding,
    read_intervals_note,
    read_notes,
    read_occupation_finding,
    read_occupations_finding,
    text_note,
    uncompared_finding,
    unread_finding,
)
from tests.show.charts.reads import CARD, line_example, read_example, row

TEXT = TrainingText("mini-gpt", ("a.jsonl.gz",), 16_000_000)


def test_slope_and_shift_with_their_intervals() -> None:
    assert read_finding("mini-gpt", read_example()) == (
        "mini-gpt flattens the differences that its text makes over 5 occupations. A "
        "difference of 1 between two occupations in its text becomes 0.20 (0.10–0.30); 1 "
        "would be a copy. On average it leans 0.20 (0.10–0.30) further towards male words "
        "than the text."
    )


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("template", "and for other templates."),
        ("draw", "and for other templates drawn by the sampling plan."),
    ],
)
def test_intervals_allow_for_what_was_drawn(unit: str, said: str) -> None:
    found = replace(read_example(), shift_interval=Interval(low=0.1, high=0.3, over="both", unit=unit))
    note = read_intervals_note({"mini-gpt": found})
    assert note.startswith("The 95 % ranges of slope and shift allow for other occupations and biographies")
    assert note.endswith(said)
    both = read_intervals_note({"mini-gpt": found, "mini-bert": found})
    assert both == note


def test_models_of_which_other_things_were_drawn_are_named() -> None:
    drawn = replace(read_example(), shift_interval=Interval(low=0.1, high=0.3, over="both", unit="draw"))
    assert read_intervals_note({"a": read_example(), "b": drawn}).endswith(
        "and for other templates for a and other templates drawn by the sampling plan for b."
    )


@pytest.mark.parametrize(
    ("slope", "half", "said"),
    [
        (1.5, 0.1, "mini-gpt amplifies the differences"),
        (1.0, 0.05, "mini-gpt copies the differences"),
        (
            0.9,
            0.3,
            "We cannot tell whether mini-gpt copies, flattens or amplifies its text over 5 occupations.",
        ),
        (0.05, 0.1, "It may be none at all."),
        (-0.5, 0.1, "mini-gpt reverses the differences that its text makes over 5 occupations."),
        (
            -0.5,
            1.8,
            (
                "We cannot tell whether mini-gpt copies, flattens, amplifies or reverses its text "
                "over 5 occupations."
            ),
        ),
    ],
)
def test_verdicts_in_words(slope: float, half: float, said: str) -> None:
    found = read_example(line_example(slope, half, plain=slope))
    assert said in read_finding("mini-gpt", found)


def test_a_verdict_that_holds_for_one_slope_alone_is_not_told() -> None:
    found = read_example(line_example(1.4, 0.1, plain=1.0))
    assert read_finding("mini-gpt", found).startswith("We cannot tell whether mini-gpt")


@pytest.mark.parametrize(
    ("shift", "said"),
    [
        (-0.3, "On average it leans 0.30 (0.20–0.40) further towards female words than the text."),
        (
            0.05,
            (
                "On average we cannot tell its lean from that of its text: the difference is 0.05 "
                "(−0.05 to 0.15) towards male words."
            ),
        ),
    ],
)
def test_a_shift_has_a_side_or_is_not_told(shift: float, said: str) -> None:
    assert said in read_finding("mini-gpt", read_example(shift=shift))


def test_why_there_is_no_slope() -> None:
    said = read_finding("mini-gpt", read_example(no_line="9 occupations, fewer than 10"))
    assert said.startswith("No slope is told for mini-gpt over 5 occupations: 9 occupations, fewer than 10.")


def test_occupations_one_by_one() -> None:
    assert read_occupations_finding("mini-gpt", read_example()) == (
        "mini-gpt is compared with its text on 5 occupations, one by one. It amplifies the "
        "lean (farther from neutral than the text) of 1. It flattens (less far) that of 1. It "
        "reverses that of 1: nurse. It copies (within 0.2) that of 1. For 1 we cannot tell. "
        "False discoveries are controlled."
    )
    found = read_example()
    unclear = replace(found, occupations=found.occupations[-1:])
    assert read_occupations_finding("mini-gpt", unclear).endswith(
        "None is shown to be changed, nor to be copied."
    )


def test_many_that_reverse_are_named_in_part() -> None:
    found = read_example()
    several = tuple(
        replace(
            found.occupations[0], count=found.occupations[0].count.model_copy(update={"occupation": name})
        )
        for name in "abcdef"
    )
    assert "It reverses that of 6: a, b, c, d and 2 more." in read_occupations_finding(
        "mini-gpt", replace(found, occupations=several)
    )


def test_one_occupation_in_the_text_and_in_every_model() -> None:
    found = {"one": read_example(), "two": read_example()}
    assert read_occupation_finding("nurse", found) == (
        "In the training text, 20 % (15–25 %) of 100 biographies that name “nurse” say mostly he. "
        "That is a lean of −0.60. one leans 0.50 (0.45–0.55): reversed. two leans 0.50 "
        "(0.45–0.55): reversed."
    )
    assert (
        "one leans 0.30 (0.05–0.55): we cannot tell it from that of the text."
    ) in read_occupation_finding("tutor", found)
    farther = replace(read_example(), occupations=(row("tutor", 9, 11, 0.6, 0.01, 0.2),))
    assert read_occupation_finding("tutor", {"one": farther}).endswith(
        "one leans 0.60 (0.50–0.70): it differs, but we cannot tell in which way."
    )
    assert read_occupation_finding("cook", found) == (
        "“cook” is not compared with the training text: in the text it is mostly part of a name or title."
    )
    assert read_occupation_finding("wizard", found) == ""


def test_notes_say_the_other_slope_and_the_order() -> None:
    slope, order = read_notes(read_example())
    assert (
        "With the counted shares taken as they are, the slope is 0.18 (0.08–0.28). Small "
        "numbers of documents make up 10 % of the spread of the leans in the text."
    ) in slope
    assert order.endswith("The range allows for other occupations in the same templates.")
    assert read_notes(read_example(no_line="few")) == []


def test_what_the_text_is_and_who_read_more() -> None:
    small = TrainingText("mini-gpt-s", ("a.jsonl.gz",), 16_000_000)
    tuned = TrainingText("mini-gpt-skewed", ("a.jsonl.gz",), 16_000_000, "mini-gpt")
    assert text_note([TEXT, small, tuned], CARD) == (
        "The training text has 59,539 biographies. Those are counted that name the occupation "
        "in their first 300 characters. From the text that holds them, training drew 16 "
        "million tokens for each of mini-gpt and mini-gpt-s. mini-gpt-skewed (from mini-gpt) "
        "was trained further on rewritten sentences. These counts do not hold them."
    )


def test_models_topics_and_lists_without_counts() -> None:
    assert unread_finding(["one", "two"]).startswith("We do not know what one and two read.")
    assert other_topic_finding("Race").endswith("shows male and female, not “Race”.")
    assert uncompared_finding("Jobs").startswith("No occupation of Jobs is named in enough documents")


def test_no_cause_and_no_judgement() -> None:
    said = " ".join([read_finding("m", read_example()), read_occupations_finding("m", read_example())])
    assert not [word for word in ("because", "racist", "sexist", "fair", "caus") if word in said]
