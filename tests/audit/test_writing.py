"""What a report says beside the plug-in figures: three intervals, the correction, few templates."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.writing import Matrix, risk_report, rough_means
from pcf_core.core.risk import RiskReport
from pcf_core.measure import decomposition
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.resampling import TemplateUnit

RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")


def of_matrix(male: np.ndarray, **more: list[float] | list[str]) -> RiskReport:
    """The report of [occupation, template] probabilities of male words."""
    return matrix_report(
        {"preferences": np.stack([male, 1 - male], axis=-1).tolist()} | more, ViewOptions(), 50
    )


@given(st.integers(0, 2**32))
def test_both_pairs_add_up_to_the_risk(seed: int) -> None:
    generator = np.random.default_rng(seed)
    male = generator.random((generator.integers(1, 5), generator.integers(1, 7)))
    found = of_matrix(male, occupation_weights=(generator.random(len(male)) + 0.1).tolist())
    corrected = found.corrected
    assert corrected.sampling_prejudice is not None
    assert found.overall_risk == found.prejudice_risk + found.caprice_risk
    assert corrected.prejudice_risk + corrected.caprice_risk == pytest.approx(found.overall_risk, abs=1e-12)
    assert (corrected.plug_in_prejudice_risk, corrected.plug_in_caprice_risk) == (
        found.prejudice_risk,
        found.caprice_risk,
    )
    assert 0 <= corrected.prejudice_risk <= found.prejudice_risk
    assert corrected.caprice_risk >= found.caprice_risk
    mean = sum(row.weight * (row.corrected_prejudice_risk or 0) for row in found.occupations)
    assert corrected.prejudice_risk == pytest.approx(mean, abs=1e-12)
    for row in found.occupations:
        assert row.corrected_prejudice_risk is not None
        assert 0 <= row.corrected_prejudice_risk <= row.overall_risk + 1e-12


def test_a_strong_lean_is_not_corrected_and_a_weak_one_is() -> None:
    strong = of_matrix(np.array([[0.9, 0.85, 0.95, 0.9]]))
    assert strong.corrected.prejudice_risk == pytest.approx(strong.prejudice_risk, rel=1e-6)
    weak = of_matrix(np.array([[0.65, 0.35, 0.65, 0.35, 0.6]]))
    assert weak.corrected.prejudice_risk < 0.5 * weak.prejudice_risk
    assert not weak.corrected.headline


def test_what_sampling_alone_would_show() -> None:
    """Stereotypes of ±0.3 in ten templates: E|N(0, se)| = se √(2/π) with se = 0.3/√9, averaged by weight."""
    rows = np.array([[0.65, 0.35] * 5, [0.8] * 10])
    found = of_matrix(rows, occupation_weights=[3, 1])
    assert found.corrected.sampling_prejudice == pytest.approx(0.75 * 0.1 * np.sqrt(2 / np.pi), rel=0.005)


def test_one_template_says_nothing_of_others() -> None:
    found = of_matrix(np.array([[0.7], [0.2]]))
    assert found.warnings == ("There is only one sentence, so the range says nothing about other sentences.",)
    assert found.corrected.prejudice_risk == found.prejudice_risk
    over_templates, over_occupations, _ = found.intervals["overall_risk"]
    assert over_templates.low == over_templates.high == pytest.approx(0.5)
    assert (over_occupations.low, over_occupations.high) == (0, 1)  # of two occupations nothing is learned


def test_few_templates_are_said_to_be_rough() -> None:
    found = of_matrix(np.full((2, 4), 0.7), template_weights=[7, 1, 1, 1])
    few, heavy = found.warnings
    assert few.startswith("Precision is only that of about 2 equally common sentences (of 4)")
    assert heavy.startswith("One sentence counts for 70 % of the result"), "what the width takes for granted"
    (only,) = of_matrix(np.full((2, 4), 0.7)).warnings  # of templates that weigh alike none is named
    assert only == "There are only 4 sentences, so means are rough and ranges wide."
    assert all(interval.few for interval in found.intervals["caprice_risk"])


def test_few_families_are_said_to_be_rough() -> None:
    """Sixty sentences in four families, of which one has 45 sentences: no single one has much weight."""
    labels = ["a"] * 45 + ["b", "c", "d"] * 5
    few, heavy = of_matrix(np.full((2, 60), 0.7), families=labels).warnings
    assert few.startswith("Precision is only that of about 2 equally common families of sentences (of 4)")
    assert heavy.startswith("One family of sentences counts for 75 % of the result")
    (one,) = of_matrix(np.full((2, 60), 0.7), families=["a"] * 60).warnings
    assert one == "All sentences are of one family, so the range says nothing about other families."
    assert of_matrix(np.full((2, 60), 0.7), families=[str(place // 3) for place in range(60)]).warnings == ()
    (orders,) = of_matrix(np.full((2, 30), 0.7), families=[str(place // 4) for place in range(30)]).warnings
    assert orders.startswith("These 30 sentences are only 8 in several wordings, so means are rough")


def test_a_template_that_carries_much_is_named_where_templates_are_drawn() -> None:
    """One of 60 has a quarter of the weight: they count as 15, so that nothing is rough."""
    weights = [59 / 3] + [1.0] * 59
    found = of_matrix(np.full((2, 60), 0.7), template_weights=weights)
    (warning,) = found.warnings
    assert warning.startswith("One sentence counts for 25 % of the result")
    assert not any(interval.few for interval in found.intervals["caprice_risk"][:1])
    assert of_matrix(np.full((2, 60), 0.7)).warnings == ()
    assert of_matrix(np.full((2, 10), 0.7)).warnings == ()  # a tenth each is no more than 10 %


def test_a_template_that_carries_much_is_not_named_where_others_are_drawn() -> None:
    counts = np.array([20.0] + [1.0] * 59)
    matrix = Matrix(
        values=np.full((1, 60, 2), 0.5),
        groups=("m", "f"),
        occupations=("nurse",),
        templates=tuple(f"t{place}" for place in range(60)),
        template_weights=counts,
        occupation_weights=np.ones(1),
        criterion=Criterion(),
        unit=TemplateUnit.mentions(counts),
    )
    assert rough_means(matrix) == ()
    assert len(rough_means(replace(matrix, unit=TemplateUnit.templates(counts)))) == 1


def test_a_brief_report_has_every_figure_and_the_intervals_of_r_alone() -> None:
    generator = np.random.default_rng(3)
    matrix = Matrix(
        values=generator.dirichlet(np.ones(3), size=(4, 15)),
        groups=("a", "b", "c"),
        occupations=("nurse", "clerk", "baker", "pilot"),
        templates=tuple(f"t{place}" for place in range(15)),
        template_weights=generator.random(15),
        occupation_weights=generator.random(4),
        criterion=Criterion(),
        families=tuple("abcde" * 3),
        warnings=("said",),
    )
    brief, whole = risk_report(matrix, 50, brief=True), risk_report(matrix, 50)
    parts = ("context_caprice", "wording_caprice")
    assert set(whole.intervals) == {*RISKS, *parts}
    assert brief.wording_caprice is not None
    assert [getattr(brief, name) for name in parts] == pytest.approx([getattr(whole, name) for name in parts])
    assert set(brief.intervals) == {"overall_risk"}
    for one, other in zip(brief.intervals["overall_risk"], whole.intervals["overall_risk"], strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    bare = tuple(replace(row, intervals={}) for row in whole.occupations)
    assert brief.occupations == bare
    for name in (*RISKS, "stereotype_sd", "effective_templates", "warnings", "left_out"):
        assert getattr(brief, name) == getattr(whole, name)
    assert brief.corrected is not None
    assert whole.corrected == brief.corrected.model_copy(
        update={name: getattr(whole.corrected, name) for name in parts}
    )


@pytest.mark.parametrize("brief", [True, False])
def test_a_report_decomposes_its_preferences_once(brief: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    within = Mock(side_effect=decomposition.stereotype_sd)  # a decomposition asks for it once
    monkeypatch.setattr(decomposition, "stereotype_sd", within)
    matrix = Matrix(
        values=np.full((2, 3, 2), 0.5),
        groups=("a", "b"),
        occupations=("nurse", "clerk"),
        templates=("t", "u", "v"),
        template_weights=np.ones(3),
        occupation_weights=np.ones(2),
        criterion=Criterion(),
    )
    risk_report(matrix, 20, brief=brief)
    assert within.call_count == 1
