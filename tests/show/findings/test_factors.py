"""Sentences about factors: which slope is told, which way it goes, and what one has to know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pcf_core.core.factors import Carrier, FactorPanel, FactorPoint, FactorScale, LineFit
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval
from pcf_core.show.findings import factors

SCALES = {
    "wage": FactorScale(
        "wage", "wage", "wage, thousand US$", "pay", 10, "10,000 US$", "+10,000 US$", "paying 10,000 US$ more"
    ),
    "education_years": FactorScale(
        "education_years",
        "education",
        "years",
        "longer",
        1,
        "year",
        "+1 year",
        "with one more year",
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
        SCALES[name], "overall_risk", (), ols, wls, no_wls="" if wls else "no occupation has a weight"
    )
    return replace(found, **changes)


def examples() -> dict[str, object]:
    wage, years = panel("wage", line(-0.002, 0.001, 0.04)), panel("education_years", line(0.02, 0.01, 0.01))
    unclear, chance = panel("education_years", line(0.02, 0.03, 0.2)), panel("wage", line(0.1, 1))
    by_people = panel("wage", line(-0.002, 0.001, 0.04), line(0.001, 0.0005, 0.03))
    lost = panel("wage", line(0.0056, 0.0049, 0.156))
    lost_but_by_people = panel("wage", line(0.0056, 0.0049, 0.156), line(0.0056, 0.0049, 0.01))
    missing = panel("wage", None, no_ols="3 points, fewer than 10")
    beyond = Interval(low=-0.003, high=0.005)
    carried = line(0.01, 0.004, 0.01, carrier=Carrier("Physicians", 0.62, 0.001, beyond))
    alone = replace(carried, carrier=Carrier("Physicians", 0.9, None, None))
    stopped = replace(
        missing,
        points=(FactorPoint("Surgeons", ("surgeon",), 208.0, 0.5, at_least=True),),
        left_out=(LeftOut(name="crew", reason="no line"), LeftOut(name="head", reason="no line")),
    )
    points = tuple(FactorPoint(str(i), (str(i),), float(i), 0.0 if i < 8 else 0.1) for i in range(12))
    zeros = panel("wage", line(0.01, 0.1), points=points, quantity="caprice_risk")
    narrow = Interval(low=0.05, high=0.15)
    wider = line(0.1, 0.06, template_error=0.02, known_interval=narrow)
    same = line(0.1, 0.05, template_error=0.0, known_interval=narrow)
    sure, unsure = panel("wage", line(0.1, 0.05, 0.01)), panel("wage", line(0.1, 0.2, 0.5))
    both = panel("wage", line(0.01, 0.004, 0.0001), line(0.02, 0.01, 0.3, effective_n=15.13))
    weighed = panel("wage", line(0.02, 0.03, 0.2), line(0.001, 0.0005, 0.03))
    titles = [factors.factor_title(one) for one in (panel("wage", line(0.1, 0.01, 1e-6)), weighed, unclear)]
    several = {
        "told and unclear": [
            by_people,
            panel("education_years", line(0.02, 0.03, 0.2), line(0.01, 0.02, 0.9)),
        ],
        "nothing told, nothing fitted": [chance, panel("education_years", None)],
        "lost to the correction": [lost, years],
        "lost, and told by people": [lost_but_by_people],
        "all unclear": [chance, panel("education_years", line(0.1, 1))],
        "carried": [panel("wage", carried)],
        "none": [],
    }
    return {
        "titles": titles,
        "answers": [
            factors.factors_answer("m", panels) for panels in ([wage, years], [wage], [years], [unclear], [])
        ],
        "no figures": [factors.no_figures_note(several) for several in ([missing], [missing, zeros])],
        "findings": {name: factors.factors_finding("m", panels) for name, panels in several.items()},
        "figures": {name: factors.figures_note("m", panels) for name, panels in several.items()},
        "slopes": {name: factors.slopes_note(panels) for name, panels in several.items()},
        "parts": [
            factors.factors_finding("m", [replace(chance, quantity=part)])
            for part in ("prejudice_risk", "caprice_risk")
        ],
        "lines": {
            "both": factors.line_notes(both),
            "carried": factors.line_notes(panel("wage", carried)),
            "carried alone": factors.line_notes(panel("wage", alone)),
            "missing": factors.line_notes(stopped),
            "mostly zero": factors.line_notes(zeros),
            "few zeros": factors.line_notes(replace(zeros, points=points[6:])),
            "of one's own weights": factors.line_notes(
                replace(both, scale=replace(SCALES["wage"], name="own"))
            ),
        },
        "links": [
            *(
                factors.link_strength("m", panel("wage", line(-0.002, 0.001, 0.04, r_squared=share)))
                for share in (0.02, 0.089, 0.09, 0.25)
            ),
            factors.link_strength("m", unclear),
            factors.link_strength("m", missing),
        ],
        "templates": [
            factors.templates_note(panels)
            for panels in (
                [panel("wage", wider), panel("education_years", same)],
                [panel("wage", same)],
                [panel("wage", line(0.1, 0.05))],
                [missing],
            )
        ],
        "matching": [
            factors.matching_finding("m", panels)
            for panels in (
                {"exact": [sure], "close": [unsure], "broad": [unsure]},
                {"exact": [sure], "close": [sure]},
                {"exact": [unsure], "close": [unsure]},
            )
        ],
    }


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
    assert factors.slope_with_interval(SCALES["wage"], line(found, half)) == text
    assert factors.slope(SCALES["wage"], line(found, half)) == text.split(" (")[0]


@pytest.mark.parametrize("steep", [-0.02, 0.02])
def test_a_slope_rises_or_falls_by_its_sign_and_its_interval_turns_with_it(steep: float) -> None:
    found = panel("wage", line(steep, 0.005, 0.01))
    rises = steep > 0
    assert (
        "increases as wage increases" if rises else "decreases as wage increases"
    ) in factors.factors_answer("m", [found])
    said = factors.factors_finding("m", [found])
    assert f"0.20 (0.15–0.25) {'higher' if rises else 'lower'} for occupations" in said


@pytest.mark.parametrize(("adjusted", "told"), [(0.0499, True), (0.05, False)])
def test_a_slope_is_told_by_its_corrected_p_alone(adjusted: float, told: bool) -> None:
    """The interval (0.007–0.105) leaves out 0 in both: the sentence says why one is not told."""
    fit = line(0.0056, 0.0049, adjusted)
    found = [panel("wage", fit)]
    assert factors.survives(fit) is told
    assert factors.lost_to_correction(fit) is not told
    assert factors.factors_answer("m", found).startswith("The risk of m increases") is told
    assert ("this may be chance" in factors.factors_finding("m", found)) is not told


def test_a_title_says_which_way_a_line_goes_where_that_is_more_than_chance() -> None:
    rises, falls = panel("wage", line(0.1, 0.05, 0.01)), panel("wage", line(-0.1, 0.05, 0.01))
    assert factors.factor_title(rises) == "Risk rises with wage"
    assert factors.factor_title(replace(falls, quantity="caprice_risk")) == "Caprice falls with wage"
    assert (
        factors.factor_title(panel("wage", line(0.1, 0.2, 0.5))) == "Any link of risk with wage may be chance"
    )
    by_people = panel("wage", line(0.1, 0.2, 0.5), line(0.1, 0.05, 0.01))
    assert factors.factor_title(by_people) == "Risk rises with wage if larger occupations count more"
    assert factors.factor_title(panel("wage", None)) == ""


def test_without_a_point_the_reader_hears_why_there_is_no_picture() -> None:
    some = (FactorPoint("Nurses", ("nurse",), 77.0, 0.5),)
    assert factors.no_figures_note([panel("wage", None), panel("education_years", None, points=some)]) == ""
    note = factors.no_figures_note([panel("wage", None)])
    assert note.startswith("None of these occupations is in the US labour statistics")
