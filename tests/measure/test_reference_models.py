"""The reference models: closed forms, balanced designs that hit them, and random draws that approach them."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.reference_models import (
    REFERENCE_MODELS,
    criterion_curve,
    draw,
    older_bias,
    older_deviation,
    reference_risks,
    simplex_risk,
    toy_risk,
    two_models,
)

RANDOM_MODELS = ["randomly stereotyped", "randomly initialised"]


def balanced(name: str, occupations: int, templates: int, groups: int) -> np.ndarray:
    """Preferences [occupation, template, group] with a model's closed form exactly, at equal weights.

    The templates are a multiple of the groups.  The two random models take one row and let the groups change
    places from template to template, so that the mean is neutral: one certain group for the randomly
    stereotyped, and for the randomly initialised the expected sizes of the parts of a broken stick in order
    of size (two groups: ¾ and ¼), whose largest is H_n/n (l∞ norm).
    """
    rotation = (np.arange(groups) - np.arange(templates)[:, np.newaxis]) % groups
    rows = {
        "unbiased": np.full((templates, groups), 1 / groups),
        "stereotyped": np.tile(np.eye(groups)[0], (templates, 1)),
        "randomly stereotyped": np.eye(groups)[0][rotation],
        "randomly initialised": (np.cumsum(1 / np.arange(groups, 0, -1)) / groups)[rotation],
    }[name]
    return np.tile(rows, (occupations, 1, 1))


def risks_of(values: np.ndarray, criterion: Criterion) -> tuple[float, float, float]:
    risks = total(decompose(values, np.ones(values.shape[1]), criterion), np.arange(1, len(values) + 1))
    return risks.overall_risk, risks.prejudice_risk, risks.caprice_risk


def expected(name: str, groups: int, scale: Any) -> tuple[float, float, float]:
    risks = reference_risks(groups, scale)[name]
    return risks.overall_risk, risks.prejudice_risk, risks.caprice_risk


def test_two_groups_have_the_papers_values_on_both_scales() -> None:
    for scale in ("pcf", "bvf"):
        found = [expected(name, 2, scale) for name in REFERENCE_MODELS]
        assert found == [(0, 0, 0), (1, 1, 0), (1, 0, 1), (0.5, 0, 0.5)]


def test_five_groups_have_the_harmonic_value() -> None:
    assert expected("randomly initialised", 5, "pcf") == pytest.approx((0.3208, 0, 0.3208), abs=5e-5)
    assert expected("randomly initialised", 5, "bvf") == pytest.approx((1.283, 0, 1.283), abs=5e-4)
    assert expected("stereotyped", 5, "bvf") == (4, 4, 0)
    assert expected("randomly stereotyped", 5, "bvf") == (4, 0, 4)


@pytest.mark.parametrize("scale", ["pcf", "bvf"])
@pytest.mark.parametrize("groups", [2, 3, 5, 7])
@pytest.mark.parametrize("name", REFERENCE_MODELS)
def test_a_balanced_design_has_the_closed_form(name: str, groups: int, scale: Any) -> None:
    values = balanced(name, 3, 4 * groups, groups)
    assert values.shape == (3, 4 * groups, groups)
    assert risks_of(values, Criterion(scale=scale)) == pytest.approx(expected(name, groups, scale), abs=1e-12)


@pytest.mark.parametrize("name", REFERENCE_MODELS[:3])
def test_all_but_the_last_have_it_in_every_norm(name: str) -> None:
    for norm in (1.0, 2.0):
        found = risks_of(balanced(name, 2, 10, 5), Criterion(norm))
        assert found == pytest.approx(expected(name, 5, "pcf"), abs=1e-12)


@pytest.mark.parametrize("name", REFERENCE_MODELS)
def test_draws_are_probabilities_and_repeatable(name: str) -> None:
    first, second, other = (draw(name, 4, 6, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.shape == (4, 6, 3)
    np.testing.assert_allclose(first.sum(axis=-1), 1)
    np.testing.assert_array_equal(first, second)
    assert name == "unbiased" or not np.array_equal(first, other)


@pytest.mark.parametrize("groups", [2, 5])
@pytest.mark.parametrize("name", ["unbiased", "stereotyped"])
def test_draws_without_caprice_are_exact(name: str, groups: int) -> None:
    values = draw(name, 50, 7, groups, np.random.default_rng(0))
    assert risks_of(values, Criterion()) == pytest.approx(expected(name, groups, "pcf"), abs=1e-12)


@pytest.mark.parametrize("scale", ["pcf", "bvf"])
@pytest.mark.parametrize("groups", [2, 3, 5])
@pytest.mark.parametrize("name", RANDOM_MODELS)
def test_overall_risk_of_draws_is_within_four_standard_errors(name: str, groups: int, scale: Any) -> None:
    values = draw(name, 400, 50, groups, np.random.default_rng(groups))
    overall = decompose(values, np.ones(50), Criterion(scale=scale)).overall
    error = overall.std(ddof=1) / math.sqrt(len(overall))
    assert abs(overall.mean() - expected(name, groups, scale)[0]) <= 4 * error + 1e-12


@pytest.mark.parametrize("templates", [2, 10, 100])
def test_prejudice_of_random_stereotypes_is_that_of_a_random_walk(templates: int) -> None:
    # |Y| = 2, T even: r_x^p is |sum of T signs| / T, and E of it is C(T, T/2) / 2^T.
    values = draw("randomly stereotyped", 4000, templates, 2, np.random.default_rng(templates))
    found = decompose(values, np.ones(templates), Criterion())
    walk = math.comb(templates, templates // 2) / 2**templates
    for risk, closed in ((found.prejudice, walk), (found.caprice, 1 - walk)):
        assert abs(risk.mean() - closed) <= 4 * risk.std(ddof=1) / math.sqrt(len(risk))


@pytest.mark.parametrize("groups", [2, 5])
@pytest.mark.parametrize("name", RANDOM_MODELS)
def test_draws_converge_to_the_closed_form_as_templates_are_added(name: str, groups: int) -> None:
    generator = np.random.default_rng(7)
    closed = np.array(expected(name, groups, "pcf"))
    distances = []
    for templates in (8, 128, 2048):
        found = np.array(risks_of(draw(name, 300, templates, groups, generator), Criterion()))
        distances.append(np.abs(found - closed)[1:])
    # Sixteen times the templates: a quarter of the distance, up to the noise of 300 occupations.
    for farther, nearer in pairwise(distances):
        np.testing.assert_allclose(nearer, farther / 4, rtol=0.3)
    assert distances[-1].max() < 0.02


def test_unknown_names_and_too_few_groups_are_refused() -> None:
    generator = np.random.default_rng(0)
    with pytest.raises(CriterionError, match="no reference model 'fair'; choose one of: unbiased, "):
        draw("fair", 2, 4, 2, generator)
    for make in (lambda: draw("unbiased", 2, 4, 1, generator), lambda: reference_risks(1)):
        with pytest.raises(CriterionError, match="at least 2 groups; got 1"):
            make()


# Examples that can be worked out by hand, and the same numbers computed another way.


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
