"""Intervals of R alone: by hand, and the same as beside those of prejudice and caprice, whatever is drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.bootstrap import risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit


def test_two_templates_by_hand() -> None:
    """Stereotypes 0.2 and 0.6, drawn twice with replacement: R is 0.2, 0.4 or 0.6, a quarter, half, quarter.

    Of two, Student's factor is √2 · 12.7 / 1.96 = 9.2: nothing is excluded.  A single occupation is no other
    one.
    """
    values = [[[0.6, 0.4], [0.8, 0.2]]]
    found = risk_intervals(values, TemplateUnit.templates([1, 1]), [1], Criterion(), brief=True)
    ends = {interval.over: (interval.low, interval.high) for interval in found.intervals["overall_risk"]}
    assert ends["templates"] == ends["both"] == (0, 1)
    assert ends["occupations"] == pytest.approx((0.4, 0.4))
    assert (list(found.intervals), found.occupations) == (["overall_risk"], {})


@given(
    seed=st.integers(0, 10_000),
    shape=st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(2, 4)),
    norm=st.sampled_from([1.0, 2.0, math.inf]),
    documents=st.booleans(),
    level=st.sampled_from([0.8, 0.95]),
)
def test_the_same_as_beside_prejudice_and_caprice(
    seed: int, shape: tuple[int, int, int], norm: float, documents: bool, level: float
) -> None:
    generator = np.random.default_rng(seed)
    occupations, templates, groups = shape
    values = generator.dirichlet(np.ones(groups), size=(occupations, templates))
    counts = generator.integers(0, 9, templates) * 1.0
    counts[0] = 3
    unit = TemplateUnit.documents(counts, counts) if documents else TemplateUnit.templates(counts)
    shares, criterion = generator.pareto(1, occupations) + 0.1, Criterion(norm)
    short, whole = (
        risk_intervals(values, unit, shares, criterion, resamples=60, level=level, seed=seed, brief=brief)
        for brief in (True, False)
    )
    for one, other in zip(short.intervals["overall_risk"], whole.intervals["overall_risk"], strict=True):
        assert (one.over, one.unit, one.level) == (other.over, other.unit, other.level)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert short.correction is not None
    assert whole.correction is not None
    np.testing.assert_array_equal(short.correction.prejudice, whole.correction.prejudice)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"values": [[[0.6, 0.6]]]}, "sum"),
        ({"occupation_weights": [0]}, "occupation_weights"),
        ({"resamples": 0}, "at least 1 resample"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change: dict[str, Any], said: str) -> None:
    usual = {"values": [[[0.6, 0.4]]], "unit": TemplateUnit.templates([1]), "occupation_weights": [1]}
    with pytest.raises(CriterionError, match=said):
        risk_intervals(**(usual | {"criterion": Criterion(), "brief": True} | change))
