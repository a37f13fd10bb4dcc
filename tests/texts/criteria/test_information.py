"""Mutual information: worked examples, scikit-learn beside it, bias, null, coverage by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score, normalized_mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

from pcf_core.core.errors import CriteriaError
from pcf_core.core.records import FloatArray
from pcf_core.texts.criteria.information import (
    category_intervals,
    clustered_information,
    clusters_jackknifed,
    dealt_tables,
    drawn_counts,
    entropies_in,
    expected_information,
    jackknifed,
    miller_madow,
    mutual_information,
    text_intervals,
    why_no_information,
)
from pcf_core.texts.criteria.records.quantities import ALL_ALIKE, FORMULAS, ONE_EACH, MutualInformation
from tests.quick import quick

SKLEARN = {"arithmetic": "arithmetic", "minimum": "min", "geometric": "geometric"}
tables = arrays(
    np.int64, st.tuples(st.integers(2, 7), st.integers(2, 3)), elements=st.integers(0, 12)
).filter(lambda table: not why_no_information(table))


def report_of(table: object, **options: int) -> MutualInformation:
    return mutual_information(np.array(table), **{"permutations": 50, "resamples": 50, **options})


def labels(table: FloatArray) -> tuple[list[int], list[int]]:
    """Row and column of every text."""
    pairs = [index for index, many in np.ndenumerate(table) for _ in range(int(many))]
    return [row for row, _ in pairs], [column for _, column in pairs]


def one_gender_each(professions: int, texts: int) -> FloatArray:
    """Half of the professions always women, half always men."""
    half = professions // 2
    return np.array([[texts, 0]] * half + [[0, texts]] * half)


def test_a_worked_example() -> None:
    # p = ½ · (¾, ¼) and ½ · (¼, ¾): I = ¾ log (¾ / ½) + ¼ log (¼ / ½)
    report = report_of([[3, 1], [1, 3]])
    expected = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert report.information == pytest.approx(expected)
    assert report.normalised == pytest.approx(
        {
            "arithmetic": expected / math.log(2),
            "joint": expected / (2 * math.log(2) - expected),
            "minimum": expected / math.log(2),
            "geometric": expected / math.log(2),
        }
    )


def test_the_most_that_a_hundred_professions_and_two_genders_can_share() -> None:
    report = report_of(one_gender_each(100, 30))
    most = {"arithmetic": 0.2616, "joint": 0.1505, "minimum": 1.0, "geometric": 0.3880}
    assert report.normalised == pytest.approx(most, abs=5e-5)
    assert report.largest.normalised == pytest.approx(most, abs=5e-5)
    assert report.largest.exact
    assert report.above_chance == pytest.approx(1)
    assert report.corrected == pytest.approx(math.log(2))


@pytest.mark.parametrize(("texts", "bias"), [(30, 0.0165), (5, 0.099)])
def test_chance_gives_what_theory_says(texts: int, bias: float) -> None:
    women = np.random.default_rng(0).binomial(texts, 0.5, size=100)
    table = np.stack([women, texts - women], axis=1)
    # all cells filled, so that Miller's correction is (R − 1)(K − 1) / (2n)
    filled = np.where(table == 0, 1, table)
    assert entropies_in(filled).information - miller_madow(filled) == pytest.approx(
        99 / (2 * filled.sum()), rel=1e-9
    )
    report = report_of(table, permutations=400)
    assert report.null.mean == pytest.approx(bias, rel=0.2)
    assert report.depends is False


@given(tables)
def test_scikit_learn_agrees(table: FloatArray) -> None:
    report = report_of(table, permutations=1, resamples=1)
    rows, columns = labels(table)
    assert report.information == pytest.approx(mutual_info_score(rows, columns), abs=1e-12)
    for name, method in SKLEARN.items():
        theirs = normalized_mutual_info_score(rows, columns, average_method=method)
        assert report.normalised[name] == pytest.approx(theirs, abs=1e-9)


@given(tables)
def test_what_always_holds(table: FloatArray) -> None:
    report = report_of(table, permutations=9, resamples=9)
    turned, swapped = (
        report_of(table.T, permutations=1, resamples=1),
        report_of(table[::-1], permutations=1, resamples=1),
    )
    assert report.information == pytest.approx(turned.information, abs=1e-12)
    assert report.information == pytest.approx(swapped.information, abs=1e-12)
    assert 0 <= report.information <= report.largest.information + 1e-12
    assert report.largest.information <= min(report.entropies.rows, report.entropies.columns) + 1e-12
    order = ("joint", "arithmetic", "geometric", "minimum")
    values = [report.normalised[name] for name in order]
    assert all(low <= high + 1e-12 for low, high in itertools.pairwise(values))
    for intervals in (report.intervals, report.category_intervals):
        for name, interval in intervals.items():
            value = min(max(report.corrected_normalised[name], 0.0), 1.0)
            assert 0 <= interval.low <= value + 1e-12
            assert value - 1e-12 <= interval.high <= 1
    assert report.null.least_p <= report.null.p_value <= 1
    assert MutualInformation.model_validate_json(report.model_dump_json()) == report


@given(tables)
def test_the_jackknife_leaves_out_each_text_once(table: FloatArray) -> None:
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, without = int(table.sum()), []
    for index, many in np.ndenumerate(table):
        rest = table.copy()
        if many:
            rest[index] -= 1
            without += [float(entropies_in(rest).information)] * int(many)
    expected = n * float(entropies_in(table).information) - (n - 1) * float(np.mean(without))
    most = float(min(entropies_in(table).rows, entropies_in(table).columns))
    assert jackknifed(table * 1.0).information.item() == pytest.approx(min(expected, most), abs=1e-9)


@given(
    arrays(np.int64, st.tuples(st.integers(4, 7), st.integers(2, 4)), elements=st.integers(0, 6)),
    st.integers(0, 2**31),
)
def test_the_jackknife_leaves_out_each_cluster_of_its_group(texts: FloatArray, seed: int) -> None:
    """A second opinion: draws as lists of clusters, shares of either group, and I from those."""
    texts[:, 0] += 1
    members = np.arange(len(texts)) % 2
    times = drawn_counts(members, 3, np.random.default_rng(seed))
    measured = clusters_jackknifed(texts * 1.0, members, times)
    for draw, counted in enumerate(times):
        groups = [
            [row for row in np.flatnonzero(members == g) for _ in range(int(counted[row]))] for g in (0, 1)
        ]
        sizes = [float(texts[group].sum()) for group in groups]

        def shared(*rows: list[int], weights: list[float] = sizes) -> float:
            shares = [texts[each].sum(axis=0) / texts[each].sum() for each in rows]
            table = np.stack([share * weight for share, weight in zip(shares, weights, strict=True)], axis=1)
            return float(entropies_in(table).information)

        whole = shared(*groups)
        without = [
            [shared(rest, groups[1]) for rest in leaving_one(groups[0])],
            [shared(groups[0], rest) for rest in leaving_one(groups[1])],
        ]
        bias = sum((len(each) - 1) * (float(np.mean(each)) - whole) for each in without)
        most = float(min(measured.rows[draw], measured.columns[draw]))
        assert measured.information[draw] == pytest.approx(min(whole - bias, most), abs=1e-9)


def leaving_one(rows: list[int]) -> list[list[int]]:
    return [rows[:index] + rows[index + 1 :] for index in range(len(rows))]


def test_deals_keep_both_margins_and_have_the_exact_mean() -> None:
    table = np.array([[6, 2, 1], [3, 5, 0], [2, 2, 9]])
    deals = dealt_tables(table.sum(axis=1), table.sum(axis=0), 4000, np.random.default_rng(0))
    assert (deals.sum(axis=2) == table.sum(axis=1)).all()
    assert (deals.sum(axis=1) == table.sum(axis=0)).all()
    exact = expected_mutual_information(table, int(table.sum()))
    assert entropies_in(deals).information.mean() == pytest.approx(exact, rel=0.03)


def test_above_chance_is_the_adjusted_mutual_information_with_another_most() -> None:
    table = one_gender_each(10, 6) + 2
    report = report_of(table, permutations=4000)
    theirs = adjusted_mutual_info_score(*labels(table), average_method="min")
    assert report.above_chance == pytest.approx(theirs, abs=0.02)  # the most is H(A) here, as theirs


def test_a_planted_dependence_is_found_and_none_is_not() -> None:
    rng = np.random.default_rng(3)
    women = rng.binomial(30, np.repeat([0.4, 0.6], 50))
    report = report_of(np.stack([women, 30 - women], axis=1), permutations=500)
    assert report.depends
    assert report.null.p_value == pytest.approx(1 / 501)
    p_values = []
    for _ in range(60):
        women = rng.binomial(5, 0.5, size=20)
        null = report_of(np.stack([women, 5 - women], axis=1), permutations=199, resamples=1).null
        p_values.append(null.p_value)
    assert np.mean(np.array(p_values) <= 0.2) == pytest.approx(0.2, abs=0.15)


@pytest.mark.parametrize(
    "shares", [np.full(100, 0.5), np.repeat([0.1, 0.9], 50), np.linspace(0.02, 0.98, 100)]
)
def test_intervals_hold_the_truth(shares: FloatArray) -> None:
    truth = entropies_in(np.stack([shares, 1 - shares], axis=1)).normalised("arithmetic")
    held = {"text": 0, "category": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        women = rng.binomial(30, shares)
        texts = text_intervals(np.stack([women, 30.0 - women], axis=1), 200, rng)["arithmetic"]
        women = rng.binomial(30, rng.choice(shares, 100))
        categories = category_intervals(np.stack([women, 30.0 - women], axis=1), 200, rng)["arithmetic"]
        for one in (texts, categories):
            held[one.unit] += one.low <= truth + 1e-12 and truth <= one.high + 1e-12
    assert min(held.values()) >= 34  # of 40; 95 % intervals miss more than six less than once in 200


@pytest.mark.parametrize("texts", quick([5, 10], (5).__eq__))
@pytest.mark.parametrize("kind", ["even", "leaning", "decided"])
def test_few_texts_are_freed_of_most_bias_and_their_intervals_hold(texts: int, kind: str) -> None:
    """As counted, NMI is too large.  Intervals about the value as counted, which the jackknife may lie
    outside of, held the truth in no sample where professions decide the gender.
    """
    shares = {
        "even": np.full(100, 0.5),
        "leaning": np.repeat([0.1, 0.9], 50),
        "decided": np.repeat([0.0, 1.0], 50),
    }[kind]
    truth = float(entropies_in(np.stack([shares, 1 - shares], axis=1)).normalised("arithmetic"))
    held, errors = 0, []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        women = rng.binomial(texts, shares)
        report = mutual_information(
            np.stack([women, texts - women], axis=1), permutations=1, resamples=100, seed=seed
        )
        interval = report.intervals["arithmetic"]
        held += interval.low <= truth + 1e-12 and truth - 1e-12 <= interval.high
        errors.append(report.corrected_normalised["arithmetic"] - truth)
    assert held >= 34
    assert abs(np.mean(errors)) < (0.013 if texts == 5 else 0.004)


@pytest.mark.parametrize("names", [20, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("lean", [0.0, 0.6, 1.5])
def test_names_are_freed_of_most_bias_and_their_intervals_hold(names: int, lean: float) -> None:
    """Names of strong habits of their own, about twenty texts each; six labels."""
    women = np.exp(lean * np.linspace(-0.5, 0.5, 6))
    women /= women.sum()
    truth = float(entropies_in(np.stack([women, women[::-1]], axis=1)).normalised("arithmetic"))
    groups, held, errors = np.repeat([0, 1], names), 0, []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        habits = [rng.dirichlet(4 * (women if group == 0 else women[::-1])) for group in groups]
        counts = np.array([rng.multinomial(rng.integers(15, 26), habit) for habit in habits])
        report = clustered_information(counts, groups, permutations=1, resamples=200, seed=seed)
        interval = report.intervals["arithmetic"]
        held += interval.low <= truth + 1e-12 and truth <= interval.high
        errors.append(report.corrected_normalised["arithmetic"] - truth)
    assert held >= 32  # of 40, as of intervals that hold nine times of ten
    assert abs(np.mean(errors)) < 0.008


def test_expected_shares_have_no_chance_and_no_bias() -> None:
    shares = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    report = expected_information(shares, resamples=50)
    assert report.information == pytest.approx(entropies_in(shares).information)
    assert (report.null, report.corrected, report.above_chance, report.intervals) == (None, None, None, {})
    assert report.depends is None
    assert not report.few
    assert report.largest.exact
    # women 1.6 of three rows of 1: one whole, one split 0.6
    split = -0.6 * math.log(0.6) - 0.4 * math.log(0.4)
    assert report.largest.information == pytest.approx(report.entropies.columns - split / 3)
    assert set(report.category_intervals) == set(FORMULAS)


def test_clusters_are_exchanged_and_drawn_whole() -> None:
    rng = np.random.default_rng(0)
    # names of strong habits, whatever their gender: texts alone would look dependent
    habits = rng.dirichlet([0.3, 0.3, 0.3], size=24)
    counts = np.array([rng.multinomial(20, habit) for habit in habits])
    groups = np.repeat([0, 1], 12)
    clustered = clustered_information(counts, groups, permutations=300, resamples=200)
    table = np.stack([counts[groups == group].sum(axis=0) for group in (0, 1)], axis=1)
    naive = report_of(table, permutations=300)
    assert clustered.information == pytest.approx(naive.information)
    assert clustered.null.mean > 5 * naive.null.mean
    assert clustered.null.exchanged == "cluster"
    assert clustered.corrected < naive.corrected
    assert clustered.intervals["joint"].unit == "cluster"
    with pytest.raises(CriteriaError, match="two clusters"):
        clustered_information(counts, [0] + [1] * 23)
    with pytest.raises(CriteriaError, match="one group"):
        clustered_information(counts, groups[:3])


def test_what_cannot_be_told_is_refused() -> None:
    assert why_no_information([[3, 2], [0, 0]]) == "only one category has any text"
    assert why_no_information([[3, 0], [2, 0]]) == "only one group has any text"
    assert why_no_information([[0, 0], [0, 0]]) == "there is no text"
    with pytest.raises(CriteriaError, match="only one group"):
        report_of([[3, 0], [2, 0]])
    with pytest.raises(CriteriaError, match="not whole"):
        report_of([[0.5, 1], [1, 1]])
    for damaged in ([1, 2], [[-1, 2], [1, 1]], [[math.nan, 1], [1, 1]]):
        with pytest.raises(CriteriaError, match="at least 0"):
            report_of(damaged)
    with pytest.raises(CriteriaError, match="at least 1"):
        report_of([[3, 1], [1, 3]], permutations=0)


@given(st.lists(st.integers(0, 1), min_size=2, max_size=60).filter(lambda drawn: 0 < sum(drawn) < len(drawn)))
def test_of_one_text_each_nothing_is_told(genders: list[int]) -> None:
    """I is H(A), by hand, in every deal: neither bias nor chance can be known, whatever was written."""
    report = report_of(np.eye(2, dtype=int)[genders])
    share = sum(genders) / len(genders)
    assert report.information == pytest.approx(
        -share * math.log(share) - (1 - share) * math.log(1 - share), abs=1e-12
    )
    assert report.information == pytest.approx(report.largest.information, abs=1e-12)
    assert (report.corrected, report.second_correction, report.above_chance) == (None, None, None)
    assert (report.corrected_normalised, report.intervals, report.category_intervals) == ({}, {}, {})
    assert (report.untold, report.depends, report.few) == (ONE_EACH, None, False)


def test_a_table_that_is_the_same_the_other_way_round_tells_nothing_either() -> None:
    """Three texts and one, two of either gender: the one is always alone with two of the three."""
    report = report_of([[2, 1], [0, 1]], permutations=200)
    assert (report.untold, report.depends) == (ALL_ALIKE, None)
    assert report_of([[2, 0], [0, 2]], permutations=200).untold == ""


def test_names_that_each_have_a_label_of_their_own_tell_nothing() -> None:
    counts, genders = np.eye(6, dtype=int), np.array([0, 0, 0, 1, 1, 1])
    report = clustered_information(counts, genders, permutations=99, resamples=9)
    assert (report.depends, report.corrected, report.intervals) == (None, None, {})
    assert ALL_ALIKE in report.untold
    counts = np.repeat(np.eye(2, dtype=int), 3, axis=0)
    assert clustered_information(counts, genders, permutations=99, resamples=9).untold == ""
