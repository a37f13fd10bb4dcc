"""Knowledge and its confidence gap: by hand, by properties, and computed another way."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.core.errors import CriterionError
from pcf_core.core.knowledge import QUANTITIES
from pcf_core.measure.knowledge import (
    SCORES,
    KnowledgeParts,
    checked_probabilities,
    knowledge_intervals,
    knowledge_parts,
    knowledge_score,
    knowledge_total,
)
from pcf_core.measure.resampling import TemplateUnit, resampled_template_weights

PROBABILITY = st.floats(0, 1, allow_subnormal=False)
NAMES = st.sampled_from(sorted(SCORES))


@st.composite
def weighted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """[fact, template] probabilities and [template] weights."""
    facts, templates = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    values = draw(arrays(np.float64, (facts, templates), elements=PROBABILITY))
    return values, draw(arrays(np.float64, templates, elements=st.floats(1e-3, 1e3)))


def test_the_worked_example() -> None:
    """√ of 0.01 and 0.49: knowledge √0.25, mean score (0.1 + 0.7)/2; √ of 0.64 twice: 0.8 and no gap."""
    parts = knowledge_parts([[0.01, 0.49], [0.64, 0.64]], [1, 1], SCORES["sqrt"])
    assert parts.mean_probability == pytest.approx([0.25, 0.64])
    assert parts.knowledge == pytest.approx([0.5, 0.8])
    assert parts.mean_score == pytest.approx([0.4, 0.8])
    assert parts.confidence_gap == pytest.approx([0.1, 0])
    assert parts.confidence_gap[1] == 0
    total = knowledge_total(parts, [1, 3])
    assert (total.knowledge, total.mean_score) == pytest.approx((0.725, 0.7))
    assert total.confidence_gap == pytest.approx(0.025)


def test_weights_of_templates_count() -> None:
    """0.01 three times as often: knowledge √0.13, mean score 0.1 · ¾ + 0.7 · ¼ = 0.25."""
    parts = knowledge_parts([[0.01, 0.49]], [3, 1], SCORES["sqrt"])
    assert parts.knowledge == pytest.approx([0.13**0.5])
    assert parts.mean_score == pytest.approx([0.25])


@given(weighted(), NAMES)
def test_the_gap_is_never_negative_and_the_parts_add_up(
    given_: tuple[np.ndarray, np.ndarray], name: str
) -> None:
    parts = knowledge_parts(*given_, SCORES[name])
    assert (parts.confidence_gap >= 0).all()
    for field in (parts.knowledge, parts.mean_score, parts.mean_probability):
        assert (field >= -1e-12).all()
        assert (field <= 1).all()
    assert parts.knowledge - parts.confidence_gap == pytest.approx(parts.mean_score, abs=0)


@given(PROBABILITY, st.integers(1, 12), NAMES)
def test_a_probability_that_no_context_moves_has_no_gap(p: float, templates: int, name: str) -> None:
    """Equality in Jensen's inequality: the papers' < must be ≤.  One template is such a case."""
    parts = knowledge_parts([[p] * templates], np.arange(1, templates + 1), SCORES[name])
    assert parts.confidence_gap[0] == 0
    assert parts.knowledge[0] == pytest.approx(float(SCORES[name].of(np.array(p))), abs=1e-12)


@given(weighted(), NAMES, st.randoms(use_true_random=False), st.floats(1e-3, 1e3))
def test_order_scale_and_repetition_change_nothing(
    given_: tuple[np.ndarray, np.ndarray], name: str, shuffle: Random, factor: float
) -> None:
    values, weights = given_
    before = knowledge_parts(values, weights, SCORES[name])
    order = list(range(len(weights)))
    shuffle.shuffle(order)
    halves = np.concatenate([weights, weights]) / 2
    for after in (
        knowledge_parts(values[:, order], weights[order], SCORES[name]),
        knowledge_parts(values, weights * factor, SCORES[name]),
        knowledge_parts(np.concatenate([values, values], axis=1), halves, SCORES[name]),
    ):
        assert after.knowledge == pytest.approx(before.knowledge, abs=1e-7)
        assert after.confidence_gap == pytest.approx(before.confidence_gap, abs=1e-7)


@given(st.lists(PROBABILITY, min_size=1, max_size=8))
def test_the_gap_of_the_quadratic_score_is_a_variance(values: list[float]) -> None:
    parts = knowledge_parts([values], np.ones(len(values)), SCORES["quadratic"])
    assert parts.confidence_gap[0] == pytest.approx(np.var(values), abs=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 50)), min_size=1, max_size=6),
    NAMES,
)
def test_exact_arithmetic_agrees(pairs: list[tuple[int, int]], name: str) -> None:
    """Means as fractions, scores with 40 digits, each written out again from the table of the module."""
    formulas: dict[str, Callable[[Decimal], Decimal]] = {
        "sqrt": Decimal.sqrt,
        "log1p": lambda p: (1 + p).ln() / Decimal(2).ln(),
        "quadratic": lambda p: 1 - (1 - p) ** 2,
    }
    score = formulas[name]
    with localcontext(prec=40):
        total = sum(weight for _, weight in pairs)
        mean = sum((Fraction(p, 1000) * weight for p, weight in pairs), Fraction()) / total
        knowledge = score(Decimal(mean.numerator) / mean.denominator)
        scored = sum((score(Decimal(p) / 1000) * weight for p, weight in pairs), Decimal()) / total
    values, weights = [[p / 1000 for p, _ in pairs]], [weight for _, weight in pairs]
    parts = knowledge_parts(values, weights, SCORES[name])
    assert parts.knowledge[0] == pytest.approx(float(knowledge), abs=1e-12)
    assert parts.confidence_gap[0] == pytest.approx(float(knowledge - scored), abs=2e-12)


@pytest.mark.parametrize("name", SCORES)
def test_every_score_rises_from_0_to_1_and_is_concave(name: str) -> None:
    grid = np.linspace(0, 1, 2001)
    values = SCORES[name].of(grid)
    assert (values[0], values[-1]) == pytest.approx((0, 1), abs=1e-15)
    assert (np.diff(values) > 0).all()
    assert (np.diff(values, 2) < 0).all()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.5, 0.5], r"\[fact\]\[template\].*\[2\]"),
        ([[]], "at least one"),
        ([[0.5, 1.01]], r"\[0\]\[1\].*1\.01"),
        ([[0.5], [float("nan")]], r"\[1\]\[0\].*nan"),
        ([[-0.1]], "between 0 and 1"),
    ],
)
def test_what_is_no_probability_is_refused(values: Any, said: str) -> None:
    with pytest.raises(CriterionError, match=said):
        checked_probabilities(values)


def test_unknown_scores_and_wrong_weights_are_refused() -> None:
    with pytest.raises(CriterionError, match="sqrt, log1p, quadratic; got 'linear'"):
        knowledge_score("linear")
    assert knowledge_score("sqrt") is SCORES["sqrt"]
    with pytest.raises(CriterionError, match="template_weights"):
        knowledge_parts([[0.5]], [1, 1], SCORES["sqrt"])
    one = np.array([0.5])
    with pytest.raises(CriterionError, match="fact_weights"):
        knowledge_total(KnowledgeParts(one, one, one, one * 0), [1, 1])


# Intervals of knowledge: what they hold, how often, and that they are what the resamples say.


SQRT = SCORES["sqrt"]


@given(
    arrays(np.float64, (3, 5), elements=st.floats(0, 1)),
    arrays(np.float64, (3, 5), elements=st.floats(0, 1)),
    st.sampled_from(sorted(SCORES)),
)
def test_every_interval_holds_what_is_reported_and_lies_in_its_range(
    values: np.ndarray, others: np.ndarray, name: str
) -> None:
    elsewhere = [others[:1], others[1:], others]  # of one, two and three subjects
    found = knowledge_intervals(values, elsewhere, np.ones(5), [1, 2, 3], SCORES[name], resamples=50)
    parts = knowledge_parts(values, np.ones(5), SCORES[name])
    plain = np.array([knowledge_parts(some, np.ones(5), SCORES[name]).knowledge.mean() for some in elsewhere])
    weights = np.array([1, 2, 3]) / 6
    plug_in = {
        "knowledge": weights @ parts.knowledge,
        "confidence_gap": weights @ parts.confidence_gap,
        "mean_score": weights @ parts.mean_score,
        "gain": weights @ (parts.knowledge - plain),
    }
    assert tuple(found.intervals) == QUANTITIES
    for quantity, several in found.intervals.items():
        assert [one.over for one in several] == ["templates", "occupations", "both"]
        assert [one.unit for one in several] == ["template", "fact", "template"]
        for one in several:
            assert plug_in[quantity] - one.low >= -1e-12
            assert one.high - plug_in[quantity] >= -1e-12
            assert -1 <= one.low <= one.high <= 1
            assert quantity == "gain" or one.low >= 0
    assert found.facts is not None
    assert (found.facts[:, 0] <= parts.knowledge).all()
    assert (found.facts[:, 1] >= parts.knowledge).all()


def test_without_other_subjects_there_is_no_gain() -> None:
    found = knowledge_intervals([[0.5, 0.6]], None, [1, 1], [1], SQRT, resamples=20)
    assert "gain" not in found.intervals


@pytest.mark.parametrize(
    ("templates", "weights", "there"),
    [
        (1, [1, 1], ["occupations"]),
        (2, [1], ["templates"]),
        (2, [1, 0], ["templates"]),  # a fact without weight is none
        (1, [1], []),
        (2, [1, 1], ["templates", "occupations", "both"]),
    ],
)
def test_one_template_or_fact_has_no_interval(templates: int, weights: list[int], there: list[str]) -> None:
    values = np.linspace(0.2, 0.8, templates * len(weights)).reshape(len(weights), templates)
    found = knowledge_intervals(
        values, list(values[:, None]), np.ones(templates), weights, SQRT, resamples=20
    )
    assert {name: [one.over for one in several] for name, several in found.intervals.items()} == (
        dict.fromkeys(QUANTITIES, there)
    )
    assert (found.facts is None) == (templates == 1)


def test_where_no_context_moves_anything_intervals_over_templates_are_points() -> None:
    elsewhere = [[[0.04] * 4, [0.64] * 4], [[0.25] * 4]]
    found = knowledge_intervals([[0.25] * 4, [0.81] * 4], elsewhere, np.ones(4), [1, 1], SQRT)
    for name, value in (("knowledge", 0.7), ("confidence_gap", 0.0), ("gain", 0.2)):
        over_templates, over_facts, _ = found.intervals[name]
        assert (over_templates.low, over_templates.high) == pytest.approx((value, value), abs=1e-12)
        assert (over_facts.low < over_facts.high) == (name != "confidence_gap")


def test_replicates_worked_out_one_by_one() -> None:
    """A loop over the same resamples, with the shift written out: percentiles of equal weights."""
    generator = np.random.default_rng(3)
    values = generator.random((2, 12))
    found = knowledge_intervals(values, None, np.ones(12), [1, 1], SQRT, resamples=400, level=0.9)
    unit = TemplateUnit.templates(np.ones(12))
    rows = np.concatenate(list(resampled_template_weights(unit, 400)))
    known = [
        np.mean([np.sqrt(sum(w * p for w, p in zip(row, fact, strict=True))) for fact in values])
        for row in rows
    ]
    plain = np.mean(np.sqrt(values.mean(axis=1)))
    shifted = np.array(known) + 2 * (plain - np.mean(known))
    inside = found.intervals["knowledge"][0]
    share = ((shifted >= inside.low) & (shifted <= inside.high)).mean()
    assert 0.9 <= share <= 0.97  # a few more than 0.9: percentiles are widened for twelve templates


@pytest.mark.parametrize(("templates", "least"), [(10, 0.84), (30, 0.9)])
def test_how_often_the_truth_is_held(templates: int, least: float) -> None:
    """Contexts drawn from a population of 2,000, whose knowledge and gap are known; the gap is hardest."""
    generator = np.random.default_rng(11)
    logits = generator.normal(-0.5, 1, (20, 1)) + generator.normal(0, 1, (1, 2000))
    population = 1 / (1 + np.exp(-logits - generator.normal(0, 1, (20, 2000))))
    truth = knowledge_parts(population, np.ones(2000), SQRT)
    quantities = ("knowledge", "mean_score", "confidence_gap")
    held = dict.fromkeys(quantities, 0.0)
    trials = 200
    for trial in range(trials):
        values = population[:, generator.integers(2000, size=templates)]
        weights = np.ones(templates)
        found = knowledge_intervals(values, None, weights, np.ones(20), SQRT, resamples=300, seed=trial)
        for name in quantities:
            interval = found.intervals[name][0]
            held[name] += (interval.low <= getattr(truth, name).mean() <= interval.high) / trials
    assert 0.92 <= held["knowledge"] <= 0.99
    assert 0.92 <= held["mean_score"] <= 0.99
    assert least <= held["confidence_gap"] <= 0.99


def test_what_is_not_allowed_is_refused() -> None:
    with pytest.raises(CriterionError, match="fact_weights"):
        knowledge_intervals([[0.5]], None, [1], [0], SQRT)
    with pytest.raises(CriterionError, match="between 0 and 1"):
        knowledge_intervals([[0.5]], [[[1.5]]], [1], [1], SQRT)
