"""Sentences about two runs and several: who has more, by how much, in which order, and what is not told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.agreement import Agreement, Apart
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.frame import Frame
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Comparison, Difference, Interval, RiskReport
from pcf_core.core.sensitivity import SeedSpread
from pcf_core.models.presets import Claim, PresetPair
from pcf_core.show.findings import comparison
from tests.show.charts.compared import axis_example, axis_point, compared_example, difference

CLEAR, TURNED = difference(0.6, 0.2, clear=True), difference(0.2, 0.6, clear=True)
FEW = difference(0.6, 0.2, clear=True, least_p=0.25)
UNCLEAR = difference(0.5, 0.48, clear=False)
SAME = replace(UNCLEAR, second=0.5, p_value=1.0, intervals=(Interval(low=0, high=0),))
NONE = replace(SAME, first=0.0, second=0.0)
WIDE = replace(CLEAR, intervals=(Interval(low=-0.01, high=0.9),))
NARROW = replace(
    CLEAR, first=0.205, second=0.2, intervals=(Interval(low=0.002, high=0.008),), adjusted=None, margin=0.02
)
AROUND = replace(NARROW, intervals=(Interval(low=-0.008, high=0.01),))
OCCUPATIONS = Interval(over="occupations", low=0.1, high=0.3, unit="occupation")
DOCUMENTS, WHOLE = Interval(low=0.01, high=0.03, unit="document"), Interval(low=-0.2, high=0.3)
BY_DOCUMENTS = replace(UNCLEAR, intervals=(DOCUMENTS, WHOLE), adjusted=None)
BOTH = replace(CLEAR, intervals=(*CLEAR.intervals[:2], Interval(over="both", low=-0.1, high=0.9)))
ACROSS = replace(CLEAR, intervals=(Interval(low=-0.1, high=0.5), OCCUPATIONS), adjusted=None)
ALL = {
    "clear": CLEAR,
    "turned": TURNED,
    "too few": FEW,
    "unclear": UNCLEAR,
    "the same": SAME,
    "none": NONE,
    "controlled": replace(CLEAR, adjusted=0.2),
    "by the test alone": replace(WIDE, adjusted=None),
    "too small": NARROW,
    "small in any case": AROUND,
    "by documents": BY_DOCUMENTS,
    "by families": replace(WIDE, intervals=(Interval(low=-0.2, high=0.3, unit="family"),), adjusted=None),
    "mentions, controlled": replace(BY_DOCUMENTS, p_value=0.02, adjusted=0.06),
}
PAIR = PresetPair(first="large", second="small", change="from small to large")
CLAIM = Claim(paper="BVF", figure=7, change="with size", prejudice="up", caprice="down")
POINTS = axis_example()[:6]
RISKS = {name: f"R of {name}" for name in "abcdef"}
FAIR_AND_ASKED = {"system": "Be fair.", "instruction": "Go on."}


def example_with(found: Difference, **changes: object) -> Comparison:
    differences = {"overall_risk": found, "caprice_risk": found}
    return replace(compared_example(), differences=differences, **changes)  # type: ignore[arg-type]


def pair(
    first: str, second: str, risk: Difference, prejudice: Difference = UNCLEAR, caprice: Difference = UNCLEAR
) -> Comparison:
    """Two runs whose keys are their names."""
    found = compared_example()
    return replace(
        found,
        first=replace(found.first, name=first, model=first, run=first),
        second=replace(found.second, name=second, model=second, run=second),
        differences={"overall_risk": risk, "prejudice_risk": prejudice, "caprice_risk": caprice},
    )


def sized(risk: Difference, prejudice: Difference = UNCLEAR, caprice: Difference = UNCLEAR) -> Comparison:
    return pair("large", "small", risk, prejudice, caprice)


def order(*found: Comparison) -> str:
    return comparison.order_finding(found, RISKS)


def favouring(*firsts: float) -> RiskReport:
    """Occupations a, b, … with these mean probabilities of male words."""
    matrix = {
        "preferences": [[[male, 1 - male]] for male in firsts],
        "groups": ["male", "female"],
        "occupations": [chr(97 + place) for place in range(len(firsts))],
    }
    return matrix_report(matrix, ViewOptions(), resamples=10)


def spread(quantity: str, size: float, bound: float) -> SeedSpread:
    """Three seeds of the small model whose figures lie this far apart."""
    risks = (0.2, 0.2 + size / 2, 0.2 + size)
    return SeedSpread("small", quantity, "gender", "some", "few", (0, 1, 2), risks, bound, 0.95)


def spreads(size: float, bound: float) -> Sequence[SeedSpread]:
    return [
        spread("overall_risk", 9, 9),
        spread("prejudice_risk", size, bound),
        spread("caprice_risk", 0.1, 0.2),
    ]


FAR = replace(TURNED, second=1.2, intervals=(Interval(low=-1.1, high=-0.9),))


def agreeing(beyond: int, second: float) -> Agreement:
    worst = Apart(occupation="nurse", template="The [X] said that [Y]", word="she", first=-1.0, second=second)
    names = {"first": "endpoint:tiny", "second": "tiny"}
    return Agreement(**names, cells=240, scores=480, noise=0.001, beyond=beyond, apart=(worst,))


def examples() -> dict[str, object]:
    several = [
        pair("a", "b", CLEAR),
        pair("a", "c", replace(NARROW, adjusted=0.007)),
        pair("b", "c", UNCLEAR),
    ]
    none = tuple(
        replace(row, differences={"overall_risk": UNCLEAR}) for row in compared_example().occupations
    )
    without = replace(sized(CLEAR), left_out=(LeftOut(name="clerk", reason="no figure"),))
    partial = replace(without, left_out=(), second=replace(without.second, templates_left_out=3))
    higher = replace(
        compared_example(),
        differences={**compared_example().differences, "overall_risk": difference(0.9, 0.2, clear=True)},
    )
    small = replace(difference(0.9, 0.2, clear=True), margin=0.9)
    equal = Difference(0.5, 0.5, (), p_value=1.0, least_p=0.001)
    mixed = {"overall_risk": small, "prejudice_risk": equal, "caprice_risk": small}
    topics = [axis_point("a", "gender", 0.5), axis_point("a", "race", 0.8), axis_point("b", "gender", 0.1)]
    sizes = [axis_point("large", 2e6, 0.4), axis_point("small", 1e6, 0.5), axis_point("mid", 1.5e6, 0.1)]
    changes = {
        "with its parts": sized(replace(CLEAR, adjusted=None), replace(CLEAR, adjusted=None), TURNED),
        "none": sized(UNCLEAR, SAME),
        "too few": sized(FEW),
        "the same": sized(SAME),
        "too small": sized(NARROW, NARROW, AROUND),
        "controlled": sized(replace(CLEAR, p_value=0.02, adjusted=0.06)),
        "disagreeing alike": sized(
            replace(CLEAR, p_value=0.9, adjusted=None),
            replace(TURNED, p_value=0.06, adjusted=0.12),
            replace(TURNED, p_value=0.01, adjusted=None),
        ),
        "by the test alone": sized(CLEAR, CLEAR, replace(UNCLEAR, p_value=0.01, adjusted=None)),
    }
    claims = {
        "agree": sized(UNCLEAR, CLEAR, TURNED),
        "one disagrees": sized(UNCLEAR, TURNED, TURNED),
        "open": sized(UNCLEAR),
        "one does not differ": sized(UNCLEAR, CLEAR, SAME),
        "one too small": sized(UNCLEAR, NARROW, SAME),
    }
    return {
        "verdicts": {name: comparison.verdict_text(found, "A", "B") for name, found in ALL.items()},
        "differences": {name: comparison.difference_text(found) for name, found in ALL.items()},
        "differences over": {
            over: comparison.difference_over(TURNED, over)  # type: ignore[arg-type]
            for over in ("templates", "occupations", "both")
        },
        "findings": {name: comparison.difference_finding(example_with(found)) for name, found in ALL.items()},
        "findings over": [
            comparison.difference_finding(example_with(UNCLEAR), over="both"),
            comparison.difference_finding(example_with(BOTH), over="both"),
            comparison.difference_finding(example_with(ACROSS), over="occupations"),
            comparison.difference_finding(example_with(BY_DOCUMENTS, effective_templates=17.2)),
            comparison.difference_finding(example_with(TURNED), "caprice_risk"),
        ],
        "occupations": [
            comparison.occupations_difference_finding(found)
            for found in (
                compared_example(),
                replace(compared_example(), occupations=none),
                compared_example(least_p=0.5),
            )
        ],
        "orders of two": {name: order(pair("a", "b", found)) for name, found in ALL.items()},
        "orders": [
            order(*several),
            order(pair("a", "b", UNCLEAR), pair("a", "c", SAME)),
            order(pair("a", "b", WIDE), pair("a", "c", FEW)),
            order(),
        ],
        "changes": {name: comparison.change_finding(PAIR, found) for name, found in changes.items()},
        "chats": [
            comparison.chat_finding("M", Frame(kind="chat", **texts), found, from_bare=from_bare)
            for texts in ({}, {"system": "Be fair."}, {"instruction": "Go on."}, FAIR_AND_ASKED)
            for from_bare in (False, True)
            for found in changes.values()
        ],
        "a change over both": comparison.change_finding(PAIR, changes["none"], over="both"),
        "sides": [
            comparison.sides_finding(*reports, ("large", "small"))
            for reports in (
                (favouring(0.1, 0.9, 0.3, 0.6), favouring(0.9, 0.8, 0.7, 0.4)),
                (favouring(0.9, 0.1), favouring(0.6, 0.2, 0.3)),
            )
        ],
        "claims": {name: comparison.claim_finding(CLAIM, found) for name, found in claims.items()},
        "claims beside seeds": [
            comparison.claim_finding(CLAIM, sized(UNCLEAR, TURNED, FAR), spreads(size, bound))
            for size, bound in ((0.5, 0.6), (0.1, 0.6), (0.1, 0.3))
        ],
        "open beside seeds": comparison.claim_finding(
            CLAIM, sized(UNCLEAR, UNCLEAR, SAME), [spread("prejudice_risk", 9, 9)]
        ),
        "agreement": [
            comparison.agreement_finding(agreeing(beyond, second))
            for beyond, second in ((0, -1.0005), (1, -3.0), (7, -math.inf))
        ],
        "controlled": [comparison.control_note([sized(CLEAR)] * much) for much in (1, 3)],
        "in common": [
            comparison.common_note(found)
            for found in ([sized(CLEAR)], [without, without], [partial], [without, partial])
        ],
        "axis": comparison.axis_finding(POINTS, "text source"),
        "one place": comparison.axis_finding(topics[:1], "topic"),
        "topics": [comparison.topics_finding(topics), comparison.topics_finding(topics[:1])],
        "checkpoints": comparison.checkpoints_finding("We cannot tell them apart.", sizes),
        "one checkpoint": comparison.checkpoints_finding("", sizes[:1]),
        "sizes": comparison.size_finding("small has a higher risk than mid (paired test).", sizes),
        "one size": comparison.size_finding("", sizes[:1]),
        "alignment": [
            comparison.alignment_finding(found)
            for found in (
                [],
                [compared_example(), higher],
                [higher],
                [replace(compared_example(), differences=mixed)],
            )
        ],
    }


@pytest.mark.parametrize(
    ("found", "verdict", "ordered"),
    [
        (CLEAR, "first", True),
        (TURNED, "second", True),
        (UNCLEAR, "unclear", False),
        (FEW, "too few", False),
        (replace(CLEAR, adjusted=0.2), "unclear", False),
        (replace(CLEAR, adjusted=None, p_value=0.2), "unclear", False),
        (replace(CLEAR, adjusted=None), "first", True),
        (WIDE, "unclear", False),
        (SAME, "equal", False),
        (replace(UNCLEAR, second=0.5), "unclear", False),
        (NARROW, "first", False),
        (AROUND, "unclear", False),
    ],
)
def test_an_order_needs_the_test_the_interval_and_a_size_that_matters(
    found: Difference, verdict: str, ordered: bool
) -> None:
    assert (found.verdict, found.ordered) == (verdict, ordered)
    named = {"first": "a", "second": "b"}.get(verdict, "") if ordered else ""
    assert order(pair("a", "b", found)).startswith(f"{named} has a higher risk than ") == bool(named)
    said = comparison.difference_finding(pair("a", "b", found))
    assert (" is higher than that of " in said) is ordered
    assert (f"The risk of {named} is higher" in said) is ordered
    assert (comparison.verdict_text(found, "a", "b") == f"{named} is higher") is ordered


def test_swapping_two_models_swaps_who_is_named_and_the_sign() -> None:
    assert order(pair("a", "b", CLEAR)) == order(pair("b", "a", TURNED))
    assert comparison.difference_text(CLEAR) == "+0.40 (+0.30 to +0.50)"
    assert comparison.difference_text(TURNED) == "−0.40 (−0.50 to −0.30)"
    rises, falls = (comparison.change_finding(PAIR, sized(found)) for found in (CLEAR, TURNED))
    assert "The risk rises from small to large. It is 0.20 for small and 0.60 for large." in rises
    assert "The risk falls from small to large. It is 0.60 for small and 0.20 for large." in falls


@pytest.mark.parametrize("margin", [0.008, 0.0])
def test_a_difference_beyond_its_margin_is_an_order(margin: float) -> None:
    """The margin is no part of the verdict: what differs, differs; no order of the two is stated."""
    assert (NARROW.verdict, NARROW.negligible) == ("first", True)
    assert replace(NARROW, margin=margin).ordered
    low = replace(NARROW, intervals=(Interval(low=-0.02, high=-0.002),), first=0.195)
    assert not low.negligible, "the end of the interval is no longer inside"
    by_documents = replace(NARROW, intervals=(replace_unit(NARROW), Interval(low=0.001, high=0.3)))
    assert by_documents.ordered, "of documents alone a small difference is not negligible"


def replace_unit(found: Difference) -> Interval:
    return found.intervals[0].model_copy(update={"unit": "document"})


@pytest.mark.parametrize(
    ("found", "over", "explained"),
    [
        (BY_DOCUMENTS, "templates", True),
        (BY_DOCUMENTS, "occupations", False),
        (WIDE, "templates", True),
        (UNCLEAR, "templates", False),
        (BOTH, "both", True),
        (BOTH, "templates", False),
        (ACROSS, "occupations", True),
    ],
)
def test_a_range_that_the_verdict_does_not_follow_is_explained(
    found: Difference, over: str, explained: bool
) -> None:
    assert bool(comparison.disagreement(compared_example(), found, over)) is explained  # type: ignore[arg-type]


def test_of_several_models_only_pairs_that_are_told_apart_are_ordered() -> None:
    said = order(pair("a", "b", UNCLEAR), pair("a", "c", SAME))
    assert "higher risk" not in said
    assert said.endswith("Other pairs are not compared.")
    assert "a has a higher risk than b in these sentences" in order(
        pair("a", "b", CLEAR), pair("a", "c", UNCLEAR)
    )
    assert "b has a higher risk than a" in order(pair("a", "b", TURNED), pair("a", "c", UNCLEAR))


@given(
    st.integers(-100, 100).map(lambda hundredths: hundredths / 100),
    st.floats(0, 1),
    st.integers(0, 50).map(lambda hundredths: hundredths / 100),
    st.sampled_from(["up", "down"]),
)
def test_the_opposite_claim_gets_the_opposite_answer(
    value: float, p_value: float, half: float, direction: Literal["up", "down"]
) -> None:
    """Who agrees with a rise disagrees with a fall, and who leaves the one open leaves the other open."""
    found = replace(
        replace(CLEAR, adjusted=None),
        first=max(value, 0),
        second=max(-value, 0),
        p_value=p_value,
        intervals=(Interval(low=value - half, high=value + half),),
    )
    opposite: Literal["up", "down"] = "down" if direction == "up" else "up"
    claim = CLAIM.model_copy(update={"prejudice": direction, "caprice": opposite})
    said = comparison.claim_finding(claim, sized(UNCLEAR, found, found))
    assert ("These models show the same" in said) == ("These models show the opposite" in said)
    assert ("These models show the same" in said) == (p_value <= 0.05 and abs(value) > half)


@pytest.mark.parametrize(
    ("size", "bound", "told"),
    [
        (0.5, 0.6, "these models differ by no more than small does when it is trained with other seeds."),
        (0.1, 0.6, "these models may differ by no more than small does when it is trained with other seeds."),
        (0.1, 0.3, "These models show the opposite for prejudice."),
    ],
)
def test_a_claim_is_not_held_against_what_another_seed_makes(size: float, bound: float, told: str) -> None:
    """Prejudice falls by 0.4 from small to large, where the paper has it rise; caprice by far more."""
    said = comparison.claim_finding(CLAIM, sized(UNCLEAR, TURNED, FAR), spreads(size, bound))
    assert told in said
    assert said.endswith("These models show the same for caprice.")


def test_nothing_is_concluded_from_single_checkpoints_or_between_topics() -> None:
    said = comparison.checkpoints_finding("", [axis_point("g", "s", 0.5), axis_point("g", "l", 0.4)])
    assert "so nothing follows about families, sizes or training." in said
    several = comparison.topics_finding([axis_point("a", "gender", 0.5), axis_point("a", "race", 0.8)])
    assert several.endswith("so do not compare the size of their risks.")
