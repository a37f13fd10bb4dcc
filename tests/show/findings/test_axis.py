"""Sentences about runs along an axis: ranges, orders, and no claim about size."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.show.findings.axis import (
    alignment_finding,
    axis_finding,
    checkpoints_finding,
    order_finding,
    size_finding,
    topics_finding,
)
from tests.show.charts.compared import axis_example, axis_point, compared_example, difference

POINTS = axis_example()[:6]


def test_each_line_has_its_range_and_the_order_is_counted():
    assert axis_finding(POINTS, "text source") == (
        "Over 3 text sources the risk of mini-bert lies between 0.40 (0.35–0.50) for news and "
        "0.60 (0.55–0.70) for books. Over 3 text sources the risk of mini-gpt lies between "
        "0.20 (0.15–0.30) for news and 0.70 (0.65–0.80) for books. Which model has the higher risk changes "
        "with the text source: of 3 text sources, it is mini-bert in 2 and mini-gpt in 1, by the estimates "
        "alone; the view “two models” tests whether two differ beyond chance."
    )


def test_an_order_that_never_changes_is_said():
    points = [axis_point("a", "x", 0.5), axis_point("a", "y", 0.6), axis_point("b", "x", 0.1)]
    assert order_finding(points, "topic") == ""
    points.append(axis_point("b", "y", 0.2))
    assert order_finding(points, "topic") == (
        "a has the higher risk in all 2 topics, by the estimates alone; the view “two models” tests whether "
        "two differ beyond chance."
    )
    points += [axis_point("c", "x", 0.05), axis_point("c", "y", 0.05)]
    assert order_finding(points, "topic").startswith("a has the highest risk")


def test_topics_are_told_one_by_one_and_not_ranked():
    points = [axis_point("a", "gender", 0.5), axis_point("a", "race", 0.8), axis_point("b", "gender", 0.1)]
    said = topics_finding(points)
    assert said == (
        "The risk of a is 0.50 (0.45–0.60) on gender and 0.80 (0.75–0.90) on race. The risk of b is 0.10 "
        "(0.05–0.20) on gender. Levels of different topics are not on one footing, so that none is higher "
        "than another's."
    )
    assert topics_finding(points[:1]) == "The risk of a is 0.50 (0.45–0.60) on gender."


def test_one_place_is_no_range():
    said = axis_finding([axis_point("a", "x", 0.5)], "topic")
    assert said == "a is scored for one topic alone, x: R is 0.50 (0.45–0.60)."


def test_checkpoints_are_never_a_size():
    points = [axis_point("Gender", "small", 0.5), axis_point("Gender", "large", 0.4)]
    said = checkpoints_finding(points)
    assert said.startswith(
        "Of these two checkpoints, small has the higher risk, 0.50 (0.45–0.60), and large the lower"
    )
    assert "the view “two models” tests" in said
    more = checkpoints_finding([*points, axis_point("Gender", "mid", 0.45)])
    assert more.startswith("Of these 3 checkpoints, small has the highest risk")
    assert "nothing follows for families, sizes or trainings" in said
    assert checkpoints_finding(points[:1]) == ""
    sized = [axis_point("large", 2e6, 0.4), axis_point("small", 1e6, 0.5), axis_point("mid", 1.5e6, 0.1)]
    said = size_finding(sized)
    assert said.startswith(
        "Of these 3 checkpoints, from 1,000,000 parameters (small) to 2,000,000 parameters (large), risk "
        "goes from 0.5 to 0.4, prejudice goes from 0.375 to 0.3 and caprice goes from 0.125 to 0.1, by the "
        "estimates alone;"
    )
    assert "nothing follows for size as such" in said
    assert size_finding(sized[:1]) == ""


def test_what_alignment_changes_is_counted_over_the_sizes() -> None:
    """Risk clearly higher in one pair of two; the parts as the verdicts of the same differences say."""
    unclear = compared_example()
    higher = replace(
        unclear,
        differences={**unclear.differences, "overall_risk": difference(0.9, 0.2, clear=True)},
    )
    assert alignment_finding([]) == ""
    assert alignment_finding([unclear, higher]) == (
        "From base to aligned, of 2 pairs of one size each: risk rises in 1 and cannot be told in 1; "
        "prejudice cannot be told in 2; caprice cannot be told in 2."
    )
    assert "of 1 pair of one size each: risk rises in 1;" in alignment_finding([higher])
