"""Titles of charts: they claim what the answer of a page does, where that is certain and has room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pcf_core.audit.baseline import OtherScales
from pcf_core.core.risk import AxisPoint, Comparison, CorrectedRisk, Difference, Interval, Verdict
from pcf_core.show.compare import Lean, Standing
from pcf_core.show.titles import (
    LONGEST,
    axis_title,
    caprice_title,
    change_title,
    corrected_title,
    differences_title,
    risk_title,
    whom_title,
)
from tests.show.charts.compared import compared_example
from tests.show.charts.records import report_of_gender

WOMEN = Lean("one", {"male": 29, "female": 91}, 120, 10, {})
MEN = Lean("two", {"male": 112, "female": 8}, 120, 0, {})
HIGHER = Standing(("one", "two"), 0.3, 0.46, "second", ordered=True, scales=OtherScales())
UNCLEAR = replace(HIGHER, verdict="unclear", ordered=False)
PLAIN = report_of_gender()
CORRECTED = {
    name: replace(
        PLAIN,
        corrected=CorrectedRisk(
            prejudice_risk=PLAIN.prejudice_risk - by,
            caprice_risk=PLAIN.caprice_risk + by,
            plug_in_prejudice_risk=PLAIN.prejudice_risk,
            plug_in_caprice_risk=PLAIN.caprice_risk,
            headline=False,
        ),
    )
    for name, by in (("one", 0.001), ("two", 0.04))
}
AXES = ("models", "size", "text source", "topic", "instruction")
SOMEWHERE = [
    AxisPoint(line, place, {"overall_risk": risk}, {})
    for line, place, risk in (("one", "a", 0.11), ("one", "b", 0.3), ("two", "b", 0.46))
]


def changed(verdict: Verdict) -> Comparison:
    """The risk rises, falls or neither, clearly."""
    found = compared_example()
    value = {"first": 0.3, "second": -0.3}.get(verdict, 0.0)
    of_risk = Difference(
        0.4 + value, 0.4, (Interval(low=value - 0.1, high=value + 0.1),), p_value=0.001, least_p=0.0005
    )
    if not value:
        of_risk = replace(of_risk, p_value=0.5)
    return replace(found, differences=found.differences | {"overall_risk": of_risk})


def examples() -> dict[str, object]:
    every, long = replace(MEN, leading={"male": 120, "female": 0}), replace(WOMEN, model="one" * 20)
    rows = [
        replace(row, occupation=f"job {index}", caprice_risk=caprice)
        for row in report_of_gender().occupations[:1]
        for index, caprice in enumerate([0.4, *[0.01] * 19])
    ]
    few = replace(report_of_gender(), occupations=tuple(rows))
    even = replace(few, occupations=tuple(replace(row, caprice_risk=0.1) for row in rows))
    return {
        "whom": [
            whom_title(leans)
            for leans in (
                [WOMEN],
                [every],
                [replace(WOMEN, near=100)],
                [WOMEN, MEN],
                [long, MEN],
                [long, MEN, MEN],
                [every, MEN],
                [MEN] * 4,
                [replace(WOMEN, leading={"male": 60, "female": 60})],
            )
        ],
        "risk": [
            *(
                risk_title(HIGHER, others)
                for others in (None, {"one": ["three"], "two": []}, {"one": [], "two": ["three"]})
            ),
            risk_title(UNCLEAR),
        ],
        "caprice": [caprice_title(reports) for reports in ({"m": few}, {"m": few, "n": even}, {"m": even})],
        "differences": differences_title(compared_example(), "overall_risk"),
        "corrected": [corrected_title(reports) for reports in (CORRECTED, dict(list(CORRECTED.items())[:1]))],
        "axis": [axis_title(SOMEWHERE, axis) for axis in AXES],
        "change": [
            change_title([changed(way) for way in ways])
            for ways in (("first",), ("second", "second"), ("first", "second", "unclear"), ("unclear",))
        ],
    }


def test_whom_models_prefer() -> None:
    assert whom_title([WOMEN]) == "one prefers women in most occupations"
    assert whom_title([MEN]) == "two prefers men in nearly every occupation"
    every = replace(MEN, leading={"male": 120, "female": 0})
    assert whom_title([every]) == "two prefers men in every occupation"
    assert whom_title([replace(WOMEN, near=100)]) == "one is close to even in most occupations"
    assert whom_title([WOMEN, MEN]) == "one prefers women, two prefers men"
    assert whom_title([replace(WOMEN, model="one" * 20), MEN]) == "The two models prefer different groups"
    assert whom_title([every, MEN]) == "Both models prefer men in nearly every occupation", (
        "as the weaker one"
    )
    assert whom_title([MEN] * 3 + [replace(MEN, leading={"male": 92, "female": 28})]) == (
        "All 4 models prefer men in most occupations"
    )
    assert whom_title([WOMEN, MEN, MEN]) == "one prefers women, two prefers men, two prefers men"


@pytest.mark.parametrize(
    "unsure",
    [
        replace(WOMEN, says_little=True),
        replace(WOMEN, near=110),
        replace(WOMEN, leading={"male": 60, "female": 60}),
    ],
)
def test_nothing_is_claimed_of_several_models_of_which_one_is_unsure(unsure: Lean) -> None:
    assert whom_title([unsure, MEN]) == ""
    assert whom_title([]) == whom_title([replace(WOMEN, says_little=True)]) == ""


def test_which_model_has_the_higher_risk() -> None:
    assert risk_title(HIGHER) == "two has the higher risk in these sentences"
    assert risk_title(HIGHER, {"one": ["three"], "two": []}) == "two has the highest risk in these sentences"
    assert risk_title(HIGHER, {"one": [], "two": ["three"]}) == "one has the lowest risk in these sentences"
    for unsure in (None, replace(HIGHER, ordered=False), replace(HIGHER, little=("one",))):
        assert risk_title(unsure) == ""
    assert risk_title(HIGHER, {"one": ["three"], "two": ["three"]}) == ""
    assert risk_title(UNCLEAR) == "We cannot tell which model has the higher risk"
    assert risk_title(replace(HIGHER, names=("one" * 16, "two" * 16))) == "", "without room"


def test_a_few_occupations_may_have_half_of_the_caprice() -> None:
    report = report_of_gender()
    assert caprice_title({"m": report}) == "", "too few to be a few"
    rows = [
        replace(row, occupation=f"job {index}", caprice_risk=caprice)
        for row in report.occupations[:1]
        for index, caprice in enumerate([0.4, *[0.01] * 19])
    ]
    few = replace(report, occupations=tuple(rows))
    even = replace(report, occupations=tuple(replace(row, caprice_risk=0.1) for row in rows))
    assert caprice_title({"m": few}) == "A few occupations have half of the caprice of m"
    assert caprice_title({"m": few, "n": even}) == "1 occupation has half of the caprice of m"
    assert caprice_title({"m": even}) == "Caprice is spread widely in m"
    assert caprice_title({"m": even, "n": even}) == "Caprice is spread widely over the occupations"


def test_the_correction_for_few_sentences_is_said_by_its_size() -> None:
    one = {"one": CORRECTED["one"]}
    assert corrected_title(CORRECTED) == "Correction for few sentences changes prejudice by up to 0.04"
    assert corrected_title(one) == "Correction for few sentences hardly changes prejudice"
    assert corrected_title({"m": replace(PLAIN, corrected=None)}) == ""


def test_a_title_states_the_ends_of_the_risk_along_an_axis() -> None:
    assert axis_title(SOMEWHERE, "text source") == "Risk lies between 0.11 and 0.46 over 2 sets of sentences"
    assert axis_title(SOMEWHERE, "models").endswith("over 2 models in these sentences")
    assert axis_title(SOMEWHERE, "instruction").endswith("over 2 ways of asking in these sentences")
    assert axis_title(SOMEWHERE[:1], "topic") == ""


def test_alignment_is_said_to_raise_or_lower_the_risk_only_where_that_is_more_than_chance() -> None:
    up, down, unclear = map(changed, ("first", "second", "unclear"))
    assert change_title([up, down, unclear]) == "Alignment raises the risk at 1 of 3 sizes and lowers it at 1"
    assert change_title([down]) == "Alignment lowers the risk at 1 of 1 size"
    assert change_title([unclear]) == "Alignment does not clearly change the risk"


def test_differing_occupations_are_counted() -> None:
    compared = compared_example()
    number = len(compared.surviving("overall_risk"))
    of = len(compared.occupations)
    assert differences_title(compared, "overall_risk") == (
        f"The models differ in risk in {number} of {of} occupations" if number else ""
    )
    assert len(differences_title(compared, "overall_risk")) <= LONGEST
