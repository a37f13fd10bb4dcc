"""Sentences about runs along an axis: ranges, orders, and no claim about size."""

from __future__ import annotations

from pcf_core.findings import axis_finding, checkpoints_finding, size_finding
from pcf_core.findings.axis import order_finding
from tests.charts.compared import axis_example, axis_point

POINTS = axis_example()[:6]


def test_each_line_has_its_range_and_the_order_is_counted():
    assert axis_finding(POINTS, "text source") == (
        "Over 3 text sources the risk of mini-bert lies between 0.40 (0.35–0.50) for news and "
        "0.60 (0.55–0.70) for books. Over 3 text sources the risk of mini-gpt lies between "
        "0.20 (0.15–0.30) for news and 0.70 (0.65–0.80) for books. Which model has the higher risk changes "
        "with the text source: of 3 text sources, it is mini-bert in 2 and mini-gpt in 1, by the estimates "
        "alone."
    )


def test_an_order_that_never_changes_is_said():
    points = [axis_point("a", "x", 0.5), axis_point("a", "y", 0.6), axis_point("b", "x", 0.1)]
    assert order_finding(points, "topic") == ""
    points.append(axis_point("b", "y", 0.2))
    assert order_finding(points, "topic") == "a has the higher risk in all 2 topics, by the estimates alone."
    points += [axis_point("c", "x", 0.05), axis_point("c", "y", 0.05)]
    assert order_finding(points, "topic").startswith("a has the highest risk")


def test_one_place_is_no_range():
    said = axis_finding([axis_point("a", "x", 0.5)], "topic")
    assert said == "a is scored for one topic alone, x: R is 0.50 (0.45–0.60)."


def test_checkpoints_are_never_a_size():
    points = [axis_point("Gender", "small", 0.5), axis_point("Gender", "large", 0.4)]
    said = checkpoints_finding(points)
    assert said.startswith(
        "Of these two checkpoints, small has the highest risk, 0.50 (0.45–0.60), and large"
    )
    assert "nothing follows for families, sizes or trainings" in said
    assert checkpoints_finding(points[:1]) == ""
    sized = [axis_point("large", 2e6, 0.4), axis_point("small", 1e6, 0.5), axis_point("mid", 1.5e6, 0.1)]
    said = size_finding(sized)
    assert said.startswith(
        "Of these 3 checkpoints, from 1,000,000 parameters (small) to 2,000,000 parameters (large), risk "
        "goes from 0.5 to 0.4, prejudice goes from 0.375 to 0.3 and caprice goes from 0.125 to 0.1."
    )
    assert "nothing follows for size as such" in said
    assert size_finding(sized[:1]) == ""
