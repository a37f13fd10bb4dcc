"""Sentences about whole models and the spread of their risk, on matrices whose risks are known by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pcf_core.audit.baseline import Baseline
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import LOWEST_COVERAGE, CorrectedRisk, Interval, RiskReport
from pcf_core.core.tails import (
    Distribution,
    LikelihoodRatioTest,
    NormalFit,
    NormalShape,
    TailFit,
    TailShape,
    UpperTail,
    Verdict,
)
from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.report.documents import report_document
from pcf_core.report.panels import risk_figures
from pcf_core.show.findings import models
from pcf_core.show.overview import ModelRow, risk_answer

HEAVIER: Verdict = "heavier than exponential over the observed range"
ENDS: FloatArray = np.array([0.1, 0.2])
CORRECTED = CorrectedRisk(
    prejudice_risk=0.4,
    caprice_risk=0.2,
    plug_in_prejudice_risk=0.45,
    plug_in_caprice_risk=0.15,
    headline=False,
)


def report_of(male: list[list[float]], occupations: list[str] | None = None) -> RiskReport:
    """The report of [occupation][template] probabilities of male words, all weights equal."""
    document: dict[str, object] = {
        "preferences": [[[p, 1 - p] for p in row] for row in male],
        "groups": ["male", "female"],
    }
    if occupations:
        document["occupations"] = occupations
    return matrix_report(document, ViewOptions(), resamples=20)


def of_groups(values: list[list[list[float]]], *groups: str, criterion: str = "max") -> RiskReport:
    document = {"preferences": values, **({"groups": list(groups)} if groups else {})}
    return matrix_report(document, ViewOptions(criterion=criterion), resamples=20)  # type: ignore[arg-type]


def with_interval_over(report: RiskReport, *intervals: Interval) -> RiskReport:
    return replace(report, intervals={"overall_risk": intervals})


# F12: M1 has only prejudice, M2 only caprice; R is 0.2 for both.  M3 leans strongly to female words.
M1, M2 = report_of([[0.6, 0.6, 0.6]], ["clerk"]), report_of([[0.5, 0.35, 0.65]], ["clerk"])
REWORDED = matrix_report(
    {
        "preferences": [[[0.7, 0.3], [0.4, 0.6], [0.35, 0.65], [0.45, 0.55]]],
        "families": ["one", "one", "other", "other"],
    },
    ViewOptions(),
    resamples=20,
)
M3 = report_of([[0.1, 0.1], [0.7, 0.7]], ["nurse", "doctor"])
MOODY = report_of([[0.1, 0.3], [0.9, 0.95], [0.25, 0.75]], ["nurse", "captain", "clerk"])
# Two occupations, one towards men by .6, one towards women by .2; the first in one of four contexts by −.2.
LEANING = report_of([[0.8, 0.8, 0.8, 0.4], [0.4, 0.4, 0.4, 0.4]])
SMALL = replace(
    report_of([[0.76, 0.76]] * 3),
    overall_risk=0.10998,
    prejudice_risk=0.10738,
    caprice_risk=0.0026,
    intervals={
        "overall_risk": (Interval(low=0.107, high=0.112),),
        "caprice_risk": (Interval(low=0.0011, high=0.00412),),
    },
)
OVER = (Interval(low=0.1, high=0.9), Interval(over="occupations", low=0.2, high=0.8, unit="occupation"))


def moody(caprices: list[float]) -> RiskReport:
    """Occupations x0, x1, … neutral in the mean, with these caprices."""
    rows = [[0.5 + caprice / 2, 0.5 - caprice / 2] for caprice in caprices]
    return report_of(rows, [f"x{place}" for place in range(len(rows))])


FEW = moody([0.4, 0.4, *[0.05] * 8, *[0.0] * 10])


def shape_with(verdict: Verdict, threshold: float | None, *comparisons: LikelihoodRatioTest) -> TailShape:
    """61 values between 0.0001 and 0.2, of which those above a threshold have a shape of 0.42."""
    names: tuple[Distribution, ...] = ("generalised Pareto", "lognormal", "exponential")
    positive = np.geomspace(0.0001, 0.2, 61)
    ends: FloatArray = np.array([threshold or 0.0001, 0.2])
    interval = Interval(over="occupations", low=0.14, high=0.81, unit="occupation")
    above = int((positive > (threshold or 0.0)).sum())
    tail = UpperTail(threshold or 0.0, above, 61, 0.42, 0.03, interval, 0.5, 0.4, 9.1, 0.004, ends, ends)
    return TailShape(
        positive=positive,
        verdict=verdict,
        fits=tuple(TailFit(name, {"scale": 0.1}, 12.0, np.ones(1), 0.5, 0.4, None) for name in names),
        tail=None if threshold is None else tail,
        comparisons=comparisons,
    )


def vuong(p: float, better: Distribution) -> LikelihoodRatioTest:
    return LikelihoodRatioTest("lognormal", 1.0, p, better)


def normal(statistic: float | None, p: float | None, n: int = 120, low: float = 0.1) -> NormalShape:
    band = (ENDS + low - 0.1, ENDS)
    return NormalShape(NormalFit(0.52, 0.075, n), ENDS, ENDS, statistic, p, *band)


def corrected(**more: object) -> RiskReport:
    return replace(MOODY, corrected=CORRECTED.model_copy(update=more))


def baseline() -> Baseline:
    half = Interval(over="templates", level=0.95, low=0.4, high=0.6, unit="template")
    return Baseline(
        run="0" * 16,
        subjects=("person",),
        preferences={"female": 0.25, "male": 0.75},
        lean=0.5,
        lean_interval=half,
        overall_risk=0.5,
        spread={"female": 0.001, "male": 0.001},
        distance={"female": 0.3, "male": 0.3},
        intervals={("overall_risk", ""): (half,)},
    )


def tails_of(report: RiskReport) -> str:
    tail = caprice_tail([row.caprice_risk for row in report.occupations])
    return models.tails_finding("m", report, tail.zero_share, tail.excess_kurtosis)


def examples() -> dict[str, object]:
    three = [[[0.5, 0.4, 0.1], [0.4, 0.5, 0.1]]]
    summed = replace(of_groups(three, criterion="l1"), caprice_risk=0.0)
    same = replace(of_groups([[[0.5, 0.4, 0.1]] * 2]), caprice_risk=0.0)
    two = {"M1": M1, "M3": M3}
    risks = {
        "prejudice alone": M1,
        "caprice alone": M2,
        "small parts": SMALL,
        "no risk": replace(report_of([[0.5, 0.5]]), intervals={}),
        "no caprice under l1": summed,
        "no caprice under max": same,
        "of both intervals": with_interval_over(M1, *OVER),
        "corrected": replace(M2, corrected=CORRECTED.model_copy(update={"headline": True})),
    }
    units = ("template", "family", "document", "mention", "draw")
    everything = {
        "one": [moody([0.9, *[0.1] * 4, *[0.0] * 15])],
        "few": [FEW],
        "none": [moody([0.2] * 20)],
        "more than are named": [moody([*[0.4] * 5, *[0.0] * 45])],
        "no caprice": [report_of([[0.9, 0.9], [0.55, 0.55], [0.2, 0.2]], ["a", "b", "c"])],
    }
    shapes = {
        "of all": shape_with(HEAVIER, 0.0),
        "of the largest": shape_with(HEAVIER, 0.05),
        "cannot tell": shape_with("cannot tell", 0.0),
        "nothing fits": shape_with("cannot tell", None),
        "no values": tail_shape([0.0, 0.0]),
        "too few": tail_shape([0.1, 0.2, 0.0]),
        "all the same": tail_shape([0.1] * 40),
        "lognormal as well": shape_with(HEAVIER, 0.0, vuong(0.3, "generalised Pareto")),
        "lognormal better": shape_with(HEAVIER, 0.0, vuong(0.01, "lognormal")),
        "lognormal worse": shape_with(HEAVIER, 0.0, vuong(0.01, "generalised Pareto")),
    }
    return {
        "risks": {name: models.risk_finding("m", report) for name, report in risks.items()},
        "wordings": [models.wording_finding("m", REWORDED), models.wording_finding("m", M1)],
        "over occupations": models.risk_finding("m", with_interval_over(M1, *OVER), "occupations"),
        "overviews": [
            models.overview_finding(two),
            models.overview_finding({**two, "M2": with_interval_over(M2, *OVER)}),
            models.overview_finding({"M1": M1}),
            models.overview_finding({}),
        ],
        "intervals": {unit: models.interval_sentence(Interval(low=0, high=1, unit=unit)) for unit in units},
        "intervals over": {
            over: models.interval_sentence(Interval(over=over, low=0, high=1, unit=unit), "R")  # type: ignore[arg-type]
            for over, unit in (("both", "template"), ("occupations", "occupation"))
        },
        "drawn again": [
            models.drawn_again(Interval(low=0, high=1, unit="document")),
            models.drawn_again(Interval(over="both", low=0, high=1)),
            models.units(Interval(over="both", low=0, high=1)),
        ],
        "whiskers": [
            models.whiskers_note(drawn)
            for drawn in (
                {"a": "documents", "b": "documents"},
                {"a": "templates", "b": "documents", "c": "templates"},
                {},
            )
        ],
        "whole templates": [
            models.whole_templates_finding(drawn)
            for drawn in ({"m": Interval(low=0.673, high=0.736), "n": Interval(low=0.5, high=0.6)}, {})
        ],
        "unseen": [models.unseen_note(report) for report in (M1, LEANING)],
        "caprice coverage": models.caprice_coverage_note({"M1": M1, "M2": M2, "MOODY": MOODY}),
        "unseen words": models.unseen_words(models.unseen_share(5)),
        "corrected": [
            models.corrected_finding("m", report)
            for report in (
                corrected(),
                corrected(plug_in_prejudice_risk=0.4, plug_in_caprice_risk=0.2),
                corrected(sampling_prejudice=0.05),
                MOODY,
            )
        ],
        "leans": [
            models.lean_finding("M", report)
            for report in (
                LEANING,
                report_of([[0.55], [0.95]]),
                of_groups([[[0.5, 0.3, 0.2]], [[0.4, 0.1, 0.5]]], "white", "black", "asian"),
                report_of([[0.8], [0.8]]),
                report_of([[0.5], [0.5]]),
                report_of([[0.8]]),
            )
        ],
        "neutral subjects": models.baseline_finding("M", baseline()),
        "distances": [
            models.neutral_distances_finding(found) for found in ({"M": 0.24, "N": 0.32}, {"M": 0.24})
        ],
        "caprice": {name: tails_of(*report) for name, report in everything.items()}
        | {
            "of three occupations": tails_of(MOODY),
            "with kurtosis": models.tails_finding("m", MOODY, 0.5, 3.2),
            "everywhere": models.tails_finding("m", MOODY, 0.0, None),
            "nowhere": tails_of(report_of([[0.6, 0.9], [0.7, 0.8]], ["a", "b"])),
            "of one occupation": tails_of(report_of([[0.6, 0.9]], ["a"])),
            **{
                criterion: models.tails_finding("m", of_groups(three, criterion=criterion), 1.0, None)
                for criterion in ("l1", "max")
            },
        },
        "prejudice": models.widest("m", MOODY),
        "shapes": {name: models.shape_finding("m", shape) for name, shape in shapes.items()},
        "bounds": [models.bound_finding(1.0), models.bound_finding(None)],
        "normal": [
            models.normal_finding("m", shape)
            for shape in (
                normal(0.985, 0.21),
                normal(0.9, 1e-7, low=0.2),
                normal(None, None, n=9000),
                normal_shape([0.2, 0.2, 0.2]),
            )
        ],
    }


@given(st.integers(1, 60))
def test_what_so_many_templates_can_miss(templates: int) -> None:
    """A kind of context with that share is in none of them with a chance of one in twenty."""
    note = models.unseen_note(report_of([[0.9] * templates]))
    share = float(note.split("up to ")[1].split(" %")[0]) / 100
    assert (1 - share) ** templates == pytest.approx(0.05, abs=0.02)
    sentences = "1 sentence" if templates == 1 else f"{templates} equally common sentences"
    assert f"These are as precise as about {sentences}, and a random sample of that size can miss" in note


def test_ranges_of_caprice_are_called_less_reliable_where_prejudice_may_be_zero() -> None:
    """Five lean to women, five to men: no prejudice.  A model that always leans the same way has some."""
    even, sure = report_of([[0.2] * 5 + [0.8] * 5]), report_of([[0.8, 0.81, 0.82] * 5])
    assert report_document(even)["caprice_coverage"] == even.caprice_coverage == LOWEST_COVERAGE
    assert "caprice_coverage" not in report_document(sure)
    assert "prejudice of A may be 0" in models.caprice_coverage_note({"A": even, "B": sure})
    assert models.caprice_coverage_note({"B": sure}) == ""


def test_an_order_that_was_not_tested_is_not_said() -> None:
    """M3 leans further than M1, for one occupation: nothing has tested that, so nothing says it."""
    said = models.overview_finding({"M1": M1, "M3": M3})
    assert not [word for word in ("higher", "lower", "more", "less") if word in said]


def test_the_interval_over_templates_is_preferred_and_another_given_where_asked() -> None:
    report = with_interval_over(M1, *OVER[::-1])
    assert "(0.10–0.90)" in models.risk_finding("m", report)
    assert "(0.20–0.80)" in models.risk_finding("m", report, "occupations")


def test_the_part_of_the_wording_by_hand() -> None:
    """Meanings (.4, −.2) and (−.3, −.1): .25 = .05 + .10 + .10."""
    said = models.wording_finding("m", REWORDED)
    assert said.startswith("Rewording alone accounts for 0.10 (")
    assert "of m's caprice of 0.20" in said
    assert models.wording_finding("m", M1) == ""


def test_parts_are_shares_of_the_whole() -> None:
    said = models.risk_finding("m", replace(SMALL, prejudice_risk=0.08, caprice_risk=0.02, overall_risk=0.1))
    assert "80 % is prejudice (0.08) and 20 % is caprice (0.02)" in said


def test_no_caprice_under_l1_says_that_signs_stay_for_the_leader_may_change() -> None:
    """[.5, .4, .1] and [.4, .5, .1]: two groups are above a third in both, and their sum is linear there."""
    summed = of_groups([[[0.5, 0.4, 0.1], [0.4, 0.5, 0.1]]], criterion="l1")
    assert summed.caprice_risk == pytest.approx(0, abs=1e-12)
    assert models.adds_up(summed)
    said = models.risk_finding("m", replace(summed, caprice_risk=0.0))
    assert "each group stays on the same side of its neutral share" in said
    assert "leading group" not in said


def test_a_key_figure_has_the_digits_of_its_sentence() -> None:
    figure = risk_figures({"m": SMALL})[0]
    assert (figure.value, figure.detail.split(" · ")[0]) == ("0.11", "0.11–0.11")
    assert risk_figures({"m": SMALL}, thousand=True)[0].value == "110 (× 1,000)"


def test_occupations_that_all_prefer_men_are_not_said_to_be_alike() -> None:
    """The split by J gave them 0: "all occupations share 0.50 of it, 0 differs between them"."""
    found = report_of([[0.55], [0.95]])
    assert found.lean is not None
    assert found.lean.specific == 0
    assert found.lean.differing == pytest.approx(0.16 / (0.25 + 0.16))
    assert "39 %" in models.lean_finding("M", found)


def test_nothing_is_said_to_be_shared_where_prejudice_is_said() -> None:
    (figure,) = risk_figures({"M": LEANING})
    row = ModelRow.of("M", LEANING)
    for said in (models.risk_finding("M", LEANING), risk_answer([row]), figure.detail):
        assert "share" not in said


def test_stand_outs_are_the_fewest_that_have_half_of_all_caprice() -> None:
    """Of 1.2 in all x0 and x1 have .4 each: one alone has a third, both two thirds."""
    assert models.stand_outs("m", FEW).endswith("over half of all caprice: “x0” (33 %) and “x1” (33 %).")
    assert tails_of(FEW).startswith(models.stand_outs("m", FEW))


@pytest.mark.parametrize(("p", "told"), [(0.05, True), (0.051, False)])
def test_a_lognormal_fits_better_or_worse_only_beyond_chance(p: float, told: bool) -> None:
    said = models.shape_finding("m", shape_with(HEAVIER, 0.0, vuong(p, "lognormal")))
    assert ("A lognormal distribution fits better (" in said) is told
    assert ("cannot tell whether a lognormal" in said) is not told
    of_the_largest = shape_with(HEAVIER, 0.05, vuong(p, "lognormal"))
    assert "lognormal" not in models.shape_finding("m", of_the_largest), "they are not of the same values"


@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.9])
def test_no_sentence_of_real_values_holds_what_is_no_number(shape: float) -> None:
    generator = np.random.default_rng(1)
    values = stats.genpareto.rvs(shape, scale=1e-3, size=70, random_state=generator)
    for sentence in (
        models.shape_finding("m", tail_shape(values, resamples=99)),
        models.normal_finding("m", normal_shape(values)),
    ):
        assert sentence.endswith(".")
        assert not {"nan", "None", "inf", "unknown", "-0", "e-"} & set(sentence.replace("(", " ").split())
