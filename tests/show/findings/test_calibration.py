"""Sentences on the models whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from pcf_core.core.sensitivity import Calibration, Planted
from pcf_core.show.findings.reliability import afresh_note, calibration_finding, uncalibrated_note


def calibration(model: str = "planted-causal", largest: float = 2e-6, off: float = 0.0) -> Calibration:
    planted = Planted(
        model=model,
        topic="calibration",
        evidence="calibration",
        templates="calibration",
        groups=("amber", "violet"),
        occupations=("lamp",),
        contexts=("The [X] is [Y]", "The [X] was [Y]"),
        values=(((0.7, 0.3), (0.5, 0.5)),),
        overall_risk=0.2,
        prejudice_risk=0.2,
        caprice_risk=0.0,
    )
    measured = {"overall_risk": 0.2 + off, "prejudice_risk": 0.2, "caprice_risk": off}
    written = datetime(2026, 11, 3, 9, tzinfo=UTC)
    return Calibration(planted, measured, largest, "lamp", "The [X] was [Y]", written, "0.9")


def test_agreement_is_told_with_the_largest_differences() -> None:
    found = [calibration(), calibration("planted-masked", 3e-6, -2e-7)]
    assert calibration_finding(found) == (
        "The stored results hold the risks that were planted in planted-causal and "
        "planted-masked. Measured and planted risks differ by at most 2×10⁻⁷. Over 4 cells, "
        "the probability of a group differs by at most 3×10⁻⁶. That is for planted-masked, "
        "“lamp” in “The [X] was [Y]”. Version 0.9 of this app scored planted-causal and "
        "planted-masked; the results were written on 3 November 2026."
    )


def test_when_and_by_what_each_was_scored() -> None:
    later = replace(calibration("planted-masked"), written=datetime(2026, 12, 24, tzinfo=UTC), version="")
    assert calibration_finding([calibration(), later]).endswith(
        "Version 0.9 of this app scored planted-causal; the results were written on 3 November 2026. "
        "This app scored planted-masked; the results were written on 24 December 2026."
    )


def test_what_is_stored_is_not_said_to_be_what_this_installation_finds() -> None:
    assert "This app" not in calibration_finding([calibration()])
    assert "scorer of this installation" in afresh_note()


def test_a_risk_or_a_cell_that_is_off_is_told() -> None:
    for wrong, risk, cell in (
        (calibration(off=2e-4), "0.0002", "2×10⁻⁶"),
        (calibration(largest=0.02), "0", "0.02"),
    ):
        said = calibration_finding([calibration("planted-masked"), wrong])
        assert said.startswith(
            "The stored results miss the risks that were planted in planted-masked and planted-causal."
        )
        assert "Allowed are 0.0001 for a risk and 5×10⁻⁵ for a probability." in said
        assert f"risks differ by at most {risk}. Over 4 cells" in said
        assert f"differs by at most {cell}." in said
    assert "at most 0.02. That is for planted-causal" in said


def test_the_limits_themselves_are_within() -> None:
    assert "miss the risks" not in calibration_finding([replace(calibration(), largest=1e-5)])


def test_nothing_measured_says_nothing_and_each_model_why() -> None:
    assert calibration_finding([]) == ""
    assert uncalibrated_note("planted-causal", "The run x is not finished.") == (
        "planted-causal is not compared with its planted risks yet. The run x is not finished."
    )
