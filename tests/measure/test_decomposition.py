"""Prejudice and caprice: worked examples, properties, and the definitions by loops."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total

NORMS = [1.0, 2.0, math.inf]
SCALES = ["pcf", "bvf"]
parts = st.integers(0, 1000).map(lambda whole: whole / 1000)


@st.composite
def grids(draw: st.DrawFn, groups: st.SearchStrategy[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Preferences [occupation, template, group] and template weights, some of them 0."""
    shape = (
        draw(st.integers(1, 3)),
        draw(st.integers(1, 6)),
        draw(st.integers(2, 5) if groups is None else groups),
    )
    values = draw(arrays(np.float64, shape, elements=parts))
    values[values.sum(axis=-1) == 0] = 1
    weights = draw(arrays(np.float64, shape[1], elements=parts).filter(np.any))
    return values / values.sum(axis=-1, keepdims=True), weights


def two_groups(male: Any) -> np.ndarray:
    """[occupation, template] preferences for the first group -> [occupation, template, 2]."""
    male = np.asarray(male, dtype=np.float64)
    return np.stack([male, 1 - male], axis=-1)


@pytest.mark.parametrize(
    ("male", "risks"), [((0.6, 0.6, 0.6), (0.2, 0.2, 0.0)), ((0.5, 0.35, 0.65), (0.2, 0.0, 0.2))]
)
def test_the_papers_two_models_have_the_same_risk_for_opposite_reasons(
    male: tuple[float, ...], risks: tuple[float, ...]
) -> None:
    found = decompose(two_groups([male]), np.ones(3), Criterion())
    assert (found.overall[0], found.prejudice[0], found.caprice[0]) == pytest.approx(risks, abs=1e-15)


def test_the_demo_of_the_papers_repository() -> None:
    # Figures of its compute_risk.py (EmpathYang/Prejudice-Volatility-Framework): 4 occupations × 4 contexts.
    male = [
        [0.58, 0.47, 0.34, 0.57],
        [0.47, 0.47, 0.93, 0.90],
        [0.70, 0.19, 0.58, 0.44],
        [0.33, 0.61, 0.43, 0.44],
    ]
    found = decompose(two_groups(male), [0.4, 0.3, 0.2, 0.1], Criterion())
    np.testing.assert_allclose(found.overall, [0.16, 0.294, 0.39, 0.242], atol=1e-12)
    np.testing.assert_allclose(found.prejudice, [0.004, 0.21, 0.006, 0.11], atol=1e-12)
    risks = total(found, [0.45, 0.35, 0.15, 0.05])
    assert risks.overall_risk == pytest.approx(0.2455, abs=1e-12)
    assert risks.prejudice_risk == pytest.approx(0.0817, abs=1e-12)
    assert risks.caprice_risk == pytest.approx(0.1638, abs=1e-12)


def test_caprice_is_blind_to_spread_without_a_change_of_sign_and_the_sd_is_not() -> None:
    found = decompose(two_groups([[0.55, 0.95]]), [1, 1], Criterion())
    assert found.caprice[0] == 0
    assert found.overall[0] == pytest.approx(0.5)
    assert found.stereotype_sd[0] == pytest.approx(0.4)


@given(
    male=arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 40)), elements=st.floats(0, 1)),
    share=st.floats(0.01, 0.99),
    seed=st.integers(0, 2**32 - 1),
)
def test_caprice_is_exactly_zero_where_the_stereotype_keeps_its_sign(
    male: np.ndarray, share: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).pareto(1, male.shape[1]) + 0.01
    for scale in SCALES:
        criterion = Criterion(scale=scale, reference=np.array([share, 1 - share]))  # type: ignore[arg-type]
        above = two_groups(share + (1 - share) * male)
        below = two_groups(share * male)
        assert (decompose(above, weights, criterion).caprice == 0).all()
        assert (decompose(below, weights, criterion).caprice == 0).all()


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("norm", NORMS)
@given(grid=grids(), uniform=st.booleans())
def test_loops_over_the_definitions_agree(
    norm: float, scale: Any, grid: tuple[np.ndarray, np.ndarray], uniform: bool
) -> None:
    values, weights = grid
    groups = values.shape[2]
    neutral = [1 / groups] * groups if uniform else [y + 1 for y in range(groups)]
    neutral = [share / sum(neutral) for share in neutral]

    def risk(p: list[float]) -> float:
        s = [
            (p[y] - neutral[y]) / ((1 - neutral[y]) if scale == "pcf" else neutral[y]) for y in range(groups)
        ]
        positive = [max(value, 0.0) for value in s]
        return max(positive) if math.isinf(norm) else math.fsum(v**norm for v in positive) ** (1 / norm)

    found = decompose(values, weights, Criterion(norm, scale, None if uniform else np.array(neutral)))
    shares = [weight / math.fsum(weights) for weight in weights]
    for x, row in enumerate(values.tolist()):
        overall = math.fsum(w * risk(p) for w, p in zip(shares, row, strict=True))
        mean = [math.fsum(w * p[y] for w, p in zip(shares, row, strict=True)) for y in range(groups)]
        assert found.overall[x] == pytest.approx(overall, abs=1e-11)
        assert found.prejudice[x] == pytest.approx(risk(mean), abs=1e-11)
        assert found.caprice[x] == pytest.approx(overall - risk(mean), abs=1e-11)
        np.testing.assert_allclose(found.mean_preferences[x], mean, atol=1e-12)


@given(grid=grids(), norm=st.sampled_from(NORMS), scale=st.sampled_from(SCALES))
def test_identity_is_exact_and_no_part_is_negative(
    grid: tuple[np.ndarray, np.ndarray], norm: float, scale: Any
) -> None:
    found = decompose(*grid, Criterion(norm, scale))
    assert (found.overall == found.prejudice + found.caprice).all()
    assert (found.caprice >= 0).all()
    assert (found.prejudice >= 0).all()
    risks = total(found, np.arange(1, len(found.overall) + 1))
    assert risks.overall_risk == risks.prejudice_risk + risks.caprice_risk


@given(grid=grids(), norm=st.sampled_from(NORMS), seed=st.integers(0, 1000))
def test_the_order_of_groups_does_not_matter(
    grid: tuple[np.ndarray, np.ndarray], norm: float, seed: int
) -> None:
    values, weights = grid
    reference = np.arange(1, values.shape[2] + 1) / np.arange(1, values.shape[2] + 1).sum()
    order = np.random.default_rng(seed).permutation(values.shape[2])
    found = decompose(values, weights, Criterion(norm, "pcf", reference))
    other = decompose(values[..., order], weights, Criterion(norm, "pcf", reference[order]))
    np.testing.assert_allclose(other.overall, found.overall, atol=1e-12)
    np.testing.assert_allclose(other.prejudice, found.prejudice, atol=1e-12)
    np.testing.assert_allclose(other.stereotype, found.stereotype[:, order], atol=1e-12)


@given(grid=grids(), factor=st.floats(1e-6, 1e6))
def test_a_template_twice_is_a_template_of_twice_the_weight(
    grid: tuple[np.ndarray, np.ndarray], factor: float
) -> None:
    values, weights = grid
    twice = decompose(
        np.concatenate([values, values[:, :1]], axis=1), np.append(weights, weights[0]), Criterion()
    )
    heavier = decompose(values, np.where(np.arange(len(weights)) == 0, 2, 1) * weights, Criterion())
    scaled = decompose(values, factor * weights, Criterion())
    plain = decompose(values, weights, Criterion())
    for name in ("overall", "prejudice", "stereotype_sd", "stereotype", "mean_preferences"):
        np.testing.assert_allclose(getattr(twice, name), getattr(heavier, name), atol=1e-7, rtol=0)
        np.testing.assert_allclose(getattr(scaled, name), getattr(plain, name), atol=1e-7, rtol=0)


@given(grid=grids(st.just(2)), norm=st.sampled_from(NORMS))
def test_two_groups_have_a_closed_form(grid: tuple[np.ndarray, np.ndarray], norm: float) -> None:
    values, weights = grid
    found = decompose(values, weights, Criterion(norm))
    s = values[..., 0] - values[..., 1]
    share = weights / weights.sum()
    np.testing.assert_allclose(found.overall, np.abs(s) @ share, atol=1e-12)
    np.testing.assert_allclose(found.prejudice, np.abs(s @ share), atol=1e-12)
    caprice = 2 * np.minimum(np.maximum(s, 0) @ share, np.maximum(-s, 0) @ share)
    np.testing.assert_allclose(found.caprice, caprice, atol=3e-12)


@given(grid=grids(), norm=st.sampled_from(NORMS))
def test_bvf_scale_is_pcf_times_one_group_less(grid: tuple[np.ndarray, np.ndarray], norm: float) -> None:
    values, weights = grid
    pcf, bvf = (decompose(values, weights, Criterion(norm, scale)) for scale in ("pcf", "bvf"))
    for name in ("overall", "prejudice", "stereotype", "stereotype_sd"):
        factor = values.shape[2] - 1
        np.testing.assert_allclose(getattr(bvf, name), factor * getattr(pcf, name), atol=1e-7)


@given(grid=grids(), uniform=st.booleans())
def test_the_sd_is_that_of_the_first_of_two_groups_else_of_the_leading_one(
    grid: tuple[np.ndarray, np.ndarray], uniform: bool
) -> None:
    values, weights = grid
    shares = np.arange(1, values.shape[2] + 1) / np.arange(1, values.shape[2] + 1).sum()
    criterion = Criterion(reference=None if uniform else shares)
    found = decompose(values, weights, criterion)
    for x in range(len(values)):
        shown = 0 if values.shape[2] == 2 else int(np.argmax(found.stereotype[x]))
        s = criterion.stereotypes(values[x])[:, shown]
        variance = np.atleast_1d(np.cov(s, aweights=weights, ddof=0)).item()
        assert found.stereotype_sd[x] == pytest.approx(math.sqrt(max(variance, 0)), abs=1e-7)


def test_a_reference_per_occupation_reaches_its_occupation() -> None:
    values = two_groups([[0.9, 0.9], [0.9, 0.9]])
    found = decompose(values, [1, 1], Criterion(reference=np.array([[0.9, 0.1], [0.5, 0.5]])))
    np.testing.assert_allclose(found.overall, [0, 0.8], atol=1e-15)


def test_scores_in_float32_are_summed_in_float64() -> None:
    values = np.random.default_rng(0).dirichlet([1, 1], size=(2, 5000)).astype(np.float32)
    found = decompose(values, np.ones(5000), Criterion())
    expected = [math.fsum(abs(2 * float(p) - 1) for p in row[:, 0]) / 5000 for row in values]
    np.testing.assert_allclose(found.overall, expected, atol=1e-7)
    assert found.overall.dtype == np.float64


def test_total_weighs_occupations() -> None:
    found = decompose(two_groups([[0.6], [0.9]]), [1], Criterion())
    assert total(found, [3, 1]).overall_risk == pytest.approx(0.35)
    assert total(found, [0, 5]).prejudice_risk == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"template_weights": [1, -1]}, "`template_weights` must be finite"),
        ({"template_weights": [0, 0]}, "`template_weights` are all 0"),
        ({"template_weights": [1, 1, 1]}, "`template_weights` must be a list of 2"),
        ({"values": np.full((1, 2, 2), 0.4)}, r"preferences\[0\]\[0\]"),
        ({"criterion": Criterion(reference=np.full((2, 2), 0.5))}, "2 occupations"),
    ],
)
def test_what_decompose_refuses(change: dict[str, Any], sentence: str) -> None:
    allowed: dict[str, Any] = {
        "values": np.full((1, 2, 2), 0.5),
        "template_weights": [1, 1],
        "criterion": Criterion(),
    }
    with pytest.raises(CriterionError, match=sentence):
        decompose(**(allowed | change))


@pytest.mark.parametrize("weights", [[1], [1, np.nan], [0, 0], [-1, 2]])
def test_what_total_refuses(weights: list[float]) -> None:
    found = decompose(np.full((2, 1, 2), 0.5), [1], Criterion())
    with pytest.raises(CriterionError, match="occupation_weights"):
        total(found, weights)
