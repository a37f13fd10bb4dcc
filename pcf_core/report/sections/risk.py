"""How much, and is it prejudice or caprice: models, corrected parts, and occupations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from pcf_core.report import how_to_read
from pcf_core.report.key_figures import interval_note, risk_figures
from pcf_core.report.loaded import Runs, Study
from pcf_core.report.notes import study_notes
from pcf_core.report.panels import Panel, Picture, Table
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
from pcf_core.show.charts.risk import occupation_bars, risk_bars
from pcf_core.show.findings.corrected import corrected_finding
from pcf_core.show.findings.models import risk_finding


def risk_panel(
    runs: Runs, *, references: bool = True, published: bool = True, thousand: bool = False
) -> Panel:
    """Show R of each model as prejudice and caprice, beside reference models and the papers' values."""
    reports, over, scale, topic = runs.reports, runs.over, runs.options.scale, runs.first.run.topic
    drawn = run_rows(reports, over)
    drawn += reference_rows(len(runs.groups), scale) if references and runs.comparable else []
    drawn += published_rows(topic, scale, drawn=True) if published and runs.comparable else []
    listed = published_rows(topic, scale, drawn=False) if published else []
    return Panel(
        findings=[risk_finding(name, report, over) for name, report in reports.items()],
        numbers=risk_figures(reports, over, thousand=thousand),
        picture=Picture(
            "risk_bars",
            "risk",
            "Stacked bars of prejudice and caprice for each model",
            lambda: risk_bars(drawn, thousand=thousand),
            [references, published, over, thousand],
        ),
        how=how_to_read.RISK,
        tables=[
            Table(
                "risk",
                "Risk of each model, with reference and published values",
                lambda: in_unit(risk_table(drawn + listed), thousand),
            )
        ],
        notes=[interval_note(reports, over)],
    )


def risk_panels(study: Study) -> Sequence[Panel]:
    """Show the risks, with which is higher and what has to be known before they are believed."""
    panel = risk_panel(study)
    notes = [*panel.notes, *study_notes(study)]
    return [replace(panel, findings=[*panel.findings, study.order], notes=notes)]


def corrected_panel(runs: Runs, *, thousand: bool = False) -> Panel:
    """Show prejudice and caprice without the bias of few templates beside the plug-in values."""
    reports, over = runs.reports, runs.over
    return Panel(
        findings=[corrected_finding(name, report) for name, report in reports.items()],
        picture=Picture(
            "corrected_dots",
            "corrected",
            "Prejudice and caprice of each model, plug-in and corrected for few templates",
            lambda: corrected_dots(reports, over, thousand=thousand),
            [over, thousand],
        ),
        how=how_to_read.CORRECTED,
        tables=[
            Table(
                "corrected",
                "Plug-in and corrected parts",
                lambda: in_unit(corrected_table(reports), thousand),
            )
        ],
    )


def corrected_panels(study: Study) -> Sequence[Panel]:
    """Show the corrected parts of the models that have them."""
    found = {name: item for name, item in study.runs.items() if item.report.corrected is not None}
    return [corrected_panel(replace(study, runs=found))] if found else []


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
        picture=Picture(
            "occupation_bars",
            "occupations",
            f"The riskiest occupations of {name}",
            lambda: occupation_bars(report, thousand=thousand),
            [name, thousand],
        ),
        how=how_to_read.OCCUPATIONS,
        tables=[Table("occupations", f"All occupations of {name}, the riskiest first", table)],
    )


def occupation_panels(study: Study) -> Sequence[Panel]:
    """Show the occupations of every model."""
    return [occupation_panel(study, name, ranked=True) for name in study.runs]
