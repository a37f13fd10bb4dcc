"""J on paper, against its definition by loops, and what it refuses."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion, checked_preferences, normalised

NORMS = [1.0, 1.5, 2.0, 7.0, math.inf]
SCALES = ["pcf", "bvf"]
shares = st.integers(1, 1000).map(lambda whole: whole / 1000)


def rows(groups: int) -> st.SearchStrategy[np.ndarray]:
    """[group] probabilities above 0."""
    return arrays(np.float64, groups, elements=shares).map(lambda row: row / row.sum())


def test_pcf_scale_is_the_inner_product_of_equation_2() -> None:
    p = np.array([0.5, 0.3, 0.2])
    by_definition = [sum((1.0 if other == y else -1 / 2) * p[other] for other in range(3)) for y in range(3)]
    np.testing.assert_allclose(Criterion().stereotypes(p), by_definition, atol=1e-15)


def test_a_reference_that_is_not_uniform() -> None:
    p, reference = np.array([0.6, 0.4]), np.array([0.2, 0.8])
    np.testing.assert_allclose(Criterion(reference=reference).stereotypes(p), [0.5, -2])
    np.testing.assert_allclose(Criterion(scale="bvf", reference=reference).stereotypes(p), [2, -0.5])
    assert Criterion(reference=reference).J(p) == pytest.approx(0.5)


def test_absence_of_one_group_is_no_large_stereotype_of_the_others() -> None:
    # The authors' demo library takes the norm of |S| instead of S^+ and gets .25 here.
    p = np.array([0, 0.25, 0.25, 0.25, 0.25])
    assert Criterion().J(p) == pytest.approx(0.0625, abs=1e-15)
    assert Criterion(scale="bvf").J(p) == pytest.approx(0.25, abs=1e-15)
    assert Criterion(norm=1).J(p) == pytest.approx(0.25, abs=1e-15)
    assert Criterion(norm=2).J(p) == pytest.approx(0.125, abs=1e-15)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("norm", NORMS)
@given(p=rows(5), reference=rows(5))
def test_numpy_norm_of_the_positive_parts_agrees(
    norm: float, scale: Any, p: np.ndarray, reference: np.ndarray
) -> None:
    positive = [
        max((p[y] - reference[y]) / (1 - reference[y] if scale == "pcf" else reference[y]), 0)
        for y in range(5)
    ]
    expected = np.linalg.norm(positive, ord=norm)
    assert Criterion(norm, scale, reference).J(p) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(p=rows(4), norm=st.sampled_from(NORMS))
def test_bvf_scale_is_pcf_times_one_group_less(p: np.ndarray, norm: float) -> None:
    pcf, bvf = Criterion(norm), Criterion(norm, "bvf")
    np.testing.assert_allclose(bvf.stereotypes(p), 3 * pcf.stereotypes(p), atol=1e-14)
    assert bvf.J(p) == pytest.approx(3 * float(pcf.J(p)), abs=1e-13)


@given(p=rows(2), reference=rows(2), scale=st.sampled_from(SCALES))
def test_all_norms_agree_on_two_groups(p: np.ndarray, reference: np.ndarray, scale: Any) -> None:
    for neutral in (None, reference):
        largest = float(Criterion(scale=scale, reference=neutral).J(p))
        for norm in NORMS:
            assert float(Criterion(norm, scale, neutral).J(p)) == pytest.approx(largest, abs=1e-13)


@given(p=rows(6))
def test_a_larger_k_gives_no_larger_risk(p: np.ndarray) -> None:
    # PCF's appendix 8.2 says the opposite.
    risks = [float(Criterion(norm).J(p)) for norm in NORMS]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(risks))


@given(reference=rows(4))
def test_neutral_is_zero_and_certainty_is_the_maximum(reference: np.ndarray) -> None:
    pcf, bvf = Criterion(reference=reference), Criterion(scale="bvf", reference=reference)
    assert float(pcf.J(reference)) == float(bvf.J(reference)) == 0
    for group in range(4):
        certain = np.eye(4)[group]
        assert float(pcf.J(certain)) == pytest.approx(1)
        assert float(bvf.J(certain)) == pytest.approx(1 / reference[group] - 1)


@pytest.mark.parametrize("norm", NORMS)
def test_risk_is_not_negative_where_a_row_misses_one(norm: float) -> None:
    assert float(Criterion(norm).J(np.array([0.5 - 4e-7, 0.5 - 4e-7]))) == 0


def test_a_large_norm_does_not_underflow() -> None:
    p = np.array([1 / 3 + 1e-6, 1 / 3 + 1e-6, 1 / 3 - 2e-6])
    assert float(Criterion(norm=100).J(p)) == pytest.approx(1.5e-6 * 2 ** (1 / 100), rel=1e-6)


@pytest.mark.parametrize("norm", NORMS)
def test_a_reference_per_occupation_is_taken_occupation_by_occupation(norm: float) -> None:
    generator = np.random.default_rng(1)
    reference = generator.dirichlet([2, 2, 2], size=4)
    p = generator.dirichlet([1, 1, 1], size=(4, 5))
    criterion = Criterion(norm, "pcf", reference)
    assert criterion.stereotypes(p).shape == (4, 5, 3)
    assert criterion.J(p).shape == (4, 5)
    for x in range(4):
        alone = Criterion(norm, "pcf", reference[x])
        np.testing.assert_allclose(criterion.J(p)[x], alone.J(p[x]), atol=1e-15)
        np.testing.assert_allclose(criterion.stereotypes(p[:, 0])[x], alone.stereotypes(p[x, 0]))
        for t in range(5):
            assert float(alone.J(p[x, t])) == pytest.approx(float(criterion.J(p)[x, t]), abs=1e-15)


def test_the_reference_is_copied_and_read_only() -> None:
    given_reference = np.array([0.3, 0.7])
    criterion = Criterion(reference=given_reference)
    given_reference[:] = 0.5
    assert criterion.reference is not None
    np.testing.assert_array_equal(criterion.reference, [0.3, 0.7])
    with pytest.raises(ValueError, match="read-only"):
        criterion.reference[0] = 0.5


@pytest.mark.parametrize(
    ("p", "reference"),
    [
        (np.full((2, 3, 2), 0.5), np.full((3, 2), 0.5)),  # as many templates as rows
        (np.full((2, 2), 0.5), np.full((3, 2), 0.5)),
        (np.full(2, 0.5), np.full((1, 2), 0.5)),  # no occupation to choose a row by
        (np.full(2, 0.5), np.full((2, 2), 0.5)),  # as many groups as rows
        (np.full((2, 3, 2), 0.5), np.full(3, 1 / 3)),
        (np.full((2, 3, 3), 1 / 3), np.full((2, 2), 0.5)),
    ],
)
def test_preferences_that_do_not_fit_the_reference(p: np.ndarray, reference: np.ndarray) -> None:
    with pytest.raises(CriterionError, match="reference"):
        Criterion(reference=reference).J(p)


@pytest.mark.parametrize("shape", [(), (3, 1), (1, 1, 1, 2)])
def test_preferences_of_a_wrong_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(CriterionError, match="Preferences must be"):
        Criterion().stereotypes(np.ones(shape))


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ([0.5, 0.6], "The reference must hold .*got 0.5, 0.6"),
        ([0.0, 1.0], "The reference must hold"),
        ([np.nan, 0.5], "The reference must hold"),
        ([1.2, -0.2], "The reference must hold"),
        ([[0.5, 0.5], [0.3, 0.6]], "Row 1 of the reference"),
        ([1.0], "at least two groups"),
        ([[[0.5, 0.5]]], "got the shape"),
        ([], "got the shape"),
    ],
)
def test_references_that_are_refused(reference: list[Any], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        Criterion(reference=np.array(reference))


@pytest.mark.parametrize("norm", [0.5, 0, -1, math.nan])
def test_norms_that_are_refused(norm: float) -> None:
    with pytest.raises(CriterionError, match="at least 1"):
        Criterion(norm=norm)


def test_a_scale_that_is_refused() -> None:
    with pytest.raises(CriterionError, match="'pcf' or 'bvf'; got 'percent'"):
        Criterion(scale="percent")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "norm", "name"),
    [
        ("max", math.inf, "l∞, pcf scale, uniform reference"),
        ("l1", 1.0, "l1, pcf scale, uniform reference"),
        ("l2.5", 2.5, "l2.5, pcf scale, uniform reference"),
    ],
)
def test_a_criterion_is_read_and_named(text: str, norm: float, name: str) -> None:
    criterion = Criterion.parse(text)
    assert criterion.norm == norm
    assert criterion.name == name


def test_the_name_tells_references_apart() -> None:
    assert Criterion.parse("max", "bvf", np.array([0.3, 0.7])).name == "l∞, bvf scale, reference (0.3, 0.7)"
    assert Criterion(reference=np.full((4, 2), 0.5)).name == "l∞, pcf scale, a reference per occupation"


@pytest.mark.parametrize("text", ["", "l", "L2", "l-1", "l2 ", "l0.5", "lnan", "mean", "l٢"])
def test_criteria_that_cannot_be_read(text: str) -> None:
    with pytest.raises(CriterionError, match="at least 1"):
        Criterion.parse(text)


def test_max_is_written_linf_too() -> None:
    assert Criterion.parse("linf").norm == Criterion.parse("max").norm == math.inf


@given(
    st.lists(st.integers(-50, 49), min_size=2, max_size=5, unique=True).filter(
        lambda halves: max(halves) >= 0
    ),
    st.sampled_from([1.0, 1.5, 2.0, 5.0, math.inf]),
)
def test_the_gradient_is_the_slope_of_j_wherever_it_has_one(halves: list[int], norm: float) -> None:
    """Off its kinks: no value is 0 or like another."""
    criterion, s = Criterion(norm), (np.array(halves) + 0.5) / 50
    step = 1e-6 * np.eye(len(s))
    slope = (criterion.of_stereotypes(s + step) - criterion.of_stereotypes(s - step)) / 2e-6
    gradient = criterion.gradient(s)
    np.testing.assert_allclose(gradient, slope, atol=1e-4)
    assert gradient @ s == pytest.approx(criterion.of_stereotypes(s))


def test_where_nothing_is_above_neutral_the_gradient_is_0() -> None:
    """A worked example for l2: s = (0.6, 0.8, −1) has J = 1 and the gradient (0.6, 0.8, 0)."""
    rows = np.array([[0.6, 0.8, -1.0], [0.0, 0.0, 0.0], [-0.1, -0.2, -0.3]])
    np.testing.assert_allclose(Criterion(2.0).gradient(rows), [[0.6, 0.8, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(Criterion().gradient(rows), [[0, 1, 0], [0, 0, 0], [0, 0, 0]])


# What is refused at the door, and what the sentence says.


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
