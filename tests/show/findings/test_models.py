"""Sentences about whole models, on matrices whose risks are known by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.report.key_figures import risk_figures
from pcf_core.show.findings.models import (
    drawn_again,
    interval_sentence,
    overview_finding,
    risk_finding,
    unseen_note,
    unseen_share,
    unseen_words,
    whiskers_note,
    whole_templates_finding,
)
from pcf_core.show.findings.numbers import with_interval

LATER = Interval(low=0.501, high=0.539)


def report_of(male: list[list[float]], occupations: list[str] | None = None) -> RiskReport:
    """The report of [occupation][template] probabilities of male words, all weights equal."""
    document: dict[str, object] = {
        "preferences": [[[p, 1 - p] for p in row] for row in male],
        "groups": ["male", "female"],
    }
    if occupations:
        document["occupations"] = occupations
    return matrix_report(document, ViewOptions(), resamples=20)


@pytest.fixture
def examples() -> dict[str, RiskReport]:
    """F12: M1 has only prejudice, M2 only caprice; R is 0.2 for both.  M3 leans strongly to female words."""
    return {
        "M1": report_of([[0.6, 0.6, 0.6]], ["clerk"]),
        "M2": report_of([[0.5, 0.35, 0.65]], ["clerk"]),
        "M3": report_of([[0.1, 0.1], [0.7, 0.7]], ["nurse", "doctor"]),
    }


def test_risk_is_given_with_its_interval_and_its_parts() -> None:
    report = replace(
        report_of([[0.76, 0.76]] * 3),
        overall_risk=0.52,
        prejudice_risk=0.4836,
        caprice_risk=0.0364,
        intervals={"overall_risk": (Interval(low=0.50, high=0.54),)},
    )
    assert risk_finding("mini-bert", report) == (
        "The discrimination risk of mini-bert is 0.52 (0.50–0.54) over 3 occupations and 2 "
        "templates. In all, 93 % is prejudice (0.48) and 7 % is "
        "caprice (0.04). The stereotype has a standard deviation of 0."
    )


def test_a_risk_has_two_decimals_with_its_interval_and_without() -> None:
    """Sentences that give it alone stand beside those that give both."""
    report = replace(
        report_of([[0.76, 0.76]] * 3),
        overall_risk=0.10998,
        prejudice_risk=0.10738,
        caprice_risk=0.0026,
        intervals={
            "overall_risk": (Interval(low=0.107, high=0.112),),
            "caprice_risk": (Interval(low=0.0011, high=0.00412),),
        },
    )
    assert "is 0.11 (0.11–0.11) over" in risk_finding("m", report)
    assert "caprice (under 0.005)" in risk_finding("m", report)
    assert "0.11 (0.11–0.11) for m and 0.52 (0.50–0.54) for n" in overview_finding(
        {"m": report, "n": replace(report, overall_risk=0.52, intervals={"overall_risk": (LATER,)})}
    )
    figure = risk_figures({"m": report})[0]
    assert figure.value == "0.11"
    assert figure.detail.startswith("0.11–0.11 · ")
    assert risk_figures({"m": report}, thousand=True)[0].value == "110 (× 1,000)"


def test_all_prejudice_all_caprice_and_no_risk_at_all(examples: dict[str, RiskReport]) -> None:
    assert (
        "All of it is prejudice: no occupation's stereotype changes its sign over the "
        "templates. The stereotype has a standard deviation of 0, averaged over occupations. "
        "Other sentences may show caprice. 3 effective templates, drawn at random, can miss "
        "up to 63 % of all contexts (95 % confidence)."
    ) in risk_finding("M1", examples["M1"])
    assert "is caprice (0.20)" in risk_finding("M2", examples["M2"])
    fair = replace(report_of([[0.5, 0.5]]), intervals={})
    assert risk_finding("fair", fair) == (
        "The discrimination risk of fair is 0 over 1 occupation and 2 templates."
    )


def test_no_caprice_under_l1_says_that_signs_stay_for_the_leader_may_change() -> None:
    """[.5, .4, .1] and [.4, .5, .1]: two groups are above a third in both, and their sum is linear there."""
    document = {"preferences": [[[0.5, 0.4, 0.1], [0.4, 0.5, 0.1]]]}
    summed = matrix_report(document, ViewOptions(criterion="l1"), resamples=20)
    assert summed.caprice_risk == pytest.approx(0, abs=1e-12)
    said = risk_finding("m", replace(summed, caprice_risk=0.0))
    assert (
        "All of it is prejudice: no group's stereotype changes its sign for any occupation "
        "over the templates."
    ) in said
    assert "leading group" not in said
    same = {"preferences": [[[0.5, 0.4, 0.1], [0.5, 0.4, 0.1]]]}
    largest = replace(matrix_report(same, ViewOptions(), resamples=20), caprice_risk=0.0)
    assert "no occupation's leading group changes" in risk_finding("m", largest)


def test_the_interval_over_templates_is_preferred(examples: dict[str, RiskReport]) -> None:
    intervals = (
        Interval(over="occupations", low=0.1, high=0.9),
        Interval(over="templates", low=0.15, high=0.25),
    )
    report = replace(examples["M1"], intervals={"overall_risk": intervals})
    assert "0.20 (0.15–0.25)" in risk_finding("M1", report)


@given(st.integers(1, 60))
def test_what_so_many_templates_can_miss(templates: int) -> None:
    """A kind of context with that share is in none of them with a chance of one in twenty."""
    note = unseen_note(report_of([[0.9] * templates]))
    share = float(note.split("up to ")[1].split(" %")[0]) / 100
    assert (1 - share) ** templates == pytest.approx(0.05, abs=0.02)
    assert f" {templates} effective template{'s' if templates > 1 else ''}, drawn" in note


def test_overview_gives_each_risk_once_and_no_order_that_was_not_tested(
    examples: dict[str, RiskReport],
) -> None:
    """M3 leans further than M1, for one occupation: nothing has tested that, so nothing says it."""
    two = {"M1": examples["M1"], "M3": examples["M3"]}
    assert overview_finding(two) == (
        "The risk is 0.20 (0.20–0.20) for M1 and 0.60 (0.60–0.60) for M3. The page Compare "
        "tests which of them differ."
    )
    order = "M3 has the higher risk, 0.60, and M1 the lower, 0.20 (p = 0.01)."
    assert overview_finding(two, order=order, told=["M1", "M3"]) == order
    three = {**two, "M2": examples["M2"]}
    assert overview_finding(three, order=order, told=["M1", "M3"]) == (
        f"The risk is 0.20 (0.10–0.30) for M2. {order}".replace("0.10–0.30", _range(examples["M2"]))
    )
    assert overview_finding({"M1": examples["M1"]}) == ("The discrimination risk of M1 is 0.20 (0.20–0.20).")
    assert overview_finding({}) == "No model has been scored yet."


def _range(report: RiskReport) -> str:
    return with_interval(report.overall_risk, report.interval("overall_risk")).split("(")[1].strip(")")


def test_an_interval_says_what_was_drawn_again() -> None:
    unit = dict.fromkeys(("template", "document", "mention", "draw"))
    said = [interval_sentence(Interval(low=0, high=1, unit=name)) for name in unit]
    assert len(set(said)) == len(unit)
    assert all("resampling counts only" in sentence for sentence in said[1:3])
    assert said[0].endswith(
        "resampling whole templates, each as likely as any other. The occupations stay the same."
    )
    both = interval_sentence(Interval(over="both", low=0, high=1, unit="template"))
    assert both.startswith("The 95 % ranges come from resampling whole templates")
    assert both.endswith("The occupations are resampled too.")
    occupations = interval_sentence(Interval(over="occupations", low=0, high=1, unit="occupation"))
    assert occupations.endswith("resampling the occupations. The sentences stay the same.")


def test_an_interval_says_of_which_figures_it_is() -> None:
    one = interval_sentence(Interval(low=0, high=1), "the risk and its parts")
    assert one.startswith(
        "The 95 % ranges of the risk and its parts come from resampling whole templates, each "
        "as likely as any other."
    )
    other = interval_sentence(Interval(over="occupations", low=0, high=1, unit="occupation"), "R")
    assert other.startswith("The 95 % ranges of R come from resampling the occupations.")


def test_whiskers_of_several_units_are_named_row_by_row() -> None:
    document, both = Interval(low=0, high=1, unit="document"), Interval(over="both", low=0, high=1)
    assert (drawn_again(document), drawn_again(both)) == (
        "counts only (documents)",
        "templates and occupations",
    )
    assert whiskers_note({"a": "documents", "b": "documents"}) == (
        "The whiskers come from resampling documents."
    )
    assert whiskers_note({"a": "templates", "b": "documents", "c": "templates"}) == (
        "The whiskers come from resampling documents for b; templates for all others."
    )
    assert whiskers_note({}) == ""


def test_documents_have_the_interval_over_whole_templates_beside_them() -> None:
    intervals = {"m": Interval(low=0.673, high=0.736), "n": Interval(low=0.5, high=0.6)}
    assert whole_templates_finding(intervals) == (
        "Resampling whole templates gives the risk a range of 0.67–0.74 for m and 0.50–0.60 "
        "for n. That allows for other kinds of sentences too."
    )
    assert whole_templates_finding({}) == ""


def test_a_sentence_gives_the_interval_that_is_asked_for() -> None:
    intervals = (
        Interval(low=0.1, high=0.9),
        Interval(over="occupations", low=0.2, high=0.8, unit="occupation"),
    )
    report = replace(report_of([[0.9, 0.9]]), intervals={"overall_risk": intervals})
    assert "(0.10–0.90)" in risk_finding("m", report)
    assert "(0.20–0.80)" in risk_finding("m", report, "occupations")


def test_a_caprice_of_0_has_what_may_be_unseen_in_place_of_an_interval() -> None:
    """Five equal templates can miss 1 − 0.05^(1/5) = 45 % of all contexts."""
    steady = report_of([[0.9, 0.8, 0.7, 0.8, 0.9]])
    unseen = unseen_words(unseen_share(steady.effective_templates))
    assert unseen == "in no sentence here; up to 45 % of sentences may be unseen"
