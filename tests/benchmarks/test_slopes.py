"""The simulation of slopes shows what the templates' noise is worth."""

from __future__ import annotations

import numpy as np

from benchmarks.slopes import held


def test_intervals_that_take_risks_as_known_miss_what_all_occupations_share() -> None:
    (known, with_noise), (narrow, wide) = held("20 alike", 0.1, 0.05, 60, np.random.default_rng(0))
    assert known < 0.85 < with_noise
    assert narrow < wide
