"""Intervals of rates: worked examples, second opinions, properties, and how often they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.errors import CriterionError
from pcf_core.stats.rates import (
    clustered_wilson,
    dealt_again,
    difference_interval,
    drawn_clusters,
    effective_answers,
    newcombe,
    two_sided_p,
    wilson,
)

Z = 1.959963984540054


def score_bounds(part: float, whole: float) -> tuple[float, float]:
    """The two roots of (p̂ − p)² = z² p (1 − p) / n, solved as a quadratic."""
    share = part / whole
    a, b, c = 1 + Z**2 / whole, -(2 * share + Z**2 / whole), share**2
    root = math.sqrt(max(b**2 - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_solves_its_quadratic(counts: tuple[int, int]) -> None:
    assert wilson(*counts) == pytest.approx(score_bounds(*counts), abs=1e-9)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts: tuple[int, int]) -> None:
    part, whole = counts
    low, high = wilson(part, whole)
    assert 0 <= low <= part / whole <= high <= 1
    assert low < high
    other = wilson(whole - part, whole)
    assert (1 - other[1], 1 - other[0]) == pytest.approx((low, high), abs=1e-12)


def test_wilson_of_none_in_ten() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.27753), abs=1e-5)


@pytest.mark.parametrize(("part", "whole", "level"), [(0, 0, 0.95), (3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0)])
def test_no_interval_of_nothing(part: float, whole: float, level: float) -> None:
    with pytest.raises(CriterionError):
        wilson(part, whole, level)


def test_newcombes_own_example() -> None:
    """Newcombe 1998, table II (a), method 10."""
    bounds = newcombe(56 / 70, 48 / 80, wilson(56, 70), wilson(48, 80))
    assert bounds == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_newcombe_is_statsmodels_own(first: int, second: int, data: st.DataObject) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep

    one, other = data.draw(st.integers(0, first)), data.draw(st.integers(0, second))
    expected = confint_proportions_2indep(one, first, other, second, method="newcomb", compare="diff")
    found = newcombe(one / first, other / second, wilson(one, first), wilson(other, second))
    assert found == pytest.approx((max(-1, expected[0]), min(1, expected[1])), abs=1e-9)


def test_clusters_that_say_the_same_count_as_one_answer_each() -> None:
    whole = np.full(12, 20.0)
    assert effective_answers(np.zeros(12), whole) == pytest.approx(12)
    assert clustered_wilson(np.zeros(12), whole) == pytest.approx(wilson(0, 12))
    assert clustered_wilson(whole, whole) == pytest.approx(wilson(12, 12))


def test_clusters_that_are_all_or_nothing_are_worth_their_number() -> None:
    """Six of twelve questions always wrong: n' = 12 · 11/12, for Σ(y − pm)² has U − 1 degrees of freedom."""
    from scipy.stats import t

    part = np.repeat([0.0, 20.0], 6)
    few = (Z / t.ppf(0.975, 11)) ** 2
    assert effective_answers(part, np.full(12, 20.0)) == pytest.approx(11 * few)


def test_texts_are_worth_no_more_than_their_number_but_probabilities_may_be() -> None:
    part, whole = np.full(20, 0.5), np.ones(20)
    part[0] += 0.01
    texts, scores = (effective_answers(part, whole, chance=chance) for chance in (True, False))
    assert texts is not None
    assert scores is not None
    assert texts < 20 < scores


def test_one_cluster_says_nothing_of_others() -> None:
    assert clustered_wilson(np.array([3.0]), np.array([10.0])) is None
    assert clustered_wilson(np.array([3.0, 0.0]), np.array([10.0, 0.0])) is None
    assert difference_interval(np.zeros(10), 0.0, 1, unit="task") is None


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=15).map(
        lambda rows: [(min(part, whole), whole) for part, whole in rows]
    )
)
def test_clustered_intervals_hold_the_share_and_do_not_mind_the_order(rows: list[tuple[int, int]]) -> None:
    part, whole = np.array(rows, dtype=np.float64).T
    bounds, turned = clustered_wilson(part, whole), clustered_wilson(part[::-1], whole[::-1])
    assert bounds is not None
    assert bounds == pytest.approx(turned)
    assert 0 <= bounds[0] <= part.sum() / whole.sum() <= bounds[1] <= 1


def test_draws_keep_strata_and_sum_whole_clusters() -> None:
    tallies = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 10.0], [0.0, 10.0], [0.0, 10.0]])
    drawn = drawn_clusters(tallies, [0, 0, 1, 1, 1], 50, 3)
    assert np.array_equal(drawn, np.tile([2.0, 30.0], (50, 1)))


def test_where_too_many_draws_are_undefined_there_is_no_interval() -> None:
    replicates = np.linspace(0, 1, 100)
    replicates[:4] = np.nan
    assert difference_interval(replicates, 0.5, 10, unit="question") is not None
    replicates[:10] = np.nan
    assert difference_interval(replicates, 0.5, 10, unit="question") is None


def test_dealing_keeps_every_blocks_answers_and_covers_all_deals() -> None:
    said = np.array([1.0, 1, 0, 0, 1, 0])
    block = np.array([0, 0, 0, 0, 1, 1])
    first = np.array([True, True, False, False, True, False])
    mine, others = dealt_again(said, block, first, 4000, 0)
    assert (mine + others == [2, 1]).all()
    values, counts = np.unique(mine[:, 0], return_counts=True)
    assert values.tolist() == [0, 1, 2]
    assert counts / 4000 == pytest.approx([1 / 6, 4 / 6, 1 / 6], abs=0.03)


def test_shares_are_dealt_as_they_are() -> None:
    mine, others = dealt_again(np.array([0.2, 0.7]), np.array([0, 0]), np.array([True, False]), 100, 0)
    assert set(mine[:, 0].round(6)) == {0.2, 0.7}
    assert (mine + others) == pytest.approx(np.full((100, 1), 0.9))
    with pytest.raises(CriterionError, match="one"):
        dealt_again(np.array([0.2, 0.7, 0.1]), np.zeros(3, dtype=int), np.array([True, True, False]), 9, 0)


def test_a_deal_without_a_rate_counts_against_a_difference() -> None:
    assert two_sided_p(0.5, np.array([0.1, -0.5, np.nan, 0.2])) == pytest.approx(3 / 5)


def test_p_values_are_uniform_where_the_pronoun_does_nothing() -> None:
    """Under the null p <= .05 in at most .05 of samples, up to the noise of 400."""
    generator, low = np.random.default_rng(5), 0
    block, first = np.repeat(np.arange(10), 8), np.tile([True] * 4 + [False] * 4, 10)
    shares = generator.uniform(size=10)
    for seed in range(400):
        said = (generator.random(80) < shares[block]) * 1.0
        value = said[first].mean() - said[~first].mean()
        mine, others = dealt_again(said, block, first, 199, seed)
        low += two_sided_p(value, (mine.sum(axis=1) - others.sum(axis=1)) / 40) <= 0.05
    assert low / 400 < 0.08


def covered(clusters: int, spread: float, rounds: int = 400) -> tuple[float, float]:
    """How often the clustered Wilson interval and that of a difference hold the truth.

    Questions have shares of their own, Beta-distributed about .3 (and .2 more for the other pronoun), and ten
    texts each.
    """
    generator = np.random.default_rng(clusters)
    whole, held, different = np.full(clusters, 10.0), 0, 0
    for seed in range(rounds):
        shares = generator.beta(0.3 * spread, 0.7 * spread, size=clusters)
        ones = generator.binomial(10, shares).astype(float)
        others = generator.binomial(10, np.minimum(1, 0.5 * shares + 0.35)).astype(float)
        bounds = clustered_wilson(ones, whole)
        assert bounds is not None
        held += bounds[0] <= 0.3 <= bounds[1]
        drawn = drawn_clusters(np.stack([ones, others], axis=-1), [0] * clusters, 400, seed)
        found = difference_interval(
            (drawn[:, 1] - drawn[:, 0]) / whole.sum(),
            float((others - ones).sum() / whole.sum()),
            clusters,
            unit="question",
        )
        assert found is not None
        different += found.low <= 0.2 <= found.high
    return held / rounds, different / rounds


@pytest.mark.parametrize("clusters", [12, 40])
def test_intervals_hold_about_as_often_as_they_say(clusters: int) -> None:
    held, different = covered(clusters, spread=1.5)
    assert 0.92 <= held <= 0.985
    assert 0.92 <= different <= 0.985


def test_three_clusters_hold_too() -> None:
    held, different = covered(3, spread=1.5)
    assert held >= 0.93
    assert different >= 0.85
