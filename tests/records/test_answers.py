"""What a report of answers says of itself: the widest gap, and on which side of the line it lies."""

from __future__ import annotations

import pytest

from pcf_core.records import Interval
from pcf_core.records.answers import RATES, AnswersReport, Confusion, Rate, RateDifference


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
    assert report.gap("FNR") == rows[0]
    assert report.gap("FNR", ("he", "she", "they")) == rows[1]
    assert report.gap("FNR", ("she", "they")) == rows[2]
    assert report.gap("PPV") is None
    assert AnswersReport.model_validate_json(report.model_dump_json()) == report


def test_an_empty_matrix_has_no_rate() -> None:
    assert [Confusion().rate(name) for name in RATES] == [None] * 4


def test_a_test_and_an_interval_may_disagree() -> None:
    found = [difference(0.1, low, 0.2, adjusted=adjusted) for low in (-0.1, 0.05) for adjusted in (0.01, 0.2)]
    assert [row.disagrees for row in found] == [True, False, False, False]
    assert not difference(None).disagrees
