"""How much occupations differ, by squares and by J: worked example, brute force, properties, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.records import FloatArray
from pcf_core.measure.bootstrap import risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, split_prejudice, tilt_squares
from pcf_core.measure.resampling import TemplateUnit

CRITERIA = [Criterion.parse(name, scale) for name in ("max", "l1", "l2") for scale in ("pcf", "bvf")]


def of_two(tilts: list[list[float]]) -> FloatArray:
    """[occupation, template, group] preferences of two groups with these stereotypes towards the first."""
    men = (1 + np.array(tilts)) / 2
    return np.stack([men, 1 - men], axis=-1)


def test_the_worked_example() -> None:
    found = risk_intervals(
        of_two([[0.6, 0.6], [-0.2, -0.2]]),
        TemplateUnit.templates([1, 1]),
        [1, 1],
        Criterion.parse("max", "pcf"),
        resamples=50,
    )
    assert found.lean is not None
    assert found.lean.common == pytest.approx(0.2)
    assert found.lean.specific == pytest.approx(0.2)
    assert (found.lean.mean_square, found.lean.variance) == pytest.approx((0.04, 0.16))
    assert found.lean.differing == pytest.approx(0.8)
    assert found.intervals["prejudice_risk"][0].low == pytest.approx(0.4)
    both = {name: found.lean.interval(name) for name in ("common_lean", "specific_lean")}
    assert all(one and one.low == pytest.approx(0.2) == one.high for one in both.values()), "nothing moves"


def test_where_documents_are_drawn_both_still_takes_whole_templates() -> None:
    """Of a thousand documents a template hardly moves: what other contexts would do is in neither end."""
    generator = np.random.default_rng(3)
    values = of_two((0.3 + 0.3 * generator.standard_normal((8, 20))).clip(-1, 1).tolist())
    ones, many = np.ones(20), TemplateUnit.documents(np.full(20, 1000.0), np.full(20, 1000))
    criterion = Criterion.parse("max", "pcf")
    whole, few = (
        risk_intervals(values, unit, np.ones(8), criterion, resamples=200).lean
        for unit in (TemplateUnit.templates(ones), many)
    )
    assert whole is not None
    assert few is not None
    for name in ("common_lean", "specific_lean"):
        assert few.interval(name, "both") == whole.interval(name, "both")
        assert few.interval(name, "occupations") == whole.interval(name, "occupations")
    narrow, wide = few.interval("common_lean"), whole.interval("common_lean")
    assert narrow is not None
    assert wide is not None
    assert narrow.high - narrow.low < (wide.high - wide.low) / 5
    assert (narrow.unit, wide.unit) == ("document", "template")


def test_occupations_that_lean_alike_share_all_of_it_and_opposite_ones_nothing() -> None:
    criterion = Criterion.parse("max", "pcf")
    for tilts, common, specific in (([0.1, 0.9], 0.5, 0.0), ([0.4, -0.4], 0.0, 0.4), ([0.0, 0.0], 0.0, 0.0)):
        parts = decompose(of_two([[one] for one in tilts]), [1], criterion)
        found = split_prejudice(parts.stereotype, parts.prejudice, np.array([0.5, 0.5]), criterion)
        assert found == (pytest.approx(common), pytest.approx(specific))


@given(
    st.integers(1, 6), st.integers(1, 5), st.integers(2, 4), st.integers(0, 10**6), st.sampled_from(CRITERIA)
)
def test_the_three_parts_are_none_below_zero_and_sum_to_the_risk(
    occupations: int, templates: int, groups: int, seed: int, criterion: Criterion
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.full(groups, 0.5), size=(occupations, templates))
    weights = generator.dirichlet(np.ones(occupations))
    found = risk_intervals(
        values, TemplateUnit.templates(np.ones(templates)), weights, criterion, resamples=40
    )
    assert found.lean is not None
    common, specific = found.lean.common, found.lean.specific
    parts = found.parts
    assert min(common, specific) >= 0
    assert common + specific + weights @ parts.caprice == pytest.approx(weights @ parts.overall, abs=1e-9)
    for name, value in (("common_lean", common), ("specific_lean", specific)):
        for interval in found.lean.intervals[name]:
            assert 0 <= interval.low <= value <= interval.high
    share = found.lean.differing
    assert [one.over for one in found.lean.intervals["differing"]] == ["templates", "occupations", "both"]
    for interval in found.lean.intervals["differing"]:
        assert share is not None
        assert 0 <= interval.low <= share <= interval.high <= 1


@given(
    st.integers(1, 6), st.integers(2, 4), st.integers(0, 10**6), st.sampled_from(CRITERIA), st.floats(0.1, 9)
)
def test_squares_add_up_and_do_not_hang_on_the_scale(
    occupations: int, groups: int, seed: int, criterion: Criterion, factor: float
) -> None:
    """The mean square of the tilts is that of their mean and their variance (numpy's own, as a check)."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.full(groups, 0.5), size=occupations)
    weights = generator.dirichlet(np.ones(occupations))
    tilts = criterion.stereotypes(values)
    common, differing = tilt_squares(tilts, weights)
    assert common + differing == pytest.approx(float((weights @ tilts**2).mean()))
    spread = np.diag(np.cov(tilts.T, aweights=weights, ddof=0)).mean() if occupations > 1 else 0.0
    assert differing == pytest.approx(float(spread), abs=1e-12)
    assert tilt_squares(factor * tilts, weights) == pytest.approx((factor**2 * common, factor**2 * differing))


@given(st.integers(0, 10**6), st.floats(0.05, 0.95))
def test_of_two_groups_the_share_is_that_of_either_around_any_neutral_point(
    seed: int, neutral: float
) -> None:
    generator = np.random.default_rng(seed)
    men, weights = generator.uniform(0, 1, 5), generator.dirichlet(np.ones(5))
    criterion = Criterion(reference=np.array([neutral, 1 - neutral]))
    common, differing = tilt_squares(criterion.stereotypes(np.stack([men, 1 - men], axis=-1)), weights)
    mean = weights @ men
    square, variance = (mean - neutral) ** 2, weights @ (men - mean) ** 2
    assert differing / (common + differing) == pytest.approx(variance / (square + variance), rel=1e-6)


@given(st.integers(0, 10**6), st.sampled_from(CRITERIA))
def test_by_loops_over_every_occupation_and_template(seed: int, criterion: Criterion) -> None:
    """Second opinion: sums written out, one template and one occupation at a time."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.ones(3), size=(4, 5))
    templates, weights = generator.dirichlet(np.ones(5)), generator.dirichlet(np.ones(4))
    mean = np.zeros(3)
    each = 0.0
    for x in range(4):
        own = np.zeros(3)
        for t in range(5):
            own += templates[t] * criterion.stereotypes(values[x, t])
        mean += weights[x] * own
        each += weights[x] * float(criterion.of_stereotypes(own))
    parts = decompose(values, templates, criterion)
    common, specific = split_prejudice(parts.stereotype, parts.prejudice, weights, criterion)
    assert common == pytest.approx(float(criterion.of_stereotypes(mean)))
    assert specific == pytest.approx(each - float(criterion.of_stereotypes(mean)), abs=1e-9)


def test_intervals_over_templates_hold_what_all_templates_would_give() -> None:
    """Of 2,000 templates 40 are drawn, 120 times: the truth is held in at least 92 of 100."""
    generator = np.random.default_rng(5)
    criterion = Criterion.parse("max", "pcf")
    level = generator.normal(0.35, 0.25, size=(12, 1))
    world = of_two(np.clip(level + generator.normal(0, 0.3, size=(12, 2000)), -0.98, 0.98).tolist())
    shares = np.full(12, 1 / 12)
    parts = decompose(world, np.ones(2000), criterion)
    truth = dict(
        zip(
            ("common_lean", "specific_lean"),
            split_prejudice(parts.stereotype, parts.prejudice, shares, criterion),
            strict=True,
        )
    )
    common, differing = tilt_squares(parts.stereotype, shares)
    truth["differing"] = differing / (common + differing)
    held = dict.fromkeys(truth, 0)
    for _ in range(120):
        drawn = world[:, generator.integers(0, 2000, 40)]
        lean = risk_intervals(
            drawn, TemplateUnit.templates(np.ones(40)), shares, criterion, resamples=400
        ).lean
        assert lean is not None
        for name in held:
            interval = lean.interval(name)
            assert interval is not None
            held[name] += interval.low <= truth[name] <= interval.high
    assert min(held.values()) >= 0.92 * 120 - 4, held  # one in a hundred such tests of 92 % has fewer


def test_where_occupations_share_no_lean_the_interval_of_what_they_share_begins_at_0() -> None:
    """Half of the occupations lean as far to one side as the other half to the other: 100 contexts, 60 times.

    The plug-in figure is above 0 whatever is drawn, and percentiles of it leave 0 out nearly always.
    """
    generator = np.random.default_rng(2)
    leans = np.repeat([0.25, -0.25], 5)[:, np.newaxis]
    held = dict.fromkeys(("common_lean", "specific_lean", "differing"), 0)
    for seed in range(60):
        contexts = 0.2 * generator.standard_normal((1, 100)) + 0.2 * generator.standard_normal((10, 100))
        lean = risk_intervals(
            of_two((leans + contexts).clip(-1, 1).tolist()),
            TemplateUnit.templates(np.ones(100)),
            np.full(10, 0.1),
            Criterion.parse("max", "pcf"),
            resamples=400,
            seed=seed,
        ).lean
        assert lean is not None
        for name, truth in (("common_lean", 0.0), ("specific_lean", 0.25), ("differing", 1.0)):
            interval = lean.interval(name)
            assert interval is not None
            held[name] += interval.low <= truth <= interval.high
    assert min(held.values()) >= 52, held
