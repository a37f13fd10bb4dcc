"""The reference models: closed forms, balanced designs that hit them, and random draws that approach them."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.reference_models import REFERENCE_MODELS, balanced, draw, reference_risks

RANDOM_MODELS = ["randomly stereotyped", "randomly initialised"]


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


def drawn(name: str, occupations: int, templates: int, groups: int) -> np.ndarray:
    return draw(name, occupations, templates, groups, np.random.default_rng(0))


@pytest.mark.parametrize("make", [drawn, balanced])
def test_unknown_names_and_too_few_groups_are_refused(make: Any) -> None:
    with pytest.raises(CriterionError, match="no reference model 'fair'; choose one of: unbiased, "):
        make("fair", 2, 4, 2)
    with pytest.raises(CriterionError, match="at least 2 groups; got 1"):
        make("unbiased", 2, 4, 1)


def test_what_else_is_refused() -> None:
    with pytest.raises(CriterionError, match="at least 2 groups"):
        reference_risks(1)
    for templates in (0, 4):
        with pytest.raises(CriterionError, match=f"multiple of 3 templates.*got {templates}"):
            balanced("unbiased", 1, templates, 3)
