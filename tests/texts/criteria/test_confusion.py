"""Matrices by pronoun against a count by hand, and their identities."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriterionError
from pcf_core.measure.comparison import permutations_of
from pcf_core.texts.criteria.answer_report import Answers, confusion, parts, possible, rates
from pcf_core.texts.criteria.rates import LEAST, Parts, contributions, exchange_test, least_p
from pcf_core.texts.criteria.records.quantities import INVALID, RATES, Confusion

ROWS = st.lists(
    st.tuples(*(st.integers(0, size - 1) for size in (3, 2, 2, 2)), st.integers(0, 1)), max_size=40
)


def test_the_worked_example() -> None:
    tallies = np.array([[150.0, 0.0], [100.0, 50.0]])
    matrix = confusion(tallies)
    assert matrix == Confusion(tp=50, fn=100, fp=0, tn=150)
    assert matrix.n == 300
    by_name = rates(tallies)
    assert [float(by_name[name]) for name in RATES] == [100 / 150, 0, 1, 0.6]


@given(ROWS)
def test_tallies_count_every_answer_where_it_stands(rows: list[tuple[int, ...]]) -> None:
    table = np.array(rows, dtype=np.intp).reshape(-1, 5)
    unit, pronoun, truth, first, female_named = table.T
    answers = Answers(("a", "b", "c"), ("he", "she"), unit, pronoun, truth, first, female_named * 1.0)
    tallies = answers.tallies()
    assert tallies.shape == (3, 2, 2, 2)
    for index in np.ndindex(*tallies.shape):
        assert tallies[index] == sum((row[0], row[1], row[2], row[4]) == index for row in rows)


@given(arrays(np.float64, (2, 2), elements=st.integers(0, 50).map(float)))
def test_rates_are_undefined_exactly_where_their_denominator_is_0(tallies: np.ndarray) -> None:
    by_name = rates(tallies)
    for name in RATES:
        part, whole = parts(tallies, name)
        assert (whole == 0) == bool(np.isnan(by_name[name]))
        if whole:
            assert by_name[name] == part / whole
            assert 0 <= by_name[name] <= 1


@given(arrays(np.float64, (2, 2), elements=st.integers(0, 50).map(float)))
def test_turning_the_positive_round_swaps_the_rates(tallies: np.ndarray) -> None:
    found, turned = rates(tallies), rates(tallies[::-1, ::-1])
    np.testing.assert_equal((found["FNR"], found["PPV"]), (turned["FPR"], turned["NPV"]))


def test_probabilities_are_summed_and_the_likelier_counted() -> None:
    zero = np.zeros(3, dtype=np.intp)
    answers = Answers(("a",), ("he",), zero, zero, zero + 1, zero, np.array([0.9, 0.5, 0.2]))
    assert answers.tallies()[0, 0, 1] == pytest.approx([1.4, 1.6])
    assert answers.likelier().tolist() == [1, 0.5, 0]


def test_invalid_answers_are_counted_by_who_was_right() -> None:
    tallies = np.array([[90.0, 10.0], [30.0, 20.0]])
    counted = [tuple(map(float, parts(tallies, name))) for name in INVALID]
    assert counted == [(30, 150), (20, 50), (10, 100)]


def test_what_invalid_answers_might_have_made_of_a_rate() -> None:
    assert possible(Confusion(tp=50, fn=50), (0, 25), "FNR") == (50 / 125, 75 / 125)
    assert possible(Confusion(tp=50, fp=50), (25, 0), "PPV") == (50 / 125, 50 / 100)


@given(st.tuples(*[st.integers(0, 4)] * 4), st.integers(0, 3), st.integers(0, 3))
def test_no_saying_of_the_invalid_answers_is_worse_than_the_worst(
    cells: tuple[int, ...], male: int, female: int
) -> None:
    """A second opinion: every way in which they might have been answered."""
    tp, fn, fp, tn = cells
    matrix = Confusion(tp=tp, fn=fn, fp=fp, tn=tn)
    every = [
        [[tn + male - slip, fp + slip], [fn + female - hit, tp + hit]]
        for hit in range(female + 1)
        for slip in range(male + 1)
    ]
    defined = rates(np.array([[tn, fp], [fn, tp]]))
    for name, values in rates(np.array(every)).items():
        if not np.isnan(defined[name]):
            least, most = np.nanmin(values), np.nanmax(values)
            assert possible(matrix, (male, female), name) == pytest.approx((least, most))


# The test of two pronouns: a worked example, every way one by one, what always holds, and its level.


def part_and_whole(part: object, whole: object) -> Parts:
    return np.array(part, dtype=np.float64), np.array(whole, dtype=np.float64)


@st.composite
def answers(draw: st.DrawFn, most: int = 7) -> tuple[Parts, Parts]:
    """Of one to seven clusters, some answers of either pronoun."""
    size, pairs = draw(st.integers(1, most)), []
    for _ in range(2):
        whole = np.array(draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
        whole[draw(st.integers(0, size - 1))] += 1
        part = np.array([draw(st.integers(0, int(most))) for most in whole])
        pairs.append((part * 1.0, whole * 1.0))
    return pairs[0], pairs[1]


def shares(both: tuple[Parts, Parts]) -> tuple[float, float]:
    first, second = (float(part.sum() / whole.sum()) for part, whole in both)
    return first, second


def test_a_worked_example() -> None:
    first, second = part_and_whole([2, 1, 1], [2, 2, 2]), part_and_whole([0, 0, 1], [1, 1, 1])
    moves, more = contributions(first, second)
    assert moves == pytest.approx([1 / 3, 1 / 6, -1 / 6])
    assert more == 1
    assert exchange_test(first, second, 100, 0).p_value == pytest.approx(6 / 8)
    assert exchange_test(first, second, 100, 0).least_p == 0.25


def test_where_few_are_never_wrong_ways_are_widened() -> None:
    # p = 2/10: e is −.4 four times but for two of .6, and −.2 twice
    first, second = (
        part_and_whole([1, 1, 0, 0], [2, 2, 2, 2]),
        part_and_whole([0, 0, 0, 0], [1, 1, 0, 0]),
    )
    moves, more = contributions(first, second)
    apart = (2 * 0.6**2 + 2 * 0.4**2) / 64 + 2 * 0.2**2 / 4
    together = (2 * 0.6**2 + 2 * 0.4**2 + 2 * 0.2**2) / 10 * (1 / 8 + 1 / 2)
    assert moves == pytest.approx([0.175, 0.175, -0.05, -0.05])
    assert more == pytest.approx(math.sqrt(1 + (together - apart) / float(np.sum(moves**2))))
    assert more > 1


@given(answers())
def test_contributions_sum_to_the_difference(both: tuple[Parts, Parts]) -> None:
    moves, more = contributions(*both)
    one, other = shares(both)
    assert moves.sum() == pytest.approx(one - other, abs=1e-12)
    assert more >= 1
    assert abs(one - other) <= math.sqrt(len(moves) * float(np.sum(moves**2))) + 1e-9


@given(answers())
def test_the_ways_are_all_choices_of_clusters(both: tuple[Parts, Parts]) -> None:
    """A second opinion: every way, one by one."""
    moves, more = contributions(*both)
    observed = abs(float(moves.sum()))
    ways = [more * abs(float(np.dot(signs, moves))) for signs in product((1, -1), repeat=len(moves))]
    result = exchange_test(*both, 1000, 0)
    expected = np.mean([way >= observed - 1e-12 for way in ways])
    assert result.p_value == pytest.approx(max(expected, result.least_p))


@given(answers())
def test_with_as_many_answers_it_exchanges_the_two_pronouns(both: tuple[Parts, Parts]) -> None:
    """A second opinion: the difference of shares, with the answers of some clusters exchanged."""
    (part, whole), (other, _) = both
    other = np.minimum(other, whole)
    value = abs(float((part - other).sum())) / float(whole.sum())
    ways = [
        abs(float(np.where(way, other - part, part - other).sum())) / float(whole.sum())
        for way in product((False, True), repeat=len(part))
    ]
    result = exchange_test((part, whole), (other, whole), 1000, 0)
    assert contributions((part, whole), (other, whole))[1] == pytest.approx(1)
    expected = np.mean([way >= value - 1e-12 for way in ways])
    assert result.p_value == pytest.approx(max(expected, result.least_p))


@given(answers())
def test_who_comes_first_and_what_is_counted_do_not_matter(both: tuple[Parts, Parts]) -> None:
    result, turned = exchange_test(*both, 1000, 0), exchange_test(both[1], both[0], 1000, 0)
    (part, whole), (other, other_whole) = both
    opposite = exchange_test((whole - part, whole), (other_whole - other, other_whole), 1000, 0)
    assert result.p_value == pytest.approx(turned.p_value)
    assert result.p_value == pytest.approx(opposite.p_value)
    assert 0 < result.least_p <= result.p_value <= 1


def test_where_nothing_differs_p_is_one() -> None:
    """All contributions are 0, and so is their standard error."""
    for wrong in (0, 1, 2):
        same = part_and_whole([wrong] * 9, [2] * 9)
        assert exchange_test(same, same, 1000, 0).p_value == 1
        assert exchange_test(same, part_and_whole([wrong / 2] * 9, [1] * 9), 1000, 0).p_value == 1


@pytest.mark.parametrize(("clusters", "least"), [(0, 1), (1, 1), (3, 0.25), (6, 1 / 32), (40, 1 / 101)])
def test_the_smallest_p_is_that_of_all_clusters_alike(clusters: int, least: float) -> None:
    assert least_p(clusters, permutations_of(max(clusters, 1), 100)) == pytest.approx(least)
    if clusters:
        never, always = (
            part_and_whole([0] * clusters, [1] * clusters),
            part_and_whole([1] * clusters, [1] * clusters),
        )
        assert exchange_test(never, always, 100, 1).p_value == pytest.approx(least)


def test_few_clusters_of_one_pronoun_show_nothing() -> None:
    """One question, wrong, beside forty that are right: the farthest of all ways, and yet no evidence."""
    many = part_and_whole([0] * 40, [1] * 40)
    for clusters in (1, 3):
        few = part_and_whole([1] * clusters + [0] * (40 - clusters), [1] * clusters + [0] * (40 - clusters))
        result = exchange_test(many, few, 2000, 0)
        assert result.p_value == result.least_p == 2.0 ** (1 - clusters)


def test_of_many_clusters_ways_are_drawn() -> None:
    generator = np.random.default_rng(3)
    first, second = (part_and_whole(generator.integers(0, 5, 40), [4] * 40) for _ in range(2))
    result = exchange_test(first, second, 2000, 3)
    assert result == exchange_test(first, second, 2000, 3)
    moves, _ = contributions(first, second)
    normal = math.erfc(abs(float(moves.sum())) / math.sqrt(2 * float(np.sum(moves**2))))
    assert result.p_value == pytest.approx(normal, abs=0.04)
    with pytest.raises(CriterionError, match="at least 1"):
        exchange_test(first, second, 0, 3)


def test_a_pronoun_without_answers_is_refused() -> None:
    with pytest.raises(CriterionError, match="one has none"):
        exchange_test(part_and_whole([1], [2]), part_and_whole([0], [0]), 10, 0)


@pytest.mark.parametrize(("wrong", "valid"), [(0.4, 1), (0.4, 0.25), (0.4, 0.1), (0.1, 0.25), (0.03, 0.5)])
def test_p_values_are_no_smaller_than_they_say(wrong: float, valid: float) -> None:
    """A model as often wrong under both pronouns, two prompts of five alike answers in each of 40 questions,
    of which a share is valid under one.  With whole questions exchanged it was up to .32.
    """
    generator, low = np.random.default_rng(5), 0
    for seed in range(400):
        errors = generator.random((2, 40, 2)) < wrong
        answered = np.stack([np.ones((40, 2)), generator.random((40, 2)) < valid])
        part, whole = 5 * (errors * answered).sum(axis=2), 5 * answered.sum(axis=2)
        if whole.sum(axis=1).all():
            low += exchange_test((part[0], whole[0]), (part[1], whole[1]), 299, seed).p_value <= 0.05
    assert low / 400 <= 0.08


def test_what_is_under_a_millionth_is_no_difference() -> None:
    """Probabilities that differ by as much in each of ten questions, all in one direction."""
    whole = [1.0] * 10

    def p_of(apart: float) -> float:
        return exchange_test(
            part_and_whole([0.3 + apart] * 10, whole), part_and_whole([0.3] * 10, whole), 2000, 1
        ).p_value

    assert (p_of(1e-9), p_of(0.9 * LEAST)) == (1, 1)
    assert p_of(1e-4) == pytest.approx(2 / 2**10)
