"""Intervals of risk against loops, scipy and normal theory; what bias does to them, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from pcf_core.core.errors import CriterionError
from pcf_core.core.risk import Interval
from pcf_core.measure import resampling
from pcf_core.measure.bootstrap import RISKS, RiskIntervals, acceleration, influences, moments, risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import (
    TemplateUnit,
    resampled_occupation_weights,
    resampled_template_weights,
    stretched,
)

TEMPLATES = TemplateUnit.templates


def grid(occupations: int = 3, templates: int = 12, groups: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Preferences and unequal template weights."""
    generator = np.random.default_rng(5)
    values = generator.dirichlet(np.arange(1, groups + 1), size=(occupations, templates))
    return values, generator.pareto(1, templates) + 0.1


def of_two(s: np.ndarray) -> np.ndarray:
    """[..., 2] preferences with the stereotypes s and −s."""
    return np.stack([(1 + s) / 2, (1 - s) / 2], axis=-1)


def over_templates(result: RiskIntervals, quantity: str) -> Interval:
    return result.intervals[quantity][0]


def bounds(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def loops(
    values: np.ndarray, weights: np.ndarray, shares: np.ndarray, resamples: int, seed: int
) -> dict[str, dict[str, np.ndarray]]:
    """Replicates by quantity, over templates, over occupations and over both, one draw at a time."""
    templates = np.concatenate(list(resampled_template_weights(TEMPLATES(weights), resamples, seed)))
    occupations = np.concatenate(list(resampled_occupation_weights(shares, resamples, seed)))
    ways: dict[str, list[tuple[float, ...]]] = {"templates": [], "occupations": [], "both": []}
    for t, x in zip(templates, occupations, strict=True):
        for over, rows, share in (("templates", t, shares), ("occupations", weights, x), ("both", t, x)):
            found = total(decompose(values, rows, Criterion()), share)
            ways[over].append((found.overall_risk, found.prejudice_risk, found.caprice_risk))
    return {over: dict(zip(RISKS, np.array(rows).T, strict=True)) for over, rows in ways.items()}


def test_loops_over_the_same_draws_agree() -> None:
    """R, over all three, and everything over occupations: stretched percentiles of what the loops find."""
    generator = np.random.default_rng(0)
    values = of_two(generator.uniform(0.3, 0.6, size=(4, 15)) + np.where(np.arange(15) == 3, -0.5, 0))
    weights, shares = generator.uniform(1, 2, 15), np.array([1.0, 2, 2, 3])
    found = risk_intervals(values, TEMPLATES(weights), shares, Criterion(), resamples=120, level=0.8, seed=3)
    replicates = loops(values, weights, shares, 120, 3)
    parts = decompose(values, weights, Criterion())
    plug_in = total(parts, shares)
    moves = influences(Criterion().stereotypes(values), parts, Criterion())
    rows = dict(zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True))
    unit, drawn = TEMPLATES(weights), TEMPLATES(shares)
    for name in RISKS:
        value = getattr(plug_in, name)
        by_template = moments(drawn.weights @ moves[name], unit)
        by_occupation = moments(rows[name] - value, drawn)
        skew = {
            "templates": (unit.stretch(0.8), acceleration(by_template)),
            "occupations": (drawn.stretch(0.8), acceleration(by_occupation)),
            "both": (max(unit.stretch(0.8), drawn.stretch(0.8)), acceleration(by_template, by_occupation)),
        }
        for interval in found.intervals[name]:
            if name == "overall_risk" or interval.over == "occupations":
                again = replicates[interval.over][name]
                expected = np.clip(stretched(again, 0.8, *skew[interval.over]), 0, 1)
                low, high = min(expected[0], value), max(expected[1], value)
                assert bounds(interval) == pytest.approx((low, high), abs=1e-9)


def test_prejudice_and_caprice_near_a_kink_by_hand() -> None:
    """The formulas of the module, with the folded normal's closed form and replicates from the loops."""
    s = np.random.default_rng(2).uniform(-0.45, 0.65, size=(4, 15))
    values, weights, shares = of_two(s), np.ones(15), np.array([0.1, 0.2, 0.3, 0.4])
    found = risk_intervals(values, TEMPLATES(weights), shares, Criterion(), resamples=120, level=0.8, seed=3)
    plug_in, errors = abs(s.mean(axis=1)), s.std(axis=1, ddof=1) / math.sqrt(15)
    once, twice = shares @ plug_in, shares @ scipy_stats.foldnorm.mean(plug_in / errors, scale=errors)
    corrected = math.sqrt(2 * once**2 - twice**2)
    assert 0.01 < once - corrected < once
    draws = np.concatenate(list(resampled_template_weights(TEMPLATES(weights), 120, 3)))
    overall, means = draws @ abs(s).T @ shares, draws @ s.T
    factor = math.sqrt(15 / 14) * scipy_stats.t.ppf(0.9, 14) / scipy_stats.norm.ppf(0.9)

    def reach(replicates: np.ndarray) -> np.ndarray:
        return factor * (np.quantile(replicates, [0.1, 0.9]) - replicates.mean())

    down, up = reach(abs(means) @ shares)
    squares = [max(0, once + move) ** 2 - twice**2 + once**2 for move in (down, up)]
    low = min(math.sqrt(max(0, squares[0])), max(0, corrected + down))
    straight = corrected + up
    high = straight + corrected / once * max(0, math.sqrt(squares[1]) - straight)
    interval = found.intervals["prejudice_risk"][0]
    assert bounds(interval) == pytest.approx((low, max(high, once)), abs=2e-3)

    risk = shares @ abs(s).mean(axis=1)
    caprice, wanted = risk - once, risk - corrected
    shrunk = abs(low / once * s.mean(axis=1) + means - means.mean(axis=0)) @ shares
    spread = reach(overall - abs(means) @ shares)
    further = max(spread[1], reach(overall - shrunk)[1])
    roots = [math.sqrt(wanted) + d * wanted / caprice / 2 / math.sqrt(wanted) for d in (spread[0], further)]
    top = roots[1] ** 2 + max(0, corrected + down) - low
    ends = (min(roots[0] ** 2, caprice), min(top, found.intervals["overall_risk"][0].high))
    assert bounds(found.intervals["caprice_risk"][0]) == pytest.approx(ends, abs=4e-3)


def test_where_prejudice_may_be_0_caprice_may_be_all_of_the_risk() -> None:
    """Both ends take half of the error, so they are those of a level of .9 where that of caprice is .8."""
    s = np.random.default_rng(1).uniform(-0.5, 0.6, size=(4, 15))
    narrow, wide = (
        risk_intervals(
            of_two(s), TEMPLATES(np.ones(15)), np.ones(4), Criterion(), resamples=120, level=level
        ).intervals
        for level in (0.8, 0.9)
    )
    assert wide["prejudice_risk"][0].low == 0
    assert narrow["caprice_risk"][0].high == wide["overall_risk"][0].high


def test_scipy_finds_the_same_interval_of_a_risk() -> None:
    """R is a mean over templates; scipy's BCa takes z0 from the replicates."""
    values, _ = grid(templates=40)
    risks, unit = Criterion().J(values).mean(axis=0), TEMPLATES(np.ones(40))
    other = scipy_stats.bootstrap((risks,), np.mean, n_resamples=20_000, method="BCa", rng=1)
    other = other.confidence_interval
    low, high = bounds(
        over_templates(risk_intervals(values, unit, [1, 1, 1], Criterion(), resamples=20_000), RISKS[0])
    )
    width = other.high - other.low
    assert high - low == pytest.approx(unit.stretch(0.95) * width, rel=0.06)
    assert (low + high) / 2 == pytest.approx((other.low + other.high) / 2, abs=0.06 * width)


def test_far_from_a_change_of_sign_the_interval_is_that_of_a_mean() -> None:
    male = np.random.default_rng(2).uniform(0.7, 0.9, size=400)
    values = np.stack([male, 1 - male], axis=-1)[np.newaxis]
    found = risk_intervals(values, TEMPLATES(np.ones(400)), [1], Criterion())
    s = 2 * male - 1
    half = 1.96 * s.std() / math.sqrt(400)
    expected = pytest.approx((s.mean() - half, s.mean() + half), abs=0.1 * half)
    assert bounds(over_templates(found, "prejudice_risk")) == expected
    assert tuple(found.occupations["prejudice_risk"][0]) == expected


def test_a_mean_that_may_be_neutral_has_a_one_sided_interval() -> None:
    """s = ±0.3 over ten templates, six against four: m = 0.06, and 0 is not rejected.

    The upper end is m + c se, with se = 0.294/√10 and c the stretched quantile for ten units, 2.4 or so.
    """
    values = of_two(np.array([[0.3] * 6 + [-0.3] * 4]))
    found = risk_intervals(values, TEMPLATES(np.ones(10)), [1], Criterion())
    low, high = found.occupations["prejudice_risk"][0]
    assert low == 0
    assert high == pytest.approx(0.06 + 2.384 * 0.2939 / math.sqrt(10), abs=0.04)
    # All risk may be caprice then: its upper end is that of r = 0.3 itself.
    assert tuple(found.occupations["overall_risk"][0]) == pytest.approx((0.3, 0.3))
    assert found.occupations["caprice_risk"][0, 1] == pytest.approx(0.3)


def test_all_risk_may_be_caprice_where_resamples_disagree_on_the_group_that_leads() -> None:
    """s = 1 in two of ten contexts and −0.1 in eight: m = 0.12, but a tenth of the resamples (0.8^10) have no
    context with 1 and lean the other way.  So r^p may be 0, and r^c all of r, which may be half or more; the
    contexts against the lean can bring no more than 2 × 0.1.
    """
    values = of_two(np.array([[1.0] * 2 + [-0.1] * 8]))
    found = risk_intervals(values, TEMPLATES(np.ones(10)), [1], Criterion()).occupations
    assert found["prejudice_risk"][0, 0] == 0
    assert found["caprice_risk"][0, 1] == pytest.approx(found["overall_risk"][0, 1])
    assert found["caprice_risk"][0, 1] > 0.5


def test_caprice_reaches_as_far_as_the_tangent_of_j() -> None:
    """Three groups and the Euclidean norm: J of a mean that turns is more than its tangent tells, so that the
    replicates of r^c alone lie lower.  The loop takes the slope from differences.
    """
    generator = np.random.default_rng(4)
    values = generator.dirichlet([5, 2, 2], size=(1, 14))
    criterion, unit = Criterion.parse("l2"), TEMPLATES(np.ones(14))
    stereotypes = criterion.stereotypes(values)[0]
    middle, step = stereotypes.mean(axis=0), 1e-6
    slope = [
        (criterion.of_stereotypes(middle + move) - criterion.of_stereotypes(middle - move)) / (2 * step)
        for move in step * np.eye(3)
    ]
    above, plain = [], []
    for drawn in np.random.default_rng(0).integers(14, size=(2000, 14)):
        mean = stereotypes[drawn].mean(axis=0)
        risk = float(criterion.of_stereotypes(stereotypes[drawn]).mean())
        above.append(risk - float(mean @ slope))
        plain.append(risk - float(criterion.of_stereotypes(mean)))
    parts = decompose(values, unit.weights, criterion)
    moves = influences(stereotypes[np.newaxis], parts, criterion)["caprice_risk"]
    skew = acceleration(moments(moves[0], unit))
    found = risk_intervals(values, unit, [1], criterion).occupations["caprice_risk"][0, 1]
    stretch = unit.stretch(0.95)
    assert found == pytest.approx(stretched(np.array(above), 0.95, stretch, skew)[1], abs=1e-6)
    assert found > stretched(np.array(plain), 0.95, stretch, skew)[1] + 0.005


def test_prejudice_is_no_more_than_the_scale_allows() -> None:
    """s = 1 in nine of ten contexts and 0.2 in one: m = 0.92, and 2.4 s.e. of 0.08 more are 1.1."""
    values = of_two(np.array([[1.0] * 9 + [0.2]]))
    found = risk_intervals(values, TEMPLATES(np.ones(10)), [1], Criterion()).occupations
    assert found["prejudice_risk"][0, 1] == 1
    assert found["prejudice_risk"][0, 0] < 0.8


def test_the_prejudice_of_ten_templates_without_any() -> None:
    """The issue's example: s = ±0.3 with even chances shows r^p = 0.074 on average where the truth is 0.

    |mean of ten signs| × 0.3, by the binomial; measured alone, each occupation's correction takes a third or
    so, and expects as much from sampling alone.  Eleven occupations that are neutral by the same chances have
    a corrected R^p of nearly 0.
    """
    heads = np.arange(11)
    chances = scipy_stats.binom.pmf(heads, 10, 0.5)
    rows = of_two(np.where(np.arange(10) < heads[:, np.newaxis], 0.3, -0.3))
    parts = decompose(rows, np.ones(10), Criterion())
    assert chances @ parts.prejudice == pytest.approx(0.0738, abs=1e-4)
    unit = TEMPLATES(np.ones(10))
    alone = [risk_intervals(row[None], unit, [1], Criterion(), resamples=2).correction for row in rows]
    assert None not in alone
    assert 0.04 < sum(p * one.prejudice[0] for p, one in zip(chances, alone, strict=True)) < 0.055
    assert alone[5].prejudice[0] == 0
    assert alone[10].prejudice[0] == pytest.approx(0.3)
    together = risk_intervals(rows, unit, chances, Criterion(), resamples=2).correction
    assert together is not None
    assert chances @ together.sampling == pytest.approx(0.0738, rel=0.06)
    assert chances @ together.prejudice < 0.01


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, math.inf]), st.sampled_from(["pcf", "bvf"]))
def test_every_interval_holds_the_plug_in_estimate(seed: int, norm: float, scale: Any) -> None:
    generator = np.random.default_rng(seed)
    occupations, templates, groups = (
        generator.integers(1, 5),
        generator.integers(1, 8),
        generator.integers(2, 5),
    )
    values = generator.dirichlet(np.full(groups, 0.7), size=(occupations, templates))
    unit, shares = TEMPLATES(generator.pareto(1, templates) + 0.1), generator.random(occupations) + 0.1
    criterion = Criterion(norm, scale)
    found = risk_intervals(values, unit, shares, criterion, resamples=30, seed=seed)
    parts = decompose(values, unit.weights, criterion)
    whole, most = total(parts, shares), criterion.largest(occupations, groups).max()
    for name, each in zip(RISKS, (parts.overall, parts.prejudice, parts.caprice), strict=True):
        low, high = found.occupations[name].T
        assert ((low >= 0) & (low <= each) & (each <= high) & (high <= most + 1e-12)).all()
        for interval in found.intervals[name]:
            value = getattr(whole, name)  # from weights that are not normalised yet: the last bit may differ
            assert 0 <= interval.low <= value + 1e-12
            assert value - 1e-12 <= interval.high <= most + 1e-12
    assert found.correction is not None
    assert (found.correction.prejudice <= parts.prejudice + 1e-12).all()
    assert (found.correction.prejudice >= 0).all()


@given(st.integers(0, 2**32), st.floats(0.01, 100))
def test_neither_the_order_of_groups_nor_the_scale_of_weights_matters(seed: int, factor: float) -> None:
    generator = np.random.default_rng(seed)
    values = generator.dirichlet([1, 1, 2], size=(3, 6))
    weights, shares = generator.random(6) + 0.1, generator.random(3) + 0.1
    found = risk_intervals(values, TEMPLATES(weights), shares, Criterion(), resamples=40)
    other = risk_intervals(
        values[:, :, [2, 0, 1]], TEMPLATES(factor * weights), factor * shares, Criterion(), resamples=40
    )
    assert found.correction is not None
    assert other.correction is not None
    for name in RISKS:
        np.testing.assert_allclose(other.occupations[name], found.occupations[name], atol=1e-9)
        for one, two in zip(found.intervals[name], other.intervals[name], strict=True):
            # The root of what a correction leaves is steep where little is: rounding becomes its root.
            assert bounds(two) == pytest.approx(bounds(one), abs=1e-5)
    squares = [one.correction.prejudice**2 for one in (found, other)]
    np.testing.assert_allclose(squares[1], squares[0], atol=1e-9)


@given(st.integers(0, 2**32))
def test_two_groups_may_change_places(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.dirichlet([1, 1], size=(3, 6))
    unit, shares = TEMPLATES(generator.random(6) + 0.1), generator.random(3) + 0.1
    found = risk_intervals(values, unit, shares, Criterion(), resamples=40)
    other = risk_intervals(values[:, :, ::-1], unit, shares, Criterion(), resamples=40)
    for name in RISKS:
        for one, two in zip(found.intervals[name], other.intervals[name], strict=True):
            assert bounds(two) == pytest.approx(bounds(one), abs=1e-9)


def test_intervals_are_described_by_what_was_drawn() -> None:
    values, _ = grid()
    unit = TemplateUnit.mentions(np.arange(1, 13))
    found = risk_intervals(values, unit, [1, 1, 1], Criterion(), resamples=200, level=0.9)
    whole = risk_intervals(
        values, TEMPLATES(np.arange(1, 13)), [1, 1, 1], Criterion(), resamples=200, level=0.9
    )
    assert set(found.intervals) == set(found.occupations) == set(RISKS)
    for name in RISKS:
        assert [(one.over, one.unit, one.level) for one in found.intervals[name]] == [
            ("templates", "mention", 0.9),
            ("occupations", "occupation", 0.9),
            ("both", "template", 0.9),
        ]
        assert found.intervals[name][2] == whole.intervals[name][2]
        assert found.occupations[name].shape == (3, 2)


def test_more_units_mean_narrower_intervals() -> None:
    values, _ = grid()
    counts = np.arange(1, 13)
    widths = [
        np.ptp(bounds(over_templates(risk_intervals(values, unit, [1, 1, 1], Criterion()), "overall_risk")))
        for unit in (
            TEMPLATES(counts),
            TemplateUnit.documents(counts, counts // 2 + 1),
            TemplateUnit.mentions(counts),
        )
    ]
    assert widths[0] > widths[1] > widths[2]


def test_over_both_is_at_least_as_wide_as_over_either() -> None:
    values, _ = grid(occupations=30, templates=30)
    found = risk_intervals(values, TEMPLATES(np.ones(30)), np.ones(30), Criterion())
    for name in RISKS:
        templates, occupations, both = (np.ptp(bounds(one)) for one in found.intervals[name])
        assert both > 0.95 * max(templates, occupations)


def test_occupations_that_are_alike_leave_nothing_open_over_occupations() -> None:
    values, weights = grid(occupations=1)
    found = risk_intervals(np.repeat(values, 5, axis=0), TEMPLATES(weights), np.ones(5), Criterion())
    for name in RISKS:
        templates, occupations, both = found.intervals[name]
        assert occupations.low == pytest.approx(occupations.high, abs=1e-12)
        assert np.ptp(bounds(both)) > 0.9 * np.ptp(bounds(templates))


def test_caprice_has_no_interval_where_no_stereotype_changes_its_sign() -> None:
    male = np.random.default_rng(0).uniform(0.5, 1, size=(4, 30))
    values = np.stack([male, 1 - male], axis=-1)
    found = risk_intervals(values, TEMPLATES(np.ones(30)), np.ones(4), Criterion(), resamples=300)
    for interval in found.intervals["caprice_risk"]:
        assert bounds(interval) == (0, 0)
    assert (found.occupations["caprice_risk"] == 0).all()


def test_a_single_weighted_template_gives_its_own_value() -> None:
    values, _ = grid()
    only = np.eye(12)[4]
    found = risk_intervals(values, TEMPLATES(only), [1, 1, 1], Criterion(), resamples=20)
    risk = total(decompose(values, only, Criterion()), [1, 1, 1]).overall_risk
    assert bounds(over_templates(found, "overall_risk")) == pytest.approx((risk, risk), abs=1e-12)


def test_blocks_do_not_change_the_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    values, weights = grid()
    whole = risk_intervals(values, TEMPLATES(weights), [1, 1, 1], Criterion(), resamples=101)
    monkeypatch.setattr(resampling, "BLOCK_CELLS", 12 * 7)
    cut = risk_intervals(values, TEMPLATES(weights), [1, 1, 1], Criterion(), resamples=101)
    for name in RISKS:
        for one, two in zip(whole.intervals[name], cut.intervals[name], strict=True):
            assert bounds(two) == pytest.approx(bounds(one), abs=1e-14)


def test_the_seed_decides() -> None:
    values, weights = grid()
    first, again, other = (
        risk_intervals(values, TEMPLATES(weights), [1, 1, 1], Criterion(), resamples=50, seed=seed)
        for seed in (0, 0, 1)
    )
    assert first.intervals == again.intervals
    assert first.intervals != other.intervals


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"resamples": 0}, "at least 1 resample; got 0"),
        ({"level": 1.0}, "between 0 and 1; got 1"),
        ({"level": 95.0}, "between 0 and 1; got 95"),
        ({"unit": TEMPLATES(np.ones(11))}, "`template_weights` must be a list of 12"),
        ({"occupation_weights": [1, 1]}, "`occupation_weights` must be a list of 3"),
        ({"values": np.ones((3, 12, 3))}, r"preferences\[0\]\[0\]"),
        ({"criterion": Criterion(reference=np.array([0.5, 0.5]))}, "2 groups"),
    ],
)
def test_what_the_bootstrap_refuses(change: dict[str, Any], sentence: str) -> None:
    values, weights = grid()
    allowed: dict[str, Any] = {
        "values": values,
        "unit": TEMPLATES(weights),
        "occupation_weights": [1, 1, 1],
        "criterion": Criterion(),
        "resamples": 10,
    }
    with pytest.raises(CriterionError, match=sentence):
        risk_intervals(**(allowed | change))


# Intervals of R alone: by hand, and the same as beside those of prejudice and caprice, whatever is drawn.


def test_two_templates_by_hand() -> None:
    """Stereotypes 0.2 and 0.6, drawn twice with replacement: R is 0.2, 0.4 or 0.6, a quarter, half, quarter.

    Of two, Student's factor is √2 · 12.7 / 1.96 = 9.2: nothing is excluded.  A single occupation is no other
    one.
    """
    values = [[[0.6, 0.4], [0.8, 0.2]]]
    found = risk_intervals(values, TemplateUnit.templates([1, 1]), [1], Criterion(), brief=True)
    ends = {interval.over: (interval.low, interval.high) for interval in found.intervals["overall_risk"]}
    assert ends["templates"] == ends["both"] == (0, 1)
    assert ends["occupations"] == pytest.approx((0.4, 0.4))
    assert (list(found.intervals), found.occupations) == (["overall_risk"], {})


@given(
    seed=st.integers(0, 10_000),
    shape=st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(2, 4)),
    norm=st.sampled_from([1.0, 2.0, math.inf]),
    documents=st.booleans(),
    level=st.sampled_from([0.8, 0.95]),
)
def test_the_same_as_beside_prejudice_and_caprice(
    seed: int, shape: tuple[int, int, int], norm: float, documents: bool, level: float
) -> None:
    generator = np.random.default_rng(seed)
    occupations, templates, groups = shape
    values = generator.dirichlet(np.ones(groups), size=(occupations, templates))
    counts = generator.integers(0, 9, templates) * 1.0
    counts[0] = 3
    unit = TemplateUnit.documents(counts, counts) if documents else TemplateUnit.templates(counts)
    shares, criterion = generator.pareto(1, occupations) + 0.1, Criterion(norm)
    short, whole = (
        risk_intervals(values, unit, shares, criterion, resamples=60, level=level, seed=seed, brief=brief)
        for brief in (True, False)
    )
    for one, other in zip(short.intervals["overall_risk"], whole.intervals["overall_risk"], strict=True):
        assert (one.over, one.unit, one.level) == (other.over, other.unit, other.level)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert short.correction is not None
    assert whole.correction is not None
    np.testing.assert_array_equal(short.correction.prejudice, whole.correction.prejudice)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"values": [[[0.6, 0.6]]]}, "sum"),
        ({"occupation_weights": [0]}, "occupation_weights"),
        ({"resamples": 0}, "at least 1 resample"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change: dict[str, Any], said: str) -> None:
    usual = {"values": [[[0.6, 0.4]]], "unit": TemplateUnit.templates([1]), "occupation_weights": [1]}
    with pytest.raises(CriterionError, match=said):
        risk_intervals(**(usual | {"criterion": Criterion(), "brief": True} | change))


# What one context more does to a risk, against computing the risk again.


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, math.inf]))
def test_a_little_more_weight_moves_the_risk_as_much(seed: int, norm: float) -> None:
    """Weight ε more on one template, all others scaled down: the change is ε times the influence."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet([5, 3, 1], size=(2, 6))
    weights, criterion, step = generator.dirichlet(np.ones(6)), Criterion(norm), 1e-7
    parts = decompose(values, weights, criterion)
    moves = influences(criterion.stereotypes(values), parts, criterion)
    more = decompose(values, (1 - step) * weights + step * np.eye(6)[4], criterion)
    pairs = zip(
        RISKS,
        (more.overall - parts.overall, more.prejudice - parts.prejudice, more.caprice - parts.caprice),
        strict=True,
    )
    for name, change in pairs:
        np.testing.assert_allclose(change / step, moves[name][:, 4], atol=1e-4)


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 9)), min_size=2, max_size=12))
def test_acceleration_is_a_sixth_of_the_skewness_of_the_mean(pairs: list[tuple[float, int]]) -> None:
    values, counts = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    singles = np.repeat(values, counts.astype(int))
    moves = values - singles.mean()
    found = acceleration(moments(moves, TemplateUnit.mentions(counts)))
    if np.ptp(values) < 1e-3:
        return
    assert found == pytest.approx(scipy_stats.skew(singles) / (6 * math.sqrt(singles.size)), abs=1e-6)


def test_what_does_not_move_has_no_skewness() -> None:
    assert acceleration(moments(np.zeros((2, 3)), TemplateUnit.templates(np.ones(3)))).tolist() == [0, 0]


def test_what_hardly_moves_has_no_skewness_either() -> None:
    """The square of 1e-140 can be told from 0, its cube cannot."""
    moves = 1e-140 * np.array([[-0.5, 0.5]])
    assert acceleration(moments(moves, TemplateUnit.templates(np.ones(2)))).tolist() == [0]


def test_the_skewness_of_a_sum_of_what_is_drawn_apart() -> None:
    """A mean of 20 exponential values plus one of 30: variances and third moments add up."""
    generator = np.random.default_rng(0)
    first, second = generator.exponential(size=20), generator.exponential(size=30)
    sums = generator.choice(first, (200_000, 20)).mean(axis=1) + generator.choice(second, (200_000, 30)).mean(
        axis=1
    )
    parts = [
        moments(values - values.mean(), TemplateUnit.templates(np.ones(values.size)))
        for values in (first, second)
    ]
    assert acceleration(*parts) == pytest.approx(scipy_stats.skew(sums) / 6, abs=0.004)
