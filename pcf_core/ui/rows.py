"""Records turned into the rows that charts and tables take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pcf_core.charts import RiskBar
from pcf_core.findings import number
from pcf_core.records import Preferences, RiskReport, Scale
from pcf_core.risk import reference_risks
from pcf_core.topics import PublishedRisk, published_risks


def run_rows(reports: Mapping[str, RiskReport]) -> list[RiskBar]:
    """One row a model, with the interval of R over templates."""
    return [
        RiskBar(
            label=name,
            kind="run",
            overall=report.overall_risk,
            prejudice=report.prejudice_risk,
            caprice=report.caprice_risk,
            low=report.intervals["overall_risk"][0].low,
            high=report.intervals["overall_risk"][0].high,
        )
        for name, report in reports.items()
    ]


def reference_rows(groups: int, scale: Scale) -> list[RiskBar]:
    """The four reference models of the papers, computed in closed form."""
    return [
        RiskBar(
            label=name,
            kind="reference",
            overall=risk.overall_risk,
            prejudice=risk.prejudice_risk,
            caprice=risk.caprice_risk,
            low=None,
            high=None,
            source="closed form",
        )
        for name, risk in reference_risks(groups, scale).items()
    ]


def published_rows(topic: str, groups: int, scale: Scale, *, drawn: bool) -> list[RiskBar]:
    """The papers' rows for a topic: those that can be drawn on this scale, or those that cannot.

    With two groups the scales agree; a row whose scale is unknown or another one is only listed.
    """
    return [
        RiskBar(
            label=f"{row.model} ({source_of(row)})",
            kind="published",
            overall=row.overall_risk,
            prejudice=row.prejudice_risk,
            caprice=row.caprice_risk,
            low=None,
            high=None,
            source=source_of(row),
        )
        for row in published_risks()
        if row.topic == topic and (row.scale == scale or (row.scale == "equal" and groups == 2)) is drawn
    ]


def source_of(row: PublishedRisk) -> str:
    """Where a published value stands, short enough for an axis."""
    language = "" if row.language == "en" else f", {row.language}"
    context = "" if row.context_source == "not stated" else f", {row.context_source}"
    scale = ", scale unknown" if row.scale == "unknown" else ""
    return f"{row.paper} Table {row.table}{language}{context}{scale}"


def reference_lines(groups: int, scale: Scale) -> dict[str, float]:
    """What a fair, a random and a stereotyped model would get, as labels of lines."""
    risks = reference_risks(groups, scale)
    return {
        f"{number(risks[model].overall_risk)} {word}": risks[model].overall_risk
        for model, word in (
            ("unbiased", "fair"),
            ("randomly initialised", "random"),
            ("stereotyped", "stereotyped"),
        )
    }


def risk_table(rows: Sequence[RiskBar]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "name": row.label,
                "kind": row.kind,
                "overall_risk": row.overall,
                "low": row.low,
                "high": row.high,
                "prejudice_risk": row.prejudice,
                "caprice_risk": row.caprice,
                "source": row.source,
            }
            for row in rows
        ]
    )


def tilt_table(reports: Mapping[str, RiskReport]) -> pd.DataFrame:
    """One row per model × occupation: mean stereotype and preference of each group."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "occupation": row.occupation,
                **{f"stereotype_{group}": row.stereotype[group] for group in report.groups},
                **{f"preference_{group}": row.preferences[group] for group in report.groups},
                "stereotype_sd": row.stereotype_sd,
            }
            for name, report in reports.items()
            for row in report.occupations
        ]
    )


def tails_table(reports: Mapping[str, RiskReport]) -> pd.DataFrame:
    """One row per model × occupation: the two parts of risk and the s.d. of the stereotype."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "occupation": row.occupation,
                "overall_risk": row.overall_risk,
                "prejudice_risk": row.prejudice_risk,
                "caprice_risk": row.caprice_risk,
                "stereotype_sd": row.stereotype_sd,
            }
            for name, report in reports.items()
            for row in report.occupations
        ]
    )


def cell_rows(
    preferences: Preferences, group: str, occupations: Sequence[int], templates: Sequence[int]
) -> pd.DataFrame:
    """The shown part of the heat map as a table: occupations down, templates across, P(group)."""
    column = preferences.groups.index(group)
    values = preferences.values[..., column][[[i] for i in occupations], list(templates)]
    return pd.DataFrame(
        values,
        index=pd.Index([preferences.occupations[i] for i in occupations], name="occupation"),
        columns=[preferences.templates[j] for j in templates],
    ).reset_index()
