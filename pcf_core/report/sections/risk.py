"""How much, and is it prejudice or caprice: models, corrected parts, and occupations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from pcf_core.report import how_to_read
from pcf_core.report.key_figures import interval_note, risk_figures
from pcf_core.report.loaded import Reports, Runs, Study
from pcf_core.report.notes import study_notes
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.records import ReportPart
from pcf_core.report.rows import (
    corrected_table,
    in_unit,
    occupation_numbers,
    published_rows,
    reference_rows,
    risk_table,
    run_rows,
)
from pcf_core.show.charts.corrected import corrected_dots
from pcf_core.show.charts.risk import RiskBar, occupation_bars, risk_bars
from pcf_core.show.findings.models import corrected_finding, risk_finding


def risk_panel(
    runs: Runs, *, references: bool = True, published: bool = True, thousand: bool = False
) -> Panel:
    """Show R of each model as prejudice and caprice, beside reference models and the papers' values."""
    scale, topic = runs.options.scale, runs.first.run.topic
    drawn = reference_rows(len(runs.groups), scale) if references and runs.comparable else []
    drawn += published_rows(topic, scale, drawn=True) if published and runs.comparable else []
    listed = published_rows(topic, scale, drawn=False) if published else []
    return reports_panel(runs, drawn, listed, thousand=thousand)


def reports_panel(
    shown: Runs | Reports,
    beside: Sequence[RiskBar] = (),
    listed: Sequence[RiskBar] = (),
    *,
    thousand: bool = False,
) -> Panel:
    """Show R of each model as prejudice and caprice.

    ``beside``: what is drawn below the models, ``listed``: what stands in the table alone.
    """
    reports, over = shown.reports, shown.over
    drawn = [*run_rows(reports, over), *beside]
    return Panel(
        findings=[risk_finding(name, report, over) for name, report in reports.items()],
        numbers=risk_figures(reports, over, thousand=thousand),
        heading="Risk of each model: prejudice and caprice",
        source=shown.source,
        key="risk_bars",
        name="risk",
        alt="Stacked bars of prejudice and caprice for each model",
        chart=partial(risk_bars, drawn, thousand=thousand),
        how=how_to_read.RISK,
        table=lambda: in_unit(risk_table([*drawn, *listed]), thousand),
        table_title="Risk of each model"
        + (", with reference and published values" if beside or listed else ""),
        notes=[interval_note(reports, over)],
    )


def risk_parts(study: Study) -> Sequence[ReportPart]:
    """Write the risks, which is higher, and what has to be known before they are believed."""
    return [part_of(risk_panel(study), findings=[study.order], notes=study_notes(study))]


def corrected_panel(runs: Runs | Reports, *, thousand: bool = False) -> Panel:
    """Show prejudice and caprice without the bias of few templates beside the plug-in values."""
    reports, over = runs.reports, runs.over
    return Panel(
        findings=[corrected_finding(name, report) for name, report in reports.items()],
        heading="Prejudice and caprice, as counted and corrected",
        source=runs.source,
        key="corrected_dots",
        name="corrected",
        alt="Prejudice and caprice of each model, plug-in and corrected for few templates",
        chart=partial(corrected_dots, reports, over, thousand=thousand),
        how=how_to_read.CORRECTED,
        table=lambda: in_unit(corrected_table(reports), thousand),
        table_title="Plug-in and corrected parts",
    )


def corrected_parts(study: Study) -> Sequence[ReportPart]:
    """Write the corrected parts of the models that have them."""
    found = {name: item for name, item in study.runs.items() if item.report.corrected is not None}
    return [part_of(corrected_panel(replace(study, runs=found)))] if found else []


def occupation_panel(runs: Runs, name: str, *, thousand: bool = False, ranked: bool = False) -> Panel:
    """Show the riskiest occupations of a model, and all of them as a table, ``ranked`` by their risk."""
    report = runs.reports[name]

    def table() -> pd.DataFrame:
        numbers = occupation_numbers(report)
        if ranked:
            numbers = numbers.sort_values("overall_risk", ascending=False, kind="stable")
        return in_unit(numbers, thousand)

    return Panel(
        title=name,
        source=runs.source,
        key="occupation_bars",
        name="occupations",
        alt=f"The riskiest occupations of {name}",
        chart=partial(occupation_bars, report, thousand=thousand),
        how=how_to_read.OCCUPATIONS,
        table=table,
        table_title=f"All occupations of {name}, the riskiest first",
    )


def occupation_parts(study: Study) -> Sequence[ReportPart]:
    """Write the occupations of every model."""
    return [part_of(occupation_panel(study, name, ranked=True)) for name in study.runs]
