"""Rows of charts and tables from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pcf_core.core.risk import MeanTilt, OccupationRisk, Over, RiskReport, Scale
from pcf_core.core.run import Preferences
from pcf_core.core.topics import Topic
from pcf_core.measure.decomposition import RiskTotal
from pcf_core.measure.reference_models import reference_risks
from pcf_core.report.documents import picked
from pcf_core.show.charts.risk import RiskBar
from pcf_core.show.findings.models import drawn_again, shown_interval
from pcf_core.show.findings.numbers import two_decimals

if TYPE_CHECKING:
    import pandas as pd

    from pcf_core.material.published import PublishedRisk

UNSCALED = ("weight", "preference_", "stereotype_", "tilt_")  # prefixes of columns without risks


def run_rows(reports: Mapping[str, RiskReport], over: Over = "templates") -> list[RiskBar]:
    """Return one row per model, with the interval of R over ``over``, else over templates."""
    rows = []
    for name, report in reports.items():
        corrected = report.corrected.prejudice_risk if report.corrected else None
        by_chance = report.sampled.noise_floor["overall_risk"] if report.sampled else None
        more = {"corrected": corrected, "by_chance": by_chance, "wording": report.wording_caprice}
        bar = _bar(name, "run", report, deviation=report.stereotype_sd, **more)
        if interval := shown_interval(report, "overall_risk", over):
            bar = replace(bar, low=interval.low, high=interval.high, drawn=drawn_again(interval))
        rows.append(bar)
    return rows


def reference_rows(groups: int, scale: Scale) -> list[RiskBar]:
    """Return the papers' four reference models in closed form."""
    risks = reference_risks(groups, scale)
    return [_bar(name, "reference", risk, source="closed form") for name, risk in risks.items()]


def published_rows(topic: Topic, scale: Scale, *, drawn: bool) -> list[RiskBar]:
    """Return the papers' rows for a topic that can be ``drawn`` on this scale, or those that cannot."""
    from pcf_core.material.published import published_of_topic

    return [
        _bar(f"{row.model} ({source_of(row)})", "published", row, source=source_of(row))
        for row in published_of_topic(topic)
        if (row.scale == scale or (row.scale == "equal" and len(topic.groups) == 2)) is drawn
    ]


def _bar(
    label: str,
    kind: Literal["run", "reference", "published"],
    risks: RiskReport | RiskTotal | PublishedRisk,
    **more: Any,
) -> RiskBar:
    return RiskBar(label, kind, risks.prejudice_risk, risks.caprice_risk, risks.overall_risk, **more)


def source_of(row: PublishedRisk) -> str:
    """Name a published value's origin, short enough for an axis."""
    language = "" if row.language == "en" else f", {row.language}"
    context = "" if row.context_source == "not stated" else f", {row.context_source}"
    scale = ", scale unknown" if row.scale == "unknown" else ""
    return f"{row.paper} Table {row.table}{language}{context}{scale}"


def reference_lines(groups: int, scale: Scale) -> dict[str, float]:
    """Return the risks of an even, a random and a stereotyped model by label."""
    risks = reference_risks(groups, scale)
    return {
        f"{two_decimals(risks[model].overall_risk)} {word}": risks[model].overall_risk
        for model, word in (
            ("unbiased", "even"),
            ("randomly initialised", "random"),
            ("stereotyped", "stereotyped"),
        )
    }


def risk_table(rows: Sequence[RiskBar]) -> pd.DataFrame:
    """Make a table with one row per bar: risks, interval of R, deviation, corrected prejudice."""
    import pandas as pd

    is_split = any(row.wording is not None for row in rows)
    return pd.DataFrame(
        [
            {
                "name": row.label,
                "kind": row.kind,
                "overall_risk": row.overall,
                "low": row.low,
                "high": row.high,
                "resampled": row.drawn,
                "prejudice_risk": row.prejudice,
                "corrected_prejudice_risk": row.corrected,
                "caprice_risk": row.caprice,
                **({"wording_caprice": row.wording} if is_split else {}),
                "stereotype_sd": row.deviation,
                "source": row.source,
            }
            for row in rows
        ]
    )


def _times_thousand(table: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    risks = [
        name
        for name in table.columns
        if not name.startswith(UNSCALED) and pd.api.types.is_float_dtype(table[name])
    ]
    scaled = table.assign(**{name: 1000 * table[name] for name in risks})
    return scaled.rename(columns={name: f"{name} × 1,000" for name in risks})


def with_reliable(
    table: pd.DataFrame, reports: Mapping[str, RiskReport], column: str = "model"
) -> pd.DataFrame:
    """Add a column on whether each model's figures are reliable, empty for other rows."""
    if table.empty:
        return table
    reliable = {name: not report.says_little for name, report in reports.items()}
    import pandas as pd

    return table.assign(
        reliable=pd.Series([reliable.get(name) for name in table[column]], table.index, object)
    )


def in_unit(table: pd.DataFrame, thousand: bool) -> pd.DataFrame:
    """Return the table, risks × 1,000 if so chosen."""
    return _times_thousand(table) if thousand else table


def corrected_table(reports: Mapping[str, RiskReport]) -> pd.DataFrame:
    """Make a table with one row per model and part: plug-in, corrected, interval, sampling."""
    import pandas as pd

    rows = []
    for name, report in reports.items():
        if report.corrected is None:
            continue
        both = report.corrected
        for part, plug_in, corrected in (
            ("prejudice", both.plug_in_prejudice_risk, both.prejudice_risk),
            ("caprice", both.plug_in_caprice_risk, both.caprice_risk),
        ):
            row: dict[str, object] = {"model": name, "part": part, "plug_in": plug_in, "corrected": corrected}
            for one in report.intervals.get(f"{part}_risk", ()):
                row |= {f"low_over_{one.over}": one.low, f"high_over_{one.over}": one.high}
            row["expected_from_sampling_alone"] = both.sampling_prejudice if part == "prejudice" else None
            rows.append(row | {"stereotype_sd": report.stereotype_sd})
    return pd.DataFrame(rows)


def tilt_table(
    reports: Mapping[str, RiskReport], tilts: Mapping[str, Mapping[str, MeanTilt]]
) -> pd.DataFrame:
    """Make a table with one row per model and occupation: mean stereotypes with intervals, preferences."""
    import pandas as pd

    rows = []
    for name, report in reports.items():
        for row in report.occupations:
            cells: dict[str, object] = {"model": name, "occupation": row.occupation}
            for group in report.groups:
                low, high = tilts[name][group].occupations[row.occupation]
                cells[f"stereotype_{group}"] = row.stereotype[group]
                cells |= {f"stereotype_{group}_low": low, f"stereotype_{group}_high": high}
            cells |= {f"preference_{group}": row.preferences[group] for group in report.groups}
            rows.append(cells | {"stereotype_sd": row.stereotype_sd})
    return pd.DataFrame(rows)


def cell_rows(
    preferences: Preferences, group: str, occupations: Sequence[int], templates: Sequence[int]
) -> pd.DataFrame:
    """Make a table of the shown heat map: P(group), a row per context, a column per occupation."""
    import pandas as pd

    column = preferences.groups.index(group)
    values = preferences.values[..., column][[[i] for i in occupations], list(templates)]
    return pd.DataFrame(
        values.T,
        index=pd.Index([preferences.templates[j] for j in templates], name="context"),
        columns=[preferences.occupations[i] for i in occupations],
    ).reset_index()


def occupation_bars_table(report: RiskReport, factor: float = 1.0) -> pd.DataFrame:
    """Make a table with one row per occupation, riskiest first; risks times ``factor``."""
    import pandas as pd

    rows = []
    for row in sorted(report.occupations, key=lambda row: -row.overall_risk):
        interval = next(iter(row.intervals.get("overall_risk", ())), None)
        corrected = row.corrected_prejudice_risk
        rows.append(
            {
                "occupation": row.occupation,
                "overall_risk": factor * row.overall_risk,
                "low": factor * interval.low if interval else None,
                "high": factor * interval.high if interval else None,
                "prejudice_risk": factor * row.prejudice_risk,
                "corrected": None if corrected is None else factor * corrected,
                "caprice_risk": factor * row.caprice_risk,
                "stereotype_sd": row.stereotype_sd,
            }
        )
    return pd.DataFrame(rows)


def occupation_numbers(report: RiskReport) -> pd.DataFrame:
    """Make a table with one row per occupation: risks with intervals, preferences, s.d."""
    import pandas as pd

    table = pd.DataFrame(
        [
            {
                **picked(row, "occupation", "weight"),
                **_with_bounds(row, "overall"),
                **_with_bounds(row, "prejudice"),
                **_with_bounds(row, "caprice"),
                **picked(row, "corrected_prejudice_risk", "stereotype_sd"),
                **{f"stereotype_{group}": row.stereotype[group] for group in report.groups},
                **{f"preference_{group}": row.preferences[group] for group in report.groups},
            }
            for row in report.occupations
        ]
    )
    for name in ("prejudice_low", "prejudice_high", "caprice_low", "caprice_high"):
        if name not in table:  # no occupation has an interval
            table[name] = None
    return table


def _with_bounds(row: OccupationRisk, part: str) -> dict[str, float]:
    bounds = row.intervals.get(f"{part}_risk", ())[:1]
    ends = {f"{part}_{end}": getattr(interval, end) for interval in bounds for end in ("low", "high")}
    return {f"{part}_risk": getattr(row, f"{part}_risk")} | ends
