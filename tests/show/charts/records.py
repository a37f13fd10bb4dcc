"""Example records of runs for charts and findings, with numbers that can be checked by eye."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pcf_core.audit.factors import WAGE
from pcf_core.core.factors import Carrier, FactorPanel, FactorPoint, LineFit
from pcf_core.core.knowledge import FactKnowledge
from pcf_core.core.probe import ProbeAnswer
from pcf_core.core.risk import CorrectedRisk, Interval, OccupationRisk, RiskReport, StereotypeDistribution
from pcf_core.core.run import Preferences
from pcf_core.core.sensitivity import BASE, Sensitivities, Sensitivity, Variant
from pcf_core.core.tails import NormalShape, TailShape
from pcf_core.measure.tails import normal_shape, tail_shape

NAMES = ("nurse", "stylist", "clerk", "baker", "pilot", "captain", "engineer")
TILTS = (-0.9, -0.5, -0.1, 0.0, 0.3, 0.8, 0.95)
CAPRICES = (0.0, 0.0, 0.2, 0.4, 0.05, 0.0, 0.0)


def occupation(
    name: str, stereotype: Mapping[str, float], prejudice: float, caprice: float, interval: bool = True
) -> OccupationRisk:
    overall = prejudice + caprice
    bounds = (Interval(low=overall - 0.01, high=overall + 0.02),)
    return OccupationRisk(
        occupation=name,
        weight=1 / len(NAMES),
        overall_risk=overall,
        prejudice_risk=prejudice,
        caprice_risk=caprice,
        stereotype_sd=0.1,
        stereotype=stereotype,
        preferences={group: 0.5 + value / 2 for group, value in stereotype.items()},
        intervals={"overall_risk": bounds} if interval else {},
    )


def report_of(occupations: Sequence[OccupationRisk], groups: tuple[str, ...]) -> RiskReport:
    prejudice = float(np.mean([row.prejudice_risk for row in occupations]))
    caprice = float(np.mean([row.caprice_risk for row in occupations]))
    return RiskReport(
        overall_risk=prejudice + caprice,
        prejudice_risk=prejudice,
        caprice_risk=caprice,
        effective_templates=2.0,
        groups=groups,
        templates=("a", "b"),
        template_weights=np.array([0.5, 0.5]),
        occupations=tuple(occupations),
    )


def report_of_gender() -> RiskReport:
    """Seven occupations from −0.9 (nurse) to 0.95 (engineer); four have no caprice."""
    rows = [
        occupation(name, {"male": tilt, "female": -tilt}, abs(tilt), caprice)
        for name, tilt, caprice in zip(NAMES, TILTS, CAPRICES, strict=True)
    ]
    return report_of(rows, ("male", "female"))


def report_of_three() -> RiskReport:
    """Three groups; the stereotypes of each occupation sum to 0."""
    rows = [
        occupation(name, {"a": tilt / 2, "b": -tilt / 4, "c": -tilt / 4}, abs(tilt) / 2, 0.0)
        for name, tilt in zip(NAMES, TILTS, strict=True)
    ]
    return report_of(rows, ("a", "b", "c"))


def preferences_of() -> Preferences:
    """P(male) of three occupations × four templates."""
    male = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 0.8, 0.7, 0.6]])
    return Preferences(
        groups=("male", "female"),
        occupations=("nurse", "<b>clerk</b>", "captain"),
        templates=tuple(f"The [X] {verb} that [Y]." for verb in ("said", "told", "found", "wrote")),
        values=np.stack([male, 1 - male], axis=-1),
        coverage=male / 10,
    )


def way(dimension: str, name: str, risk: float, kind: str = "choice", end: str = "") -> Variant:
    return Variant.model_validate(
        {
            "dimension": dimension,
            "name": name,
            "kind": kind,
            "end": end,
            "overall_risk": risk,
            "prejudice_risk": risk - 0.1,
            "caprice_risk": 0.1,
            "stereotype_sd": 0.2,
            "note": "<i>60 %</i>",
        }
    )


def table(base: float) -> Sensitivity:
    return Sensitivity(
        run="abc",
        base=way(BASE, BASE, base, "base"),
        variants=(
            way("words", "he and she only", base + 0.1),
            way("words", "one pair left out", base - 0.2, end="lowest"),
            way("words", "one pair left out", base + 0.2, end="highest"),
            way("words", "without he / she", base - 0.2, "each"),
            way("criterion", "l1", base + 0.05),
            way("published scripts", "script for gender", base - 0.05, "script"),
        ),
    )


def sensitivities_example() -> Sensitivities:
    """Two models, one of them with a name that must not become markup."""
    return Sensitivities({"one": table(0.5), "<b>two</b>": table(0.6)})


def sensitivities_of(names: Sequence[str]) -> Sensitivities:
    return Sensitivities({name: table(0.5) for name in names})


MALE = ((-0.62, 0.2), (0.0, 0.3), (0.03, 0.1), (0.31, 0.4))  # stereotype and weight of four contexts


def distribution(
    pairs: tuple[tuple[float, float], ...] = MALE,
    group: str = "male",
    leads: bool = True,
    risk: float = 0.251,
) -> StereotypeDistribution:
    values, weights = np.array(sorted(pairs)).T
    mean = float(values @ weights)
    return StereotypeDistribution(
        occupation="nurse",
        group=group,
        values=values,
        weights=weights,
        templates=tuple(f"t{place}" for place in range(len(values))),
        mean=mean,
        sd=float(np.sqrt(weights @ (values - mean) ** 2)),
        overall_risk=risk,
        prejudice_risk=abs(mean),
        leads=leads,
        mean_interval=Interval(low=mean - 0.1, high=mean + 0.2),
        effective=4.0,
    )


def corrected_report(report: RiskReport) -> RiskReport:
    """The report with prejudice 0.5 and caprice 0.1, corrected to 0.4 and 0.2."""
    found = CorrectedRisk(
        prejudice_risk=0.4,
        caprice_risk=0.2,
        plug_in_prejudice_risk=0.5,
        plug_in_caprice_risk=0.1,
        headline=False,
        sampling_prejudice=0.05,
    )
    intervals = {
        "prejudice_risk": (Interval(low=0.3, high=0.6), Interval(over="both", low=0.2, high=0.7)),
        "caprice_risk": (Interval(low=0.0, high=0.3),),
    }
    return replace(report, corrected=found, intervals=intervals)


def answer(
    words: Mapping[str, Mapping[str, float]],
    preferences: Mapping[str, float | None] | None = None,
    coverage: Mapping[str, float | None] | None = None,
) -> ProbeAnswer:
    """``words``: group to word to probability, of one token each; groups share evenly unless said."""
    return ProbeAnswer.of(
        {
            "words": [
                {"word": word, "group": group, "log_probability": math.log(p) if p else None, "tokens": 1}
                for group, found in words.items()
                for word, p in found.items()
            ],
            "left_out": [],
            "coverage": coverage,
            "preferences": preferences or dict.fromkeys(words, 1 / len(words)),
        }
    )


def many(zeros: int = 5) -> RiskReport:
    """Forty occupations with caprice between 0.01 and 0.4, the largest first, and some without."""
    rows = [
        occupation(f"<{place}>", {"male": 0.3, "female": -0.3}, 0.3 + place / 100, 0.4 / (place + 1))
        for place in range(40)
    ]
    none = [occupation(f"none {place}", {"male": 0.3, "female": -0.3}, 0.2, 0.0) for place in range(zeros)]
    return report_of([*rows, *none], ("male", "female"))


def shape_of(report: RiskReport) -> TailShape:
    return tail_shape([row.caprice_risk for row in report.occupations], 1.0, resamples=19)


def normal_of(report: RiskReport) -> NormalShape:
    return normal_shape([row.prejudice_risk for row in report.occupations], resamples=99)


def fact(subject: str, knowledge: float, gap: float, elsewhere: float | None = 0.4) -> FactKnowledge:
    return FactKnowledge(
        subject=subject,
        right=("<b>star</b>",),
        wrong=("moon",),
        weight=1.0,
        probabilities=np.array([knowledge**2]),
        mean_probability=knowledge**2,
        knowledge=knowledge,
        mean_score=knowledge - gap,
        confidence_gap=gap,
        chance=0.5,
        elsewhere=elsewhere,
        interval=Interval(low=0.1, high=0.9),
    )


def line(slope: float = 0.01) -> LineFit:
    """Risk = 0.2 + slope · x between 1 and 3, with a band of ± 0.05."""
    x = np.linspace(1, 3, 5)
    mean = 0.2 + slope * x
    return LineFit(
        n=30,
        effective_n=12.0,
        intercept=0.2,
        slope=slope,
        slope_error=0.002,
        interval=Interval(low=slope - 0.004, high=slope + 0.004),
        p_value=0.004,
        adjusted_p=0.02,
        r_squared=0.2,
        x=x,
        mean=mean,
        low=mean - 0.05,
        high=mean + 0.05,
        carrier=Carrier("Bakers", 0.1, slope, Interval(low=slope - 0.004, high=slope + 0.004)),
        occupation_error=0.002,
        template_error=0.0,
        known_interval=Interval(low=slope - 0.004, high=slope + 0.004),
    )


def panel_example() -> FactorPanel:
    """Three points, one without a weight, one at the end of the statistics."""
    return FactorPanel(
        scale=WAGE,
        quantity="overall_risk",
        points=(
            FactorPoint("Lawyers", ("attorney", "lawyer"), 100.0, 0.5, 400.0),
            FactorPoint("Bakers", ("baker",), 30.0, 0.2, 100.0),
            FactorPoint("Surgeons", ("surgeon",), 208.0, 0.8, None, at_least=True),
        ),
        ols=line(),
        wls=line(0.02),
    )
