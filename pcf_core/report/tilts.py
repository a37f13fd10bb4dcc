"""Mean stereotypes of a run against an even split, and which groups have a panel of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pcf_core.audit.options import ViewOptions, unit_of
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, MeanTilt, RiskReport
from pcf_core.measure.criterion import Criterion
from pcf_core.measure.distribution import mean_tilts, share_interval
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.report.loaded import LoadedRun, Runs
from pcf_core.show.findings.occupations import opening_finding, striking_occupation

MOST_PANELS = 12


def tilts_of(runs: Runs) -> dict[str, dict[str, MeanTilt]]:
    """Return for each model the mean stereotype of each group over all occupations, with intervals."""
    return {name: runs.remember(mean_tilts_of, name) for name in runs.runs}


def mean_tilts_of(runs: Runs, name: str) -> dict[str, MeanTilt]:
    """Return the mean tilt of a model towards each group against an even split, with intervals."""
    item, report = runs.runs[name], runs.even[name]
    names = [row.occupation for row in report.occupations]
    return mean_tilts(
        even_stereotypes(item, names),
        unit_in(item, report, runs.options),
        np.array([row.weight for row in report.occupations]),
        groups=report.groups,
        occupations=names,
    )


def unit_in(item: LoadedRun, report: RiskReport, options: ViewOptions) -> TemplateUnit:
    """Name what intervals over templates resample; with an unfinished sampling plan, the draws."""
    plan, look = item.run.plan, report.sampling
    if plan is not None and look is not None and not look.whole:
        times = np.array([count for count in plan.times if count], dtype=np.float64)
        return TemplateUnit("draw", report.template_weights, times)
    return unit_of(item.run, report.template_weights, options)


def even_stereotypes(item: LoadedRun, occupations: Sequence[str]) -> FloatArray:
    """Return [occupation, template, group] against an even split, on the scale that ends at 1."""
    preferences = item.result.preferences
    rows = [preferences.occupations.index(name) for name in occupations]
    return Criterion().stereotypes(preferences.values[rows])


def panel_groups(reports: Mapping[str, RiskReport]) -> tuple[str, ...]:
    """Choose the groups with a panel, in order: of many, those towards which an occupation leans most."""
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
    """Say of 100 contexts about one occupation, else that with the highest risk, how many prefer whom."""
    preferences = {name: item.result.preferences for name, item in runs.items()}
    chosen = occupation or striking_occupation(reports)

    def interval(model: str, share: float) -> Interval:
        return interval_of_share(runs[model], reports[model], options, share)

    return opening_finding(reports, preferences, chosen, interval)


def interval_of_share(item: LoadedRun, report: RiskReport, options: ViewOptions, share: float) -> Interval:
    """Return the interval of a share of a run's contexts, by their effective number."""
    return share_interval(share, unit_in(item, report, options).whole.effective)
