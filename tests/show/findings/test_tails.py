"""Sentences about tails: worked examples, every verdict, and digits that people read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.tails import (
    Comparison,
    Distribution,
    NormalFit,
    NormalShape,
    TailFit,
    TailShape,
    UpperTail,
    Verdict,
)
from pcf_core.measure.tails import caprice_tail, normal_shape, tail_shape
from pcf_core.show.findings.tails import (
    bound_finding,
    normal_finding,
    shape_finding,
    stand_outs,
    tails_finding,
    widest,
)

HEAVIER: Verdict = "heavier than exponential over the observed range"


def report_of(male: list[list[float]], occupations: tuple[str, ...]) -> RiskReport:
    cells = [[[share, 1 - share] for share in row] for row in male]
    document = {"preferences": cells, "groups": ["male", "female"], "occupations": list(occupations)}
    return matrix_report(document, ViewOptions(), resamples=20)


def shape_with(verdict: Verdict, threshold: float | None) -> TailShape:
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
    )


def test_tails_say_what_an_exact_zero_means() -> None:
    """Nurse and captain keep their sign, clerk is moody and neutral in the mean."""
    report = report_of([[0.1, 0.3], [0.9, 0.95], [0.25, 0.75]], ("nurse", "captain", "clerk"))
    tail = caprice_tail([row.caprice_risk for row in report.occupations])
    assert tails_finding("m", report, tail.zero_share, tail.excess_kurtosis) == (
        "The caprice of m is largest for “clerk”, 0.50. Caprice is exactly 0 for 2 of 3 "
        "occupations, where the stereotype keeps its sign over all templates. Over templates "
        "the stereotype has a standard deviation of 0.25, averaged over occupations."
    )
    assert "The excess kurtosis of caprice is 3.2 (0 for a normal" in tails_finding("m", report, 0.5, 3.2)
    assert "Caprice is exactly 0 for none of 3 occupations." in tails_finding("m", report, 0.0, None)


def test_an_exact_zero_under_l1_keeps_the_signs_and_not_the_leader() -> None:
    document = {"preferences": [[[0.5, 0.4, 0.1], [0.4, 0.5, 0.1]]]}
    for criterion, said in (
        ("l1", "no group's stereotype changes its sign"),
        ("max", "the same group stays"),
    ):
        report = matrix_report(document, ViewOptions(criterion=criterion), resamples=20)
        assert f"exactly 0 for the one occupation: {said}" in tails_finding("m", report, 1.0, None)


def test_tails_of_zeros_alone_still_say_how_much_the_stereotype_moves() -> None:
    report = report_of([[0.6, 0.9], [0.7, 0.8]], ("a", "b"))
    assert tails_finding("m", report, 1.0, None) == (
        "The caprice of m is exactly 0 for all 2 occupations: the stereotype keeps its sign "
        "over all templates. Other sentences may change that: up to 78 % of all may be "
        "unseen. Over templates the stereotype has a standard deviation of 0.20, averaged "
        "over occupations."
    )
    one = report_of([[0.6, 0.9]], ("a",))
    assert tails_finding("m", one, 1.0, None).startswith(
        "The caprice of m is exactly 0 for the one occupation:"
    )


def test_a_verdict_comes_with_range_shape_p_and_what_was_fitted() -> None:
    assert shape_finding("m", shape_with(HEAVIER, 0.0)) == (
        "The tail of m is heavier than exponential over the observed range, from under 0.005 "
        "to 0.20. Its shape is 0.42 (0.14–0.81), where 0 is exponential (p = 0.004). The fit "
        "uses all 61 values above 0."
    )
    assert shape_finding("m", shape_with(HEAVIER, 0.05)) == (
        "The tail of m is heavier than exponential over the observed range, from 0.05 to "
        "0.20. Its shape is 0.42 (0.14–0.81), where 0 is exponential (p = 0.004). A "
        "generalised Pareto distribution fits the 11 largest of 61 values above 0."
    )


def test_what_cannot_be_told_has_its_reason() -> None:
    assert shape_finding("m", shape_with("cannot tell", 0.0)).startswith(
        "We cannot tell how heavy the tail of m is. Its shape is 0.42 (0.14–0.81), where 0 is exponential "
        "(p = 0.004)."
    )
    assert shape_finding("m", shape_with("cannot tell", None)).startswith(
        "The tail of m cannot be told. No generalised Pareto distribution fits its upper values, whatever"
    )


def test_what_is_not_fitted_says_how_many_there_are() -> None:
    assert shape_finding("m", tail_shape([0.0, 0.0])) == ""
    assert shape_finding("m", tail_shape([0.1, 0.2, 0.0])) == (
        "The values of m are too few to fit a tail: 2 are above 0."
    )
    assert shape_finding("m", tail_shape([0.1] * 40)).endswith("all 40 values above 0 are the same.")


def test_the_bound_is_named_where_it_is_known() -> None:
    assert bound_finding(1.0).startswith("Caprice cannot exceed 1, so its tail must end.")
    assert bound_finding(None).startswith("Caprice is bounded, so its tail must end.")


def test_normality_is_told_with_test_and_band() -> None:
    ends: FloatArray = np.array([0.1, 0.2])
    shape = NormalShape(NormalFit(0.52, 0.075, 120), ends, ends, 0.985, 0.21, ends, ends)
    assert normal_finding("m", shape) == (
        "The prejudice of m may follow a normal distribution (Shapiro–Wilk, p = 0.21). Its "
        "mean is 0.52, its standard deviation 0.07 over 120 occupations; none of them lies "
        "outside the normal band."
    )
    rejected = NormalShape(NormalFit(0.52, 0.075, 120), ends, ends, 0.9, 1e-7, ends + 0.1, ends)
    assert normal_finding("m", rejected).startswith(
        "The prejudice of m does not follow a normal distribution (Shapiro–Wilk, p under 0.001)."
    )
    untested = NormalShape(NormalFit(0.52, 0.075, 9000), ends, ends, None, None, ends, ends)
    assert normal_finding("m", untested).endswith(
        "9,000 occupations; none of them lies outside the normal band."
    )
    assert "too few values, or too similar ones" in normal_finding("m", normal_shape([0.2, 0.2, 0.2]))


@pytest.mark.parametrize("shape", [-0.5, 0.0, 0.9])
def test_no_sentence_holds_what_is_no_number(shape: float) -> None:
    generator = np.random.default_rng(1)
    values = stats.genpareto.rvs(shape, scale=1e-3, size=70, random_state=generator)
    for sentence in (
        shape_finding("m", tail_shape(values, resamples=99)),
        normal_finding("m", normal_shape(values)),
    ):
        assert sentence.endswith(".")
        assert not {"nan", "None", "inf", "unknown", "-0", "e-"} & set(sentence.replace("(", " ").split())


def moody(caprices: list[float]) -> RiskReport:
    """Occupations x0, x1, … neutral in the mean, with these caprices."""
    rows = [[0.5 + caprice / 2, 0.5 - caprice / 2] for caprice in caprices]
    return report_of(rows, tuple(f"x{place}" for place in range(len(rows))))


def test_stand_outs_are_the_fewest_that_have_half_of_all_caprice() -> None:
    one = moody([0.9, *[0.1] * 4, *[0.0] * 15])
    assert stand_outs("m", one) == "With m, “x0” alone has 69 % of all caprice."
    few = moody([0.4, 0.4, *[0.05] * 8, *[0.0] * 10])
    assert stand_outs("m", few) == (
        "With m, only 2 occupations have over half of all caprice: “x0” (33 %) and “x1” (33 %)."
    )
    even = moody([0.2] * 20)
    assert stand_outs("m", even) == ("With m, no occupation stands out: 11 of 20 share half of all caprice.")
    many = moody([*[0.4] * 5, *[0.0] * 45])
    assert stand_outs("m", many).startswith(
        "With m, only 3 occupations have over half of all caprice: “x0” (20 %), “x1” (20 %) and “x2” (20 %)."
    )
    tail = caprice_tail([row.caprice_risk for row in few.occupations])
    assert tails_finding("m", few, tail.zero_share, None).startswith(stand_outs("m", few))


@pytest.mark.parametrize(
    ("p", "better", "said"),
    [
        (
            0.3,
            "generalised Pareto",
            "We cannot tell whether a lognormal distribution fits better (Vuong’s test, p = 0.3).",
        ),
        (0.01, "lognormal", "A lognormal distribution fits better (Vuong’s test, p = 0.01)."),
        (0.01, "generalised Pareto", "A lognormal distribution fits worse (Vuong’s test, p = 0.01)."),
    ],
)
def test_a_verdict_says_whether_a_lognormal_fits_as_well(p: float, better: Distribution, said: str) -> None:
    vuong = Comparison("lognormal", 1.0, p, better)
    found = replace(shape_with(HEAVIER, 0.0), comparisons=(vuong,))
    assert shape_finding("m", found).endswith(f" {said}")
    assert "lognormal" not in shape_finding("m", replace(shape_with(HEAVIER, 0.05), comparisons=(vuong,)))


def test_no_caprice_and_the_ends_of_prejudice_are_said() -> None:
    report = report_of([[0.9, 0.9], [0.55, 0.55], [0.2, 0.2]], ("a", "b", "c"))
    assert stand_outs("M", report) == "No occupation has any caprice with M here."
    assert widest("M", report) == "The prejudice of M is smallest for “b” (0.10) and largest for “a” (0.80)."
