"""A truth of another shape, or one that does not add up, is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pcf_core.core.sensitivity import Planted
from tests.show.findings.test_reliability import calibration

TRUTH = calibration().planted.model_dump()


def test_a_whole_truth_is_taken() -> None:
    assert Planted.model_validate(TRUTH).cells == 2


@pytest.mark.parametrize(
    "other",
    [
        {"values": (((0.7, 0.3),),)},  # a context too few
        {"values": (((0.7, 0.3), (0.5, 0.5)),) * 2},  # a thing too many
        {"values": (((0.7, 0.3), (1.0,)),)},  # ragged
        {"values": (((0.7, 0.3), (0.5, 0.25, 0.25)),)},
        {"values": ()},
        {"groups": ("amber",)},
        {"occupations": (), "values": ()},
    ],
)
def test_values_of_another_shape_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"values must have|at least 1 item"):
        Planted.model_validate(TRUTH | other)


@pytest.mark.parametrize("cell", [(0.6, 0.3), (1.1, -0.1), (float("nan"), 0.5)])
def test_cells_that_are_no_distribution_are_refused(cell: tuple[float, float]) -> None:
    with pytest.raises(ValidationError, match="0 or more and sum to 1"):
        Planted.model_validate(TRUTH | {"values": (((0.7, 0.3), cell),)})


@pytest.mark.parametrize("caprice", [0.001, -0.2, float("nan")])
def test_risks_that_do_not_add_up_are_refused(caprice: float) -> None:
    with pytest.raises(ValidationError, match=r"prejudice_risk \+ caprice_risk"):
        Planted.model_validate(TRUTH | {"caprice_risk": caprice})
