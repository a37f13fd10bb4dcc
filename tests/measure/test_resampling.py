"""What is drawn again: which units, how often, with what weight, and that runs can share the draws."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats import ttest_ind

from pcf_core.core.errors import CriterionError
from pcf_core.measure import resampling
from pcf_core.measure.bootstrap import acceleration, moments
from pcf_core.measure.resampling import (
    TemplateUnit,
    chances,
    degrees_of_freedom,
    effective_number,
    percentiles,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
    stretched,
    tail,
)

COUNTS = np.array([6.0, 3.0, 0.0, 1.0])
DOCUMENTS = [2, 3, 0, 1]


def drawn(unit: TemplateUnit, resamples: int = 20_000, seed: int = 0) -> np.ndarray:
    return np.concatenate(list(resampled_template_weights(unit, resamples, seed)))


def test_places_keep_their_weight_and_templates_fill_them_in_proportion_to_theirs() -> None:
    """Places of 1/8, 2/8 and 5/8, each filled by template j with the chance w_j: means w_j, and the variance
    Σ w² w_j (1 − w_j) with Σ w² = 30/64."""
    weights = np.array([1.0, 2.0, 5.0]) / 8
    rows = drawn(TemplateUnit.templates(8 * weights))
    sums = {sum(taken) for size in range(4) for taken in combinations((1, 2, 5), size)}
    assert set(np.round(8 * rows, 6).ravel()) == sums
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    np.testing.assert_allclose(rows.mean(axis=0), weights, atol=0.01)
    expected = 30 / 64 * (np.diag(weights) - np.outer(weights, weights))
    np.testing.assert_allclose(np.cov(rows.T), expected, atol=0.005)


def test_equal_templates_are_drawn_as_a_plain_bootstrap_draws_them() -> None:
    rows = drawn(TemplateUnit.templates(np.full(7, 3.0)), 30)
    plain = np.random.default_rng(0).integers(7, size=(30, 7))
    np.testing.assert_allclose(rows, [np.bincount(row, minlength=7) / 7 for row in plain])


def test_mentions_are_drawn_alike() -> None:
    """Ten mentions, 6 : 3 : 1: shares of ten draws have the variance q(1 − q)/10."""
    rows = drawn(TemplateUnit.mentions(COUNTS))
    np.testing.assert_allclose(10 * rows, np.round(10 * rows), atol=1e-9)
    shares = COUNTS / 10
    np.testing.assert_allclose(rows.mean(axis=0), shares, atol=0.005)
    np.testing.assert_allclose(rows.var(axis=0), shares * (1 - shares) / 10, atol=0.001)


def test_documents_carry_the_mentions_of_an_average_one() -> None:
    """Two documents with three mentions each, three with one, one with one: a loop over single documents."""
    carried = [3.0, 3.0, 1.0, 1.0, 1.0, 1.0]
    of = [0, 0, 1, 1, 1, 3]
    generator, expected = np.random.default_rng(3), []
    for _ in range(20_000):
        weights = np.zeros(4)
        for document in generator.integers(6, size=6):
            weights[of[document]] += carried[document]
        expected.append(weights / weights.sum())
    rows = drawn(TemplateUnit.documents(COUNTS, DOCUMENTS))
    np.testing.assert_allclose(rows.mean(axis=0), np.mean(expected, axis=0), atol=0.005)
    np.testing.assert_allclose(np.cov(rows.T), np.cov(np.array(expected).T), atol=0.002)


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=15),
    st.integers(1, 9),
)
def test_effective_number_is_that_of_the_single_units(pairs: list[tuple[int, int]], factor: int) -> None:
    counts, documents = (np.array(column) for column in zip(*pairs, strict=True))
    singles = np.repeat(counts / documents, documents)
    assert TemplateUnit.documents(counts, documents).effective == pytest.approx(effective_number(singles))
    assert TemplateUnit.documents(factor * counts, documents).effective == pytest.approx(
        effective_number(singles)
    )
    assert TemplateUnit.mentions(counts).effective == pytest.approx(counts.sum())
    assert TemplateUnit.templates(counts).effective == pytest.approx(effective_number(counts))


def test_variance_weights_of_equal_units_are_those_of_a_mean() -> None:
    """Σ v (s − m)² = Σ (s − m)² / (n (n − 1)), the squared standard error."""
    s = np.random.default_rng(0).normal(size=12)
    unit = TemplateUnit.templates(np.ones(12))
    assert unit.variance_weights @ (s - s.mean()) ** 2 == pytest.approx(s.var(ddof=1) / 12)
    assert TemplateUnit.templates([0, 3]).variance_weights.tolist() == [0, 0]


@pytest.mark.parametrize(
    "unit",
    [
        TemplateUnit.templates(COUNTS),
        TemplateUnit.documents(COUNTS, DOCUMENTS),
        TemplateUnit.mentions(COUNTS),
    ],
    ids=lambda unit: unit.name,
)
def test_the_replicates_spread_as_the_variance_weights_say(unit: TemplateUnit) -> None:
    """Linear in the draws up to their number, so the two variances agree to the order of 1/n."""
    many = np.tile([0.3, -0.2, 0.9, 0.5], 40)
    wide = TemplateUnit(unit.name, np.tile(unit.weights, 40) / 40, np.tile(unit.sizes, 40))
    mean = wide.weights @ many
    found = (drawn(wide, 4000) @ many).var()
    assert found == pytest.approx(float(wide.variance_weights @ (many - mean) ** 2), rel=0.1)


def test_a_template_without_weight_is_not_drawn_and_changes_no_draw() -> None:
    without = drawn(TemplateUnit.templates([6, 3, 1]), 50)
    rows = drawn(TemplateUnit.templates(COUNTS), 50)
    np.testing.assert_array_equal(rows[:, [0, 1, 3]], without)
    assert (rows[:, 2] == 0).all()


@pytest.mark.parametrize("unit", [TemplateUnit.templates(COUNTS), TemplateUnit.mentions(COUNTS)])
def test_blocks_do_not_change_the_draws(unit: TemplateUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = drawn(unit, 101)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 4 * 7)
    assert len(list(resampled_template_weights(unit, 101))) == 15
    np.testing.assert_array_equal(drawn(unit, 101), whole)


def test_a_seed_decides_the_draws_of_templates_and_of_occupations_apart() -> None:
    unit = TemplateUnit.templates(np.ones(4))
    np.testing.assert_array_equal(drawn(unit, 50), drawn(unit, 50))
    assert (drawn(unit, 50) != drawn(unit, 50, seed=1)).any()
    (occupations,) = resampled_occupation_weights(np.ones(4), 2000, 0)
    both = np.corrcoef(drawn(unit, 2000)[:, 0], occupations[:, 0])[0, 1]
    assert abs(both) < 0.1
    np.testing.assert_allclose(occupations.mean(axis=0), 0.25, atol=0.02)


def test_occupations_carry_their_weight() -> None:
    (rows,) = resampled_occupation_weights([1, 2, 0], 1000, 0)
    assert set(np.round(rows[:, 0], 6)) == {0, round(1 / 3, 6), round(2 / 3, 6), 1}
    assert (rows[:, 2] == 0).all()


def test_three_units_are_stretched_as_far_as_students_t() -> None:
    """√(3/2) · 4.303 / 1.960 = 2.689; a single unit has nothing to stretch."""
    assert TemplateUnit.templates([2, 2, 2]).stretch(0.95) == pytest.approx(2.689, abs=1e-3)
    assert TemplateUnit.mentions([1, 1, 1]).stretch(0.95) == pytest.approx(2.689, abs=1e-3)
    assert TemplateUnit.templates([0, 5]).stretch(0.95) == 1
    assert TemplateUnit.templates(np.ones(5000)).stretch(0.95) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(("templates", "exponent"), [(8, 1.0), (400, 1.2), (400, 0.3)])
def test_the_stretch_of_unequal_places_is_that_of_normal_contexts(templates: int, exponent: float) -> None:
    """So many draws of normal contexts miss 0 by more than the stretched standard error; none is lumped."""
    unit = TemplateUnit.templates(np.arange(1.0, templates + 1) ** -exponent)
    generator, beyond = np.random.default_rng(5), []
    for spread in (1, 2):
        contexts = generator.standard_normal((20_000, templates))
        contexts[:, 0] *= spread
        means = contexts @ unit.weights
        variance = ((contexts - means[:, np.newaxis]) ** 2 @ unit.weights) / unit.effective
        beyond.append((np.abs(means) > 1.959964 * unit.stretch(0.95) * np.sqrt(variance)).mean())
    assert max(beyond) == pytest.approx(0.05, abs=0.006)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TemplateUnit.mentions([1.5, 2]), "whole number of them.*template 1 has 1.5. Draw templates"),
        (lambda: TemplateUnit.mentions([1e19, 2]), "not over 4.6e\\+18 together"),
        (lambda: TemplateUnit.documents([2, 3], [1, 0]), "template 2 has 0. Draw templates"),
        (lambda: TemplateUnit.documents([2, 3], [1]), "`documents` must be a list of 2"),
        (lambda: TemplateUnit.templates([0, 0]), "`template_weights` are all 0"),
        (lambda: drawn(TemplateUnit.templates([1]), 0), "at least 1 resample; got 0"),
        (lambda: list(resampled_occupation_weights([-1, 1], 5)), "`occupation_weights` must be finite"),
    ],
)
def test_what_cannot_be_drawn(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(CriterionError, match=sentence):
        make()


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


def test_as_many_units_as_weigh_like_the_heaviest() -> None:
    assert TemplateUnit.templates([3, 3, 3]).fewest == pytest.approx(3)
    assert TemplateUnit.templates([4, 2, 1, 1, 0]).fewest == pytest.approx(2)
    assert TemplateUnit.mentions([4, 2, 2]).fewest == pytest.approx(8)
    # Six units of weight 1/10, two of 2/10: the heaviest weigh a fifth.
    assert TemplateUnit.documents([6, 4], [6, 2]).fewest == pytest.approx(5)


def test_fewer_than_ten_effective_templates_are_rough() -> None:
    assert rough(9.99)
    assert not rough(10)
    assert not rough(effective_number(np.ones(10)))


def test_counts_only_become_whole_templates_and_draws_of_a_plan_stay() -> None:
    whole = TemplateUnit.templates(COUNTS)
    for counts_only in (TemplateUnit.documents(COUNTS, DOCUMENTS), TemplateUnit.mentions(COUNTS)):
        np.testing.assert_array_equal(drawn(counts_only.whole, 50), drawn(whole, 50))
        assert counts_only.whole.name == "template"
    plan = TemplateUnit("draw", whole.weights, np.asarray(COUNTS, dtype=float))
    assert whole.whole is whole
    assert plan.whole is plan


def test_families_are_drawn_like_templates_of_their_weight_with_the_wordings_inside_kept() -> None:
    """Weights 3 : 1 in one family and 4 : 2 in two others: the rows of 4, 4 and 2, each divided inside."""
    unit = TemplateUnit.templates([3, 4, 2, 1, 0], ["a", "b", "", "a", "never"])
    rows, alone = drawn(unit, 50), drawn(TemplateUnit.templates([4, 4, 2]), 50)
    np.testing.assert_allclose(rows, alone[:, [0, 1, 2, 0, 0]] * [0.75, 1, 1, 0.25, 0], atol=1e-12)
    assert unit.name == "family"
    assert unit.effective == pytest.approx(effective_number([4, 4, 2]))
    assert unit.fewest == pytest.approx(2.5)
    assert unit.stretch(0.95) == TemplateUnit.templates([4, 4, 2]).stretch(0.95)


def test_wide_rows_come_in_smaller_blocks_of_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = TemplateUnit.templates(np.ones(40), [str(place // 20) for place in range(40)])
    whole = list(resampled_template_weights(unit, 30))
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 400)
    parts = list(resampled_template_weights(unit, 30))
    assert (len(whole), len(parts)) == (1, 3)
    np.testing.assert_array_equal(np.concatenate(parts), whole[0])


def test_templates_that_are_each_alone_are_drawn_as_if_there_were_no_families() -> None:
    plain, labelled = TemplateUnit.templates(COUNTS), TemplateUnit.templates(COUNTS, ["a", "", "a", "b"])
    assert labelled.name == "template"
    np.testing.assert_array_equal(drawn(labelled, 50), drawn(plain, 50))


def test_counts_only_become_whole_families() -> None:
    families = ["a", "a", "b", "b"]
    for counts_only in (
        TemplateUnit.documents(COUNTS, DOCUMENTS, families),
        TemplateUnit.mentions(COUNTS, families),
    ):
        without = TemplateUnit(counts_only.name, counts_only.weights, counts_only.sizes)
        np.testing.assert_array_equal(drawn(counts_only, 50), drawn(without, 50))
        assert counts_only.whole.name == "family"
        np.testing.assert_array_equal(
            drawn(counts_only.whole, 50), drawn(TemplateUnit.templates(COUNTS, families), 50)
        )


def test_the_variance_of_a_mean_of_families_is_that_of_their_means() -> None:
    s, labels = np.random.default_rng(0).normal(size=12), [str(place % 4) for place in range(12)]
    unit = TemplateUnit.templates(np.ones(12), labels)
    means = s.reshape(3, 4).mean(axis=0)
    np.testing.assert_allclose(unit.means(s), means)
    assert unit.variance_weights @ (unit.means(s) - s.mean()) ** 2 == pytest.approx(means.var(ddof=1) / 4)
    variance, third = moments(s - s.mean(), unit)
    alone = TemplateUnit.templates(np.ones(4))
    expected = moments(means - means.mean(), alone)
    assert (variance, third) == pytest.approx(expected)


def test_one_template_with_nearly_all_of_the_weight_leaves_no_certainty() -> None:
    """Of ten, one has 80 to nearly 100 % of the weight: intervals of a mean still hold it in 85 % or more.

    Drawn by its weight it would fill nearly every place, and percentiles would shrink to what it says.
    """
    generator = np.random.default_rng(4)
    contexts = generator.standard_normal((150, 10))
    for share in (0.8, 0.97, 0.999, 1 - 1e-9):
        unit = TemplateUnit.templates([share] + [(1 - share) / 9] * 9)
        (weights,) = resampled_template_weights(unit, 1000)
        low, high = stretched(weights @ contexts.T, 0.95, unit.stretch(0.95))
        assert np.mean((low <= 0) & (high >= 0)) >= 0.85, share
    assert chances(np.array([0.7, 0.2, 0.1])) == pytest.approx([0.7, 0.2, 0.1])
    assert chances(np.array([0.9, 0.08, 0.02])) == pytest.approx([0.8, 0.16, 0.04])
    assert chances(np.array([1.0])) == pytest.approx([1.0])


# Degrees of freedom of a sum of variances: a worked example, Welch's test, properties, simulations.


VARIANCES = st.lists(st.tuples(st.floats(1e-3, 1e3), st.floats(0.1, 1e3)), min_size=1, max_size=6)


def test_a_worked_example() -> None:
    """3 known by 6 and 1 known by 2: 4² / (3²/6 + 1²/2) = 8."""
    assert degrees_of_freedom([3, 1], [6, 2]) == pytest.approx(8)


def test_two_samples_have_those_of_welch() -> None:
    generator = np.random.default_rng(0)
    one, other = generator.normal(0, 1, 9), generator.normal(0, 4, 25)
    variances = [one.var(ddof=1) / 9, other.var(ddof=1) / 25]
    assert degrees_of_freedom(variances, [8, 24]) == pytest.approx(ttest_ind(one, other, equal_var=False).df)


@given(VARIANCES, st.floats(1e-6, 1e6))
def test_they_lie_between_the_least_and_all_together_in_any_unit(
    sources: list[tuple[float, float]], unit: float
) -> None:
    variances, freedoms = np.array(sources).T
    found = degrees_of_freedom(variances, freedoms)
    assert freedoms.min() * (1 - 1e-9) <= found <= freedoms.sum() * (1 + 1e-9)
    assert degrees_of_freedom(unit * variances, freedoms) == pytest.approx(found)


def test_a_source_that_adds_little_leaves_the_others_theirs_and_an_unknown_one_leaves_none() -> None:
    assert degrees_of_freedom([1, 1e-6], [80, 1.5]) == pytest.approx(80, rel=1e-3)
    assert degrees_of_freedom([1, 0], [80, 0]) == 0
    assert degrees_of_freedom([0, 0], [80, 3]) == 3
    np.testing.assert_allclose(degrees_of_freedom([[1, 0], [1, 1]], [[4, 4], [4, 9]]), [8, 9])


def test_a_sum_of_estimates_spreads_like_a_chi_square_of_so_many() -> None:
    """The variance of an estimate with ν degrees of freedom is 2 V² / ν; 20,000 sums tell it to 2 %."""
    generator = np.random.default_rng(1)
    variances, freedoms = np.array([4.0, 2.0, 1.0]), np.array([30.0, 5.0, 3.0])
    sums = (generator.chisquare(freedoms, (20_000, 3)) * variances / freedoms).sum(axis=1)
    told = 2 * sums.mean() ** 2 / sums.var()
    assert degrees_of_freedom(variances, freedoms) == pytest.approx(told, rel=0.06)


def test_items_of_a_sum_count_by_their_factors() -> None:
    assert degrees_of_freedom(np.full(12, 0.3), 1) == pytest.approx(12)
    assert degrees_of_freedom(np.array([3.0, 1, 1, 1]) ** 2, 1) == pytest.approx(144 / 84)


# Percentiles against numpy, Student's t, and scipy's BCa.


def test_hesterbergs_tail_for_ten_units() -> None:
    """n = 10: t = 2.262, times √(10/9) is 2.384, and Φ(−2.384) = 0.0086 (his Table 3 says 0.009)."""
    assert tail(0.95, 10) == pytest.approx(0.0086, abs=5e-5)
    assert tail(0.95, 10) == pytest.approx(
        scipy_stats.norm.cdf(np.sqrt(10 / 9) * scipy_stats.t.ppf(0.025, 9)), abs=1e-12
    )


@given(st.floats(1.5, 500), st.floats(0.5, 0.99))
def test_fewer_units_mean_wider_bounds(effective: float, level: float) -> None:
    assert 0 <= tail(level, effective) <= tail(level, effective + 1) <= (1 - level) / 2
    assert tail(level, 1e9) == pytest.approx((1 - level) / 2, rel=1e-6)


def test_a_single_unit_gives_the_extremes() -> None:
    values = np.random.default_rng(0).normal(size=(100, 2))
    bounds = percentiles(values, 0.95, 1.0, [0.1, 0.2])
    np.testing.assert_array_equal(bounds, [values.min(axis=0), values.max(axis=0)])


def test_without_skewness_and_with_many_units_they_are_numpys() -> None:
    values = np.random.default_rng(0).normal(size=(501, 4))
    expected = np.percentile(values, [5, 95], axis=0)
    np.testing.assert_allclose(percentiles(values, 0.9), expected)
    np.testing.assert_allclose(percentiles(values, 0.9, acceleration=np.zeros(4)), expected, atol=1e-12)


def test_an_expanded_interval_of_a_mean_is_that_of_students_t() -> None:
    sample = scipy_stats.norm.ppf((np.arange(12) + 0.5) / 12)
    draws = np.random.default_rng(0).integers(12, size=(200_000, 12))
    low, high = percentiles(sample[draws].mean(axis=1), 0.95, 12)
    expected = scipy_stats.t.ppf(0.975, 11) * sample.std(ddof=1) / np.sqrt(12)
    assert (low, high) == pytest.approx((-expected, expected), rel=0.03)


def test_a_stretched_interval_of_three_units_is_that_of_students_t() -> None:
    """Percentiles of a mean of three end at the smallest and the largest; 0 ± 4.303 / √3 is 2.484."""
    sample = np.array([-1.0, 0.0, 1.0])
    draws = np.random.default_rng(0).integers(3, size=(200_000, 3))
    replicates = sample[draws].mean(axis=1)
    assert percentiles(replicates, 0.95, 3).tolist() == [-1, 1]
    low, high = stretched(replicates, 0.95, TemplateUnit.templates([1, 1, 1]).stretch(0.95))
    assert (low, high) == pytest.approx((-2.484, 2.484), rel=0.1)


def test_scipys_bca_finds_the_same_bounds_of_a_skew_mean() -> None:
    """Its z0 comes from the replicates and ours is a, which is the same to the first order."""
    sample = np.random.default_rng(3).exponential(size=60)
    other = scipy_stats.bootstrap(
        (sample,), np.mean, n_resamples=40_000, method="BCa", rng=1
    ).confidence_interval
    draws = np.random.default_rng(2).integers(60, size=(40_000, 60))
    skew = acceleration(moments(sample - sample.mean(), TemplateUnit.templates(np.ones(60))))
    assert skew == pytest.approx(scipy_stats.skew(sample) / (6 * np.sqrt(60)))
    found = percentiles(sample[draws].mean(axis=1), 0.95, acceleration=skew)
    assert found == pytest.approx([other.low, other.high], abs=0.008)
    plain = percentiles(sample[draws].mean(axis=1), 0.95)
    assert (found > plain + 0.015).all()


def test_bounds_run_off_where_an_acceleration_is_too_large() -> None:
    values = np.arange(101.0)
    assert percentiles(values, 0.95, 3.0, 0.5)[1] == 100
    assert percentiles(values, 0.95, 3.0, -0.5)[0] == 0


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(CriterionError, match="between 0 and 1; got"):
        percentiles(np.zeros(3), level)
