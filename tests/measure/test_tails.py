"""Caprice's tail against sums by hand, loops, scipy and simulation."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure.tails import (
    Fitted,
    caprice_tail,
    fitted,
    hill_plot,
    likelihood_ratio,
    scale_at,
    shape_interval,
    tail_shape,
    vuong,
)
from tests.quick import scaled

risks = st.lists(st.integers(0, 1000).map(lambda whole: whole / 1000), min_size=4, max_size=30)


def test_a_worked_example() -> None:
    tail = caprice_tail([0, 0, 0, 0, 1])
    # Deviations -.2 (four times) and .8: m2 = .16, m4 = .0832, g2 = .25; corrected 4/(3·2) · (6·.25 + 6) = 5.
    assert tail.excess_kurtosis == pytest.approx(5)
    assert tail.zero_share == 0.8
    assert tail.n == 5
    np.testing.assert_array_equal(tail.values, [0, 0, 0, 0, 1])


def test_only_exact_zeros_are_counted() -> None:
    assert caprice_tail([0, 1e-300, 0.1, 0]).zero_share == 0.5


@given(risks)
def test_kurtosis_by_loops(values: list[float]) -> None:
    n, mean = len(values), math.fsum(values) / len(values)
    second = math.fsum((value - mean) ** 2 for value in values) / n
    fourth = math.fsum((value - mean) ** 4 for value in values) / n
    found = caprice_tail(values).excess_kurtosis
    if len(set(values)) == 1:
        assert found is None
    else:
        excess = fourth / second**2 - 3
        corrected = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6)
        assert found == pytest.approx(corrected, rel=1e-6, abs=1e-6)


@given(risks, st.sampled_from([1e-100, 1e-6, 3.0]))
def test_kurtosis_does_not_depend_on_the_unit(values: list[float], unit: float) -> None:
    found = caprice_tail([unit * value for value in values]).excess_kurtosis
    expected = caprice_tail(values).excess_kurtosis
    assert found == (None if expected is None else pytest.approx(expected, rel=1e-6, abs=1e-6))


@pytest.mark.parametrize(
    "values", [[0.1, 0.2, 0.3], [0.0] * 120, [0.3] * 10, [0.3, 0.3, 0.3, math.nextafter(0.3, 1)]]
)
def test_kurtosis_is_undefined_for_few_values_or_without_spread(values: list[float]) -> None:
    assert caprice_tail(values).excess_kurtosis is None


def test_kurtosis_of_known_distributions() -> None:
    generator = np.random.default_rng(0)
    for values, expected in (
        (generator.uniform(size=200_000), -1.2),
        (1 + 0.1 * generator.standard_normal(200_000), 0.0),
        (generator.exponential(size=200_000), 6.0),
    ):
        assert caprice_tail(values).excess_kurtosis == pytest.approx(expected, abs=0.6)


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, -0.1], [0.1, math.nan], [0.1, math.inf]])
def test_what_is_refused(values: list[float]) -> None:
    with pytest.raises(CriterionError, match="caprice must be a list of finite numbers"):
        caprice_tail(values)
    with pytest.raises(CriterionError, match="caprice must be a list of finite numbers"):
        tail_shape(values)


def test_importing_the_room_does_not_import_scipy() -> None:
    code = "import sys, pcf_core.measure; print('scipy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


HEAVIER = "heavier than exponential over the observed range"
LIGHTER = "lighter than exponential over the observed range"


def pareto(shape: float, size: int, seed: int = 0) -> FloatArray:
    generator = np.random.default_rng(seed)
    return np.asarray(stats.genpareto.rvs(shape, scale=0.01, size=size, random_state=generator))


def two_humps() -> FloatArray:
    generator = np.random.default_rng(2)
    return np.concatenate([generator.normal(0.1, 0.005, 60), generator.normal(0.3, 0.005, 60)])


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        (pareto(0.9, 120), HEAVIER),
        (pareto(-0.45, 250), LIGHTER),
        (pareto(0.0, 60), "cannot tell"),
        (two_humps(), LIGHTER),
        (np.full(40, 0.1), "cannot tell"),
        (pareto(0.9, 29), "too few to fit"),
        (np.zeros(120), "too few to fit"),
    ],
)
def test_verdicts_on_samples_of_known_tails(values: FloatArray, verdict: str) -> None:
    assert tail_shape(values, resamples=199).verdict == verdict


def test_the_verdict_rests_on_the_upper_values_alone() -> None:
    """What the lower values do neither vetoes nor decides: the second hump is a half of a normal."""
    values = np.sort(two_humps())
    found = tail_shape(values, resamples=199)
    general, tail = found.fit("generalised Pareto"), found.tail
    assert general is not None
    assert tail is not None
    assert general.p_value < 0.05 < tail.goodness
    assert tail.size == (values > tail.threshold).sum() < 60
    assert tail.share == tail.size / 120
    above = values[values > tail.threshold] - tail.threshold
    twin = stats.genpareto(tail.shape, scale=tail.scale)
    shape, _, scale = stats.genpareto.fit(above, tail.shape, floc=0, scale=tail.scale)
    assert (tail.shape, tail.scale) == (pytest.approx(shape, abs=0.01), pytest.approx(scale, rel=0.01))
    assert tail.ratio == pytest.approx(
        2 * (twin.logpdf(above).sum() - stats.expon(scale=above.mean()).logpdf(above).sum())
    )
    np.testing.assert_allclose(tail.survival, tail.share * twin.sf(tail.grid - tail.threshold))


def test_without_a_threshold_that_fits_nothing_is_told() -> None:
    """Twelve values far above the others: a second hump, whatever is left out."""
    generator = np.random.default_rng(2)
    values = np.concatenate([generator.normal(0.1, 0.005, 28), generator.normal(0.9, 0.005, 12)])
    found = tail_shape(values, resamples=199)
    assert found.tail is None
    assert found.verdict == "cannot tell"


def test_a_fit_to_all_values_needs_no_threshold() -> None:
    found = tail_shape(pareto(0.5, 80), resamples=199)
    general, ratio, tail = found.fit("generalised Pareto"), found.against("exponential"), found.tail
    assert general is not None
    assert ratio is not None
    assert tail is not None
    assert (tail.threshold, tail.size) == (0, 80)
    assert (tail.shape, tail.scale) == (general.parameters["shape"], general.parameters["scale"])
    assert (tail.distance, tail.goodness) == (general.distance, general.p_value)
    assert (tail.ratio, tail.p_value) == (ratio.statistic, ratio.p_value)


def test_what_is_not_fitted_is_empty() -> None:
    for values in (pareto(0.9, 29), np.full(40, 0.1)):
        found = tail_shape(values)
        assert (found.fits, found.comparisons, found.tail, found.hill) == ((), (), None, None)
        assert found.positive.size == len(values)


def test_zeros_are_counted_and_never_fitted() -> None:
    values = pareto(0.5, 80)
    with_zeros = np.concatenate([values, np.zeros(40)])
    one, other = tail_shape(values, resamples=99), tail_shape(with_zeros, resamples=99)
    assert one.tail is not None
    assert other.tail is not None
    assert one.tail.shape == other.tail.shape
    assert [fit.p_value for fit in one.fits] == [fit.p_value for fit in other.fits]
    np.testing.assert_array_equal(one.positive, other.positive)


@settings(max_examples=scaled(15), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([-0.4, 0.0, 0.5, 1.0]), st.sampled_from([1e-4, 20.0]))
def test_the_interval_agrees_with_the_test_and_nothing_depends_on_the_unit(
    seed: int, shape: float, unit: float
) -> None:
    values = pareto(shape, 50, seed)
    found, scaled = (tail_shape(by * values, resamples=99, seed=seed) for by in (1.0, unit))
    tail, twin = found.tail, scaled.tail
    assert tail is not None
    assert twin is not None
    interval = tail.shape_interval
    assert interval.low <= tail.shape <= interval.high
    assert (interval.low <= 0 <= interval.high) == (tail.p_value > 0.05)
    assert (twin.shape, twin.size) == (pytest.approx(tail.shape, abs=1e-5), tail.size)
    assert twin.threshold == pytest.approx(unit * tail.threshold)
    assert scaled.verdict == found.verdict
    assert [fit.p_value for fit in scaled.fits] == [fit.p_value for fit in found.fits]


def test_likelihoods_and_mass_beyond_the_bound_are_scipys() -> None:
    values = np.sort(pareto(0.7, 90, seed=4))
    found = tail_shape(values, 0.5, resamples=19)
    general, simple = found.fit("generalised Pareto"), found.fit("exponential")
    assert general is not None
    assert simple is not None
    twin = stats.genpareto(general.parameters["shape"], scale=general.parameters["scale"])
    assert general.log_likelihood == pytest.approx(twin.logpdf(values).sum())
    assert general.beyond == pytest.approx(twin.sf(0.5))
    assert general.aic == pytest.approx(4 - 2 * general.log_likelihood)
    assert simple.aic == pytest.approx(2 - 2 * simple.log_likelihood)
    np.testing.assert_allclose(general.survival, twin.sf(found.grid))
    ratio = found.against("exponential")
    assert ratio is not None
    assert ratio.statistic == pytest.approx(
        2 * (twin.logpdf(values).sum() - stats.expon(scale=values.mean()).logpdf(values).sum())
    )
    assert all(fit.beyond is None for fit in tail_shape(values, resamples=19).fits)


def test_the_ratio_of_many_exponential_values_is_nearly_chi_square() -> None:
    draws = np.random.default_rng(0).standard_exponential((1000, 500))
    assert stats.kstest(likelihood_ratio(draws), stats.chi2(1).cdf).pvalue > 0.01


def test_vuong_by_a_loop() -> None:
    values = pareto(0.5, 60, seed=8)
    first, second = fitted("generalised Pareto", values), fitted("lognormal", values)
    gains = []
    for value in values:
        one = stats.genpareto(first.parameters["shape"][0], scale=first.parameters["scale"][0]).logpdf(value)
        mean, sd = second.parameters["mean"][0], second.parameters["sd"][0]
        other = stats.norm(mean, sd).logpdf(math.log(value)) - math.log(value)
        gains.append(one - other)
    mean_gain = math.fsum(gains) / 60
    variance = math.fsum((gain - mean_gain) ** 2 for gain in gains) / 60
    expected = math.sqrt(60) * mean_gain / math.sqrt(variance)
    found = vuong(first, second, values)
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(math.erfc(abs(expected) / math.sqrt(2)))
    assert found.better == ("generalised Pareto" if expected > 0 else "lognormal")


def test_the_profile_falls_to_the_cutoff_at_both_ends_of_the_interval() -> None:
    values, cutoff = pareto(0.3, 80, seed=6), 3.84
    interval = shape_interval(values, cutoff)

    def profile(shape: float) -> float:
        def minus(log_scale: float) -> float:
            return -float(stats.genpareto(shape, scale=math.exp(log_scale)).logpdf(values).sum())

        return -float(optimize.minimize_scalar(minus, bounds=(-9, 0), method="bounded").fun)

    best = fitted("generalised Pareto", values).log_density(values).sum()
    for end in (interval.low, interval.high):
        assert 2 * (best - profile(end)) == pytest.approx(cutoff, abs=1e-3)


def test_a_shape_near_its_lower_end_has_an_interval_that_stops_there() -> None:
    interval = shape_interval(np.linspace(0.01, 1, 60), 3.84)
    assert interval.low == -1
    assert interval.high < 0


def test_hill_by_a_loop() -> None:
    values = np.sort(pareto(0.5, 30))
    found = hill_plot(values)
    falling = values[::-1]
    for place, k in enumerate(range(1, 30)):
        expected = sum(math.log(falling[i] / falling[k]) for i in range(k)) / k
        assert (found.order[place], found.index[place]) == pytest.approx((k, expected))
    assert (found.low < found.index).all()
    assert (found.index < found.high).all()


def test_hills_band_holds_the_index_of_a_power_law() -> None:
    draws = np.sort(np.random.default_rng(1).pareto(2.0, (400, 60)) + 1, axis=-1)
    held = [hill.low[19] <= 0.5 <= hill.high[19] for hill in map(hill_plot, draws)]
    assert 0.92 <= np.mean(held) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("size", [30, 60, 120])
def test_coverage_of_the_shape_and_how_often_a_verdict_is_wrong(
    size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The interval holds a shape where the ratio at this shape does not exceed the cutoff."""
    exponential = np.random.default_rng(9).standard_exponential((9999, size))
    cutoff, runs = float(np.quantile(likelihood_ratio(exponential), 0.95)), 2000
    for shape, least in ((-0.6, 0.88), (-0.3, 0.9), (0.0, 0.94), (0.3, 0.93), (0.8, 0.93)):
        values = pareto(shape, runs * size).reshape(runs, size)
        best = fitted("generalised Pareto", values)
        scales = np.array([[scale_at(shape, sample)] for sample in values])
        truth = Fitted("generalised Pareto", {"shape": np.array([shape]), "scale": scales})
        ratios = 2 * (best.log_density(values) - truth.log_density(values)).sum(axis=-1)
        rejected = likelihood_ratio(values) > cutoff
        side = np.sign(best.parameters["shape"][:, 0])
        coverage, wrong = np.mean(ratios <= cutoff), np.mean(rejected & (side != np.sign(shape)))
        with capsys.disabled():
            sys.stdout.write(f"\nn {size}, shape {shape}: coverage {coverage:.3f}, wrong {wrong:.3f}")
        assert coverage >= least
        assert wrong <= (0.06 if shape == 0 else 0.01)
