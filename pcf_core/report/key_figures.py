"""The key figures under a finding: three to five per page, each with range, direction and neutral point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from pcf_core.audit.results import Report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, MeanTilt, Over, RiskReport
from pcf_core.report.records import KeyFigure
from pcf_core.show.findings.numbers import (
    chance,
    ends,
    listed,
    people,
    percent,
    signed,
    two_decimals,
    words_of,
)

MOST = 4


def risk_figures(
    reports: Mapping[str, RiskReport], over: Over = "templates", *, thousand: bool = False
) -> list[KeyFigure]:
    """Make key figures: R of each model with its interval, the share of prejudice, the stereotype's s.d."""
    figures = []
    factor = 1000 if thousand else 1
    for name, report in reports.items():
        interval = report.interval("overall_risk", over) or report.interval("overall_risk")
        value = factor * report.overall_risk
        bounds = "no range"
        if interval:
            scaled = {"low": factor * interval.low, "high": factor * interval.high}
            bounds = ends(interval.model_copy(update=scaled), value)
        figures.append(
            KeyFigure(
                f"Risk R · {name}",
                f"{two_decimals(value)}{' (× 1,000)' if thousand else ''}",
                f"Discrimination risk{' × 1,000' if thousand else ''}: 0 is even, on the PCF scale "
                f"{'1,000' if thousand else '1'} is always the same group. {interval_words(interval)} "
                "s.d. is the standard deviation of the stereotype over sentences; where its sign never "
                "changes, caprice shows none of it.",
                beside(
                    bounds,
                    f"{share(report.prejudice_risk, report.overall_risk)} prejudice",
                    f"s.d. {two_decimals(report.stereotype_sd)}",
                ),
            )
        )
    return figures


def beside(*parts: str) -> str:
    """Lay what stands under a figure side by side, without what is empty: a range that rounds to 0 alone."""
    return " · ".join(filter(None, parts))


def share(part: float, whole: float) -> str:
    """Write a part in percent of a whole, a dash where the whole is 0."""
    return percent(part / whole) if whole > 0 else "–"


def tilt_figures(
    tilts: Mapping[str, Mapping[str, MeanTilt]], reports: Mapping[str, RiskReport], high: str, over: Over
) -> list[KeyFigure]:
    """Make the key figure of each model's mean tilt towards one group, with its interval."""
    figures = []
    for name, report in reports.items():
        tilt = tilts[name][high]
        towards = sum(row.stereotype[high] > 0 for row in report.occupations)
        figures.append(
            KeyFigure(
                f"Mean tilt · {name}",
                signed(tilt.mean),
                f"From −1 to +1: +1 means only {words_of(high)}, 0 is even. It is the mean over occupations. "
                f"{interval_words(tilt.intervals[over])}",
                beside(
                    ends(tilt.intervals[over], tilt.mean),
                    f"{towards:,} of {len(report.occupations):,} towards {people(high)}",
                ),
            )
        )
    return figures


def lead_figures(reports: Mapping[str, RiskReport]) -> list[KeyFigure]:
    """Make the key figure of the group that each model prefers in most occupations."""
    figures = []
    for name, report in reports.items():
        leaders = Counter(max(row.stereotype, key=row.stereotype.__getitem__) for row in report.occupations)
        group, times = leaders.most_common(1)[0]
        figures.append(
            KeyFigure(
                f"Most often first · {name}",
                people(group),
                "The group that the model prefers in most occupations, on average over the sentences.",
                f"{times:,} of {len(report.occupations):,} occupations",
            )
        )
    return figures


def interval_words(interval: Interval | None) -> str:
    """Say what an interval is over, for a help text."""
    if interval is None:
        return "There is no range."
    over = _in_words(str(interval.over))
    return f"The {percent(interval.level)} range is over {over}."


def interval_note(reports: Mapping[str, RiskReport], over: Over) -> str:
    """Say which models have no interval over what is asked for, so that another is shown; or nothing."""
    lacking = [name for name, report in reports.items() if report.interval("overall_risk", over) is None]
    if not lacking:
        return ""
    return (
        f"There is no range over {_in_words(over)} for {listed(lacking)}, because a sampling plan drew the "
        "sentences. The range shown is over sentences."
    )


def _in_words(over: str) -> str:
    """Name what a range is over: sentences, occupations or both."""
    return {"templates": "sentences", "both": "sentences and occupations"}.get(over, over)


def heat_figures(runs: Mapping[str, Report], group: str) -> list[KeyFigure]:
    """Make the key figure of the range of P(group) over all test sentences of a model."""
    figures = []
    for name, item in runs.items():
        preferences = item.result.preferences
        cells = preferences.values[..., preferences.groups.index(group)]
        figures.append(
            KeyFigure(
                f"Median P({group}) · {name}",
                chance(float(np.median(cells))),
                "The median probability over all test sentences, which count equally. Even is one divided "
                "by the number of groups.",
                f"{chance(float(cells.min()))} to {chance(float(cells.max()))} in {cells.size:,} sentences",
            )
        )
    return figures


def parts_of(reports: Mapping[str, RiskReport], part: str) -> dict[str, FloatArray]:
    """Return [occupation] values of one part of the risk, by model."""
    return {
        name: np.array([getattr(row, part) for row in report.occupations]) for name, report in reports.items()
    }
