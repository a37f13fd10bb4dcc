"""The join of risk and statistics: every occupation is a point or left out, a line of them counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.audit.factors import factor_panels, read_against, read_leans, why_not_compared
from pcf_core.core.errors import TopicError
from pcf_core.core.factors import (
    MATCHINGS,
    Amplification,
    FactorPanel,
    Matching,
    OwnFactor,
    ReadCount,
    ReadTable,
)
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.risk import MeanTilt, OccupationRisk, RiskReport
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.factors import factors
from pcf_core.measure.distribution import mean_tilts
from pcf_core.measure.regression import TemplateNoise, fit_line
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.measure.ties import holm
from tests.show.charts.reads import CARD

TERMS = load_evidence("occupations-bvf").terms
NAMES = ["wage", "education_years", "women_share", "word_frequency"]


def report_of(risks: Mapping[str, float]) -> RiskReport:
    """A report with these risks; the prejudice is half of each."""
    rows = [
        OccupationRisk(
            occupation=word,
            weight=1 / len(risks),
            overall_risk=risk,
            prejudice_risk=risk / 2,
            caprice_risk=risk / 2,
            stereotype_sd=0.1,
            stereotype={"male": 0.1, "female": -0.1},
            preferences={"male": 0.55, "female": 0.45},
        )
        for word, risk in risks.items()
    ]
    mean = float(np.mean(list(risks.values())))
    return RiskReport(
        overall_risk=mean,
        prejudice_risk=mean / 2,
        caprice_risk=mean / 2,
        effective_templates=1,
        groups=("male", "female"),
        templates=("The [X] said that [Y].",),
        template_weights=np.ones(1),
        occupations=tuple(rows),
    )


def made_up(seed: int = 0, terms: Sequence[str] = TERMS) -> dict[str, float]:
    return dict(zip(terms, np.random.default_rng(seed).uniform(0.2, 0.9, len(terms)).tolist(), strict=True))


def by_name(panels: Sequence[FactorPanel]) -> dict[str, FactorPanel]:
    return {panel.scale.name: panel for panel in panels}


@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize("evidence", ["occupations-bvf", "occupations-pcf", "occupations-zh"])
def test_every_occupation_is_in_a_point_or_left_out_once(evidence: str, matching: Matching) -> None:
    risks = made_up(0, load_evidence(evidence).terms)
    panels = factor_panels(report_of(risks), "overall_risk", matching=matching)
    assert [panel.scale.name for panel in panels] == NAMES
    for panel in panels:
        inside = [word for point in panel.points for word in point.words]
        outside = [item.name for item in panel.left_out]
        assert sorted([*inside, *outside]) == sorted(risks)
        assert all(item.reason for item in panel.left_out)
        assert (panel.ols is None) is bool(panel.no_ols)
        assert (panel.wls is None) is bool(panel.no_wls)


def test_words_on_one_line_count_once_with_their_mean_and_its_people() -> None:
    risks = made_up()
    panel = by_name(factor_panels(report_of(risks), "overall_risk"))["wage"]
    points = {point.label: point for point in panel.points}
    lawyers, line = points["Lawyers"], factors()["lawyer"]
    assert set(lawyers.words) == {"attorney", "counsel", "lawyer"} & set(TERMS)
    assert len(lawyers.words) > 1
    assert lawyers.risk == pytest.approx(np.mean([risks[word] for word in lawyers.words]))
    assert lawyers.weight == line.employment_thousands
    assert line.median_annual_wage_usd is not None
    assert lawyers.value == pytest.approx(line.median_annual_wage_usd / 1000)
    assert len(points) == len(panel.points)


def test_each_word_has_its_own_frequency_and_shares_the_people_of_its_line() -> None:
    panel = by_name(factor_panels(report_of(made_up()), "overall_risk"))["word_frequency"]
    points = {point.label: point for point in panel.points}
    known = factors()
    assert points["lawyer"].value == known["lawyer"].word_frequency
    assert points["attorney"].value == known["attorney"].word_frequency
    together = [point for point in panel.points if known[point.label].bls_title == "Lawyers"]
    assert sum(point.weight or 0 for point in together) == pytest.approx(known["lawyer"].employment_thousands)
    assert points["freelancer"].weight is None
    assert panel.ols.n > panel.wls.n


def test_the_lines_are_those_of_a_loop_over_the_table() -> None:
    """Education and frequency joined here by hand, without the code's grouping."""
    risks = made_up(3)
    panels = by_name(factor_panels(report_of(risks), "overall_risk"))
    known = [factors()[word] for word in risks]
    titles = sorted({row.bls_title for row in known if row.match in ("exact", "close")})
    x, y, weights = [], [], []
    for title in titles:
        rows = [row for row in known if row.bls_title == title and row.match in ("exact", "close")]
        x.append(rows[0].mean_education_years)
        weights.append(rows[0].employment_thousands)
        y.append(np.mean([risks[row.term] for row in rows]))
    for found, expected in (
        (panels["education_years"].ols, fit_line(x, y)),
        (panels["education_years"].wls, fit_line(x, y, weights)),
        (
            panels["word_frequency"].ols,
            fit_line([np.log10(row.word_frequency) for row in known], list(risks.values())),
        ),
    ):
        assert (found.slope, found.slope_error, found.n) == pytest.approx(
            (expected.slope, expected.slope_error, expected.n)
        )


def test_which_matches_count_is_a_choice() -> None:
    report = report_of(made_up())
    exact, close, broad = (
        by_name(factor_panels(report, "overall_risk", matching=matching))["wage"] for matching in MATCHINGS
    )
    known, inside = factors(), []
    for place, panel in enumerate((exact, close, broad), start=1):
        inside.append({word for point in panel.points for word in point.words})
        assert {known[word].match for word in inside[-1]} == set(MATCHINGS[:place])
    assert inside[0] < inside[1] < inside[2]
    assert factor_panels(report, "overall_risk")[0].points == close.points
    reasons = {item.name: item.reason for item in close.left_out}
    assert reasons["director"] == "the US statistics only have a wider category, Producers and directors"
    lost = min(inside[1] - inside[0])
    assert {item.name: item.reason for item in exact.left_out}[lost] == (
        f"the US statistics have a similar but not identical occupation, {known[lost].bls_title}"
    )


def test_the_noise_of_a_point_is_that_of_the_mean_of_its_words() -> None:
    """The lines drawn from a panel are those of fit_line on means of the draws, by a loop over the points."""
    risks = made_up(2)
    deviations = 0.05 * np.random.default_rng(0).standard_normal((50, len(risks)))
    noise = TemplateNoise(tuple(risks), deviations, 12.0)
    panels = factor_panels(report_of(risks), "overall_risk", noise=noise)
    column = {word: deviations[:, place] for place, word in enumerate(risks)}
    for panel in panels:
        x = [np.log10(point.value) if panel.scale.log else point.value for point in panel.points]
        y = [point.risk for point in panel.points]
        of_points = [np.mean([column[word] for word in point.words], axis=0) for point in panel.points]
        names = tuple(point.label for point in panel.points)
        expected = fit_line(x, y, noise=TemplateNoise(names, np.stack(of_points, axis=1), 12.0))
        assert panel.ols.slope_error == pytest.approx(expected.slope_error)
        assert panel.ols.template_error == pytest.approx(expected.template_error)
        assert panel.ols.p_value == pytest.approx(expected.p_value)


def test_wages_where_the_statistics_stop_are_marked() -> None:
    panels = by_name(factor_panels(report_of(made_up()), "overall_risk"))
    capped = {point.label: point.value for point in panels["wage"].points if point.at_least}
    assert capped == dict.fromkeys(["Physicians", "Physicians, all other", "Surgeons"], 208.0)
    assert not any(
        point.at_least for panel in panels.values() for point in panel.points if panel.scale.name != "wage"
    )


@settings(max_examples=5)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_quantity_and_order_of_occupations(seed: int, order: object) -> None:
    risks = made_up(seed)
    shuffled = list(risks.items())
    order.shuffle(shuffled)
    for one, half, other in zip(
        factor_panels(report_of(risks), "overall_risk"),
        factor_panels(report_of(risks), "caprice_risk"),
        factor_panels(report_of(dict(shuffled)), "overall_risk"),
        strict=True,
    ):
        assert half.ols.slope == pytest.approx(one.ols.slope / 2)
        assert (other.ols.slope, other.ols.p_value) == pytest.approx((one.ols.slope, one.ols.p_value))


def test_p_values_are_corrected_over_all_lines_of_the_panels() -> None:
    panels = factor_panels(report_of(made_up()), "overall_risk")
    fits = [fit for panel in panels for fit in (panel.ols, panel.wls) if fit is not None]
    assert len(fits) == 8
    assert [fit.adjusted_p for fit in fits] == pytest.approx(holm([fit.p_value for fit in fits]))


def test_a_users_own_figures() -> None:
    risks = made_up()
    own = OwnFactor(
        "mine",
        {word: 2.0 * i for i, word in enumerate(TERMS[:15])} | {"astronaut": 1.0},
        {word: 1.0 + i for i, word in enumerate(TERMS[:12])},
        (LeftOut(name=TERMS[15], reason="the file has no value for it"),),
    )
    panel = factor_panels(report_of(risks), "overall_risk", own=own)[-1]
    assert (panel.scale.name, panel.scale.title, panel.scale.step) == ("own", "mine", 10)
    assert [point.value for point in panel.points] == [2.0 * i for i in range(15)]
    assert (panel.ols.n, panel.wls.n) == (15, 12)
    reasons = {item.name: item.reason for item in panel.left_out}
    assert len(panel.left_out) == len(TERMS) - 15 + 1
    assert reasons["astronaut"].startswith("it is in the file")
    assert reasons[TERMS[15]] == "the file has no value for it"
    assert reasons[TERMS[16]] == "the file has no value for it"
    assert panel.ols.adjusted_p is not None


def test_own_figures_without_weights_or_with_few_points() -> None:
    risks = made_up()
    few = OwnFactor("mine", dict.fromkeys(TERMS[:3], 1.0))
    panel = factor_panels(report_of(risks), "overall_risk", own=few)[-1]
    assert panel.no_ols == "3 points, fewer than 10"
    assert panel.no_wls == "no occupation has a weight"


@pytest.mark.parametrize(
    ("values", "weight"),
    [
        ([-1e308, 1e308] * 10, 1.0),
        ([1e200 * place for place in range(20)], 1.0),
        ([1e-320 * place for place in range(20)], 1.0),
        ([float(place) for place in range(20)], 1e308),
    ],
)
def test_own_figures_of_any_size_have_lines_or_a_reason(values: Sequence[float], weight: float) -> None:
    """A file has none of them, a program that makes the record itself may."""
    own = OwnFactor("mine", dict(zip(TERMS, values, strict=False)), dict.fromkeys(TERMS[:20], weight))
    panel = factor_panels(report_of(made_up()), "overall_risk", own=own)[-1]
    assert np.isfinite(panel.scale.step)
    assert panel.scale.step > 0
    for fit, reason in ((panel.ols, panel.no_ols), (panel.wls, panel.no_wls)):
        assert (
            fit is not None and np.isfinite([fit.slope, fit.p_value]).all()
        ) or "to calculate with" in reason


def test_no_risk_at_all_has_no_lines() -> None:
    for panel in factor_panels(report_of(dict.fromkeys(TERMS, 0.0)), "caprice_risk"):
        assert panel.ols is None
        assert panel.no_ols == "the risk is the same for all points"


def test_occupations_the_statistics_do_not_know() -> None:
    panels = factor_panels(report_of(made_up(0, load_evidence("occupations-zh").terms)), "overall_risk")
    for panel in panels:
        assert panel.points == ()
        assert panel.no_ols == "0 points, fewer than 10"


# A model joined with its text: which occupations are compared, and why others are not.


def counted(name: str, he: int, she: int, as_word: int | None = None) -> ReadCount:
    return ReadCount(
        occupation=name, he=he, she=she, neither=0, as_word=he + she if as_word is None else as_word
    )


TABLE = ReadTable(
    CARD,
    {
        one.occupation: one
        for one in (
            counted("nurse", 16, 69),
            counted("engineer", 569, 42),
            counted("welder", 19, 0),
            counted("cook", 68, 19, 17),
        )
    },
)
OCCUPATIONS = ("cook", "Engineer", "nurse", "welder", "wizard")
REASONS = {
    "cook": "in the training text the word is mostly part of a name or title",
    "welder": "only 19 documents mention one gender more often; at least 20 are needed",
    "wizard": "the documents of the training text that mention it were not counted",
}


def joined(
    groups: tuple[str, ...], names: tuple[str, ...] = OCCUPATIONS
) -> tuple[Amplification | None, FloatArray, MeanTilt]:
    generator = np.random.default_rng(0)
    male = generator.uniform(-1, 1, (len(names), 6))
    stereotypes = np.stack([male if group == "male" else -male for group in groups], axis=2)
    unit = TemplateUnit.templates(np.arange(1.0, 7.0))
    tilts = mean_tilts(
        stereotypes, unit, np.ones(len(names)), groups=groups, occupations=names, resamples=100
    )
    tilt = tilts.get("male", tilts[groups[0]])
    return read_against(names, groups, stereotypes, unit, tilt, TABLE), male @ unit.weights, tilt


@pytest.mark.parametrize("groups", [("male", "female"), ("female", "male")])
def test_occupations_meet_their_counts_whatever_the_order_of_groups(groups: tuple[str, ...]) -> None:
    found, says, tilt = joined(groups)
    assert [row.count.occupation for row in found.occupations] == ["engineer", "nurse"]
    assert [row.tilt for row in found.occupations] == pytest.approx([says[1], says[2]])
    assert found.occupations[1].tilt_interval == tilt.interval("nurse")
    assert found.shift == pytest.approx(says[1:3].mean() - (527 / 611 - 53 / 85) / 2)
    assert {item.name: item.reason for item in found.left_out} == REASONS


def test_no_occupation_is_no_comparison() -> None:
    assert joined(("male", "female"), ("welder", "wizard"))[0] is None


def test_other_groups_are_refused() -> None:
    with pytest.raises(
        TopicError, match="for the groups male and female only, but this topic has young, old"
    ):
        joined(("young", "old"))


def test_the_row_of_leans_has_those_that_are_compared() -> None:
    leans = read_leans(make_evidence("few", list(OCCUPATIONS)), TABLE)
    assert leans == pytest.approx({"Engineer": 527 / 611, "nurse": -53 / 85})


@pytest.mark.parametrize(("as_word", "used"), [(4, True), (3, False)])
def test_a_word_that_is_mostly_a_name_is_left_out(as_word: int, used: bool) -> None:
    assert (not why_not_compared(counted("baker", 15, 5, as_word))) is used
