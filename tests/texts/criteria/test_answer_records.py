"""What a report of answers says of itself: the widest gap, and on which side of the line it lies."""

from __future__ import annotations

import pytest

from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.records.quantities import Rate
from pcf_core.texts.criteria.records.separation import AnswersReport, RateDifference
from tests.show.charts.texts import answered


def difference(value: float | None, low: float = -1.0, high: float = 1.0, **facts: object) -> RateDifference:
    interval = None if value is None else Interval(low=low, high=high, unit="question")
    return RateDifference.model_validate(
        {"name": "FNR", "first": "he", "second": "she", "value": value, "interval": interval, **facts}
    )


@pytest.mark.parametrize(
    ("low", "high", "beyond"),
    [
        (0.21, 0.5, True),
        (-0.5, -0.21, True),
        (-0.2, 0.2, False),
        (0.1, 0.19, False),
        (0.19, 0.3, None),
        (-0.3, 0.0, None),
        (-0.3, 0.3, None),
    ],
)
def test_which_side_of_the_line(low: float, high: float, beyond: bool | None) -> None:
    assert difference((low + high) / 2, low, high).beyond_line is beyond


def test_who_has_the_higher_rate() -> None:
    assert [difference(value).higher for value in (0.3, -0.3, 0.0, None)] == ["he", "she", "", ""]
    assert [difference(value).lower for value in (0.3, -0.3, 0.0, None)] == ["she", "he", "", ""]
    assert [difference(value).gap for value in (0.3, -0.3, 0.0, None)] == [0.3, 0.3, 0.0, None]
    assert difference(None).beyond_line is None


def test_the_widest_of_three_pronouns_is_max_less_min() -> None:
    share = Rate(name="first named", value=0.5, n=2, units=1)
    rows = (
        difference(0.1),
        difference(-0.2, second="they"),
        difference(None, first="she", second="they"),
    )
    report = AnswersReport(
        **{
            "experiment": "tasks",
            "answering": "written",
            "material": "0",
            "unit": "task",
            "units": 1,
            "n": 2,
        },
        **{"pronouns": (), "baseline": None, "by_unit": (), "permutations": 9},
        differences=rows,
        first_named=share,
    )
    assert report.widest("FNR") == rows[1]
    assert report.widest("PPV") is None
    assert AnswersReport.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(
    ("told", "ends", "tells"),
    [(0.5, (0.2, 0.8), True), (0.5, (-0.1, 0.8), False), (-0.5, (-0.8, -0.2), True), (0.5, None, False)],
)
def test_nothing_tells_without_an_interval(
    told: float | None, ends: tuple[float, float] | None, tells: bool
) -> None:
    interval = None if ends is None else Interval(low=ends[0], high=ends[1], unit="question")
    he = answered().pronouns[0].model_copy(update={"told": told, "told_interval": interval})
    assert he.tells is tells
    assert not he.model_copy(update={"told": None, "told_interval": None}).tells


def test_a_difference_beyond_chance_was_testable() -> None:
    """Holm asks less of the second smallest p than of the smallest."""
    report = answered()
    row = difference(0.5, p_value=0.03, least_p=0.03, adjusted=0.03)
    assert report.tests * 0.03 > 0.05
    assert report.testable(row)
    assert not report.testable(row.model_copy(update={"adjusted": 0.09}))


def test_which_pronouns_are_compared() -> None:
    report = answered()
    assert report.compared("NPV") == ("he",)
    assert list(report.undefined("NPV")) == ["she"]
    assert (report.compared("FNR"), report.undefined("FNR")) == (("he", "she"), {})


def test_a_test_and_an_interval_may_disagree() -> None:
    found = [difference(0.1, low, 0.2, adjusted=adjusted) for low in (-0.1, 0.05) for adjusted in (0.01, 0.2)]
    assert [row.disagrees for row in found] == [True, False, False, False]
    assert not difference(None).disagrees
