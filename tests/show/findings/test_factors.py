"""Sentences about factors: which slope is told, how exactly, and what one has to know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pcf_core.core.factors import Carrier, FactorPanel, FactorPoint, FactorScale, LineFit
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.show.findings.factors import (
    factors_answer,
    factors_finding,
    figures_note,
    line_notes,
    link_strength,
    matching_finding,
    slope,
    slope_with_interval,
    slopes_note,
    templates_note,
)

SCALES = {
    "wage": FactorScale(
        "wage", "wage", "wage, thousand US$", "pay", 10, "10,000 US$", "with 10,000 US$ more"
    ),
    "education_years": FactorScale(
        "education_years", "education", "years", "longer", 1, "year", "with one more year of education"
    ),
}


def line(steep: float, half: float, adjusted_p: float = 0.5, **changes: Any) -> LineFit:
    interval = Interval(low=steep - half, high=steep + half)
    fit = LineFit(
        n=65,
        effective_n=65.0,
        intercept=0.5,
        slope=steep,
        slope_error=half / 2,
        interval=interval,
        p_value=0.012345,
        adjusted_p=adjusted_p,
        r_squared=0.25,
        x=np.zeros(2),
        mean=np.zeros(2),
        low=np.zeros(2),
        high=np.zeros(2),
        carrier=Carrier("Lawyers", 0.1, steep, interval),
        occupation_error=half / 3,
        template_error=None,
        known_interval=interval,
    )
    return replace(fit, **changes)


def panel(name: str, ols: LineFit | None, wls: LineFit | None = None, **changes: Any) -> FactorPanel:
    found = FactorPanel(
        SCALES[name], "overall_risk", (), ols, wls, no_wls="" if wls else "no point has a weight"
    )
    return replace(found, **changes)


@pytest.mark.parametrize(
    ("found", "half", "text"),
    [
        (0.00559, 0.0049, "+0.06 (+0.01 to +0.10)"),
        (-0.0000498, 0.000768, "0.00 (−0.01 to +0.01)"),
        (1.234567, 0.2, "+12.3 (+10.3 to +14.3)"),
        (0.0, 0.001, "0.00 (−0.01 to +0.01)"),
    ],
)
def test_a_slope_is_told_per_step_as_exactly_as_its_interval(found: float, half: float, text: str) -> None:
    assert slope_with_interval(SCALES["wage"], line(found, half)) == text


def test_slopes_that_are_told_from_none_and_those_that_are_not() -> None:
    panels = [
        panel("wage", line(-0.002, 0.001, 0.04), line(0.001, 0.0005, 0.03)),
        panel("education_years", line(0.02, 0.03, 0.2), line(0.01, 0.02, 0.9)),
    ]
    assert factors_finding("mini-bert", panels) == (
        "The risk of mini-bert is on average lower by 0.02 (0.01–0.03) for occupations with "
        "10,000 US$ more. We cannot tell whether it goes with education if every point counts "
        "alike. Counted by the people employed, it is higher by 0.01 (0.01–0.01) for "
        "occupations with 10,000 US$ more."
    )
    assert slopes_note(panels) == "The 4 slopes of a model are tested together, by Holm's method."


def test_the_answer_says_which_way_a_figure_goes_with_the_risk() -> None:
    wage, years = panel("wage", line(-0.002, 0.001, 0.04)), panel("education_years", line(0.02, 0.01, 0.01))
    assert factors_answer("m", [wage, years]) == "The risk of m rises with education and falls with wage."
    assert factors_answer("m", [wage]) == "The risk of m falls with wage."
    unclear = panel("education_years", line(0.02, 0.03, 0.2))
    assert factors_answer("m", [unclear]) == "We cannot tell whether the risk of m goes with education."
    assert factors_answer("m", []) == ""


def test_nothing_told_and_nothing_fitted() -> None:
    panels = [panel("wage", line(0.1, 1)), panel("education_years", None, quantity="overall_risk")]
    assert factors_finding("m", panels) == (
        "We cannot tell whether the risk of m goes with wage. No line is fitted to the risk "
        "of m for education."
    )
    assert slopes_note(panels) == ""
    assert factors_finding("m", []) == ""


@pytest.mark.parametrize(
    ("quantity", "word"),
    [("prejudice_risk", "prejudice"), ("caprice_risk", "caprice"), ("overall_risk", "risk")],
)
def test_the_part_of_the_risk_is_named(quantity: str, word: str) -> None:
    found = panel("wage", line(0.1, 1), quantity=quantity)
    assert f"the {word} of m" in factors_finding("m", [found])


def test_a_slope_that_hangs_on_one_point_says_so_with_the_slope_without_it() -> None:
    interval = Interval(low=-0.003, high=0.005)
    carried = line(0.01, 0.004, 0.01, carrier=Carrier("Physicians", 0.62, 0.001, interval))
    found = panel("wage", carried)
    assert "(this hangs on “Physicians”)" in factors_finding("m", [found])
    assert line_notes(found)[2] == (
        "The solid line hangs on “Physicians”, which has 62 % of the say in its own place. "
        "Without it the slope is 0.01 (−0.03 to 0.05)."
    )
    alone = replace(carried, carrier=Carrier("Physicians", 0.9, None, None))
    assert line_notes(panel("wage", alone))[2].endswith("Without it there is no line.")


def test_both_lines_in_words() -> None:
    found = panel("wage", line(0.01, 0.004, 0.0001), line(0.02, 0.01, 0.3, effective_n=15.13))
    assert line_notes(found) == [
        (
            "All occupations alike (solid): +0.10 (+0.06 to +0.14) per 10,000 US$, p = 0.012 (p under 0.001 "
            "after correction). The line accounts for 25 % of the differences, over 65 lines of the "
            "statistics."
        ),
        (
            "Larger ones count more (dashed): +0.20 (+0.10 to +0.30) per 10,000 US$, p = 0.012 (p = "
            "0.3 after correction). The line accounts for 25 % of the differences, over 65 lines of the "
            "statistics, which count as 15 by their weights."
        ),
    ]


@pytest.mark.parametrize(
    ("share", "said"), [(0.02, "weak"), (0.089, "weak"), (0.09, "moderate"), (0.25, "strong")]
)
def test_the_strength_of_a_link_beyond_chance_is_told_in_words(share: float, said: str) -> None:
    told = panel("wage", line(-0.002, 0.001, 0.04, r_squared=share))
    assert link_strength(told) == (
        f"A {said} link: wage goes with {100 * share:.0f} % of the differences in risk."
    )


def test_without_a_link_beyond_chance_there_is_no_strength() -> None:
    unclear = line(0.02, 0.03, 0.2)
    assert link_strength(panel("wage", unclear)) == "We cannot tell a link with wage from chance."
    assert link_strength(panel("wage", unclear, line(0.001, 0.0005, 0.03))) == (
        "Occupations show a link with wage beyond chance only where larger ones count more."
    )
    missing = panel("wage", None, no_ols="3 points, fewer than 10")
    assert link_strength(missing) == "No line is fitted: 3 points, fewer than 10."


def test_missing_lines_the_end_of_the_statistics_and_what_was_left_out() -> None:
    found = panel(
        "wage",
        None,
        no_ols="3 points, fewer than 10",
        points=(FactorPoint("Surgeons", ("surgeon",), 208.0, 0.5, at_least=True),),
        left_out=(LeftOut(name="crew", reason="no line"), LeftOut(name="head", reason="no line")),
    )
    assert line_notes(found) == [
        "All occupations alike (solid): no line, 3 points, fewer than 10.",
        "Larger ones count more (dashed): no line, no point has a weight.",
        "For 1 line the wage is 208 thousand US$ or more: the statistics stop there.",
        "2 occupations left out, named with the reason below.",
    ]


def test_a_part_that_is_mostly_zero_is_said_to_be() -> None:
    points = tuple(FactorPoint(str(i), (str(i),), float(i), 0.0 if i < 8 else 0.1) for i in range(12))
    found = panel("wage", line(0.01, 0.1), points=points, quantity="caprice_risk")
    assert "Of 12 points 8 have a caprice of exactly 0: a line says little." in line_notes(found)
    few = replace(found, points=points[6:])
    assert not any("exactly 0" in note for note in line_notes(few))


@pytest.mark.parametrize(
    ("found", "text"), [(0.00559, "+0.06"), (-0.0000015, "0.00"), (0.0, "0.00"), (1.26, "+12.6")]
)
def test_a_slope_alone_has_two_digits(found: float, text: str) -> None:
    assert slope(SCALES["wage"], line(found, 1)) == text


def test_a_slope_that_the_correction_takes_away_is_no_contradiction() -> None:
    """The interval (0.007–0.105) leaves out 0, the corrected p does not reject: the sentences say why."""
    panels = [panel("wage", line(0.0056, 0.0049, 0.156)), panel("education_years", line(0.02, 0.01, 0.01))]
    assert factors_finding("m", panels).endswith(
        "the range of the slope for wage excludes 0. Corrected for 2 slopes, that is no longer beyond chance."
    )
    note = figures_note("m", panels)
    assert note.startswith("These are slopes of the risk of m, every point alike")
    assert note.endswith("for 2 slopes, education is beyond chance; wage is not beyond chance.")
    told_by_people = panel("wage", line(0.0056, 0.0049, 0.156), line(0.0056, 0.0049, 0.01))
    said = factors_finding("m", [told_by_people])
    assert "Counted by the people employed, it is higher by" in said
    assert "the range of the slope for wage excludes 0 if every point counts alike." in said
    both = [panel("wage", line(0.1, 1)), panel("education_years", line(0.1, 1))]
    assert figures_note("m", both).endswith("for 2 slopes, wage and education are not beyond chance.")
    assert "Corrected" not in factors_finding("m", both)
    assert figures_note("m", [panel("wage", None)]) == ""


def test_what_the_templates_add_is_told_where_it_is_something() -> None:
    narrow = Interval(low=0.05, high=0.15)
    wider = line(0.1, 0.06, template_error=0.02, known_interval=narrow)
    same = line(0.1, 0.05, template_error=0.0, known_interval=narrow)
    assert templates_note([panel("wage", wider), panel("education_years", same)]).endswith(
        "allow for other templates too. That widens them by 20 % for wage."
    )
    assert templates_note([panel("wage", same)]).endswith("too. That widens none by 1 % or more.")
    assert "take the risks as known" in templates_note([panel("wage", line(0.1, 0.05))])
    assert templates_note([panel("wage", None)]) == ""


def test_the_matching_is_told_by_what_it_changes() -> None:
    sure, chance = panel("wage", line(0.1, 0.05, 0.01)), panel("wage", line(0.1, 0.2, 0.5))
    assert matching_finding("m", {"exact": [sure], "close": [chance], "broad": [chance]}) == (
        "Which figures go with the risk of m depends on the matches: wage with exact matches alone, none "
        "with close matches too, none with broad matches too."
    )
    assert matching_finding("m", {"exact": [sure], "close": [sure]}) == (
        "Whichever matches count, the risk of m goes with wage."
    )
    assert matching_finding("m", {"exact": [chance], "close": [chance]}) == (
        "Whichever matches count, no figure goes with the risk of m."
    )
