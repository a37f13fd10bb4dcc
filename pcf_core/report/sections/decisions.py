"""Decisions about people: rates of favourable answers and their ratios."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pcf_core.report import how_to_read
from pcf_core.report.documents import interval_cells
from pcf_core.report.loaded import Reports, Study
from pcf_core.report.panels import Panel
from pcf_core.show.charts.decisions import rate_dots
from pcf_core.show.findings.decisions import decisions_finding

if TYPE_CHECKING:  # slow to import, and most commands write no table
    import pandas as pd


def decisions_panel(shown: Study | Reports) -> Panel:
    """Show how often each group gets a favourable answer, and both impact ratios in the table."""
    reports = {name: report for name, report in shown.reports.items() if report.decisions}
    return Panel(
        findings=[
            decisions_finding(name, report, report.decisions)
            for name, report in reports.items()
            if report.decisions
        ],
        heading="Favourable answers by group",
        source=shown.source,
        key="rate_dots",
        name="decisions",
        alt="Rates of favourable answers of each group, with four fifths of the highest rate",
        chart=partial(rate_dots, reports),
        how=how_to_read.DECISIONS,
        table=lambda: decisions_table(shown),
        table_title="Rates and impact ratios of each model",
    )


def decisions_table(shown: Study | Reports) -> pd.DataFrame:
    """Make a table with a row for each model, way of drawing and group."""
    import pandas as pd

    table = []
    for model, report in shown.reports.items():
        decisions = report.decisions
        if decisions is None:
            continue
        rates = [(group, mean, decisions.selection_rate[group]) for group, mean in decisions.mean.items()]
        ratios = ("lowest ÷ highest", decisions.impact_ratio, decisions.selection_impact_ratio)
        for group, mean, selected in [*rates, ratios]:
            row: dict[str, object] = {"model": model, "group": group, "mean": mean}
            of_group = group in decisions.mean
            for interval in decisions.intervals_of("mean" if of_group else "impact_ratio", group):
                row |= interval_cells(f"mean_over_{interval.over}_", interval)
            table.append(row | {"selection_rate": selected})
    return pd.DataFrame(table)
