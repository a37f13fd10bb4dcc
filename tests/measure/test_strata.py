"""Draws by slot: every slot keeps its number and weight, and intervals have no spread between slots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student_t

from pcf_core.core.errors import CriterionError
from pcf_core.core.records import FloatArray
from pcf_core.measure import resampling
from pcf_core.measure.bootstrap import RISKS, moments, risk_intervals
from pcf_core.measure.comparison import paired_comparison
from pcf_core.measure.corrected import mean_covariance
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.regression import template_noise
from pcf_core.measure.resampling import STRATA, TemplateUnit, chances, freedom, resampled_template_weights
from pcf_core.measure.strata import FEWEST, Strata
from pcf_core.measure.ties import risk_differences

SLOTS = ["he"] * 5 + ["his"] * 4 + ["a man"] * 3
UNEQUAL = np.array([5.0, 4, 4, 3, 2, 6, 5, 5, 4, 2, 2, 2])
FEW = {"resamples": 60, "seed": 3}


def preferences(stereotypes: FloatArray) -> FloatArray:
    return np.stack([(1 + stereotypes) / 2, (1 - stereotypes) / 2], axis=-1)


def drawn(unit: TemplateUnit, resamples: int = 50, seed: int = 0) -> np.ndarray:
    return np.concatenate(list(resampled_template_weights(unit, resamples, seed)))


def strata_of(unit: TemplateUnit) -> Strata:
    assert unit.drawn_strata is not None
    return unit.drawn_strata


def sizes(unit: TemplateUnit) -> list[int]:
    return sorted(map(len, strata_of(unit).rows))


@given(st.integers(0, 10_000), st.lists(st.integers(3, 9), min_size=2, max_size=5))
def test_every_draw_has_as_many_templates_of_each_slot_as_the_set(seed: int, numbers: list[int]) -> None:
    """Each slot is drawn alone, as a plain bootstrap draws it, and the slots may be in any order."""
    slots = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(numbers)), numbers))
    rows = drawn(TemplateUnit.templates(np.ones(slots.size), slots=slots.astype(str).tolist()), 20, seed)
    for slot, number in enumerate(numbers):
        times = rows[:, slots == slot] * slots.size
        assert times == pytest.approx(times.round())
        assert times.sum(axis=1) == pytest.approx(number)
    generator, first = np.random.default_rng([seed, STRATA, 1]), np.flatnonzero(slots == slots[0])
    plain = generator.integers(first.size, size=(20, first.size))
    expected = [np.bincount(row, minlength=first.size) / slots.size for row in plain]
    np.testing.assert_allclose(rows[:, first], expected)


@given(st.integers(0, 10_000))
def test_every_draw_has_the_weight_of_each_slot(seed: int) -> None:
    weights, slots = np.random.default_rng(seed).uniform(1, 3, size=12), np.repeat(["he", "his"], 6)
    rows = drawn(TemplateUnit.templates(weights, slots=slots.tolist()), 20, seed)
    for members in (slots == "he", slots == "his"):
        np.testing.assert_allclose(rows[:, members].sum(axis=1), weights[members].sum() / weights.sum())


def test_draws_vary_as_a_calculation_by_hand_says() -> None:
    """A slot's places of weights w are filled by chance q, so its part varies by Σ w² Σ q (s − Σ q s)²."""
    unit, s = TemplateUnit.templates(UNEQUAL, slots=SLOTS), np.random.default_rng(0).normal(size=12)
    weights, expected, third = UNEQUAL / UNEQUAL.sum(), 0.0, 0.0
    for slot in set(SLOTS):
        w, values = weights[np.array(SLOTS) == slot], s[np.array(SLOTS) == slot]
        q = w / w.sum()
        expected += (w**2).sum() * (q @ (values - q @ values) ** 2)
    replicates = drawn(unit, 40_000) @ s
    assert replicates.mean() == pytest.approx(weights @ s, abs=0.005)
    assert replicates.var() == pytest.approx(expected, rel=0.03)
    assert moments(s - weights @ s, unit) == (pytest.approx(expected), third)


def test_the_variance_of_a_mean_is_that_inside_slots() -> None:
    s, unit = np.random.default_rng(1).normal(size=(2, 12)), TemplateUnit.templates(np.ones(12), slots=SLOTS)
    slots = np.array(SLOTS)
    parts = [(slots == slot) for slot in set(SLOTS)]
    expected = sum((part.sum() / 12) ** 2 * s[:, part].var(axis=1, ddof=1) / part.sum() for part in parts)
    about = unit.about(s, s.mean(axis=1, keepdims=True))
    np.testing.assert_allclose((s - about) ** 2 @ unit.variance_weights, expected)
    shown = sum(s[:, part].var(axis=1) * part.sum() for part in parts) / 144
    variance, third = moments(s - s.mean(axis=1, keepdims=True), unit)
    np.testing.assert_allclose(variance, shown)
    cubes = [((s[:, part] - s[:, part].mean(axis=1, keepdims=True)) ** 3).sum(axis=1) for part in parts]
    np.testing.assert_allclose(third, sum(cubes) / 12**3)
    covariance = mean_covariance(
        np.stack([s, -s], axis=-1),
        unit.about(np.stack([s, -s], -1), s[:, :1, None], 1),
        unit.variance_weights,
    )
    np.testing.assert_allclose(covariance[:, 0, 0], expected)
    np.testing.assert_allclose(covariance[:, 0, 1], -expected)


def test_slots_of_equal_size_leave_degrees_of_freedom_and_a_factor_like_students() -> None:
    """Two slots of 50: 98 degrees of freedom, and draws vary by 49/50 of what they should."""
    unit = TemplateUnit.templates(np.ones(100), slots=["one"] * 50 + ["two"] * 50)
    assert freedom(strata_of(unit)) == pytest.approx(98)
    assert unit.fewest == pytest.approx(99)
    assert unit.shortfall == pytest.approx(50 / 49)
    alone = TemplateUnit.templates(np.ones(100))
    assert alone.shortfall == pytest.approx(100 / 99)
    assert unit.stretch(0.95) == pytest.approx(np.sqrt(50 / 49) * student_t.ppf(0.975, 98) / 1.96, abs=0.03)
    assert unit.effective == alone.effective


def test_the_factor_allows_for_a_slot_that_varies_twice_as_much() -> None:
    """Simulated anew: with two slots of five, of which one has twice the spread of the other."""
    contexts = np.random.default_rng(9).normal(size=(100_000, 2, 5)) * [[[1.0], [2.0]]]
    means = contexts.mean(axis=2).mean(axis=1)
    spread = np.sqrt(contexts.var(axis=2).sum(axis=1) / 20)
    wanted = np.quantile(np.abs(means) / spread, 0.95) / 1.96
    unit = TemplateUnit.templates(np.ones(10), slots=["one"] * 5 + ["two"] * 5)
    assert unit.stretch(0.95) == pytest.approx(wanted, rel=0.03)


def test_one_slot_and_none_change_no_digit() -> None:
    plain = TemplateUnit.templates(UNEQUAL)
    for slots in ((), ["one"] * 12):
        unit = TemplateUnit.templates(UNEQUAL, slots=slots)
        assert unit.drawn_strata is None
        np.testing.assert_array_equal(drawn(unit), drawn(plain))
        assert unit.stretch(0.9) == plain.stretch(0.9)


def test_a_family_is_in_the_slot_of_most_of_its_weight() -> None:
    """The first family has 2 of its 3 in slot a, the second half in each: the first slot counts."""
    labels = ["f", "f", "g", "g", *"hijklm"]
    slots = ["a", "b", "a", "b", *"aaabbb"]
    weights = np.array([2.0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    strata = strata_of(TemplateUnit.templates(weights, labels, slots))
    assert strata.of.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    other = strata_of(TemplateUnit.templates([1.0, 2, *weights[2:]], labels, slots))
    assert other.of.tolist() == [1, 0, 0, 0, 0, 1, 1, 1]
    rows = drawn(TemplateUnit.templates(weights, labels, slots))
    np.testing.assert_allclose(rows[:, 0], 2 * rows[:, 1])
    np.testing.assert_allclose(rows[:, 7:].sum(axis=1), 3 / weights.sum())


def test_small_slots_are_joined() -> None:
    def of(numbers: list[int], weights: FloatArray | None = None) -> TemplateUnit:
        slots = [str(slot) for slot, number in enumerate(numbers) for _ in range(number)]
        return TemplateUnit.templates(np.ones(len(slots)) if weights is None else weights, slots=slots)

    assert sizes(of([9, 1, 1, 1])) == [3, 9]
    assert sizes(of([9, 6, 1])) == [7, 9]
    assert sizes(of([9, 6, 2, 2])) == [4, 6, 9]
    assert of([9, 2]).drawn_strata is None
    assert of([1, 1]).drawn_strata is None
    assert of([2]).drawn_strata is None
    assert sizes(of([int(FEWEST)] * 3)) == [int(FEWEST)] * 3
    heavy = np.array([1.0] * 9 + [100, 1, 1, 1, 1])  # five templates that count as one
    assert of([9, 5], heavy).drawn_strata is None
    unweighted = np.array([1.0] * 8 + [0.0] * 5)  # a slot without any weight
    assert sizes(of([4, 4, 5], unweighted)) == [4, 9]
    np.testing.assert_array_equal(drawn(of([4, 4, 5], unweighted))[:, 8:], 0)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_strata_are_large_enough_and_hold_whole_slots(seed: int, number: int) -> None:
    generator = np.random.default_rng(seed)
    slots = generator.integers(number, size=20)
    weights = generator.exponential(size=20) ** 2
    unit = TemplateUnit.templates(weights, slots=slots.astype(str).tolist())
    if unit.drawn_strata is None:
        return
    of = unit.drawn_strata.of
    assert all(len(set(of[slots == slot])) == 1 for slot in set(slots.tolist()))
    for rows in unit.drawn_strata.rows:
        assert unit.items[rows].sum() ** 2 / (unit.items[rows] ** 2).sum() >= FEWEST - 1e-6


def test_the_spread_between_slots_is_in_no_interval() -> None:
    """Slots far apart, without any spread inside: R, R^p and R^c are known, and so is their difference."""
    s = np.array([0.5] * 5 + [-0.1] * 4 + [0.3] * 3)
    values = preferences(np.broadcast_to(s, (4, 12)))
    unit, alone = TemplateUnit.templates(np.ones(12), slots=SLOTS), TemplateUnit.templates(np.ones(12))
    found = risk_intervals(values, unit, np.ones(4), Criterion(), **FEW)
    apart = risk_intervals(values, alone, np.ones(4), Criterion(), **FEW)
    for name in RISKS:
        one, other = found.intervals[name], apart.intervals[name]
        assert one[0].high - one[0].low == pytest.approx(0, abs=1e-9)
        assert other[0].high - other[0].low > 0.05
        assert (one[1].low, one[1].high) == (other[1].low, other[1].high)  # over occupations
    assert found.correction is not None
    np.testing.assert_allclose(found.correction.prejudice, found.parts.prejudice)
    noise = template_noise(
        list("abcd"), np.stack([s, -s], -1)[np.newaxis].repeat(4, 0), unit, Criterion(), "overall_risk"
    )
    assert noise is not None
    assert np.abs(noise.deviations).max() == pytest.approx(0, abs=1e-12)


def test_tests_of_many_models_draw_as_tests_of_two() -> None:
    first, second = np.random.default_rng(2).dirichlet(np.ones(2), size=(2, 4, 12))
    unit = TemplateUnit.templates(UNEQUAL, slots=SLOTS)
    one = paired_comparison(first, second, unit, np.ones(4), Criterion(), **FEW).totals["overall_risk"]
    many = risk_differences([first, second], UNEQUAL, np.ones(4), Criterion(), slots=SLOTS, **FEW)
    apart = risk_differences([first, second], UNEQUAL, np.ones(4), Criterion(), **FEW)
    assert many[0, 1].intervals[0].low == pytest.approx(one.intervals[0].low)
    assert many[0, 1].intervals[0].low != pytest.approx(apart[0, 1].intervals[0].low)
    assert many[0, 1].p_value == apart[0, 1].p_value == one.p_value  # labels are swapped, nothing is drawn


def test_counts_alone_are_drawn_from_all_slots() -> None:
    counts = UNEQUAL
    for unit in (
        TemplateUnit.mentions(counts, slots=SLOTS),
        TemplateUnit.documents(counts, counts, slots=SLOTS),
    ):
        plain = TemplateUnit(unit.name, unit.weights, unit.sizes)
        np.testing.assert_array_equal(drawn(unit), drawn(plain))
        assert unit.stretch(0.95) == plain.stretch(0.95)
        np.testing.assert_array_equal(drawn(unit.whole), drawn(TemplateUnit.templates(counts, slots=SLOTS)))


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = [str(place // 2) for place in range(24)]
    unit = TemplateUnit.templates(np.ones(24), labels, [slot for slot in SLOTS for _ in range(2)])
    whole = list(resampled_template_weights(unit, 30))
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 240)
    parts = list(resampled_template_weights(unit, 30))
    assert (len(whole), len(parts)) == (1, 3)
    np.testing.assert_array_equal(np.concatenate(parts), whole[0])


def test_a_heavy_template_is_not_drawn_into_every_place_of_its_slot() -> None:
    weights = np.array([1.0] * 6 + [30, 30, 30, 1])
    strata = strata_of(TemplateUnit.templates(weights, slots=["one"] * 6 + ["two"] * 4))
    assert [chances(strata.within[rows]).max() for rows in strata.rows] == pytest.approx([1 / 6, 30 / 91])


def test_labels_must_be_one_for_each_template() -> None:
    with pytest.raises(CriterionError, match="`slots` must be a list of 3 labels"):
        TemplateUnit.templates(np.ones(3), slots=["a", "b"])


def test_prejudice_that_opposite_slots_hide_is_in_its_interval() -> None:
    """Shown are .02 of noise about 0: the upper end is at least that of stretched percentiles about it."""
    generator = np.random.default_rng(5)
    s = np.array([0.6] * 6 + [-0.6] * 6) + generator.normal(0, 0.3, size=12)
    values = preferences(np.broadcast_to(s - s.mean() + 0.02, (4, 12)).clip(-0.99, 0.99))
    slots = ["one"] * 6 + ["two"] * 6
    unit = TemplateUnit.templates(np.ones(12), slots=slots)
    found = risk_intervals(values, unit, np.ones(4), Criterion(), resamples=400)
    assert found.correction is not None
    shown, corrected = found.parts.prejudice.mean(), found.correction.prejudice.mean()
    assert corrected < shown
    replicates = np.abs(drawn(unit, 400) @ (2 * values[0, :, 0] - 1))
    reach = unit.stretch(0.95) * (np.quantile(replicates, 0.975) - replicates.mean())
    assert found.intervals["prejudice_risk"][0].high >= shown + reach - 1e-9
