"""Sentences about choices: the range, what moves it most, and whether the order of models holds."""

from __future__ import annotations

from pcf_core.findings import order_finding, sensitivity_finding
from pcf_core.records import Interval
from pcf_core.records.sensitivity import BASE, Sensitivities, Sensitivity, Variant


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
        "As chosen, the risk of mini is 0.70 (0.68–0.73); under 3 other choices it is between 0.52 and 0.75. "
        "Most is moved by “without he / she”: −0.18. 2 of them lead out of the interval over templates."
    )


def test_without_an_interval_without_choices_and_without_change() -> None:
    assert sensitivity_finding("mini", table(0.7, way("criterion", "l1", 0.4))) == (
        "As chosen, the risk of mini is 0.7; under 1 other choice it is between 0.4 and 0.7. Most is moved "
        "by “criterion l1”: −0.3."
    )
    assert sensitivity_finding("mini", table(0.7)).endswith("could be read.")
    same = table(0.7, way("criterion", "l1", 0.7))
    assert sensitivity_finding("mini", same).endswith("so it is under the one other choice.")


def test_the_order_that_holds() -> None:
    found = Sensitivities(
        {"a": table(0.7, way("criterion", "l1", 0.6)), "b": table(0.5, way("criterion", "l1", 0.5))}
    )
    assert order_finding(found) == (
        "As chosen, a has more risk than b, and so it is under the one other reading."
    )
    assert order_finding(Sensitivities({"a": table(0.7)})) == ""


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
    assert order_finding(Sensitivities({"a": first, "b": second})) == (
        "As chosen, a has more risk than b; not so under 1 of 2 other readings: “without he / she”."
    )


def test_many_changes_and_three_models() -> None:
    names = [f"way {number}" for number in range(5)]
    low = table(0.5, *(way("words", name, 0.9) for name in names))
    high = table(0.7, *(way("words", name, 0.8) for name in names))
    middle = table(0.6, *(way("words", name, 0.85) for name in names))
    assert order_finding(Sensitivities({"low": low, "high": high, "middle": middle})) == (
        "As chosen, the order is high, middle and low, from the highest risk to the lowest; not so under "
        "5 of 5 other readings: “way 0”, “way 1”, “way 2” and 2 more."
    )


def test_equal_risks_and_no_common_reading() -> None:
    equal = Sensitivities(
        {"a": table(0.5, way("criterion", "l1", 0.5)), "b": table(0.5, way("criterion", "l1", 0.5))}
    )
    assert "a and b have the same risk" in order_finding(equal)
    apart = Sensitivities({"a": table(0.5, way("criterion", "l1", 0.5)), "b": table(0.5)})
    assert "no other reading" in order_finding(apart)
