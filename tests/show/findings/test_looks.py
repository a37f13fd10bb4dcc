"""Sentences about what a sampling plan has found so far."""

from __future__ import annotations

from dataclasses import replace

from pcf_core.core.risk import CorrectedRisk, Interval, Look
from pcf_core.show.findings.models import risk_finding
from pcf_core.show.findings.progress import contexts, look_finding
from tests.show.findings.test_models import report_of

LOOK = Look(
    within=0.005,
    draws=400,
    effective_draws=400,
    templates=212,
    available=2000,
    half_width=0.021,
    estimates={"overall_risk": 0.71, "prejudice_risk": 0.66, "caprice_risk": 0.05},
    intervals={
        "overall_risk": Interval(low=0.69, high=0.73),
        "prejudice_risk": Interval(low=0.64, high=0.68),
        "caprice_risk": Interval(low=0.029, high=0.071),
    },
)


def test_a_look_says_how_much_after_how_many_and_how_far_the_goal_is() -> None:
    assert look_finding(LOOK) == (
        "The risk is 0.71 (0.69–0.73) after 400 draws. Prejudice is 0.66 (0.64–0.68) and "
        "caprice 0.05 (0.03–0.07). The widest range is ± 0.021, the goal ± 0.005."
    )


def test_a_set_drawn_whole_says_that_nothing_is_estimated() -> None:
    whole = LOOK.model_copy(update={"templates": 2000, "half_width": 0.0})
    assert look_finding(whole).endswith("All 2,000 templates were drawn, so nothing is estimated.")


def test_what_a_number_rests_on() -> None:
    assert contexts(19, None) == "19 templates"
    assert contexts(212, LOOK) == "400 draws of 212 out of 2,000 templates"
    assert contexts(2000, LOOK.model_copy(update={"templates": 2000})) == "2,000 templates"


def test_the_finding_of_a_run_with_a_plan_is_labelled() -> None:
    report = report_of([[0.9, 0.3]])
    corrected = CorrectedRisk(
        prejudice_risk=report.prejudice_risk,
        caprice_risk=report.caprice_risk,
        plug_in_prejudice_risk=0.3,
        plug_in_caprice_risk=0.3,
        headline=True,
    )
    said = risk_finding("M", replace(report, sampling=LOOK, corrected=corrected))
    assert "over 1 occupation and 400 draws of 212 out of 2,000 templates" in said
    assert ", both corrected for the draw. The stereotype" in said
    beside = corrected.model_copy(update={"headline": False})
    assert "corrected" not in risk_finding("M", replace(report, corrected=beside))
