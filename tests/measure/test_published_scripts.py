"""What the authors' scripts compute: their library's demo, loops over the definitions, extreme models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.audit.sensitivity import script_risks
from pcf_core.core.errors import CriterionError
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose

parts = st.integers(1, 1000).map(lambda whole: whole / 1000)
DEMO = [
    [0.58, 0.47, 0.34, 0.57],
    [0.47, 0.47, 0.93, 0.90],
    [0.70, 0.19, 0.58, 0.44],
    [0.33, 0.61, 0.43, 0.44],
]


def two(male: list[list[float]]) -> np.ndarray:
    return np.stack([np.array(male), 1 - np.array(male)], axis=-1)


@st.composite
def grids(draw: st.DrawFn, groups: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Preferences [occupation, template, group] and template weights."""
    size = groups or draw(st.integers(2, 5))
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 6)), size)
    values = draw(arrays(np.float64, shape, elements=parts))
    weights = draw(arrays(np.float64, shape[1], elements=parts))
    return values / values.sum(axis=-1, keepdims=True), weights


def test_the_demo_of_the_library_gives_its_own_figures() -> None:
    overall, prejudice, volatility = script_risks(two(DEMO), [0.4, 0.3, 0.2, 0.1], "demo")
    np.testing.assert_allclose(overall, [0.16, 0.294, 0.39, 0.242], atol=1e-12)
    np.testing.assert_allclose(prejudice, [0.004, 0.21, 0.006, 0.11], atol=1e-12)
    shares = np.array([0.45, 0.35, 0.15, 0.05])
    totals = [float(shares @ part) for part in (overall, prejudice, volatility)]
    assert totals == pytest.approx([0.2455, 0.0817, 0.1638], abs=1e-12)


def test_the_demo_library_takes_a_group_that_is_avoided_for_one_that_is_preferred() -> None:
    """p = (0, ¼, ¼, ¼, ¼): S is −¼ for the first and 1/16 for the others."""
    p = np.array([[[0, 0.25, 0.25, 0.25, 0.25]]])
    assert script_risks(p, [1], "demo")[0][0] == pytest.approx(0.25)
    assert decompose(p, [1], Criterion()).overall[0] == pytest.approx(0.0625)


def test_a_randomly_stereotyped_model_has_half_its_risk_in_the_script_for_gender() -> None:
    overall, prejudice, volatility = script_risks(two([[1, 0]]), [1, 1], "gender")
    assert (overall[0], prejudice[0], volatility[0]) == (0.5, 0.0, 0.5)
    found = decompose(two([[1, 0]]), [1, 1], Criterion())
    assert (found.overall[0], found.prejudice[0], found.caprice[0]) == (1, 0, 1)


def test_a_stereotyped_model_has_a_fifth_in_the_script_for_race() -> None:
    overall, prejudice, volatility = script_risks(np.array([[[1, 0, 0, 0, 0.0]] * 3]), np.ones(3), "race")
    assert (overall[0], prejudice[0], volatility[0]) == pytest.approx((0.2, 0.2, 0))


@given(grid=grids(groups=2))
def test_the_script_for_gender_by_a_loop_and_beside_the_papers(grid: tuple[np.ndarray, np.ndarray]) -> None:
    """s = p − ½, doubled; its prejudice is the papers', its volatility half of their caprice."""
    values, weights = grid
    overall, prejudice, volatility = script_risks(values, weights, "gender")
    papers = decompose(values, weights, Criterion())
    np.testing.assert_allclose(prejudice, papers.prejudice, atol=1e-12)
    np.testing.assert_allclose(volatility, papers.caprice / 2, atol=1e-9)
    for row, cells in enumerate(values):
        shares = weights / weights.sum()
        sample = [cell[0] - 0.5 for cell in cells]
        mean = sum(share * s for share, s in zip(shares, sample, strict=True))
        side = 1 if mean > 0 else -1
        risk = sum(share * max(side * s, 0) for share, s in zip(shares, sample, strict=True))
        assert overall[row] == pytest.approx(2 * risk, abs=1e-12)


@given(grid=grids())
def test_the_others_by_a_loop(grid: tuple[np.ndarray, np.ndarray]) -> None:
    values, weights = grid
    groups = values.shape[-1]
    shares = weights / weights.sum()

    def race(p: np.ndarray) -> float:
        return float(sum(max((groups * one - 1) / (groups - 1), 0) for one in p) / groups)

    def demo(p: np.ndarray) -> float:
        return float(max(abs((groups * one - 1) / (groups - 1)) for one in p))

    for script, measure in (("race", race), ("demo", demo)):
        overall, prejudice, volatility = script_risks(values, weights, script)  # type: ignore[arg-type]
        for row, cells in enumerate(values):
            whole = sum(share * measure(p) for share, p in zip(shares, cells, strict=True))
            assert overall[row] == pytest.approx(whole, abs=1e-11)
            assert prejudice[row] == pytest.approx(measure(shares @ cells), abs=1e-11)
        np.testing.assert_allclose(overall, prejudice + volatility, atol=1e-15)
        assert (volatility >= 0).all()


@given(grid=grids(groups=2))
def test_with_two_groups_the_demo_library_is_the_papers(grid: tuple[np.ndarray, np.ndarray]) -> None:
    values, weights = grid
    papers = decompose(values, weights, Criterion())
    for found, expected in zip(
        script_risks(values, weights, "demo"), (papers.overall, papers.prejudice, papers.caprice), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_script_for_gender_refuses_more_groups() -> None:
    with pytest.raises(CriterionError, match="knows two groups; got 3"):
        script_risks(np.full((1, 1, 3), 1 / 3), [1], "gender")
