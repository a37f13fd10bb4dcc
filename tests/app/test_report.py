"""What the page Report says before it writes one."""

from __future__ import annotations

import pytest

from pcf_core.app.report import expected_seconds


@pytest.mark.parametrize(
    ("runs", "cells", "least", "most"),
    [(1, 12_000, 1.4, 2.0), (2, 24_000, 2.2, 2.9), (12, 19_512, 5.6, 7.4), (2, 480_000, 3.6, 5.4)],
)
def test_the_time_that_is_said_is_near_what_was_measured(
    runs: int, cells: int, least: float, most: float
) -> None:
    """Many small runs take longer than one that has as many cells."""
    assert least <= expected_seconds(runs, cells) <= most
