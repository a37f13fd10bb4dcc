"""Mean stereotypes of a run against an even split, and which groups have a panel of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.audit import ViewOptions
from pcf_core.audit.units import unit_of
from pcf_core.findings import opening_finding, striking_occupation
from pcf_core.records import FloatArray, Interval, RiskReport
from pcf_core.records.distribution import MeanTilt
from pcf_core.report.loaded import LoadedRun
from pcf_core.risk import Criterion
from pcf_core.stats import TemplateUnit, mean_tilts, share_interval

MOST_PANELS = 12


def mean_tilts_of(item: LoadedRun, report: RiskReport, options: ViewOptions) -> dict[str, MeanTilt]:
    """The mean tilt towards each group with its intervals; ``report``: against an even split."""
    names = [row.occupation for row in report.occupations]
    return mean_tilts(
        even_stereotypes(item, names),
        unit_in(item, report, options),
        np.array([row.weight for row in report.occupations]),
        groups=report.groups,
        occupations=names,
    )


def unit_in(item: LoadedRun, report: RiskReport, options: ViewOptions) -> TemplateUnit:
    """What intervals over templates draw again; with a sampling plan that goes on, the draws."""
    plan, look = item.run.plan, report.sampling
    if plan is not None and look is not None and not look.whole:
        times = np.array([count for count in plan.times if count], dtype=np.float64)
        return TemplateUnit("draw", report.template_weights, times)
    return unit_of(item.run, report.template_weights, options)


def even_stereotypes(item: LoadedRun, occupations: Sequence[str]) -> FloatArray:
    """[occupation, template, group] against an even split, on the scale that ends at 1."""
    preferences = item.result.preferences
    rows = [preferences.occupations.index(name) for name in occupations]
    return Criterion().stereotypes(preferences.values[rows])


def panel_groups(reports: Mapping[str, RiskReport]) -> tuple[str, ...]:
    """The groups with a panel, in their order: of many, those towards which some occupation leans most."""
    groups = next(iter(reports.values())).groups
    farthest = {
        group: max(row.stereotype[group] for report in reports.values() for row in report.occupations)
        for group in groups
    }
    drawn = sorted(groups, key=lambda group: -farthest[group])[:MOST_PANELS]
    return tuple(group for group in groups if group in drawn)


def opening_of(
    runs: Mapping[str, LoadedRun],
    reports: Mapping[str, RiskReport],
    options: ViewOptions,
    occupation: str = "",
) -> str:
    """Of 100 contexts about one occupation, else that with the highest risk, how many prefer whom."""
    preferences = {name: item.result.preferences for name, item in runs.items()}
    chosen = occupation or striking_occupation(reports)

    def interval(model: str, share: float) -> Interval:
        return share_interval(share, unit_in(runs[model], reports[model], options).effective)

    return opening_finding(reports, preferences, chosen, interval)
