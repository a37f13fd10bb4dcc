"""Caprice's tail and the normal fit of prejudice, against sums by hand."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.errors import CriterionError
from pcf_core.stats import caprice_tail, normal_fit

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


@given(risks)
def test_normal_fit_by_loops_and_no_neighbour_is_likelier(values: list[float]) -> None:
    fit = normal_fit(values)
    mean = math.fsum(values) / len(values)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    assert (fit.mean, fit.sd, fit.n) == pytest.approx((mean, sd, len(values)), abs=1e-12)
    if sd > 1e-3:

        def likelihood(m: float, s: float) -> float:
            return -sum(math.log(s) + (value - m) ** 2 / (2 * s**2) for value in values)

        best = likelihood(fit.mean, fit.sd)
        for m, s in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
            assert likelihood(m * fit.mean, s * fit.sd) <= best + 1e-9


def test_one_value_has_no_spread() -> None:
    assert (normal_fit([0.4]).mean, normal_fit([0.4]).sd) == (0.4, 0)


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, -0.1], [0.1, math.nan], [0.1, math.inf]])
def test_what_is_refused(values: list[float]) -> None:
    with pytest.raises(CriterionError, match="caprice must be a list of finite numbers"):
        caprice_tail(values)
    with pytest.raises(CriterionError, match="prejudice must be a list of finite numbers"):
        normal_fit(values)


def test_importing_the_room_does_not_import_scipy() -> None:
    code = "import sys, pcf_core.stats; print('scipy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
