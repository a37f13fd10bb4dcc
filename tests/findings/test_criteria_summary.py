"""The summary in a sentence: what fails first, with numbers; then what cannot be shown, or was not asked."""

from __future__ import annotations

import pytest

from pcf_core.findings.criteria_summary import Status, line_finding, status_of, summary_finding
from pcf_core.records import Interval
from pcf_core.records.criteria_summary import Criterion, CriterionReading


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


def test_one_sentence_says_which_fail_by_how_much_and_how_sure() -> None:
    assert summary_finding("one", [FAILS, UNSHOWN, UNDEFINED]) == (
        "one, by texts that it wrote: separation I (FNR gap 0.5 (0.3–0.7), higher for he, all of it over the "
        "20 % line, p = 0.01) fails beyond chance; no failure can be shown for sufficiency I, where the "
        "largest is FNR gap 0.1 (−0.2 to 0.4), higher for he, p = 0.01; undefined: separation II (nothing "
        "named); not asked: independence I, independence II and sufficiency II."
    )


def test_the_line_is_counted_over_gaps_alone() -> None:
    nmi = CriterionReading(criterion="independence I", quantity="NMI", answering="scored", size=0.9)
    assert line_finding([nmi]) == ""
    assert "Of 2 gaps between he and she, 1 lie over" in line_finding([FAILS, UNSHOWN, UNDEFINED, nmi])
    assert "1 reach across it" in line_finding([FAILS, UNSHOWN])
