"""The template bootstrap against loops, scipy and normal theory; who is drawn, and what is refused."""

import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from pcf_core.errors import CriterionError
from pcf_core.risk import Criterion, decompose, total
from pcf_core.stats import (
    bootstrap,
    effective_number,
    preference_difference,
    rough,
    template_bootstrap,
)

QUANTITIES = ("overall_risk", "prejudice_risk", "caprice_risk")


def grid(occupations: int = 3, templates: int = 12, groups: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Preferences and unequal template weights."""
    generator = np.random.default_rng(5)
    values = generator.dirichlet(np.arange(1, groups + 1), size=(occupations, templates))
    return values, generator.pareto(1, templates) + 0.1


def bounds(result: bootstrap.RiskIntervals, quantity: str) -> tuple[float, float]:
    return result.intervals[quantity].low, result.intervals[quantity].high


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("scale", ["pcf", "bvf"])
def test_loops_over_the_same_draws_agree(norm: float, scale: Any) -> None:
    values, weights = grid()
    occupation_weights = [1, 2, 3]
    criterion = Criterion(norm, scale, np.array([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]]))
    found = template_bootstrap(
        values, weights, occupation_weights, criterion, resamples=60, level=0.8, seed=3
    )
    draws = np.random.default_rng(3).integers(12, size=(60, 12))
    totals, occupations = [], []
    for draw in draws:
        parts = decompose(values[:, draw], weights[draw], criterion)
        risks = total(parts, occupation_weights)
        totals.append((risks.overall_risk, risks.prejudice_risk, risks.caprice_risk))
        occupations.append((parts.overall, parts.prejudice, parts.caprice))
    for index, quantity in enumerate(QUANTITIES):
        low, high = np.percentile([row[index] for row in totals], [10, 90])
        assert bounds(found, quantity) == pytest.approx((low, high), abs=1e-12)
        expected = np.percentile([row[index] for row in occupations], [10, 90], axis=0).T
        np.testing.assert_allclose(found.occupations[quantity], expected, atol=1e-12)


def test_scipy_finds_the_same_intervals() -> None:
    values, weights = grid(templates=25)

    def risk(drawn: np.ndarray) -> tuple[float, float, float]:
        risks = total(decompose(values[:, drawn], weights[drawn], Criterion()), [1, 1, 1])
        return risks.overall_risk, risks.prejudice_risk, risks.caprice_risk

    other = scipy_stats.bootstrap(
        (np.arange(25),), risk, n_resamples=3000, vectorized=False, method="percentile", rng=1
    ).confidence_interval
    found = template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=20_000)
    for index, quantity in enumerate(QUANTITIES):
        low, high = bounds(found, quantity)
        assert (other.low[index], other.high[index]) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_far_from_a_change_of_sign_the_interval_is_that_of_a_mean() -> None:
    male = np.random.default_rng(2).uniform(0.7, 0.9, size=400)
    values = np.stack([male, 1 - male], axis=-1)[np.newaxis]
    low, high = bounds(template_bootstrap(values, np.ones(400), [1], Criterion()), "prejudice_risk")
    s = 2 * male - 1
    half = 1.96 * s.std() / math.sqrt(400)
    assert (low, high) == pytest.approx((s.mean() - half, s.mean() + half), abs=0.1 * half)


def test_parts_of_an_interval_are_ordered_and_described() -> None:
    values, weights = grid()
    found = template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=200, level=0.9)
    assert set(found.intervals) == set(found.occupations) == set(QUANTITIES)
    for quantity in QUANTITIES:
        interval = found.intervals[quantity]
        assert (interval.over, interval.unit, interval.level) == ("templates", "template", 0.9)
        assert 0 <= interval.low <= interval.high
        assert found.occupations[quantity].shape == (3, 2)
        assert (found.occupations[quantity][:, 0] <= found.occupations[quantity][:, 1]).all()


def test_one_occupation_has_the_interval_of_the_whole() -> None:
    values, weights = grid(occupations=1)
    found = template_bootstrap(values, weights, [4], Criterion(), resamples=100)
    for quantity in QUANTITIES:
        np.testing.assert_allclose(found.occupations[quantity][0], bounds(found, quantity), atol=1e-15)


def test_caprice_has_no_interval_where_no_stereotype_changes_its_sign() -> None:
    male = np.random.default_rng(0).uniform(0.5, 1, size=(4, 30))
    values = np.stack([male, 1 - male], axis=-1)
    found = template_bootstrap(values, np.ones(30), np.ones(4), Criterion(), resamples=300)
    assert bounds(found, "caprice_risk") == (0, 0)
    assert (found.occupations["caprice_risk"] == 0).all()
    assert bounds(found, "overall_risk") == bounds(found, "prejudice_risk")


def test_a_template_without_weight_is_not_drawn() -> None:
    values, weights = grid()
    more = np.concatenate([values[:, :2], values], axis=1)
    found = template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=50)
    other = template_bootstrap(more, np.append([0, 0], weights), [1, 1, 1], Criterion(), resamples=50)
    for quantity in QUANTITIES:
        assert bounds(other, quantity) == pytest.approx(bounds(found, quantity), abs=1e-12)


def test_a_single_weighted_template_gives_its_own_value() -> None:
    values, _ = grid()
    only = np.eye(12)[4]
    found = template_bootstrap(values, only, [1, 1, 1], Criterion(), resamples=20)
    risk = total(decompose(values, only, Criterion()), [1, 1, 1]).overall_risk
    assert bounds(found, "overall_risk") == pytest.approx((risk, risk), abs=1e-12)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values, weights = grid()
    whole = template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=101)
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", 12 * 7)
    cut = template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=101)
    for quantity in QUANTITIES:
        assert bounds(cut, quantity) == pytest.approx(bounds(whole, quantity), abs=1e-14)


def test_the_seed_decides() -> None:
    values, weights = grid()
    first, again, other = (
        template_bootstrap(values, weights, [1, 1, 1], Criterion(), resamples=50, seed=seed)
        for seed in (0, 0, 1)
    )
    assert first.intervals == again.intervals
    assert first.intervals != other.intervals


def test_draws_are_multinomial_and_carry_their_weight() -> None:
    weights = np.array([1.0, 2.0, 5.0])
    (block,) = bootstrap.resampled_weights(weights, 20_000, 0)
    np.testing.assert_allclose(block.sum(axis=1), 1)
    relative = block / weights
    counts = 3 * relative / relative.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    # Each count is binomial(3, 1/3): mean 1, variance 2/3, and any two have the covariance -1/3.
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=4 * math.sqrt(2 / 3 / 20_000))
    np.testing.assert_allclose(np.cov(counts.T), np.eye(3) - 1 / 3, atol=0.03)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"resamples": 0}, "at least 1 resample; got 0"),
        ({"level": 1.0}, "between 0 and 1; got 1"),
        ({"level": 95.0}, "between 0 and 1; got 95"),
        ({"template_weights": np.zeros(12)}, "`template_weights` are all 0"),
        ({"occupation_weights": [1, 1]}, "`occupation_weights` must be a list of 3"),
        ({"values": np.ones((3, 12, 3))}, r"preferences\[0\]\[0\]"),
        ({"criterion": Criterion(reference=np.array([0.5, 0.5]))}, "2 groups"),
    ],
)
def test_what_the_bootstrap_refuses(change: dict[str, Any], sentence: str) -> None:
    values, weights = grid()
    allowed: dict[str, Any] = {
        "values": values,
        "template_weights": weights,
        "occupation_weights": [1, 1, 1],
        "criterion": Criterion(),
        "resamples": 10,
    }
    with pytest.raises(CriterionError, match=sentence):
        template_bootstrap(**(allowed | change))


def test_difference_of_two_occupations_by_loops() -> None:
    values, weights = grid()
    estimate, interval = preference_difference(values, weights, 2, 0, 1, resamples=80, level=0.9, seed=4)
    means = [np.average(values[x, :, 1], weights=weights) for x in (2, 0)]
    assert estimate == pytest.approx(means[0] - means[1], abs=1e-12)
    replicates = [
        np.average(values[2, draw, 1] - values[0, draw, 1], weights=weights[draw])
        for draw in np.random.default_rng(4).integers(12, size=(80, 12))
    ]
    assert (interval.low, interval.high) == pytest.approx(
        tuple(np.percentile(replicates, [5, 95])), abs=1e-12
    )
    assert (interval.level, interval.over, interval.unit) == (0.9, "templates", "template")


def test_difference_changes_its_sign_with_the_order() -> None:
    values, weights = grid()
    forward, there = preference_difference(values, weights, 0, 1, 2, resamples=100)
    backward, back = preference_difference(values, weights, 1, 0, 2, resamples=100)
    assert backward == -forward
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-15)


def test_difference_is_paired_over_templates() -> None:
    # Both occupations move together by far more than they differ: the pairing takes the movement out.
    engineer = np.random.default_rng(0).uniform(0.2, 0.9, size=10)
    male = np.stack([engineer - 0.05, engineer])
    values = np.stack([male, 1 - male], axis=-1)
    estimate, interval = preference_difference(values, np.ones(10), 0, 1, 0)
    assert (estimate, interval.low, interval.high) == pytest.approx((-0.05, -0.05, -0.05), abs=1e-12)


def test_difference_does_not_draw_templates_without_weight() -> None:
    values, weights = grid()
    values = np.concatenate([values, values[:, :1]], axis=1)
    expected = preference_difference(values[:, :12], weights, 0, 1, 0, resamples=50)
    found = preference_difference(values, np.append(weights, 0), 0, 1, 0, resamples=50)
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert (found[1].low, found[1].high) == pytest.approx((expected[1].low, expected[1].high), abs=1e-12)


@pytest.mark.parametrize(
    ("positions", "sentence"),
    [
        ((3, 0, 0), "first occupation must be a position from 0 to 2; got 3"),
        ((0, -1, 0), "second occupation must be a position from 0 to 2; got -1"),
        ((0, 1, 3), "group must be a position from 0 to 2; got 3"),
    ],
)
def test_positions_that_are_refused(positions: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        preference_difference(*grid(), *positions)


def test_effective_number_of_the_papers_ten_templates() -> None:
    # Shares of the ten gender templates: the first two carry most of the mass.
    shares = [0.420, 0.168, 0.126, 0.086, 0.048, 0.035, 0.035, 0.034, 0.028, 0.021]
    assert effective_number(shares) == pytest.approx(4.2, abs=0.1)


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=20), st.floats(0.01, 100))
def test_effective_number_is_between_one_and_all(weights: list[float], factor: float) -> None:
    number = effective_number(weights)
    by_loop = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    assert number == pytest.approx(by_loop)
    assert 1 - 1e-9 <= number <= len(weights) + 1e-9
    assert effective_number([factor * weight for weight in weights]) == pytest.approx(number)


def test_effective_number_of_equal_and_of_no_weights() -> None:
    assert effective_number(np.ones(7)) == pytest.approx(7)
    assert effective_number([3, 3, 0]) == pytest.approx(2)
    with pytest.raises(CriterionError, match="all 0"):
        effective_number([0, 0])
    with pytest.raises(CriterionError, match="all 0"):
        effective_number([])


def test_fewer_than_ten_effective_templates_are_rough() -> None:
    assert rough(9.99)
    assert not rough(10)


@pytest.mark.slow
def test_two_thousand_resamples_of_a_large_run_are_quick_and_small() -> None:
    generator = np.random.default_rng(0)
    values = generator.dirichlet([1, 1], size=(120, 2000))
    weights = generator.pareto(1, 2000) + 0.1
    start = time.perf_counter()
    template_bootstrap(values, weights, np.ones(120), Criterion())
    assert time.perf_counter() - start < 3
    tracemalloc.start()
    template_bootstrap(values, weights, np.ones(120), Criterion())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e9
