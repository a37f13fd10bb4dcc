"""The summary: the verdict first, then a sentence for each criterion with its numbers."""

from __future__ import annotations

import pytest

from pcf_core.core.risk import Interval
from pcf_core.show.findings.criteria import (
    Status,
    criterion_findings,
    line_finding,
    reading_text,
    shown,
    status_of,
    summary_finding,
    verdict_finding,
)
from pcf_core.texts.criteria.records.runs import Criterion, CriterionReading


def interval(low: float, high: float) -> Interval:
    return Interval(over="templates", level=0.95, low=low, high=high)


def gap(
    criterion: Criterion, size: float | None, low: float, high: float, *, differs: bool | None
) -> CriterionReading:
    return CriterionReading(
        criterion=criterion,
        quantity="FNR",
        answering="written",
        size=size,
        interval=interval(low, high),
        gap=True,
        p_value=None if differs is None else 0.01,
        differs=differs,
        higher="he",
        lower="they",
        reason="nothing named",
    )


FAILS = gap("separation I", 0.5, 0.3, 0.7, differs=True)
UNSHOWN = gap("sufficiency I", 0.1, -0.2, 0.4, differs=False)
UNDEFINED = gap("separation II", None, 0, 0, differs=None)


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([], "not asked"),
        ([FAILS, UNSHOWN], "fails"),
        ([UNSHOWN, UNDEFINED], "cannot be shown"),
        ([UNDEFINED], "undefined"),
        ([FAILS.model_copy(update={"differs": None})], "not tested"),
    ],
)
def test_a_criterion_fails_where_one_of_its_readings_does(
    rows: list[CriterionReading], status: Status
) -> None:
    assert status_of(rows) == status


def test_the_verdict_comes_first_and_each_criterion_has_a_sentence() -> None:
    readings = [FAILS, UNSHOWN, UNDEFINED]
    assert summary_finding("one", readings) == (
        "one: 1 of 3 criteria asked fails beyond chance: separation I (its wrong answers to questions by the "
        "pronoun). Judged by texts that it wrote. We cannot show that these fail: sufficiency I. "
        "Undefined: separation II. Not asked: independence I, independence II and sufficiency II."
    )
    assert criterion_findings(readings) == (
        (
            "Separation I (its wrong answers to questions by the pronoun) fails beyond chance. "
            "The FNR gap is 0.50 (0.30–0.70), higher for he than for they, all of it over the 20 % "
            "line, p = 0.01."
        ),
        (
            "Sufficiency I (how far its answers to questions are right by the pronoun) cannot be "
            "shown to fail. The FNR gap is 0.10 (−0.20 to 0.40), higher for he than for they, p = "
            "0.01."
        ),
        "Separation II (its mistakes about who did a task by the pronoun) is undefined: nothing named.",
    )


@pytest.mark.parametrize(
    ("readings", "verdict"),
    [
        ([FAILS], "one: the one criterion that was asked fails beyond chance: separation I (its wrong"),
        ([UNSHOWN], "one: none of 1 criterion asked fail beyond chance."),
        (
            [FAILS, UNSHOWN.model_copy(update={"differs": True})],
            "one: both criteria that were asked fail beyond chance: separation I (its wrong answers to "
            "questions by the pronoun) and sufficiency I (how far its answers to questions are right by the "
            "pronoun).",
        ),
    ],
)
def test_all_and_none_are_said_as_such(readings: list[CriterionReading], verdict: str) -> None:
    assert verdict in summary_finding("one", readings)


def test_of_more_than_two_that_fail_the_names_alone_are_said() -> None:
    names: tuple[Criterion, ...] = ("separation I", "sufficiency I", "separation II")
    said = verdict_finding("one", [gap(name, 0.5, 0.3, 0.7, differs=True) for name in names])
    assert said.endswith("separation I, sufficiency I and separation II.")


def test_nothing_asked_is_said() -> None:
    assert summary_finding("one", []) == "one: no criterion was asked."


def test_what_is_undefined_does_not_stand_before_what_is_0() -> None:
    nought = gap("separation II", 0.0, -0.1, 0.1, differs=None)
    found = nought.model_copy(update={"higher": "", "compared": ("he", "she"), "undefined": ("they",)})
    assert shown([UNDEFINED, found]) == [found]
    said = "the FNR gap is 0 (−0.10 to 0.10), the same for he and she, undefined for they"
    assert reading_text(found) == said


def test_why_the_widest_has_no_p_is_said_where_other_pairs_were_tested() -> None:
    found = UNSHOWN.model_copy(update={"p_value": None, "reason": "too few tasks for a test"})
    assert reading_text(found).endswith("higher for he than for they, too few tasks for a test")
    assert reading_text(found.model_copy(update={"differs": None})).endswith("than for they")


def test_a_difference_of_shares_is_not_said_as_a_share() -> None:
    row = FAILS.model_copy(update={"quantity": "share of Art", "gap": False, "higher": "women's names"})
    said = reading_text(row.model_copy(update={"lower": ""}))
    assert said.startswith("the share of Art is 0.50 (0.30–0.70) higher for women's names")


def test_what_is_freed_of_bias_is_said_beside_what_was_counted() -> None:
    nmi = CriterionReading(
        criterion="independence II",
        quantity="link of label and gender (NMI)",
        answering="written",
        size=0.117,
        counted=0.114,
        largest=0.9,
        p_value=0.0005,
        at_most=True,
        differs=True,
    )
    [said] = criterion_findings([nmi])
    assert said.endswith(
        "The link of label and gender (NMI) is 0.12 freed of its bias, p under 0.001. As counted, it is "
        "0.11. It could reach at most 0.90."
    )
    assert "p = 0.001" in criterion_findings([nmi.model_copy(update={"p_value": 0.001, "at_most": False})])[0]


def test_the_line_is_counted_over_gaps_alone() -> None:
    nmi = CriterionReading(criterion="independence I", quantity="NMI", answering="scored", size=0.9)
    assert line_finding([nmi]) == ""
    assert "Of 2 gaps between pronouns, 1 lie over" in line_finding([FAILS, UNSHOWN, UNDEFINED, nmi])
    assert "1 reach across it" in line_finding([FAILS, UNSHOWN])
