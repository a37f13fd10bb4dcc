"""The simulation of tails follows the rule of the app, and the exponential keeps its error."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tails import KINDS, verdicts
from pcf_core.measure.tails import tail_shape


def test_the_simulation_says_what_the_app_says() -> None:
    """Both draw their critical values at random, so a sample near one of them may be told otherwise."""
    generator, told = np.random.default_rng(5), 0
    samples = np.concatenate([draw(generator, (6, 60)) for draw in KINDS.values()])
    found = verdicts(samples, generator, {})
    for sample, verdict in zip(samples, found.tolist(), strict=True):
        said = tail_shape(sample, resamples=299).verdict
        told += verdict == (1 if said.startswith("heavier") else -1 if said.startswith("lighter") else 0)
    assert told >= len(samples) - 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [30, 120])
def test_few_exponential_tails_are_convicted(size: int) -> None:
    generator = np.random.default_rng(1)
    found = verdicts(KINDS["exponential"](generator, (1000, size)), generator, {})
    assert 0.035 <= np.mean(found != 0) <= 0.085
