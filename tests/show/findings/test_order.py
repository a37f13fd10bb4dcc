"""Which model has the higher risk: said where the paired test supports it, and only there."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.core.risk import Comparison, Difference, Interval
from pcf_core.show.findings.comparison import order_finding
from tests.show.charts.compared import compared_example, difference

CLEAR, UNCLEAR = difference(0.6, 0.2, clear=True), difference(0.5, 0.48, clear=False)
SMALL = replace(CLEAR, first=0.205, second=0.2, intervals=(Interval(low=0.002, high=0.008),), margin=0.02)
SAME = replace(UNCLEAR, first=0.5, second=0.5, intervals=(Interval(low=0, high=0),))
RISKS = {name: f"R of {name}" for name in "abcdef"}


def pair(first: str, second: str, found: Difference) -> Comparison:
    """Two runs whose keys are their names."""
    example = compared_example()
    return replace(
        example,
        first=replace(example.first, name=first, run=first),
        second=replace(example.second, name=second, run=second),
        differences={"overall_risk": found},
    )


def said(found: Difference) -> str:
    return order_finding([pair("a", "b", found)], RISKS)


def test_of_two_models_an_order_is_stated_only_where_the_test_and_its_interval_agree() -> None:
    assert said(CLEAR) == "a has the higher risk, R of a, and b the lower, R of b (p = 0.007)."
    turned = difference(0.2, 0.6, clear=True)
    assert said(turned) == "b has the higher risk, R of b, and a the lower, R of a (p = 0.007)."
    assert said(UNCLEAR) == (
        "We cannot tell the risks of a, R of a, and b, R of b, apart with these sentences (p = 0.6)."
    )
    assert "cannot tell" in said(replace(CLEAR, adjusted=0.2))
    wide = said(replace(CLEAR, intervals=(Interval(low=-0.01, high=0.9),)))
    assert "cannot tell" in wide
    assert wide.endswith("(p = 0.007, but the range includes 0).")
    assert said(SMALL) == (
        "The risks of a, R of a, and b, R of b, differ, and too little to matter (p = 0.007)."
    )
    assert said(replace(UNCLEAR, intervals=(Interval(low=-0.01, high=0.01),), margin=0.02)).endswith(
        "(p = 0.6). If they differ, then by less than 0.02."
    )
    assert said(SAME) == "a and b have the same risk, R of a."
    assert said(replace(UNCLEAR, least_p=0.25)).startswith("These sentences are too few to tell the risks")
    assert order_finding([], RISKS) == ""


def test_of_several_models_only_pairs_that_are_told_apart_are_ordered() -> None:
    several = [pair("a", "b", CLEAR), pair("a", "c", SMALL), pair("b", "c", UNCLEAR)]
    assert order_finding(several, RISKS) == (
        "The risks are R of a for a, R of b for b and R of c for c. By the paired test, a has "
        "a higher risk than b. We cannot tell b and c apart with these sentences (p = 0.6). a "
        "and c differ too little to matter (p = 0.007)."
    )
    some = order_finding([pair("a", "b", UNCLEAR), pair("a", "c", SAME)], RISKS)
    assert "higher risk" not in some
    assert some.endswith("Other pairs are not compared.")
