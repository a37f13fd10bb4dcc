"""Lines by least squares against formulas written out with numpy, and errors HC3 against a loop."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pcf_core.core.errors import CriterionError
from pcf_core.core.factors import LineFit
from pcf_core.core.risk import Interval
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import factors
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.regression import (
    FEWEST_POINTS,
    TemplateNoise,
    fit_line,
    rank_correlation,
    template_noise,
    why_no_line,
)
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.ties import holm
from tests.quick import scaled

Floats = NDArray[np.float64]


def points(seed: int, n: int = 30) -> tuple[Floats, Floats, Floats]:
    """A factor, a risk whose scatter grows with it, and weights over three orders of size."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(10, 20, n)
    risks = 0.05 * x + generator.uniform(0, 0.02, n) * x
    return x, risks, np.exp(generator.normal(0, 2, n))


def by_hand(x: Floats, risks: Floats, weights: Floats) -> tuple[Floats, Floats, float]:
    """Coefficients, covariance HC3 and R², from the normal equations and one residual at a time."""
    design = np.column_stack([np.ones(len(x)), x])
    bread = np.linalg.inv(design.T @ (weights[:, np.newaxis] * design))
    beta = bread @ design.T @ (weights * risks)
    meat = np.zeros((2, 2))
    for row, weight, risk in zip(design, weights, risks, strict=True):
        leverage = weight * row @ bread @ row
        score = weight * (risk - row @ beta) / (1 - leverage) * row
        meat += np.outer(score, score)
    mean = np.average(risks, weights=weights)
    unexplained = weights @ (risks - design @ beta) ** 2 / (weights @ (risks - mean) ** 2)
    return beta, bread @ meat @ bread, 1 - float(unexplained)


def test_a_worked_example() -> None:
    # Six points at 0 and six at 1: the line joins their means 0.3 and 0.5; each has a leverage of 1/6, so the
    # variance of a mean is Σ e² / (36 (5/6)²) = 0.06 / 25 at both ends, and of the slope twice that.
    x = np.repeat([0.0, 1.0], 6)
    risks = np.array([0.2, 0.4] * 3 + [0.4, 0.6] * 3)
    fit = fit_line(x, risks)
    assert (fit.intercept, fit.slope) == pytest.approx((0.3, 0.2))
    assert fit.slope_error == pytest.approx(np.sqrt(2 * 0.06 / 25))
    half = stats.t.ppf(0.975, 10) * fit.slope_error
    assert (fit.interval.low, fit.interval.high) == pytest.approx((0.2 - half, 0.2 + half))
    assert fit.r_squared == pytest.approx(0.12 / 0.24)
    assert (fit.n, fit.effective_n) == (12, pytest.approx(12))


@settings(max_examples=scaled(30))
@given(st.integers(0, 10_000))
def test_ordinary_and_weighted_lines_by_hand(seed: int) -> None:
    x, risks, weights = points(seed)
    for given_weights in (None, weights):
        used = np.ones(len(x)) if given_weights is None else weights
        fit = fit_line(x, risks, given_weights)
        beta, covariance, r_squared = by_hand(x, risks, used)
        assert (fit.intercept, fit.slope) == pytest.approx(tuple(beta))
        assert fit.slope_error == pytest.approx(np.sqrt(covariance[1, 1]))
        assert fit.r_squared == pytest.approx(r_squared, abs=1e-9)
        assert fit.p_value == pytest.approx(
            2 * stats.t.sf(abs(fit.slope / fit.slope_error), len(x) - 2), abs=1e-12
        )
        grid = np.column_stack([np.ones(len(fit.x)), fit.x])
        half = stats.t.ppf(0.975, len(x) - 2) * np.sqrt(np.einsum("ij,jk,ik->i", grid, covariance, grid))
        np.testing.assert_allclose(fit.mean, grid @ beta)
        np.testing.assert_allclose(fit.low, grid @ beta - half)
        np.testing.assert_allclose(fit.high, grid @ beta + half)


@settings(max_examples=scaled(30))
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(0.1, 10))
def test_what_changes_nothing(seed: int, times: float, scale: float) -> None:
    x, risks, weights = points(seed)
    fit = fit_line(x, risks, weights)
    order = np.random.default_rng(seed).permutation(len(x))
    again = fit_line(scale * x[order], risks[order], times * weights[order])
    assert scale * again.slope == pytest.approx(fit.slope)
    assert scale * again.slope_error == pytest.approx(fit.slope_error)
    assert (again.p_value, again.r_squared) == pytest.approx((fit.p_value, fit.r_squared), abs=1e-9)
    assert again.effective_n == pytest.approx(fit.effective_n)


@settings(max_examples=scaled(60))
@given(
    st.integers(0, 10_000),
    st.floats(-90, 90).map(lambda exponent: 10.0**exponent),
    st.floats(-1e8, 1e8),
    st.booleans(),
)
def test_lines_against_scipy_wherever_and_however_large_the_factor(
    seed: int, unit: float, offset: float, weighted: bool
) -> None:
    """A factor such as 10⁸ + i or 10¹⁴ · i has the line of i, in another unit and from another zero."""
    x, risks, weights = points(seed)
    used = weights if weighted else None
    moved = unit * (offset + x)
    base, fit = fit_line(x, risks, used), fit_line(moved, risks, used)
    if not weighted:
        line = stats.linregress(moved, risks)
        assert fit.slope == pytest.approx(line.slope, rel=1e-6)
        assert fit.intercept == pytest.approx(line.intercept, rel=1e-6, abs=1e-5)
        assert fit.r_squared == pytest.approx(line.rvalue**2, rel=1e-6)
    told = [fit.slope, fit.slope_error, fit.interval.low, fit.interval.high, fit.carrier.slope]
    plain = [base.slope, base.slope_error, base.interval.low, base.interval.high, base.carrier.slope]
    assert [unit * (value or 0) for value in told] == pytest.approx(plain, rel=1e-5, abs=1e-8)
    assert (fit.r_squared, fit.carrier.leverage) == pytest.approx((base.r_squared, base.carrier.leverage))
    assert fit.p_value == pytest.approx(base.p_value, rel=1e-4, abs=1e-12)
    assert fit.carrier.label == base.carrier.label
    assert (fit.x[0], fit.x[-1]) == pytest.approx((moved.min(), moved.max()))
    for band, expected in ((fit.mean, base.mean), (fit.low, base.low), (fit.high, base.high)):
        np.testing.assert_allclose(band, expected, rtol=1e-6)


@pytest.mark.parametrize(("offset", "unit"), [(1e8, 1.0), (1.0, 1e14), (0.0, 1e-30)])
def test_the_reviewers_lines(offset: float, unit: float) -> None:
    """A slope that the pseudo-inverse loses if the factor is not standardised: 4.6e-9 at 10⁸ + i."""
    places = np.arange(30.0)
    risks = 0.3 + 0.01 * places + np.random.default_rng(0).normal(0, 0.02, 30)
    fit = fit_line(unit * (offset + places), risks)
    assert unit * fit.slope == pytest.approx(stats.linregress(places, risks).slope)
    assert fit.r_squared == pytest.approx(stats.linregress(places, risks).rvalue ** 2)


@settings(max_examples=scaled(60))
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=12, max_size=12),
    st.lists(st.floats(0, allow_infinity=False), min_size=12, max_size=12),
    st.lists(st.floats(0, allow_infinity=False, exclude_min=True), min_size=12, max_size=12),
    st.integers(-330, 300),
)
def test_any_finite_numbers_have_a_finite_line_or_a_reason(
    x: list[float], risks: list[float], weights: list[float], exponent: int
) -> None:
    steps = [place * 10.0**exponent for place in range(12)]
    for factor, found, used in (
        (x, risks, weights),
        (steps, sorted(risks), None),
        (steps, range(12), weights),
    ):
        if why_no_line(factor, found, used):
            continue
        fit = fit_line(factor, found, used)
        told = [fit.intercept, fit.slope, fit.slope_error, fit.p_value, fit.r_squared, fit.effective_n]
        assert np.isfinite([*told, fit.interval.low, fit.interval.high]).all()
        assert np.isfinite([fit.x, fit.mean, fit.low, fit.high]).all()
        assert -1e-9 <= fit.r_squared <= 1 + 1e-9


@settings(max_examples=scaled(30))
@given(st.integers(0, 10_000))
def test_equal_weights_are_no_weights(seed: int) -> None:
    x, risks, _ = points(seed)
    one, other = fit_line(x, risks), fit_line(x, risks, np.full(len(x), 7.0))
    assert (one.slope, one.slope_error) == pytest.approx((other.slope, other.slope_error))


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_the_carrier_by_leaving_out_each_point(seed: int) -> None:
    x, risks, weights = points(seed)
    fit = fit_line(x, risks, weights)
    without = []
    for place in range(len(x)):
        others = np.arange(len(x)) != place
        without.append(fit_line(x[others], risks[others], weights[others]))
    names = [str(place) for place in range(len(x))]
    place = names.index(fit.carrier.label)
    assert fit.carrier.slope == pytest.approx(without[place].slope)
    assert fit.carrier.interval is not None
    assert fit.carrier.interval.high == pytest.approx(without[place].interval.high)
    if fit.carrier.leverage <= 0.5:
        assert place == np.argmax([abs(fit.slope - other.slope) for other in without])


def test_a_point_far_out_carries_the_slope() -> None:
    generator = np.random.default_rng(1)
    x = np.append(generator.uniform(0, 1, 30), 40)
    risks = np.append(generator.uniform(0.4, 0.6, 30), 0.9)
    fit = fit_line(x, risks, labels=[*map(str, range(30)), "far out"])
    assert fit.carrier.label == "far out"
    assert fit.carrier.leverage > 0.9
    assert fit.carried


def plain_fit(**changes: object) -> LineFit:
    """A slope of 1 ± 0.4 that stays as it is without its carrier."""
    fit = fit_line(*points(0)[:2])
    interval = Interval(low=0.2, high=1.8)
    carrier = replace(fit.carrier, leverage=0.1, slope=0.9, interval=interval)
    return replace(fit, slope=1.0, slope_error=0.4, interval=interval, carrier=replace(carrier, **changes))


def test_when_a_slope_is_carried() -> None:
    assert not plain_fit().carried
    assert plain_fit(leverage=0.51).carried
    assert plain_fit(slope=0.59).carried
    assert plain_fit(interval=Interval(low=-0.1, high=1.8)).carried
    assert plain_fit(slope=None, interval=None).carried


@pytest.mark.parametrize(
    ("x", "risks", "weights", "reason"),
    [
        (range(9), np.linspace(0, 1, 9), None, "9 points, fewer than 10"),
        ([3.0] * 12, np.linspace(0, 1, 12), None, "the factor is the same"),
        (range(12), [0.2] * 12, None, "the risk is the same"),
        (range(12), [0.0] * 12, None, "the risk is the same"),
        ([0.0] * 11 + [1.0], np.linspace(0, 1, 12), None, "one point alone determines"),
        (range(12), np.linspace(0, 1, 12), [1.0] * 11 + [1e7], "one point alone determines"),
        (1e200 * np.arange(12), np.linspace(0, 1, 12), None, "the values of the factor are too large"),
        ([-1e308, 1e308] * 6, np.linspace(0, 1, 12), None, "the values of the factor are too large"),
        (
            1e-320 * np.arange(12),
            np.linspace(0, 1, 12),
            None,
            "the values of the factor are too close together to calculate with",
        ),
        (range(12), 1e200 * np.arange(12), None, "the values of the risk are too large"),
        (range(12), np.linspace(0, 1, 12), [1.0, 1e-40] * 6, "the weights are too unequal"),
    ],
)
def test_where_no_line_is_drawn(x: object, risks: object, weights: object, reason: str) -> None:
    assert reason in why_no_line(x, risks, weights)  # type: ignore[arg-type]
    with pytest.raises(CriterionError, match=f"No line can be fitted: .*{reason}"):
        fit_line(x, risks, weights)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x", "risks", "weights"),
    [
        ([1.0, 2.0], [0.1], None),
        ([1.0, np.nan], [0.1, 0.2], None),
        ([1.0, 2.0], [0.1, -0.2], None),
        ([1.0, 2.0], [0.1, 0.2], [1.0, 0.0]),
        ([[1.0, 2.0]], [[0.1, 0.2]], None),
    ],
)
def test_what_is_refused(x: object, risks: object, weights: object) -> None:
    with pytest.raises(CriterionError, match="A line takes"):
        why_no_line(x, risks, weights)  # type: ignore[arg-type]


def test_weights_whose_sum_is_no_number() -> None:
    x, risks, weights = points(0)
    huge = weights / weights.max() * 1e308
    assert fit_line(x, risks, huge).slope == pytest.approx(fit_line(x, risks, weights).slope)


def test_points_on_one_line_have_no_error() -> None:
    x = np.arange(float(FEWEST_POINTS))
    fit = fit_line(x, 0.5 + x / 16)
    assert fit.slope == pytest.approx(1 / 16)
    assert fit.slope_error == pytest.approx(0, abs=1e-12)
    assert fit.r_squared == pytest.approx(1)
    assert fit.p_value < 1e-12


@settings(max_examples=scaled(20))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_against_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def names_of(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


def noise_with(deviations: Floats, freedom: float = 9.0) -> TemplateNoise:
    return TemplateNoise(names_of(deviations.shape[1]), deviations, freedom)


@settings(max_examples=scaled(20))
@given(st.integers(0, 10_000), st.booleans())
def test_what_templates_add_by_a_loop_over_the_draws(seed: int, weighted: bool) -> None:
    """A line through each draw by numpy; what its residuals say of points is in the scatter already."""
    x, risks, weights = points(seed)
    used = weights / weights.max() if weighted else np.ones(len(x))
    generator = np.random.default_rng(seed)
    together = generator.normal(0, 0.1, (40, 1)) * x + generator.normal(0, 0.1, (40, 1))
    deviations = together + generator.normal(0, 0.1, (40, len(x)))
    fit = fit_line(x, risks, used if weighted else None, noise=noise_with(deviations))
    slopes, residuals = [], []
    for draw in deviations:
        slope, height = np.polyfit(x, draw, 1, w=np.sqrt(used))
        slopes.append(slope)
        residuals.append(draw - height - slope * x)
    shares = used / used.sum()
    away = x - shares @ x
    spread = shares @ away**2
    single = 0.0
    for place in range(len(x)):
        leverage = shares[place] * (1 + away[place] ** 2 / spread)
        variance = np.mean([rest[place] ** 2 for rest in residuals]) / (1 - leverage)
        single += (shares[place] * away[place] / spread) ** 2 * variance
    shared = max(0.0, float(np.mean(np.square(slopes))) - single)
    assert fit.template_error == pytest.approx(np.sqrt(shared), abs=1e-9)
    alone = fit_line(x, risks, used if weighted else None)
    assert fit.slope == alone.slope
    assert fit.occupation_error == alone.slope_error
    assert fit.known_interval == alone.interval
    total = alone.slope_error**2 + shared
    assert fit.slope_error == pytest.approx(np.sqrt(total))
    freedom = total**2 / (alone.slope_error**4 / (len(x) - 2) + shared**2 / 9)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(total)
    assert (fit.interval.low, fit.interval.high) == pytest.approx((fit.slope - half, fit.slope + half))
    assert fit.p_value == pytest.approx(2 * stats.t.sf(abs(fit.slope) / np.sqrt(total), freedom), rel=1e-6)
    assert (fit.high - fit.low >= (alone.high - alone.low) * (1 - 1e-9)).all()


def test_what_templates_do_to_all_points_alike_moves_no_slope() -> None:
    x, risks, _ = points(1)
    generator = np.random.default_rng(0)
    alike, steeper = generator.normal(0, 1, (50, 1)), generator.normal(0, 0.2, (50, 1))
    fit = fit_line(x, risks, noise=noise_with(alike * np.ones_like(x)))
    assert fit.template_error == pytest.approx(0, abs=1e-7)
    assert fit.interval.high == pytest.approx(fit.known_interval.high)
    assert fit.widened == pytest.approx(1)
    assert fit.high[0] - fit.low[0] > 2  # and yet the line is higher or lower
    turned = fit_line(x, risks, noise=noise_with(steeper * x))
    assert turned.template_error == pytest.approx(np.sqrt(np.mean(steeper**2)))
    assert turned.interval.over == "both"
    assert turned.carrier.interval is not None
    assert turned.carrier.interval.high - turned.carrier.interval.low > 0.4
    assert fit_line(x, risks).template_error is None
    assert fit_line(x, risks).widened is None


@pytest.mark.parametrize("templates", [4, 40])
def test_drawn_noise_has_the_variance_of_a_weighted_mean(templates: int) -> None:
    """Of R the slope of a draw is a mean over templates, whose variance is known without drawing."""
    generator = np.random.default_rng(3)
    cells = generator.uniform(0.1, 0.9, (30, templates))
    unit = TemplateUnit.templates(generator.exponential(1, templates))
    stereotypes = np.stack([cells, -cells], axis=-1)
    noise = template_noise(names_of(30), stereotypes, unit, Criterion(), "overall_risk", resamples=20_000)
    assert noise is not None
    away = cells - (cells @ unit.weights)[:, np.newaxis]
    expected = away**2 @ unit.variance_weights
    np.testing.assert_allclose((noise.deviations**2).mean(axis=0), expected, rtol=0.1)
    assert noise.freedom == max(1.0, unit.fewest - 1)
    joined = noise.means([("0", "1"), ("2",)])
    np.testing.assert_allclose(joined.deviations[:, 0], noise.deviations[:, :2].mean(axis=1))
    assert joined.without(0).names == ("2",)


def test_of_one_template_nothing_is_learned() -> None:
    stereotypes = np.ones((3, 2, 2)) / 2
    only = TemplateUnit.templates([1.0, 0.0])
    assert template_noise(names_of(3), stereotypes, only, Criterion(), "caprice_risk") is None


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "least"), [("even", 0.93), ("long tail", 0.87)])
def test_intervals_cover_where_the_scatter_grows_with_the_factor(
    spread: str, least: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sixty points: HC3 keeps what it promises where no few points lie far out, and beats the usual error."""
    generator = np.random.default_rng(0)
    covered = usual = 0
    for _ in range(1000):
        x = generator.uniform(0, 4, 60) if spread == "even" else generator.exponential(1, 60)
        risks = 20 + 0.3 * x + generator.normal(0, 0.1 + 0.5 * x)
        fit = fit_line(x, risks)
        covered += fit.interval.low <= 0.3 <= fit.interval.high
        line = stats.linregress(x, risks)
        usual += abs(line.slope - 0.3) <= stats.t.ppf(0.975, 58) * line.stderr
    with capsys.disabled():
        print(f"\n{spread}: {covered / 1000}", end="")  # noqa: T201
    assert covered / 1000 >= least, covered
    assert usual < covered, (usual, covered)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("column", ["median_annual_wage_usd", "mean_education_years", "women_share"])
def test_intervals_cover_with_the_shipped_factors_and_weights(column: str, weighted: bool) -> None:
    """The real lines of the 120 occupations, made-up risks without a slope, even or growing scatter.

    The people employed count as some fifteen equal points, and yet Student's t with n − 2 degrees of freedom
    is wide enough, because HC3 errs on the wide side.
    """
    known = [factors()[term] for term in load_evidence("occupations-bvf").terms]
    lines = {row.bls_title: row for row in known if row.used and getattr(row, column) is not None}
    x = np.array([getattr(row, column) for row in lines.values()], dtype=np.float64)
    people = np.array([row.employment_thousands for row in lines.values()], dtype=np.float64)
    generator = np.random.default_rng(0)
    for growth, least in ((0.0, 0.93), (1.0, 0.90)):
        scatter = 1 + growth * (9 * (x - x.min()) / np.ptp(x) - 0.5)
        covered = 0
        for _ in range(600):
            risks = 60 + scatter * generator.standard_normal(len(x))
            interval = fit_line(x, risks, people if weighted else None).interval
            covered += interval.low <= 0 <= interval.high
        assert covered / 600 >= least, covered


# Rank correlation against counting by hand, and what its intervals cover.


pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=5, max_size=12)


def ranks(values: list[int]) -> list[float]:
    """Average ranks, by counting."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


@given(pairs)
def test_against_counting(values: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in values], [b for _, b in values]
    found = rank_correlation(np.array(first, dtype=float), np.array(second, dtype=float))
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found is not None
    one, other = ranks(first), ranks(second)
    middle = (len(values) + 1) / 2
    covariance = sum((a - middle) * (b - middle) for a, b in zip(one, other, strict=True))
    spread = math.sqrt(sum((a - middle) ** 2 for a in one) * sum((b - middle) ** 2 for b in other))
    assert found.spearman == pytest.approx(covariance / spread, abs=1e-12)
    signs = [(sign(a - c), sign(b - d)) for (a, b), (c, d) in combinations(values, 2)]
    untied = sum(abs(a) for a, _ in signs) * sum(abs(b) for _, b in signs)
    assert found.kendall == pytest.approx(sum(a * b for a, b in signs) / math.sqrt(untied), abs=1e-12)
    for value, interval in (
        (found.spearman, found.spearman_interval),
        (found.kendall, found.kendall_interval),
    ):
        assert -1 <= interval.low <= value + 1e-12
        assert value - 1e-12 <= interval.high <= 1


@pytest.mark.parametrize("n", [5, 7, 10, 19, 200, 3000])
def test_a_perfect_order_is_exactly_one(n: int) -> None:
    values = np.random.default_rng(n).random(n)
    for other, sign_ in ((values**3, 1.0), (-values, -1.0)):
        found = rank_correlation(values, other)
        assert found is not None
        assert (found.spearman, found.kendall) == (sign_, sign_)
        for interval in (found.spearman_interval, found.kendall_interval):
            assert (interval.low, interval.high) == (sign_, sign_)


def test_perfect_order_and_its_reverse() -> None:
    values = np.arange(10.0)
    same, reverse = rank_correlation(values, values**3), rank_correlation(values, -values)
    assert same is not None
    assert reverse is not None
    assert (same.spearman, same.kendall, same.n) == (pytest.approx(1), pytest.approx(1), 10)
    assert (reverse.spearman, reverse.kendall) == (pytest.approx(-1), pytest.approx(-1))
    assert same.spearman_interval.high == pytest.approx(1)


def test_nothing_is_said_of_few_pairs_or_of_one_value() -> None:
    assert rank_correlation(np.arange(4.0), np.arange(4.0)) is None
    assert rank_correlation(np.arange(9.0), np.ones(9)) is None
    assert rank_correlation(np.array([]), np.array([])) is None


@pytest.mark.parametrize("second", [np.arange(4.0), np.ones((5, 1)), np.array([0, 1, 2, 3, math.nan])])
def test_what_is_no_pair_of_lists(second: np.ndarray) -> None:
    with pytest.raises(CriterionError, match="one as long as the other"):
        rank_correlation(np.arange(5.0), second)


def test_the_intervals_cover_what_they_should() -> None:
    """Bivariate normal, ρ = 0.6: ρ_s = 6/π · asin(ρ/2), τ = 2/π · asin(ρ)."""
    generator = np.random.default_rng(0)
    spearman, kendall = 6 / math.pi * math.asin(0.3), 2 / math.pi * math.asin(0.6)
    covered = np.zeros(2)
    for _ in range(400):
        first = generator.standard_normal(40)
        second = 0.6 * first + 0.8 * generator.standard_normal(40)
        found = rank_correlation(first, second)
        assert found is not None
        covered += [
            found.spearman_interval.low <= spearman <= found.spearman_interval.high,
            found.kendall_interval.low <= kendall <= found.kendall_interval.high,
        ]
    assert (covered / 400 >= 0.92).all()
