"""Paired comparison: counted by hand, against loops and scipy, and how often it is wrong."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Difference
from pcf_core.measure.bootstrap import RISKS
from pcf_core.measure.comparison import (
    adjusted_p_values,
    led_alike,
    paired_comparison,
    permutations_of,
    seed_bound,
    swaps,
)
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
    stretched,
)
from tests.quick import scaled

J = Criterion()


def of_stereotypes(stereotypes: object) -> FloatArray:
    """[occupation, template, 2] preferences from [occupation, template] stereotypes of the first group."""
    share = (1 + np.asarray(stereotypes, dtype=np.float64)) / 2
    return np.stack([share, 1 - share], axis=-1)


def alike(templates: int) -> TemplateUnit:
    return TemplateUnit.templates(np.ones(templates))


def random_pair(seed: int, occupations: int = 4, templates: int = 6, groups: int = 3) -> list[FloatArray]:
    generator = np.random.default_rng(seed)
    return [generator.dirichlet(np.ones(groups), size=(occupations, templates)) for _ in range(2)]


def risks_of(values: FloatArray, weights: FloatArray, shares: FloatArray) -> dict[str, float]:
    found = total(decompose(values, weights, J), shares)
    return {name: getattr(found, name) for name in RISKS}


def test_three_templates_by_hand() -> None:
    """|s| is higher by 0.3, 0.1 and −0.1: six of eight ways to swap have a mean difference of 0.1 or more."""
    first, second = of_stereotypes([[0.8, 0.6, 0.4]]), of_stereotypes([[0.5, 0.5, 0.5]])
    found = paired_comparison(first, second, alike(3), [1], J)
    overall = found.totals["overall_risk"]
    assert overall.value == pytest.approx(0.1)
    assert found.permutations.count == 7
    assert found.permutations.exact
    assert overall.p_value == pytest.approx(6 / 8)
    assert overall.least_p == pytest.approx(2 / 8)
    assert overall.verdict == "too few"
    assert found.totals["caprice_risk"].verdict == "equal"
    assert found.occupations[0]["overall_risk"].p_value == overall.p_value


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [4, 2, 1, 0]])
def test_every_swap_against_a_loop(weights: list[float]) -> None:
    first, second = random_pair(0, occupations=3, templates=4)
    shares = np.array([0.5, 0.3, 0.2])
    unit = TemplateUnit.templates(weights)
    found = paired_comparison(first, second, unit, shares, J)
    used = np.flatnonzero(unit.weights)
    for row in range(3):  # the neutral point is an even split: preferences are exchanged as stereotypes are
        lead, other_lead = (int((unit.weights @ values[row]).argmax()) for values in (first, second))
        second[row][:, [lead, other_lead]] = second[row][:, [other_lead, lead]]
    gaps: dict[str, list[float]] = {name: [] for name in RISKS}
    for pattern in product([False, True], repeat=len(used)):
        one, other = first.copy(), second.copy()
        for template, swapped in zip(used, pattern, strict=True):
            if swapped:
                one[:, template], other[:, template] = second[:, template], first[:, template]
        risks = [risks_of(values, unit.weights, shares) for values in (one, other)]
        for name in RISKS:
            gaps[name].append(abs(risks[0][name] - risks[1][name]))
    assert found.permutations.count == 2 ** len(used) - 1
    for name in RISKS:
        assert found.totals[name].p_value == pytest.approx(
            np.mean(np.array(gaps[name]) >= gaps[name][0] - 1e-12)
        )


def test_models_that_lean_to_different_groups_are_tested_as_if_to_the_same() -> None:
    """As above, the second model the other way round; swapped as they are, every r^p would be as far off."""
    first, second = of_stereotypes([[0.8, 0.6, 0.4]]), of_stereotypes([[-0.5, -0.5, -0.5]])
    found = paired_comparison(first, second, alike(3), [1], J)
    assert found.totals["overall_risk"].p_value == pytest.approx(6 / 8)
    assert found.totals["prejudice_risk"].p_value == pytest.approx(6 / 8)


@given(st.integers(0, 1000), st.permutations(range(3)), st.sampled_from(["l1", "l2", "max"]))
@effort(max_examples=scaled(15))
def test_which_group_a_model_leans_to_changes_no_p_value(seed: int, names: list[int], criterion: str) -> None:
    """Of two groups: one model's answers mirrored for some occupations.  Of three: renamed for both."""
    first, second = random_pair(seed, groups=2)
    mirrored = second.copy()
    mirrored[::2] = second[::2, :, ::-1]
    three = random_pair(seed)
    alike_risks = [
        [
            paired_comparison(*pair, alike(6), np.ones(4), Criterion.parse(criterion), resamples=1)
            for pair in both
        ]
        for both in (
            [(first, second), (first, mirrored)],
            [three, [values[..., names] for values in three]],
        )
    ]
    for one, other in alike_risks:
        for name in RISKS:
            assert one.totals[name].p_value == other.totals[name].p_value
            assert one.totals[name].value == pytest.approx(other.totals[name].value, abs=1e-12)


@given(st.integers(0, 1000), st.integers(2, 5))
def test_groups_that_lead_are_exchanged_and_nothing_else(seed: int, groups: int) -> None:
    values = np.random.default_rng(seed).normal(size=(2, 4, 6, groups))
    weights = np.full(6, 1 / 6)
    led = led_alike(values, weights)
    leads = led.mean(axis=2).argmax(axis=2)
    assert (leads[0] == leads[1]).all()
    assert (led[0] == values[0]).all()
    assert (np.sort(led) == np.sort(values)).all()
    assert ((led != values).any(axis=(0, 2)).sum(axis=1) <= 2).all()
    assert led_alike(led, weights) == pytest.approx(led)


def test_the_exchange_costs_no_power_and_no_level() -> None:
    """Twelve occupations at ±0.4 against ∓0.35: found as on one side; at ±0.4 in both: by chance alone."""
    generator = np.random.default_rng(2)
    turns = np.where(np.arange(12) % 2, 1.0, -1.0)[:, np.newaxis]
    rejected = dict.fromkeys(product([0.35, 0.4], [1, -1]), 0)
    for seed, (mean, side) in product(range(60), rejected):
        pair = [
            of_stereotypes(np.clip(turns * level + generator.normal(0, 0.12, size=(12, 20)), -1, 1))
            for level in (0.4, side * mean)
        ]
        found = paired_comparison(*pair, alike(20), np.ones(12), J, resamples=1, permutations=199, seed=seed)
        rejected[mean, side] += found.totals["prejudice_risk"].p_value <= 0.05
    chance = 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)
    assert all(rejected[0.35, side] > 50 for side in (1, -1))
    assert all(rejected[0.4, side] <= chance for side in (1, -1))


def test_intervals_against_a_loop_over_the_same_draws() -> None:
    first, second = random_pair(1)
    unit, shares = TemplateUnit.templates([3, 2, 2, 1, 1, 1]), np.array([0.4, 0.3, 0.2, 0.1])
    found = paired_comparison(first, second, unit, shares, J, resamples=200, seed=5)
    weights = np.concatenate(list(resampled_template_weights(unit, 200, 5)))
    drawn = np.concatenate(list(resampled_occupation_weights(shares, 200, 5)))
    points = [decompose(values, unit.weights, J) for values in (first, second)]
    gap = points[0].overall - points[1].overall
    templates, occupations, both = [], [], []
    for row, share in zip(weights, drawn, strict=True):
        moved = decompose(first, row, J).overall - decompose(second, row, J).overall
        templates.append(moved @ shares)
        occupations.append(gap @ share)
        both.append(moved @ share)
    factors = [unit.stretch(0.95), TemplateUnit.templates(shares).stretch(0.95)]
    for interval, replicates, stretch in zip(
        found.totals["overall_risk"].intervals,
        (templates, occupations, both),
        (*factors, max(factors)),
        strict=True,
    ):
        plain = stretched(np.array(replicates), 0.95, stretch)
        centred = plain - np.mean(replicates) + float(gap @ shares)
        assert interval.low == pytest.approx(min(plain[0], centred[0]))
        assert interval.high == pytest.approx(max(plain[1], centred[1]))
    assert [interval.over for interval in found.totals["overall_risk"].intervals] == [
        "templates",
        "occupations",
        "both",
    ]


def test_the_interval_of_prejudice_reaches_as_far_as_its_bias() -> None:
    """One model is at E s = 0, where its bias is known from the resamples; the other leans far."""
    generator = np.random.default_rng(3)
    neutral = generator.choice([-0.3, 0.3], size=(1, 40))
    first, second = of_stereotypes(neutral), of_stereotypes(np.full((1, 40), 0.5))
    found = paired_comparison(first, second, alike(40), [1], J, seed=2)
    weights = np.concatenate(list(resampled_template_weights(alike(40), 2000, 2)))
    replicates = np.abs(weights @ neutral[0]) - 0.5
    observed = abs(neutral.mean()) - 0.5
    bias = float((replicates + 0.5).mean() - abs((weights @ neutral[0]).mean()))
    assert bias > 0
    low, high = stretched(replicates, 0.95, alike(40).stretch(0.95))
    interval = found.totals["prejudice_risk"].intervals[0]
    assert interval.low == pytest.approx(min(low, low - replicates.mean() + observed - 2.5 * bias))
    assert interval.high == pytest.approx(max(high, high - replicates.mean() + observed - 0.7 * bias))
    assert found.totals["prejudice_risk"].value == pytest.approx(observed)


@pytest.mark.parametrize("name", ["prejudice_risk", "caprice_risk"])
def test_where_both_are_biased_each_end_reaches_for_both(name: str) -> None:
    """Both models at E s = 0.  At a kink the bias is up to two and a half times what resamples show (0.80 of
    0.33 standard errors), beside one at least 0.7 of it (0.17 of 0.23): each end takes the worse for itself.
    """
    generator = np.random.default_rng(3)
    rows = [generator.permutation(np.repeat([-size, size], 20)) for size in (0.3, 0.25)]
    found = paired_comparison(
        *(of_stereotypes([row]) for row in rows), alike(40), [1], J, seed=2, permutations=1
    )
    drawn = np.random.default_rng(2).integers(40, size=(2000, 40))
    means = [row[drawn].mean(axis=1) for row in rows]
    one, other = (float(np.abs(mean).mean() - abs(mean.mean())) for mean in means)
    assert one > 0.01
    assert other > 0.01
    if name == "prejudice_risk":
        replicates, observed, up, down = np.abs(means[0]) - np.abs(means[1]), 0.0, other, one
    else:
        replicates, observed, up, down = 0.05 - np.abs(means[0]) + np.abs(means[1]), 0.05, one, other
    low, high = stretched(replicates, 0.95, alike(40).stretch(0.95)) - replicates.mean() + observed
    for interval in (found.totals[name].intervals[0], found.occupations[0][name].intervals[0]):
        assert interval.low == pytest.approx(low - 2.5 * down + 0.7 * up)
        assert interval.high == pytest.approx(high + 2.5 * up - 0.7 * down)


def test_a_caprice_that_is_never_seen_puts_the_difference_on_one_side_of_0() -> None:
    """The first model changes its sign in one context of 30, the second in none, near E s = 0 for a bias."""
    generator = np.random.default_rng(1)
    one = np.tile(np.r_[-0.02, np.full(29, 0.05)], (4, 1)) + generator.normal(0, 0.001, (4, 30))
    other = generator.uniform(0.3, 0.5, size=(4, 30))
    there, back = (
        paired_comparison(*map(of_stereotypes, pair), alike(30), np.ones(4), J, permutations=1)
        for pair in ((one, other), (other, one))
    )
    for found, low in ((there, True), (back, False)):
        rows = [found.totals["caprice_risk"], *(row["caprice_risk"] for row in found.occupations)]
        for interval in (interval for row in rows for interval in row.intervals):
            assert interval.low < interval.high
            assert (interval.low >= 0) if low else (interval.high <= 0)
    free = paired_comparison(*map(of_stereotypes, (one, one[::-1])), alike(30), np.ones(4), J, permutations=1)
    assert free.totals["caprice_risk"].intervals[2].low < 0 < free.totals["caprice_risk"].intervals[2].high


def test_over_occupations_nothing_is_taken_for_a_bias_of_templates() -> None:
    """The templates stay: bounds are percentiles of what the occupations drawn again differ by."""
    generator = np.random.default_rng(5)
    first = of_stereotypes(generator.choice([-0.3, 0.3], size=(12, 10)))
    second = of_stereotypes(generator.uniform(0.3, 0.6, size=(12, 10)))
    found = paired_comparison(first, second, alike(10), np.ones(12), J, seed=6, permutations=1)
    gaps = [risks_of(a[None], np.ones(10), np.ones(1)) for a in first]
    others = [risks_of(a[None], np.ones(10), np.ones(1)) for a in second]
    drawn = np.random.default_rng([6, 1]).integers(12, size=(2000, 12))
    for name in RISKS:
        rows = np.array([one[name] - other[name] for one, other in zip(gaps, others, strict=True)])
        replicates = rows[drawn].mean(axis=1)
        # Twelve occupations: √(12/11) · 2.2010 / 1.9600 = 1.1729.
        bounds = np.quantile(replicates, [0.025, 0.975])
        bounds = replicates.mean() + 1.1729 * (bounds - replicates.mean())
        centred = bounds - replicates.mean() + rows.mean()
        interval = found.totals[name].intervals[1]
        assert interval.low == pytest.approx(min(bounds[0], centred[0]), abs=1e-4)
        assert interval.high == pytest.approx(max(bounds[1], centred[1]), abs=1e-4)


@given(st.integers(0, 1000))
@effort(max_examples=scaled(15))
def test_the_other_way_round_the_signs_turn(seed: int) -> None:
    first, second = random_pair(seed)
    shares = [1.0, 2.0, 1.0, 3.0]
    there = paired_comparison(first, second, alike(6), shares, J, resamples=50)
    back = paired_comparison(second, first, alike(6), shares, J, resamples=50)
    for name in RISKS:
        one, other = there.totals[name], back.totals[name]
        assert one.value == pytest.approx(-other.value, abs=1e-12)
        assert one.p_value == other.p_value
        for a, b in zip(one.intervals, other.intervals, strict=True):
            assert (a.low, a.high) == pytest.approx((-b.high, -b.low), abs=1e-12)


@given(st.integers(0, 1000))
@effort(max_examples=scaled(15))
def test_differences_add_up_and_do_not_depend_on_the_order_of_groups_or_the_scale_of_weights(
    seed: int,
) -> None:
    first, second = random_pair(seed)
    shares = np.array([1.0, 2.0, 1.0, 3.0])
    found = paired_comparison(first, second, alike(6), shares, J, resamples=50)
    turned = paired_comparison(
        first[..., ::-1], second[..., ::-1], TemplateUnit.templates([7.0] * 6), 10 * shares, J, resamples=50
    )
    assert found.totals["overall_risk"].value == pytest.approx(
        found.totals["prejudice_risk"].value + found.totals["caprice_risk"].value, abs=1e-12
    )
    for name in RISKS:
        assert turned.totals[name].value == pytest.approx(found.totals[name].value, abs=1e-12)
        assert turned.totals[name].p_value == found.totals[name].p_value
        for a, b in zip(turned.totals[name].intervals, found.totals[name].intervals, strict=True):
            assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-10)
            assert a.low <= found.totals[name].value <= a.high


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=30))
def test_controlled_p_values_are_those_of_scipy(p_values: list[float]) -> None:
    assert adjusted_p_values(p_values) == pytest.approx(false_discovery_control(p_values, method="bh"))


def test_occupations_are_controlled_together() -> None:
    first, second = random_pair(4, occupations=5, templates=8)
    found = paired_comparison(first, second, alike(8), np.ones(5), J)
    raw = [row["caprice_risk"].p_value for row in found.occupations]
    assert [row["caprice_risk"].adjusted for row in found.occupations] == pytest.approx(
        false_discovery_control(raw)
    )


def test_a_model_against_itself_differs_nowhere() -> None:
    first, _ = random_pair(6, templates=12)
    found = paired_comparison(first, first, alike(12), np.ones(4), J, permutations=100)
    for name in RISKS:
        assert found.totals[name].verdict == "equal"
        assert found.totals[name].p_value == 1
        assert found.totals[name].interval("occupations") is not None


def test_what_differs_everywhere_is_told_apart() -> None:
    generator = np.random.default_rng(8)
    first = of_stereotypes(generator.uniform(0.6, 0.8, size=(3, 30)))
    second = of_stereotypes(generator.uniform(0.1, 0.3, size=(3, 30)))
    found = paired_comparison(first, second, alike(30), np.ones(3), J)
    assert found.totals["overall_risk"].verdict == "first"
    assert found.totals["overall_risk"].p_value == pytest.approx(1 / 2001)
    assert [row["prejudice_risk"].verdict for row in found.occupations] == ["first"] * 3
    back = paired_comparison(second, first, alike(30), np.ones(3), J)
    assert back.totals["prejudice_risk"].verdict == "second"


def test_the_same_seed_gives_the_same_numbers_and_another_one_others() -> None:
    first, second = random_pair(9, templates=20)

    def found(seed: int) -> Difference:
        return paired_comparison(
            first, second, alike(20), np.ones(4), J, resamples=200, permutations=200, seed=seed
        ).totals["overall_risk"]

    assert found(1) == found(1)
    assert found(1).p_value != found(2).p_value
    assert found(1).intervals != found(2).intervals


@pytest.mark.parametrize(("templates", "count", "least"), [(1, 1, 1.0), (5, 31, 1 / 16), (10, 1023, 1 / 512)])
def test_few_templates_have_few_swaps(templates: int, count: int, least: float) -> None:
    tests = permutations_of(templates, 2000)
    assert (tests.count, tests.exact, tests.least_p) == (count, True, pytest.approx(least))
    rows = np.concatenate(list(swaps(templates, tests, 0)))
    assert len({tuple(row) for row in rows}) == count
    assert not (rows == 1).all(axis=1).any()


def test_of_many_templates_swaps_are_drawn() -> None:
    tests = permutations_of(11, 2000)
    assert (tests.count, tests.exact, tests.least_p) == (2000, False, pytest.approx(1 / 2001))
    rows = np.concatenate(list(swaps(11, tests, 0)))
    assert rows.shape == (2000, 11)
    assert set(np.unique(rows)) == {-1.0, 1.0}
    assert abs(rows.mean()) < 0.03


def test_swaps_do_not_depend_on_how_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    for templates in (8, 30):
        tests = permutations_of(templates, 500)
        whole = np.concatenate(list(swaps(templates, tests, 3)))
        monkeypatch.setattr("pcf_core.measure.comparison.BLOCK_CELLS", 7 * templates)
        assert (np.concatenate(list(swaps(templates, tests, 3))) == whole).all()
        monkeypatch.undo()


def test_refusals_name_what_is_wrong() -> None:
    first, second = random_pair(0)
    with pytest.raises(CriterionError, match=r"\[4, 6, 3\] and \[4, 5, 3\]"):
        paired_comparison(first, second[:, :5], alike(6), np.ones(4), J)
    with pytest.raises(CriterionError, match="at least 1 permutation"):
        paired_comparison(first, second, alike(6), np.ones(4), J, permutations=0)
    with pytest.raises(CriterionError, match="occupation_weights"):
        paired_comparison(first, second, alike(6), np.ones(3), J)


def test_exchangeable_models_are_rejected_no_more_often_than_they_may() -> None:
    """200 pairs of models whose stereotypes are drawn alike: p <= 0.05 in a twentieth of them, but chance."""
    generator = np.random.default_rng(11)
    rejected = dict.fromkeys(RISKS, 0)
    for seed in range(200):
        common = generator.normal(0.2, 0.2, size=(1, 15))
        pair = [np.clip(common + generator.normal(0, 0.2, size=(1, 15)), -1, 1) for _ in range(2)]
        found = paired_comparison(
            *map(of_stereotypes, pair), alike(15), [1], J, resamples=1, permutations=199, seed=seed
        )
        for name in RISKS:
            rejected[name] += found.totals[name].p_value <= 0.05
    assert all(times <= 200 * 0.05 + 3 * np.sqrt(200 * 0.05 * 0.95) for times in rejected.values())


def test_a_verdict_and_an_interval_over_both_are_those_of_whole_templates_whatever_is_shown() -> None:
    """Three templates of 500 documents each: these alone would leave out 0, and the test swaps templates."""
    first, second = of_stereotypes([[0.8, 0.6, 0.4] * 3]), of_stereotypes([[0.6, 0.5, 0.5] * 3])
    counts = np.ones(9) * 500
    shown = paired_comparison(first, second, TemplateUnit.documents(counts, counts), [1], J)
    whole = paired_comparison(first, second, TemplateUnit.templates(counts), [1], J)
    for name in RISKS:
        for one, other in (
            (shown.totals[name], whole.totals[name]),
            (shown.occupations[0][name], whole.occupations[0][name]),
        ):
            assert one.intervals[0].unit == "document"
            assert one.basis == other.interval()
            assert (one.verdict, one.p_value) == (other.verdict, other.p_value)
        assert shown.totals[name].interval("both") == whole.totals[name].interval("both")
    narrow, basis = shown.totals["overall_risk"].interval(), shown.totals["overall_risk"].basis
    assert narrow is not None
    assert basis is not None
    assert narrow.low > 0 > basis.low
    assert shown.totals["overall_risk"].verdict == "unclear"


# How far two trainings may differ: by hand, in other units, and against drawing seeds again and again.


SEED_RISKS = st.lists(st.floats(0, 1), min_size=2, max_size=8)


def test_three_seeds_by_hand() -> None:
    """0.3, 0.4 and 0.5: s = 0.1, t with 2 degrees of freedom = 4.3027, times √2 is 0.6085."""
    assert seed_bound([0.3, 0.4, 0.5]) == pytest.approx(0.6085, abs=5e-5)


@given(SEED_RISKS, st.floats(-1, 1), st.floats(0.1, 1000))
def test_it_follows_the_unit_and_not_the_level_of_the_risks(
    risks: list[float], shift: float, unit: float
) -> None:
    moved = [shift + unit * risk for risk in risks]
    assert seed_bound(moved) == pytest.approx(unit * seed_bound(risks), rel=1e-6, abs=1e-9)
    assert seed_bound(risks[::-1]) == pytest.approx(seed_bound(risks))
    assert seed_bound(risks, 0.5) <= seed_bound(risks, 0.95)


@pytest.mark.parametrize(("seeds", "level"), [(2, 0.95), (3, 0.95), (3, 0.5), (10, 0.9)])
def test_it_holds_two_further_trainings_as_often_as_it_says(seeds: int, level: float) -> None:
    """Drawn from one normal distribution: 4,000 times some seeds, and two further trainings each."""
    drawn = np.random.default_rng(seeds).normal(0.4, 0.02, (4000, seeds + 2))
    held = [abs(row[0] - row[1]) <= seed_bound(row[2:], level) for row in drawn]
    assert np.mean(held) == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 4000))


def test_it_holds_skewed_figures_less_often_than_it_says() -> None:
    """Figures whose logarithms are normal with s.d. 0.7, as caprice may be: 91 % instead of 95 %."""
    drawn = np.exp(np.random.default_rng(0).normal(0, 0.7, (4000, 5)))
    held = [abs(row[0] - row[1]) <= seed_bound(row[2:]) for row in drawn]
    assert np.mean(held) == pytest.approx(0.91, abs=3 * np.sqrt(0.91 * 0.09 / 4000))


@pytest.mark.parametrize(
    ("risks", "level", "said"),
    [
        ([0.3], 0.95, "at least two"),
        ([0.3, float("nan")], 0.95, "finite"),
        ([0.3, 0.4], 1.0, "between 0 and 1"),
    ],
)
def test_what_has_no_spread_is_refused(risks: list[float], level: float, said: str) -> None:
    with pytest.raises(CriterionError, match=said):
        seed_bound(risks, level)
