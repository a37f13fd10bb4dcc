"""One sentence in a sentence."""

from __future__ import annotations

import pytest

from pcf_core.show.findings.probe import probe_caution, probe_coverage, probe_finding
from tests.show.charts.probed import answer

GENDER = {"male": {"king": 0.1, "he": 0.2, "sir": 0.0}, "female": {"she": 0.1}}


def test_the_first_group_and_the_words_that_carry_it() -> None:
    assert probe_finding("mini", answer(GENDER, {"male": 0.75, "female": 0.25})) == (
        "mini expects men: male words get 75 % (“he” 50 % and “king” 25 %). An even split would be 50 %."
    )


def test_a_group_of_one_word_is_not_named_twice_and_a_word_that_brings_nothing_not_at_all() -> None:
    assert probe_finding("mini", answer(GENDER, {"male": 0.25, "female": 0.75})) == (
        "mini expects women: female words get 75 %. An even split would be 50 %."
    )
    alone = {"male": {"he": 0.5, "king": 0.001}, "female": {"she": 0.1}}
    assert ("mini expects men: male words get 90 % (“he” 90 %).") in probe_finding(
        "mini", answer(alone, {"male": 0.9, "female": 0.1})
    )


def test_of_several_groups_the_next_is_named() -> None:
    three = {name: {name: 0.1} for name in ("a", "b", "c")}
    assert probe_finding("mini", answer(three, {"a": 0.2, "b": 0.5, "c": 0.3})) == (
        "mini expects b: words of “b” get 50 %, before words of “c” with 30 %. An even split would be 33 %."
    )


def test_no_group_is_first_where_figures_agree() -> None:
    even = answer(GENDER, {"male": 0.50001, "female": 0.49999})
    assert probe_finding("mini", even) == (
        "mini expects no group more: male words and female words get 50 % each (an even split: 50 %)."
    )


def test_no_probability_at_all_is_said() -> None:
    silent = answer({"male": {"he": 0.0}, "female": {"she": 0.0}}, {"male": None, "female": None})
    assert probe_finding("mini", silent) == (
        "mini gives none of the topic's words any probability in this sentence."
    )


@pytest.mark.parametrize(
    ("coverage", "said"),
    [
        ({"all": 0.4}, "Coverage is the probability that the topic's words have together here: 40 %."),
        (
            {"1": 0.35, "2": 0.05},
            (
                "Coverage is the probability that the topic's words have together here: words of 1 "
                "token: 35 %, words of 2 tokens: 5 %."
            ),
        ),
        (None, "Coverage is not defined: this model scores the text right of [Y] with the word."),
    ],
)
def test_coverage(coverage: dict[str, float | None] | None, said: str) -> None:
    note = probe_coverage(answer(GENDER, {"male": 0.75, "female": 0.25}, coverage))
    assert said in note
    assert ("blanks" in note) == (coverage is not None and len(coverage) > 1)


def test_models_that_expect_other_words_are_named() -> None:
    low, high = answer(GENDER, coverage={"1": 9e-5, "2": 1e-9}), answer(GENDER, coverage={"1": 2e-4})
    assert "All of them together get a probability below 1 in 10,000." in probe_caution(
        {"one": low, "two": high, "three": low}
    )
    assert probe_caution({"two": high, "four": answer(GENDER)}) == ""
