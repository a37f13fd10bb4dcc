"""A model joined with its text: which occupations are compared, and why others are not."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.factors import read_against, read_leans, why_not_compared
from pcf_core.core.errors import TopicError
from pcf_core.core.factors import Amplification, ReadCount, ReadTable
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import MeanTilt
from pcf_core.material.evidence import make_evidence
from pcf_core.measure.distribution import mean_tilts
from pcf_core.measure.resampling import TemplateUnit
from tests.show.charts.reads import CARD


def counted(name: str, he: int, she: int, as_word: int | None = None) -> ReadCount:
    return ReadCount(
        occupation=name, he=he, she=she, neither=0, as_word=he + she if as_word is None else as_word
    )


TABLE = ReadTable(
    CARD,
    {
        one.occupation: one
        for one in (
            counted("nurse", 16, 69),
            counted("engineer", 569, 42),
            counted("welder", 19, 0),
            counted("cook", 68, 19, 17),
        )
    },
)
NAMES = ("cook", "Engineer", "nurse", "welder", "wizard")
REASONS = {
    "cook": "in the text it is mostly part of a name or title",
    "welder": "19 documents with a majority, fewer than 20",
    "wizard": "the documents of the training text were not counted for it",
}


def compared(
    groups: tuple[str, ...], names: tuple[str, ...] = NAMES
) -> tuple[Amplification | None, FloatArray, MeanTilt]:
    generator = np.random.default_rng(0)
    male = generator.uniform(-1, 1, (len(names), 6))
    stereotypes = np.stack([male if group == "male" else -male for group in groups], axis=2)
    unit = TemplateUnit.templates(np.arange(1.0, 7.0))
    tilts = mean_tilts(
        stereotypes, unit, np.ones(len(names)), groups=groups, occupations=names, resamples=100
    )
    tilt = tilts.get("male", tilts[groups[0]])
    return read_against(names, groups, stereotypes, unit, tilt, TABLE), male @ unit.weights, tilt


@pytest.mark.parametrize("groups", [("male", "female"), ("female", "male")])
def test_occupations_meet_their_counts_whatever_the_order_of_groups(groups: tuple[str, ...]) -> None:
    found, says, tilt = compared(groups)
    assert [row.count.occupation for row in found.occupations] == ["engineer", "nurse"]
    assert [row.tilt for row in found.occupations] == pytest.approx([says[1], says[2]])
    assert found.occupations[1].tilt_interval == tilt.interval("nurse")
    assert found.shift == pytest.approx(says[1:3].mean() - (527 / 611 - 53 / 85) / 2)
    assert {item.name: item.reason for item in found.left_out} == REASONS


def test_no_occupation_is_no_comparison() -> None:
    assert compared(("male", "female"), ("welder", "wizard"))[0] is None


def test_other_groups_are_refused() -> None:
    with pytest.raises(TopicError, match="for the groups male and female only; got young, old"):
        compared(("young", "old"))


def test_the_row_of_leans_has_those_that_are_compared() -> None:
    leans = read_leans(make_evidence("few", list(NAMES)), TABLE)
    assert leans == pytest.approx({"Engineer": 527 / 611, "nurse": -53 / 85})


@pytest.mark.parametrize(("as_word", "used"), [(4, True), (3, False)])
def test_a_word_that_is_mostly_a_name_is_left_out(as_word: int, used: bool) -> None:
    assert (not why_not_compared(counted("baker", 15, 5, as_word))) is used
