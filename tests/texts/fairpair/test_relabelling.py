"""Labels dealt anew: the worked example, every dealing by hand, the size of the test, refusals."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.texts.fairpair.intervals import relabelled, share_at_least


def distances(size: int, seed: int) -> FloatArray:
    """[size, size] differences of random numbers from 0 to 1."""
    places = np.random.default_rng([1, seed]).random(size)
    return np.abs(places[:, np.newaxis] - places)


def figures(fold: FloatArray, half: tuple[int, ...]) -> tuple[float, float]:
    """E and F of one dealing, from the definition."""
    m, rest = len(half), [place for place in range(len(fold)) if place not in half]
    between = fold[np.ix_(half, rest)].mean()
    u, z = (fold[np.ix_(side, side)].sum() / (m * (m - 1)) for side in (half, rest))
    return 2 * between - u - z, between**2 / (u * z) if u * z else np.nan


def test_the_example_of_the_docstring() -> None:
    fold = np.zeros((4, 4))
    fold[0, 1] = fold[1, 0] = 1
    found = relabelled([fold], 6000)
    assert found.observed == -1
    assert sorted(set(found.dealt.tolist())) == [-1, 0.5]
    assert (found.dealt == 0.5).mean() == pytest.approx(2 / 3, abs=0.02)
    assert found.p_value == 1
    assert found.least_p == pytest.approx(1 / 3)
    assert found.chance_ratio is None


@settings(max_examples=20)
@given(st.integers(2, 4), st.integers(0, 999))
def test_one_fold_a_second_time_by_all_its_dealings(half: int, seed: int) -> None:
    fold = distances(2 * half, seed)
    every = [figures(fold, found) for found in combinations(range(2 * half), half)]
    found = relabelled([fold], 20_000, (seed,))
    assert found.observed == pytest.approx(figures(fold, tuple(range(half)))[0])
    np.testing.assert_allclose(np.unique(found.dealt.round(9)), np.unique(np.round([e for e, _ in every], 9)))
    exact = np.mean([e >= found.observed - 1e-9 for e, _ in every])
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.least_p == pytest.approx(2 / comb(2 * half, half))
    ratios = np.array([f for _, f in every])
    assert found.chance_ratio == pytest.approx(ratios.mean(), abs=0.2 * ratios.std() + 1e-9)


def test_folds_of_two_sizes_count_by_their_texts() -> None:
    first, second = distances(6, 1), distances(4, 2)
    found = relabelled([first, second])
    expected = 0.6 * figures(first, (0, 1, 2))[0] + 0.4 * figures(second, (0, 1))[0]
    assert found.observed == pytest.approx(expected)
    assert found.least_p == pytest.approx(1 / 30)  # 20 / 2 ways times 6 / 2


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = [distances(10, seed) for seed in range(4)]
    whole = relabelled(folds, 1000, (3,))
    monkeypatch.setattr("pcf_core.texts.fairpair.intervals.BLOCK_CELLS", 7 * 40)
    np.testing.assert_allclose(relabelled(folds, 1000, (3,)).dealt, whole.dealt)


def test_the_seed_decides() -> None:
    folds = [distances(10, 0)]
    first, again, other = (relabelled(folds, 1000, seed).dealt for seed in ((1, 2), (1, 2), (1, 3)))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def rejections(simulations: int, shift: float, folds: int = 4, half: int = 5) -> FloatArray:
    """[simulation] p where one side's numbers are moved by so much."""
    generator = np.random.default_rng(5)
    found = []
    for place in range(simulations):
        drawn = generator.exponential(size=(folds, 2 * half))
        drawn[:, half:] += shift
        stack = np.abs(drawn[:, :, np.newaxis] - drawn[:, np.newaxis])
        found.append(relabelled(list(stack / stack.max()), 1000, (place,)).p_value)
    return np.array(found)


def check_size(simulations: int) -> None:
    p_values = rejections(simulations, 0.0)
    for level in (0.01, 0.05, 0.2, 0.5):
        bound = 3.5 * np.sqrt(level * (1 - level) / simulations)
        assert (p_values <= level).mean() == pytest.approx(level, abs=bound)


def test_the_size_is_that_of_the_level() -> None:
    check_size(400)


@pytest.mark.slow
def test_the_size_is_that_of_the_level_in_many_simulations() -> None:
    check_size(10_000)


def test_a_difference_is_found() -> None:
    assert (rejections(50, 1.5) <= 0.01).mean() > 0.8


def test_observed_labels_count_as_one_dealing() -> None:
    assert share_at_least(2.0, np.zeros(999)) == 0.001
    assert share_at_least(0.0, np.zeros(999)) == 1


def test_refusals() -> None:
    with pytest.raises(CriterionError, match="at least 1,000 permutations; got 999"):
        relabelled([distances(4, 0)], 999)
    for shape in ((2, 2), (5, 5), (4, 6)):
        with pytest.raises(CriterionError, match="as many texts of one side as of the other"):
            relabelled([np.zeros(shape)])
    with pytest.raises(CriterionError, match="at least one fold"):
        relabelled([])
