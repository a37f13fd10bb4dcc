"""Sentences about runs along an axis: ranges, orders, and no claim about size."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.core.risk import Difference
from pcf_core.show.findings.several import (
    alignment_finding,
    axis_finding,
    checkpoints_finding,
    size_finding,
    topics_finding,
)
from tests.show.charts.compared import axis_example, axis_point, compared_example, difference

POINTS = axis_example()[:6]


def test_each_line_has_its_range_and_no_line_is_above_another():
    assert axis_finding(POINTS, "text source") == (
        "Over 3 text sources the risk of mini-bert lies between 0.40 (0.35–0.50) for news and "
        "0.60 (0.55–0.70) for books. Over 3 text sources the risk of mini-gpt lies between "
        "0.20 (0.15–0.30) for news and 0.70 (0.65–0.80) for books."
    )


def test_topics_are_told_one_by_one_and_not_ranked():
    points = [axis_point("a", "gender", 0.5), axis_point("a", "race", 0.8), axis_point("b", "gender", 0.1)]
    said = topics_finding(points)
    assert said == (
        "The risk of a is 0.50 (0.45–0.60) on gender and 0.80 (0.75–0.90) on race. The risk "
        "of b is 0.10 (0.05–0.20) on gender. Topics have other groups, words and templates: "
        "do not compare their levels."
    )
    assert topics_finding(points[:1]) == "The risk of a is 0.50 (0.45–0.60) on gender."


def test_one_place_is_no_range():
    said = axis_finding([axis_point("a", "x", 0.5)], "topic")
    assert said == "a is scored for one topic alone, x: its risk is 0.50 (0.45–0.60)."


def test_checkpoints_are_never_a_size():
    points = [axis_point("Gender", "small", 0.5), axis_point("Gender", "large", 0.4)]
    said = checkpoints_finding("We cannot tell them apart.", points)
    assert said.startswith(
        "We cannot tell them apart. These single checkpoints differ in more than one respect."
    )
    assert "Nothing follows for families, sizes or trainings." in said
    assert checkpoints_finding("", points[:1]) == ""
    sized = [axis_point("large", 2e6, 0.4), axis_point("small", 1e6, 0.5), axis_point("mid", 1.5e6, 0.1)]
    assert size_finding("By the paired test, small is above mid.", sized) == (
        "Of these 3 checkpoints, the smallest (small, 1,000,000 parameters) has risk 0.50, "
        "prejudice 0.38 and caprice 0.12. The largest (large, 2,000,000 parameters) has risk "
        "0.40, prejudice 0.30 and caprice 0.10. By the paired test, small is above mid. "
        "Single checkpoints differ in more than size, so that nothing follows for size as "
        "such."
    )
    assert size_finding("", sized[:1]) == ""


def test_what_alignment_changes_is_counted_over_the_sizes() -> None:
    """Risk clearly higher in one pair of two; the parts as the verdicts of the same differences say."""
    unclear = compared_example()
    higher = replace(
        unclear,
        differences={**unclear.differences, "overall_risk": difference(0.9, 0.2, clear=True)},
    )
    assert alignment_finding([]) == ""
    assert alignment_finding([unclear, higher]) == (
        "From base to aligned, over 2 pairs of one size each: risk rises in 1 and cannot be "
        "told in 1; prejudice cannot be told in 2; caprice cannot be told in 2."
    )
    assert (
        "From base to aligned, over 1 pair of one size each: risk rises in 1; prejudice "
        "cannot be told in 1; caprice cannot be told in 1."
    ) in alignment_finding([higher])


def test_a_difference_too_small_to_matter_is_no_rise_and_no_fall() -> None:
    """Below the margin in every draw: it rose in 1 by the bare verdict."""
    base = compared_example()
    small = replace(difference(0.9, 0.2, clear=True), margin=0.9)
    same = Difference(0.5, 0.5, (), p_value=1.0, least_p=0.001)
    assert (small.verdict, small.ordered, same.verdict) == ("first", False, "equal")
    mixed = replace(base, differences={"overall_risk": small, "prejudice_risk": same, "caprice_risk": small})
    assert alignment_finding([mixed]) == (
        "From base to aligned, over 1 pair of one size each: risk changes too little to matter in 1; "
        "prejudice is the same in 1; caprice changes too little to matter in 1."
    )
