"""Intervals of rates: worked examples, second opinions, properties, and how often they hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval
from pcf_core.texts.criteria.information import entropies_in, largest_information, least_split, split_entropy
from pcf_core.texts.criteria.rates import (
    clustered_wilson,
    difference_interval,
    effective_answers,
    newcombe,
    resampled_sums,
    t_bounds,
    wilson,
)
from pcf_core.texts.criteria.records.quantities import Entropies
from pcf_core.texts.criteria.records.separation import RateDifference
from tests.show.charts.texts import answered

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
    bounds = newcombe(one / first, other / second, wilson(one, first), wilson(other, second))
    assert bounds == pytest.approx((max(-1, expected[0]), min(1, expected[1])), abs=1e-9)


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
    assert bounds == pytest.approx(turned)
    assert 0 <= bounds[0] <= part.sum() / whole.sum() <= bounds[1] <= 1


def test_draws_keep_strata_and_sum_whole_clusters() -> None:
    tallies = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 10.0], [0.0, 10.0], [0.0, 10.0]])
    drawn = resampled_sums(tallies, [0, 0, 1, 1, 1], 50, 3)
    assert np.array_equal(drawn, np.tile([2.0, 30.0], (50, 1)))


def test_where_too_many_draws_are_undefined_there_is_no_interval() -> None:
    replicates = np.linspace(0, 1, 100)
    replicates[:4] = np.nan
    assert difference_interval(replicates, 0.5, 10, unit="question") is not None
    replicates[:10] = np.nan
    assert difference_interval(replicates, 0.5, 10, unit="question") is None


def test_student_of_three_clusters() -> None:
    """Variance 3 · .01 = .03, t of 2 degrees of freedom 4.303."""
    bounds = t_bounds(np.array([-0.1, 0, 0.1]), [1, 1, 1], 0.1)
    assert bounds == pytest.approx(
        (0.1 - 4.30265 * math.sqrt(0.03), 0.1 + 4.30265 * math.sqrt(0.03)), abs=1e-4
    )
    assert t_bounds(np.zeros(3), [1, 1, 1], 0.1) is None
    assert t_bounds(np.array([0.5, -0.5]), [0, 0], 0.9) == (-1, 1)


@given(st.integers(2, 9), st.integers(2, 9), st.integers(0, 2**31))
def test_student_over_two_kinds_is_welchs(first: int, second: int, seed: int) -> None:
    """A second opinion: the interval of a difference of two means with unequal variances."""
    from scipy.stats import ttest_ind

    generator = np.random.default_rng(seed)
    one, other = generator.uniform(0, 0.2, first), generator.uniform(0.1, 0.3, second)
    value = float(one.mean() - other.mean())
    influence = np.concatenate([(one - one.mean()) / first, -(other - other.mean()) / second])
    welch = ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    expected = (max(-1, welch.low), min(1, welch.high))
    assert t_bounds(influence, [0] * first + [1] * second, value) == pytest.approx(expected, abs=1e-9)


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
        held += bounds[0] <= 0.3 <= bounds[1]
        drawn = resampled_sums(np.stack([ones, others], axis=-1), [0] * clusters, 400, seed)
        of_difference = difference_interval(
            (drawn[:, 1] - drawn[:, 0]) / whole.sum(),
            float((others - ones).sum() / whole.sum()),
            clusters,
            unit="question",
        )
        different += of_difference.low <= 0.2 <= of_difference.high
    return held / rounds, different / rounds


@pytest.mark.parametrize("clusters", [12, 40])
def test_intervals_hold_about_as_often_as_they_say(clusters: int) -> None:
    held, different = covered(clusters, spread=1.5)
    assert 0.92 <= held <= 0.985
    assert 0.92 <= different <= 0.985


def test_rates_of_three_clusters_hold_too() -> None:
    """Percentiles of their differences do not, and Student's t stands there (test_fair_models.py)."""
    held, different = covered(3, spread=1.5)
    assert held >= 0.93
    assert different < 0.9


def test_student_of_the_scarcer_share() -> None:
    """Of four clusters one share has answers in three: t of 2 degrees, 4.303, where four have 3.182."""
    influence = np.array([-0.1, 0, 0, 0.1])
    free = t_bounds(influence, [1] * 4, 0.1)
    bound = t_bounds(influence, [1] * 4, 0.1, 2)
    assert (bound[1] - 0.1) / (free[1] - 0.1) == pytest.approx(4.30265 / 3.18245, abs=1e-5)
    assert t_bounds(influence, [1] * 4, 0.1, 9) == free


# What a report of answers says of itself: the widest gap, and on which side of the line it lies.


def difference(value: float | None, low: float = -1.0, high: float = 1.0, **facts: object) -> RateDifference:
    interval = None if value is None else Interval(low=low, high=high, unit="question")
    return RateDifference.model_validate(
        {"name": "FNR", "first": "he", "second": "she", "value": value, "interval": interval, **facts}
    )


@pytest.mark.parametrize(
    ("low", "high", "beyond"),
    [
        (0.21, 0.5, True),
        (-0.5, -0.21, True),
        (-0.2, 0.2, False),
        (0.1, 0.19, False),
        (0.19, 0.3, None),
        (-0.3, 0.0, None),
        (-0.3, 0.3, None),
    ],
)
def test_which_side_of_the_line(low: float, high: float, beyond: bool | None) -> None:
    assert difference((low + high) / 2, low, high).beyond_line is beyond


def test_who_has_the_higher_rate() -> None:
    assert [difference(value).higher for value in (0.3, -0.3, 0.0, None)] == ["he", "she", "", ""]
    assert [difference(value).lower for value in (0.3, -0.3, 0.0, None)] == ["she", "he", "", ""]
    assert [difference(value).gap for value in (0.3, -0.3, 0.0, None)] == [0.3, 0.3, 0.0, None]
    assert difference(None).beyond_line is None


@pytest.mark.parametrize(
    ("value", "ends", "tells"),
    [(0.5, (0.2, 0.8), True), (0.5, (-0.1, 0.8), False), (-0.5, (-0.8, -0.2), True), (0.5, None, False)],
)
def test_nothing_tells_without_an_interval(
    value: float | None, ends: tuple[float, float] | None, tells: bool
) -> None:
    interval = None if ends is None else Interval(low=ends[0], high=ends[1], unit="question")
    he = answered().pronouns[0].model_copy(update={"told": value, "told_interval": interval})
    assert he.tells is tells
    assert not he.model_copy(update={"told": None, "told_interval": None}).tells


def test_a_difference_beyond_chance_was_testable() -> None:
    """Holm asks less of the second smallest p than of the smallest."""
    report = answered()
    row = difference(0.5, p_value=0.03, least_p=0.03, adjusted=0.03)
    assert report.tests * 0.03 > 0.05
    assert report.testable(row)
    assert not report.testable(row.model_copy(update={"adjusted": 0.09}))


def test_which_pronouns_are_compared() -> None:
    report = answered()
    assert report.compared("NPV") == ("he",)
    assert list(report.undefined("NPV")) == ["she"]
    assert (report.compared("FNR"), report.undefined("FNR")) == (("he", "she"), {})


def test_a_test_and_an_interval_may_disagree() -> None:
    rows = [difference(0.1, low, 0.2, adjusted=adjusted) for low in (-0.1, 0.05) for adjusted in (0.01, 0.2)]
    assert [row.disagrees for row in rows] == [True, False, False, False]
    assert not difference(None).disagrees


# The largest mutual information of given margins: brute force over all tables beside it.


def entropies(table: FloatArray) -> Entropies:
    one = entropies_in(table)
    return Entropies(rows=float(one.rows), columns=float(one.columns), information=float(one.information))


def test_worked_examples() -> None:
    assert least_split([3, 4, 5], 7) == 0  # 3 + 4
    # 6 of 3, 4, 5: split 3 into 1 and 2 beside 5, or 4 into 1 (beside 5) or 3 (beside 3), or 5 into 2, 3, 1
    assert least_split([3, 4, 5], 6) == pytest.approx(split_entropy(1, 3))
    assert split_entropy(1, 2) == pytest.approx(2 * math.log(2))
    assert split_entropy(0, 3) == split_entropy(3, 3) == 0


@given(st.lists(st.integers(1, 4), min_size=2, max_size=5), st.data())
def test_no_table_with_these_margins_has_more(sizes: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, sum(sizes) - 1))
    best = 0.0
    for parts in itertools.product(*(range(size + 1) for size in sizes)):
        if sum(parts) == first:
            table = np.array([(part, size - part) for part, size in zip(parts, sizes, strict=True)])
            best = max(best, float(entropies_in(table).information))
            last = table
    largest = largest_information(last.astype(float), entropies(last))
    assert largest.exact
    assert largest.information == pytest.approx(best, abs=1e-9)


def test_three_columns_have_a_bound_and_say_so() -> None:
    table = np.array([[5.0, 1, 2], [1, 4, 3], [2, 2, 2]])
    largest = largest_information(table, entropies(table))
    assert not largest.exact
    assert largest.information == pytest.approx(min(entropies(table).rows, entropies(table).columns))


def test_unequal_rows_that_are_no_counts_have_a_bound() -> None:
    table = np.array([[0.5, 0.25], [0.3, 0.9]])
    assert not largest_information(table, entropies(table)).exact
