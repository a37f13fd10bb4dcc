"""A measurement held against a truth: differences, the worst cell, and truths of other lists."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pcf_core.audit.case import held_against
from pcf_core.core.errors import RunError
from pcf_core.core.run import Preferences
from tests.show.findings.test_reliability import calibration

PLANTED = calibration().planted
MEASURED = Preferences(
    groups=("amber", "violet"),
    occupations=("lamp",),
    templates=("The [X] is [Y]", "The [X] was [Y]"),
    values=np.array([[[0.7, 0.3], [0.4, 0.6]]]),
    coverage=None,
)
WHEN = datetime(2026, 11, 3, tzinfo=UTC)
REPORT: Any = SimpleNamespace(overall_risk=0.3, prejudice_risk=0.1, caprice_risk=0.2)


def test_the_worst_cell_and_the_differences_by_hand() -> None:
    """0.5 was planted in the second context and 0.4 measured; R is 0.1 too high."""
    found = held_against(PLANTED, MEASURED, REPORT, WHEN, "1.2")
    assert found.largest == pytest.approx(0.1)
    assert (found.occupation, found.context) == ("lamp", "The [X] was [Y]")
    assert (found.written, found.version) == (WHEN, "1.2")
    assert found.differences == pytest.approx(
        {"overall_risk": 0.1, "prejudice_risk": -0.1, "caprice_risk": 0.2}
    )


@pytest.mark.parametrize(
    "other", [{"groups": ("violet", "amber")}, {"occupations": ("cup",)}, {"templates": ("a", "b")}]
)
def test_a_run_of_other_lists_is_refused(other: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(RunError, match="does not ask what was planted in planted-causal"):
        held_against(PLANTED, replace(MEASURED, **other), REPORT, WHEN, "")  # type: ignore[arg-type]
