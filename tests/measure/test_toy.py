"""Examples that can be worked out by hand, and the same numbers computed another way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.toy import (
    criterion_curve,
    older_bias,
    older_deviation,
    simplex_risk,
    toy_risk,
    two_models,
)

share = st.floats(0, 1)


def test_a_worked_example_of_two_contexts() -> None:
    toy = toy_risk("nurse", ("male", "female"), ("a", "b"), [0.9, 0.35], [1, 1])
    assert toy.stereotypes[:, 0] == pytest.approx([0.8, -0.3])
    assert toy.risks == pytest.approx([0.8, 0.3])
    assert toy.mean_preference == pytest.approx([0.625, 0.375])
    assert toy.mean_stereotype == pytest.approx([0.25, -0.25])
    parts = (toy.overall_risk, toy.prejudice_risk, toy.caprice_risk, toy.stereotype_sd)
    assert parts == pytest.approx((0.55, 0.25, 0.3, 0.55))


def test_weights_move_the_mean() -> None:
    toy = toy_risk("nurse", ("male", "female"), ("a", "b"), [0.9, 0.35], [3, 1])
    assert toy.weights == pytest.approx([0.75, 0.25])
    assert toy.overall_risk == pytest.approx(0.75 * 0.8 + 0.25 * 0.3)
    assert toy.prejudice_risk == pytest.approx(0.75 * 0.8 - 0.25 * 0.3)


def test_the_doctor_with_blue_hair() -> None:
    """The example of the note: p = (0.6, 0.4), s = (0.2, −0.2), J = 0.2."""
    toy = toy_risk("doctor", ("blue", "pink"), ("c",), [0.6])
    assert toy.preferences[0] == pytest.approx([0.6, 0.4])
    assert toy.stereotypes[0] == pytest.approx([0.2, -0.2])
    assert toy.risks[0] == pytest.approx(0.2)


def test_the_two_models_of_the_papers() -> None:
    first, second = two_models()
    assert (older_bias(first), older_bias(second)) == pytest.approx((0.1, 0.0), abs=1e-12)
    assert (older_deviation(first), older_deviation(second)) == pytest.approx((0.2, 0.2))
    assert (first.overall_risk, first.prejudice_risk, first.caprice_risk) == pytest.approx((0.2, 0.2, 0.0))
    assert (second.overall_risk, second.prejudice_risk) == pytest.approx((0.2, 0.0), abs=1e-12)
    assert second.caprice_risk == pytest.approx(0.2)


@given(share, share, st.floats(0.01, 0.99))
def test_two_groups_by_the_closed_form(first: float, second: float, weight: float) -> None:
    """r = E|s|, r^p = |E s|, and the gap is twice the smaller of the two sides."""
    toy = toy_risk("x", ("a", "b"), ("1", "2"), [first, second], [weight, 1 - weight])
    s, w = 2 * np.array([first, second]) - 1, np.array([weight, 1 - weight])
    sides = w @ np.maximum(s, 0), w @ np.maximum(-s, 0)
    assert toy.overall_risk == pytest.approx(float(w @ np.abs(s)), abs=1e-9)
    assert toy.prejudice_risk == pytest.approx(abs(float(w @ s)), abs=1e-9)
    assert toy.caprice_risk == pytest.approx(2 * min(sides), abs=1e-9)
    assert toy.overall_risk == toy.prejudice_risk + toy.caprice_risk


@given(share)
def test_the_curve_is_a_v(first: float) -> None:
    curve = criterion_curve(steps=8)
    assert np.interp(2 * first - 1, curve[:, 0], curve[:, 1]) == pytest.approx(abs(2 * first - 1), abs=1e-12)


@pytest.mark.parametrize("name", ["max", "l2", "l1"])
def test_the_triangle_holds_every_preference_once(name: str) -> None:
    criterion = Criterion.parse(name)
    example = toy_risk("x", ("a", "b", "c"), ("1",), [[0.5, 0.3, 0.2]], None, criterion)
    found = simplex_risk(example, criterion, steps=10)
    assert found.risks.shape == (11, 21)
    for row, third in enumerate(found.up):
        for column, apart in enumerate(found.across):
            p = np.array([(1 - third - apart) / 2, (1 - third + apart) / 2, third])
            if abs(apart) > 1 - third + 1e-9:
                assert np.isnan(found.risks[row, column])
            else:
                s = np.maximum((3 * p - 1) / 2, 0)
                expected = s.max() if name == "max" else (s ** int(name[1])).sum() ** (1 / int(name[1]))
                assert found.risks[row, column] == pytest.approx(expected, abs=1e-9)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(CriterionError, match=r"2 contexts and 2 groups .* got the shape \[3, 2\]"):
        toy_risk("x", ("a", "b"), ("1", "2"), [0.1, 0.2, 0.3])
    with pytest.raises(CriterionError, match="3 groups; the example has 2"):
        simplex_risk(toy_risk("x", ("a", "b"), ("1",), [0.1]))
