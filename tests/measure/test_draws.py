"""Estimates from drawn templates: by loops over single draws, by the bootstrap, and by repetition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriterionError
from pcf_core.measure.bootstrap import RISKS, risk_intervals
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.decomposition import decompose, total
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.sampling import draw_templates, drawn_risk, looks

TWO = Criterion()


def grid(occupations: int = 3, templates: int = 12, groups: int = 3, seed: int = 5) -> np.ndarray:
    """[occupation, template, group] preferences."""
    generator = np.random.default_rng(seed)
    return generator.dirichlet(np.arange(1, groups + 1), size=(occupations, templates))


def of_two(male: np.ndarray) -> np.ndarray:
    return np.stack([male, 1 - male], axis=-1)


def test_a_finer_plan_begins_with_the_same_draws() -> None:
    """Drawn one after the other: each further draw adds one template and takes none away."""
    counts = [5.0, 0.0, 2.0, 1.0]
    few, more = draw_templates(counts, 100, 0), draw_templates(counts, 200, 0)
    assert (few.sum(), more.sum()) == (100, 200)
    assert (more >= few).all()
    assert few[1] == more[1] == 0
    assert draw_templates(counts, 100, 1).tolist() != few.tolist()


def test_draws_follow_the_counts() -> None:
    counts = np.array([1.0, 0.0, 3.0, 6.0])
    times = draw_templates(counts, 40_000, 3)
    expected = 40_000 * counts / counts.sum()
    spread = np.sqrt(expected * (1 - counts / counts.sum()))
    assert (np.abs(times - expected) <= 4 * spread).all()


def test_a_worked_example_of_four_draws() -> None:
    """One occupation, s = 0.6 three times and −0.2 once: r = 0.5, plug-in r^p = 0.4, r^c = 0.1.

    Influences on r are 0.1 (three times) and −0.3, their mean square 0.03; the farthest context is 0.5 away.
    The error is √(0.03 / 3 + (0.5 / 4)²) = 0.160.
    """
    values = of_two(np.array([[0.8, 0.4]]))
    found = drawn_risk(values, [3, 1], [1, 1], [1], TWO)
    assert found.plug_in.overall_risk == pytest.approx(0.5)
    assert found.plug_in.prejudice_risk == pytest.approx(0.4)
    assert found.effective_draws == pytest.approx(4)
    assert found.total_errors["overall_risk"] == pytest.approx(math.sqrt(0.03 / 3 + 0.125**2))
    # r^p: influences 0.2 and −0.6, farthest −1 − 0.4 = −1.4; r^c: −0.1 and 0.3, farthest 2 − 0.1.
    assert found.total_errors["prejudice_risk"] == pytest.approx(math.sqrt(0.12 / 3 + 0.35**2))
    assert found.total_errors["caprice_risk"] == pytest.approx(math.sqrt(0.03 / 3 + 0.475**2))


@given(
    st.integers(0, 2**32),
    st.sampled_from([1.0, 2.0, math.inf]),
    st.sampled_from(["pcf", "bvf"]),
    st.integers(2, 4),
)
def test_a_loop_over_single_draws_agrees(seed: int, norm: float, scale: Any, groups: int) -> None:
    """Each draw counts as a template of its own: repeats change nothing."""
    generator = np.random.default_rng(seed)
    values = generator.dirichlet(np.ones(groups), size=(2, 5))
    times = generator.integers(1, 4, size=5)
    importance = generator.uniform(0.5, 2, size=5)
    criterion = Criterion(norm, scale)
    found = drawn_risk(values, times, importance, [1, 3], criterion)
    one_by_one = np.repeat(np.arange(5), times)
    other = drawn_risk(
        values[:, one_by_one], np.ones(len(one_by_one)), importance[one_by_one], [1, 3], criterion
    )
    for name in RISKS:
        assert found.total_errors[name] == pytest.approx(other.total_errors[name])
        assert getattr(found.totals, name) == pytest.approx(getattr(other.totals, name), abs=1e-9)
        np.testing.assert_allclose(found.errors[name], other.errors[name], atol=1e-12)
    plain = total(decompose(values, times * importance, criterion), [1, 3])
    assert found.plug_in.prejudice_risk == pytest.approx(plain.prejudice_risk)
    assert found.totals.overall_risk == pytest.approx(plain.overall_risk)
    assert found.totals.overall_risk == found.totals.prejudice_risk + found.totals.caprice_risk
    assert (found.parts.overall == found.parts.prejudice + found.parts.caprice).all()
    weights = importance[one_by_one] / importance[one_by_one].sum()
    assert found.effective_draws == pytest.approx(1 / (weights**2).sum())


def test_the_bootstrap_finds_the_same_errors() -> None:
    """Many draws, no mean stereotype near 0: then all methods agree, and the imaginary draw weighs little."""
    values = grid(occupations=4, templates=3000)
    found = drawn_risk(values, np.ones(3000), np.ones(3000), np.ones(4), Criterion())
    intervals = found.intervals(1.959964, 0.95).intervals
    other = risk_intervals(values, TemplateUnit.templates(np.ones(3000)), np.ones(4), Criterion()).intervals
    for name in RISKS:
        width = other[name][0].high - other[name][0].low
        assert intervals[name][0].low == pytest.approx(other[name][0].low, abs=0.15 * width)
        assert intervals[name][0].high == pytest.approx(other[name][0].high, abs=0.15 * width)
        assert (intervals[name][0].unit, intervals[name][0].level) == ("draw", 0.95)
    assert found.half_width(2) == pytest.approx(2 * max(found.total_errors.values()))


def test_importance_weights_recover_equal_ones() -> None:
    """Templates of counts 1 and 9 with s = 0.2 and 0.8: by count R is 0.74, equally weighted 0.5."""
    values = of_two(np.array([[0.6, 0.9]]))
    counts = np.array([1.0, 9.0])
    times = draw_templates(counts, 20_000, 0)
    by_count = drawn_risk(values, times, np.ones(2), [1], TWO)
    equal = drawn_risk(values, times, 1 / counts, [1], TWO)
    assert by_count.totals.overall_risk == pytest.approx(0.74, abs=0.01)
    assert equal.totals.overall_risk == pytest.approx(0.5, abs=0.02)
    # (Σ w)² / Σ w² per draw: (0.1 · 1 + 0.9 · 1/9)² / (0.1 · 1 + 0.9 / 81) = 0.36 of the draws.
    assert equal.effective_draws == pytest.approx(0.36 * 20_000, rel=0.03)
    assert equal.total_errors["overall_risk"] > by_count.total_errors["overall_risk"]


def test_a_context_that_never_changes_is_no_certainty() -> None:
    """Fifty draws alike: no variance, yet a context that was not drawn may differ; r^c = 0 is not proven."""
    found = drawn_risk(of_two(np.array([[0.9]])), [50], [1], [1], TWO)
    assert found.totals.caprice_risk == 0
    assert found.total_errors["caprice_risk"] == pytest.approx(2 / 50)
    assert found.total_errors["overall_risk"] == pytest.approx(0.8 / 50)
    assert found.intervals(2.0, 0.95).intervals["caprice_risk"][0].low == 0


def test_what_the_draws_alone_would_show_of_a_neutral_model() -> None:
    """Stereotypes of ±0.3, ten draws: E|N(0, se)| = se √(2/π), with se = 0.3/√9 from the observed spread."""
    found = drawn_risk(of_two(np.array([[0.65, 0.35]])), [5, 5], [1, 1], [1], TWO)
    assert found.sampling_prejudice == pytest.approx(0.1 * math.sqrt(2 / math.pi), rel=0.005)


def test_occupations_have_intervals_of_their_own() -> None:
    found = drawn_risk(grid(), np.arange(1, 13), np.ones(12), [1, 1, 1], Criterion())
    intervals = found.intervals(2.0, 0.95)
    for name, values, left in (
        ("overall_risk", found.parts.overall, 0.0),
        ("caprice_risk", found.parts.caprice, 2.1 * found.corrections),
    ):
        low, high = intervals.occupations[name].T
        assert (low >= 0).all()
        np.testing.assert_allclose(high, values + 2 * found.errors[name] + left)
    low, _ = intervals.occupations["prejudice_risk"].T
    below = found.parts.prejudice - 2 * found.errors["prejudice_risk"] - 2.1 * found.corrections
    np.testing.assert_allclose(low, below.clip(min=0))
    one = drawn_risk(grid(occupations=1), np.ones(12), np.ones(12), [1], Criterion())
    assert one.errors["overall_risk"][0] == pytest.approx(one.total_errors["overall_risk"])


def test_bias_of_one_direction_does_not_leave_the_interval() -> None:
    """Sixty occupations without prejudice, each with contexts of its own: chance cancels, bias does not.

    The correction alone leaves too much in some samples; with what may be left they all hold.
    """
    generator, held, narrow = np.random.default_rng(4), 0, 0
    for _ in range(40):
        values = of_two(0.5 + 0.15 * generator.standard_normal((60, 400)).clip(-3, 3))
        found = drawn_risk(values, np.ones(400), np.ones(400), np.ones(60), TWO)
        bounds = found.intervals(2.0, 0.95).intervals
        held += bounds["prejudice_risk"][0].low == 0
        narrow += found.totals.prejudice_risk - 2 * found.total_errors["prejudice_risk"] <= 0
        width = bounds["caprice_risk"][0].high - bounds["caprice_risk"][0].low
        assert found.half_width(2.0) == pytest.approx(
            max(width / 2, 2 * found.total_errors["prejudice_risk"] + 1.05 * found.corrections.mean())
        )
    assert held == 40
    assert 30 <= narrow < 40


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"times": [1, 1]}, "each of 12 templates"),
        ({"times": [1] + [0] * 11}, "at least 2 draws in all"),
        ({"importance": [1, -1] * 6}, "`importance` must be finite"),
        ({"occupation_weights": [1]}, "`occupation_weights` must be a list of 3"),
        ({"values": np.ones((3, 12, 3))}, r"preferences\[0\]\[0\]"),
    ],
)
def test_what_is_refused(change: dict[str, Any], sentence: str) -> None:
    allowed: dict[str, Any] = {
        "values": grid(),
        "times": [2] * 12,
        "importance": [1] * 12,
        "occupation_weights": [1, 1, 1],
        "criterion": Criterion(),
    }
    with pytest.raises(CriterionError, match=sentence):
        drawn_risk(**(allowed | change))


# ------------------------------------------------------------------------------------- coverage

TEMPLATES = 3000


def tilted(generator: np.random.Generator) -> np.ndarray:
    """Ten occupations from −0.6 to 0.6, of which contexts move each by itself and all together."""
    own, common = generator.standard_normal((10, TEMPLATES)), generator.standard_normal(TEMPLATES)
    tilt = np.linspace(-0.6, 0.6, 10)[:, np.newaxis] + 0.25 * own + 0.2 * common
    return of_two((1 + tilt.clip(-0.98, 0.98)) / 2)


def three_groups(generator: np.random.Generator) -> np.ndarray:
    return generator.dirichlet([1, 2, 6], size=(10, TEMPLATES))


def rare_contexts(generator: np.random.Generator) -> np.ndarray:
    """Every fiftieth context turns all occupations the other way round: few draws see none of them."""
    tilt = 0.6 + 0.03 * generator.standard_normal((10, TEMPLATES))
    tilt[:, generator.random(TEMPLATES) < 0.02] = -0.9
    return of_two((1 + tilt) / 2)


def skewed(generator: np.random.Generator) -> np.ndarray:
    """Mostly mild, sometimes extreme, in the same direction."""
    return of_two(
        0.5 + 0.5 * generator.beta(0.4, 1.6, size=(1, TEMPLATES)) * generator.uniform(0.6, 1, (10, 1))
    )


@pytest.mark.slow
@pytest.mark.parametrize("zipf", [0.0, 0.8])
@pytest.mark.parametrize(
    ("make", "within"),
    [(tilted, 0.02), (three_groups, 0.02), (rare_contexts, 0.02), (rare_contexts, 0.04), (skewed, 0.01)],
)
def test_the_interval_at_which_a_plan_stops_covers(make: Any, within: float, zipf: float) -> None:
    """500 plans a grid, each stopped at its first narrow look: at least 93 % of the intervals hold."""
    values = make(np.random.default_rng(7))
    counts = np.arange(1.0, TEMPLATES + 1) ** -zipf
    counts = np.random.default_rng(8).permutation(counts)
    truth = total(decompose(values, counts, TWO), np.ones(10))
    schedule, plans = looks(within), 500
    held = dict.fromkeys(RISKS, 0)
    for seed in range(plans):
        for size in schedule.sizes:
            times = draw_templates(counts, size, seed)
            drawn = times > 0
            found = drawn_risk(values[:, drawn], times[drawn], np.ones(drawn.sum()), np.ones(10), TWO)
            if found.half_width(schedule.quantile) <= within:
                break
        intervals = found.intervals(schedule.quantile, schedule.level).intervals
        for name in RISKS:
            (interval,) = intervals[name]
            held[name] += interval.low <= getattr(truth, name) <= interval.high
    assert min(held.values()) >= 0.93 * plans, held
