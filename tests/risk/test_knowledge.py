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

from pcf_core.errors import CriterionError
from pcf_core.risk.knowledge import (
    SCORES,
    KnowledgeParts,
    checked_probabilities,
    knowledge_parts,
    knowledge_score,
    knowledge_total,
)

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
