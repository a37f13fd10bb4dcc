"""Risks of models, their parts, occupations, and paired comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pcf_core.audit.baseline import Baseline, baseline_of, distance_from_neutral
from pcf_core.core.risk import Interval, Over, RiskReport
from pcf_core.report import how_to_read
from pcf_core.report.loaded import Reports, Study, study_notes
from pcf_core.report.panels import Panel, interval_note, part_of, risk_figures
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
from pcf_core.report.sections.decisions import decisions_panel
from pcf_core.show.charts.risk import LeanBar, RiskBar, corrected_dots, lean_bars, occupation_bars, risk_bars
from pcf_core.show.findings.models import (
    baseline_finding,
    caprice_coverage_note,
    corrected_finding,
    lean_finding,
    risk_finding,
    spread_of,
    wording_finding,
)
from pcf_core.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
from pcf_core.audit.baseline import OtherScales, order_on_other_scales
from pcf_core.audit.results import Read, load_result
from pcf_core.core.risk import Comparison, NeutralComparison
from pcf_core.material.numbers import load_numbers
from pcf_core.report.documents import RISKS, comparison_table, interval_cells, neutral_table, several_table
from pcf_core.report.panels import said, table_of
from pcf_core.show.charts.comparison import difference_plot
from pcf_core.show.compare import neutral_answer
from pcf_core.show.findings.comparison import difference_finding, occupations_difference_finding
from pcf_core.show.findings.numbers import risk_name
from pcf_core.show.findings.reliability import seldom_caprice_note
from pcf_core.show.overview import tied_with
from pcf_core.show.titles import corrected_title, differences_title, risk_title


def risk_panel(
    runs: Study, *, references: bool = True, published: bool = True, thousand: bool = False
) -> Panel:
    """Show R of each model as prejudice and caprice, beside reference models and published values."""
    scale, topic = runs.options.scale, runs.first.run.topic
    drawn = reference_rows(len(runs.groups), scale) if references and runs.comparable else []
    drawn += published_rows(topic, scale, drawn=True) if published and runs.comparable else []
    listed = published_rows(topic, scale, drawn=False) if published else []
    return replace(reports_panel(runs, drawn, listed, thousand=thousand), claim=higher_risk(runs))


def higher_risk(runs: Study) -> str:
    """Say for a title which model has the higher risk, as the answer does; "" if uncertain."""
    from pcf_core.report.answer import letters_of, standing_of  # imported late: a circle

    standing, _ = standing_of(runs, OtherScales())
    if standing is None or len(runs.reliable.runs) < len(runs.runs):
        return ""
    letters = runs.remember(letters_of)
    return risk_title(standing, {name: tied_with(name, letters) for name in letters} or None)


def reports_panel(
    shown: Study | Reports,
    beside: Sequence[RiskBar] = (),
    listed: Sequence[RiskBar] = (),
    *,
    thousand: bool = False,
) -> Panel:
    """Show R of each model; ``beside``: drawn below the models, ``listed``: only in the table."""
    reports, over = shown.reports, shown.over
    drawn = [*run_rows(reports, over), *beside]
    return Panel(
        findings=[
            *(risk_finding(name, report, over) for name, report in reports.items()),
            *wording_findings(shown),
        ],
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
        notes=[interval_note(reports, over), caprice_coverage_note(reports)],
    )


def wording_findings(shown: Study | Reports) -> list[str]:
    """Say for each model how much of its caprice the wording alone makes, where that is known."""
    several = (wording_finding(name, report, shown.over) for name, report in shown.reports.items())
    return [sentence for sentence in several if sentence]


def risk_parts(study: Study) -> Sequence[ReportPart]:
    """Write the risks, which is higher, and caveats."""
    risks = part_of(risk_panel(study), findings=[study.order], notes=study_notes(study))
    return [risks, part_of(decisions_panel(study))] if study.first.run.topic.decides else [risks]


def corrected_panel(runs: Study | Reports, *, thousand: bool = False) -> Panel:
    """Show prejudice and caprice corrected for few templates, beside the plug-in values."""
    reports, over = runs.reports, runs.over
    return Panel(
        findings=[corrected_finding(name, report) for name, report in reports.items()],
        heading="Prejudice and caprice, as counted and corrected",
        claim=corrected_title(reports),
        source=runs.source,
        key="corrected_dots",
        name="corrected",
        alt="Prejudice and caprice of each model, as counted and corrected for few templates",
        chart=partial(corrected_dots, reports, over, thousand=thousand),
        how=how_to_read.CORRECTED,
        table=lambda: in_unit(corrected_table(reports), thousand),
        table_title="Plug-in and corrected parts",
    )


def corrected_parts(study: Study) -> Sequence[ReportPart]:
    """Write the corrected parts, of models that have them."""
    runs = {name: item for name, item in study.runs.items() if item.report.corrected is not None}
    return [part_of(corrected_panel(replace(study, runs=runs)))] if runs else []


def occupation_panel(runs: Study, name: str, *, thousand: bool = False, ranked: bool = False) -> Panel:
    """Show a model's riskiest occupations, and a table of all, ``ranked`` by risk."""
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


def lean_panel(runs: Study | Reports, baselines: Mapping[str, Baseline], *, thousand: bool = False) -> Panel:
    """Show how much each model's occupations differ (unless a plan drew templates), and neutral subjects."""
    reports, over = runs.reports, runs.over
    bars = _bars_of(reports, baselines)
    return Panel(
        findings=[
            *(lean_finding(name, report, over) for name, report in reports.items()),
            *(baseline_finding(name, one, over) for name, one in baselines.items()),
        ],
        heading="How much occupations differ",
        source=runs.source,
        key="lean_bars",
        name="shared",
        alt="Stacked bars of the squared tilt: what is common to all occupations, and what differs",
        chart=partial(lean_bars, bars) if bars else None,
        how=how_to_read.LEAN,
        table=lambda: in_unit(_lean_table(reports, baselines, over), thousand),
        table_title="How much occupations differ, and their distance from neutral subjects",
    )


def shared_parts(study: Study, store: Store) -> Sequence[ReportPart]:
    """Write how much occupations differ, and compare two models with neutral subjects."""
    panel = lean_panel(study, baselines_of(study, store))
    parts = [part_of(panel)] if panel.chart else []
    if parts and len(study.runs) == 2:
        first, second = study.runs
        if neutral := scales_of(study, (first, second), store).neutral:
            parts.append(part_of(neutral_panel((first, second), neutral)))
    return parts


def baselines_of(runs: Study, store: Store) -> dict[str, Baseline]:
    """Return the neutral subjects of every model that has them."""
    baselines = {
        name: baseline_of(store, item.run, item.result, runs.options) for name, item in runs.runs.items()
    }
    return {name: one for name, one in baselines.items() if one is not None}


def neutral_distances(runs: Study, store: Store) -> dict[str, float]:
    """Return the distance of each model's occupations from neutral subjects, if measured from even."""
    if runs.options.reference != "uniform":
        return {}
    distances = {
        name: distance_from_neutral(store, item.run, item.result, runs.options)
        for name, item in runs.runs.items()
        if not item.report.says_little
    }
    return {name: distance for name, distance in distances.items() if distance is not None}


def _bars_of(reports: Mapping[str, RiskReport], baselines: Mapping[str, Baseline]) -> list[LeanBar]:
    """Return a bar per model with the split, with neutral subjects for two groups."""
    return [
        LeanBar(
            name,
            report.lean.mean_square,
            report.lean.variance,
            baselines[name].lean ** 2 if name in baselines and len(report.groups) == 2 else None,
        )
        for name, report in reports.items()
        if report.lean is not None
    ]


def _lean_table(
    reports: Mapping[str, RiskReport], baselines: Mapping[str, Baseline], over: Over
) -> pd.DataFrame:
    """Make a table with one row per model: how occupations differ, and its neutral subjects."""
    import pandas as pd

    rows = []
    for name, report in reports.items():
        row: dict[str, object] = {"model": name, "overall_risk": report.overall_risk}
        if report.lean is not None:
            lean, spread = report.lean, spread_of(report)
            row |= {"tilt_mean_square": lean.mean_square, "tilt_variance": lean.variance}
            if lean.differing is not None:
                row |= _ranged("tilt_differing", lean.differing, lean.interval("differing", over))
            row |= {
                "group": spread.group,
                "preference_mean": spread.mean,
                "preference_sd": spread.deviation,
                "preference_lowest": spread.lowest,
                "lowest_occupation": spread.lowest_occupation,
                "preference_highest": spread.highest,
                "highest_occupation": spread.highest_occupation,
            }
        if one := baselines.get(name):
            row |= _ranged("neutral_lean", one.lean, one.lean_interval)
            for group, share in one.preferences.items():
                row[f"preference_{group}"] = share
                row |= _ranged(f"spread_{group}", one.spread[group], one.interval("spread", over, group))
                row |= _ranged(
                    f"distance_{group}", one.distance[group], one.interval("distance", over, group)
                )
        rows.append(row)
    return pd.DataFrame(rows)


def _ranged(name: str, value: float, interval: Interval | None) -> dict[str, object]:
    return {name: value, **interval_cells(f"{name}_", interval)}


MOST_DRAWN = 30
MOST_PAIRS = 6  # drawn one by one; more only in the table


def comparison_parts(study: Study) -> Sequence[ReportPart]:
    """Compare every pair of up to four models, else the first with each; p-values controlled."""
    made, refused = study.comparisons
    if not made:
        return [ReportPart(notes=refused)] if refused else []
    parts = []
    if len(made) > 1:
        parts.append(
            ReportPart(
                findings=said(difference_finding(one, over=study.over) for one in made),
                tables=(table_of(several_table(made, study.over), "comparisons", "All pairs", folded=False),),
                notes=("P values called controlled are so for all pairs of a quantity (Holm).", *refused),
            )
        )
    return [*parts, *(part_of(whole_pair_panel(study, one)) for one in made[:MOST_PAIRS])]


def pair_panel(
    runs: Study, compared: Comparison, quantity: str = "overall_risk", most: int = MOST_DRAWN
) -> Panel:
    """Show how two models differ in a part of the risk, in the occupations with the largest differences."""
    first, second = compared.first.name, compared.second.name
    order, every = list(runs.runs), len(compared.occupations)
    return Panel(
        title=f"{first} − {second}",
        findings=[occupations_difference_finding(compared, quantity)],
        heading=f"Difference in {risk_name(quantity)} by occupation, with its range",
        claim=differences_title(compared, quantity),
        source=runs.source,
        key="difference_plot",
        name="comparison",
        alt=f"Sorted differences of the occupations of {first} and {second} with their intervals",
        chart=partial(difference_plot, compared, quantity, most, order),
        how=how_to_read.DIFFERENCES,
        table=lambda: comparison_table(compared, runs.over),
        table_title=f"{first} − {second}, every occupation",
        notes=[f"The {most:,} largest differences of {every:,} occupations."] if most < every else [],
    )


def whole_pair_panel(study: Study, compared: Comparison) -> Panel:
    """Show one pair: totals in sentences, occupations as a picture."""
    panel = pair_panel(study, compared)
    totals = [difference_finding(compared, quantity, study.over) for quantity in RISKS]
    return replace(
        panel,
        findings=[*totals, *panel.findings, *wording_findings(study)],
        how=panel.how + how_to_read.COMPARISON,
        notes=[*panel.notes, *compared.warnings, _seldom_caprice(compared)],
    )


def pair_notes(compared: Comparison) -> list[str]:
    """Return the caveats of a comparison beside those of its runs; some may be empty."""
    return [*own_warnings(compared), _seldom_caprice(compared)]


def _seldom_caprice(compared: Comparison) -> str:
    return seldom_caprice_note(load_numbers(), compared.differences["caprice_risk"])


def own_warnings(compared: Comparison) -> list[str]:
    """Return a comparison's warnings that are not about one of its runs."""
    names = compared.first.name, compared.second.name
    return [sentence for sentence in compared.warnings if sentence.partition(": ")[0] not in names]


def scales_of(runs: Study, names: tuple[str, str], store: Store, read: Read = load_result) -> OtherScales:
    """Compare two models on other scales than R against an even split."""
    first, second = (runs.runs[name].reading(runs.options) for name in names)
    return order_on_other_scales(store, first, second, runs.options, read)


def neutral_panel(names: tuple[str, str], compared: NeutralComparison) -> Panel:
    """Show both models against their own neutral subjects, and the effect of single subjects."""
    return Panel(
        title="Compared with how each model treats people whose occupation is not named",
        findings=[neutral_answer(names, compared)],
        name="neutral",
        how=how_to_read.NEUTRAL,
        table=lambda: neutral_table(names, compared),
        table_title="Distance from neutral subjects, and of occupations from each other",
    )
