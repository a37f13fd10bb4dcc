"""Intervals of knowledge: what they hold, how often, and that they are what the resamples say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pcf_core.errors import CriterionError
from pcf_core.records.knowledge import QUANTITIES
from pcf_core.risk.knowledge import SCORES, knowledge_parts
from pcf_core.stats.knowledge import knowledge_intervals
from pcf_core.stats.resampling import TemplateUnit, resampled_template_weights

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
