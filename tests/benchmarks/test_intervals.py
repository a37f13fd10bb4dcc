"""The benchmark of the intervals measures what it says, and the intervals keep to their memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.intervals import UNITS, floor, preferences_and_counts, unit_named

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_units_are_those_of_a_mined_set() -> None:
    values, counts = preferences_and_counts(50, 3)
    np.testing.assert_allclose(values.sum(axis=-1), 1)
    assert [unit_named(name, counts).name for name in UNITS] == list(UNITS)
    effective = [unit_named(name, counts).effective for name in UNITS]
    assert effective == sorted(effective)


def test_the_floor_grows_with_the_groups() -> None:
    assert floor(100, 5)[1] > floor(100, 2)[1]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_intervals_of_a_large_run_stay_small(unit: str) -> None:
    """2,000 resamples of 120 × 2,000 × 2; a gigabyte is allowed, the time is for `make bench` to tell."""
    command = [sys.executable, "-m", "benchmarks.intervals", "--templates", "2000", "--unit", unit]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True)
    assert json.loads(answer.stdout)["megabytes"] < 400
