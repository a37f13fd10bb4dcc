"""Sentences about choices: the range, what moves it most, and whether the order of models holds."""

from __future__ import annotations

from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE, SAMPLE, SCRIPTS, Sensitivities, Sensitivity, Variant, row_name
from pcf_core.show.findings.sensitivity import readings_finding, sensitivity_finding, shown_row, span

TESTED = "a has the higher risk, 0.7, and b the lower, 0.5."


def way(dimension: str, name: str, risk: float, kind: str = "choice", **more: str) -> Variant:
    return Variant.model_validate(
        {
            "dimension": dimension,
            "name": name,
            "kind": kind,
            "overall_risk": risk,
            "prejudice_risk": risk,
            "caprice_risk": 0.0,
            **more,
        }
    )


def table(base: float, *variants: Variant) -> Sensitivity:
    return Sensitivity(run="abc", base=way(BASE, BASE, base, "base"), variants=variants)


WIDE = table(
    0.7,
    way("words", "he and she only", 0.75),
    way("words", "one pair left out", 0.52, end="lowest", which="without he / she"),
    way("criterion", "l1", 0.71),
    way("words", "without he / she", 0.52, "each"),
    way("published scripts", "script for gender", 0.1, "script"),
)


def test_the_range_what_moves_most_and_what_leaves_the_interval() -> None:
    assert sensitivity_finding("mini", WIDE, Interval(low=0.68, high=0.73)) == (
        "As chosen, the risk of mini is 0.70 (0.68–0.73). Under 3 other choices it lies "
        "between 0.52 and 0.75. “one pair left out” (without he / she) moves it most: −0.18. "
        "2 of these choices lead out of the range."
    )


def test_without_an_interval_without_choices_and_without_change() -> None:
    assert sensitivity_finding("mini", table(0.7, way("criterion", "l1", 0.4))) == (
        "As chosen, the risk of mini is 0.70. Under 1 other choice it lies between 0.40 and "
        "0.70. “criterion: l1” moves it most: −0.30."
    )
    assert sensitivity_finding("mini", table(0.7)).endswith("There is no other way to read its scores.")
    same = table(0.7, way("criterion", "l1", 0.7))
    assert sensitivity_finding("mini", same).endswith("It is the same under the one other choice.")


def test_samples_are_chance_and_stand_apart_from_choices() -> None:
    found = table(
        0.7,
        way("criterion", "l1", 0.71),
        way(SAMPLE, "a random half", 0.2, "sample", end="lowest", which="random half 3"),
        way(SAMPLE, "a random half", 0.9, "sample", end="highest", which="random half 4"),
        way(SAMPLE, "one template left out", 0.6, "sample", end="lowest", which="without 'A [Y]'"),
        way(SAMPLE, "random half 3", 0.2, "each"),
    )
    assert sensitivity_finding("mini", found, Interval(low=0.68, high=0.73)) == (
        "As chosen, the risk of mini is 0.70 (0.68–0.73). Under 1 other choice it lies "
        "between 0.70 and 0.71. “criterion: l1” moves it most: +0.01. None of these choices "
        "leads out of the range. In samples of the templates (a random half and one template "
        "left out) it lies between 0.20 and 0.90. That is chance and no choice."
    )
    assert span(found) == (0.7, 0.71)
    alone = table(0.7, way(SAMPLE, "a random half", 0.7, "sample", end="lowest"))
    assert sensitivity_finding("mini", alone).endswith("it stays 0.70. That is chance and no choice.")


def test_the_order_in_random_halves_is_told_apart() -> None:
    halves = (way(SAMPLE, f"random half {place}", 0.1 * place, "each") for place in (4, 8))
    one = table(0.7, way("criterion", "l1", 0.6), *halves)
    other = table(
        0.5,
        way("criterion", "l1", 0.5),
        *(way(SAMPLE, f"random half {place}", 0.6, "each") for place in (4, 8)),
    )
    assert readings_finding(Sensitivities({"a": one, "b": other}), TESTED) == (
        f"{TESTED} The order changes under 1 of 2 random halves of the templates."
    )


def test_the_order_that_holds() -> None:
    found = Sensitivities(
        {"a": table(0.7, way("criterion", "l1", 0.6)), "b": table(0.5, way("criterion", "l1", 0.5))}
    )
    assert (
        readings_finding(found, TESTED)
        == f"{TESTED} The order of the estimates is the same under the one other choice."
    )
    assert readings_finding(Sensitivities({"a": table(0.7)}), TESTED) == ""


def test_the_order_that_changes_also_by_the_same_word_but_not_by_each_ones_own_extreme() -> None:
    first = table(
        0.7,
        way("words", "one pair left out", 0.1, end="lowest"),
        way("criterion", "l1", 0.6),
        way("words", "without he / she", 0.3, "each"),
        way("published scripts", "script for gender", 0.1, "script"),
    )
    second = table(
        0.5,
        way("words", "one pair left out", 0.4, end="lowest"),
        way("criterion", "l1", 0.5),
        way("words", "without he / she", 0.45, "each"),
        way("published scripts", "script for gender", 0.2, "script"),
    )
    assert readings_finding(Sensitivities({"a": first, "b": second}), TESTED) == (
        f"{TESTED} The order changes under 1 of 1 list without one word or pair (“without he / she”)."
    )


def test_many_changes_and_three_models() -> None:
    names = [f"way {number}" for number in range(5)]
    low = table(0.5, *(way("words", name, 0.9) for name in names))
    high = table(0.7, *(way("words", name, 0.8) for name in names))
    middle = table(0.6, *(way("words", name, 0.85) for name in names))
    assert readings_finding(Sensitivities({"low": low, "high": high, "middle": middle}), "") == (
        "The order changes under 5 of 5 other choices (“way 0”, “way 1”, “way 2” and 2 more)."
    )


def test_equal_risks_and_no_common_reading() -> None:
    equal = Sensitivities(
        {"a": table(0.5, way("criterion", "l1", 0.5)), "b": table(0.5, way("criterion", "l1", 0.5))}
    )
    assert readings_finding(equal, "").startswith("The order of the estimates is the same under")
    apart = Sensitivities({"a": table(0.5, way("criterion", "l1", 0.5)), "b": table(0.5)})
    assert "no other reading" in readings_finding(apart, TESTED)


def test_a_choice_with_two_extremes_is_one_row_and_one_choice() -> None:
    found = table(
        0.7,
        way("words", "one pair left out", 0.5, end="lowest", which="without he / she"),
        way("words", "one pair left out", 0.6, end="highest", which="without man / woman"),
    )
    said = sensitivity_finding("mini", found, Interval(low=0.55, high=0.75))
    assert "Under 1 other choice it lies between 0.50 and 0.70." in said
    assert said.endswith("1 of these choices leads out of the range.")


def test_a_choice_whose_name_begins_like_a_shorter_list_is_a_choice() -> None:
    """“without a full stop” leaves no word out."""
    found = Sensitivities(
        {
            name: table(risk, way("full stop", "without a full stop", risk))
            for name, risk in (("a", 0.7), ("b", 0.5))
        }
    )
    assert (
        readings_finding(found, TESTED)
        == f"{TESTED} The order of the estimates is the same under the one other choice."
    )


def test_rows_are_named_as_sentences_name_them() -> None:
    assert row_name("criterion", "l1") == "criterion: l1"
    assert row_name("words", "one pair left out") == "one pair left out"
    assert row_name(SAMPLE, "a random half") == "sample: a random half"
    assert shown_row(SAMPLE, "a random half") == "sample: a random half"
    assert shown_row("protocol", "single-token") == "words of one token"
    assert row_name(SCRIPTS, "demo library") == "the authors' demo library"
    assert way(SCRIPTS, "script for gender", 0.1, "script").label == "the authors' script for gender"
