"""What is refused at the door, and what the sentence says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import checked_preferences, normalised


def grid() -> np.ndarray:
    return np.full((2, 3, 2), 0.5)


def test_allowed_preferences_come_back_unchanged_as_float64() -> None:
    given_values = grid().astype(np.float32)
    given_values[1, 2] = [0.25, 0.75]
    checked = checked_preferences(given_values)
    assert checked.dtype == np.float64
    np.testing.assert_array_equal(checked, given_values)


def test_a_row_may_miss_one_by_a_millionth() -> None:
    values = grid()
    values[0, 0, 0] += 0.9e-6
    assert checked_preferences(values)[0, 0, 0] == 0.5 + 0.9e-6


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([0.5, 0.5 + 1.1e-6], "does not sum to 1"),
        ([0.4, 0.5], "does not sum to 1"),
        ([1.5, -0.5], "negative"),
        ([np.nan, 0.5], "not a number"),
        ([np.inf, 0.5], "not a number"),
    ],
)
def test_the_first_wrong_row_is_named_by_its_indices(row: list[float], reason: str) -> None:
    values = grid()
    values[1, 2] = values[1, 1] = row
    with pytest.raises(CriterionError, match=rf"preferences\[1\]\[1\] .*{reason}"):
        checked_preferences(values)


@pytest.mark.parametrize("shape", [(2,), (2, 2), (0, 3, 2), (2, 0, 2), (2, 3, 1), (1, 2, 3, 2)])
def test_a_wrong_shape_is_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(CriterionError, match=r"\[occupation\]\[template\]\[group\]"):
        checked_preferences(np.ones(shape))


def test_weights_are_divided_by_their_sum() -> None:
    np.testing.assert_allclose(normalised([1, 3, 0], 3, "template_weights"), [0.25, 0.75, 0])


@given(st.lists(st.floats(0, allow_infinity=False), min_size=1, max_size=8).filter(any))
def test_any_finite_weights_sum_to_one_and_keep_their_order(weights: list[float]) -> None:
    shares = normalised(weights, len(weights), "template_weights")
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(shares[np.argsort(weights)]) >= 0).all()


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, 2.0], "`template_weights` must be a list of 3 numbers"),
        ([[1.0, 2.0, 3.0]], "`template_weights` must be a list of 3 numbers"),
        ([0.0, 0.0, 0.0], "`template_weights` are all 0"),
        ([1.0, -2.0, 3.0], r"got -2 at `template_weights\[1\]`"),
        ([1.0, 2.0, np.nan], r"got nan at `template_weights\[2\]`"),
        ([np.inf, 2.0, 1.0], r"got inf at `template_weights\[0\]`"),
    ],
)
def test_weights_that_are_refused(weights: list[float], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        normalised(weights, 3, "template_weights")
