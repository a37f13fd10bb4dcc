"""Which way models lean, over all occupations: mean stereotypes against an even split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from pcf_core.audit.forbidden import filled
from pcf_core.audit.options import ViewOptions, unit_of, with_families
from pcf_core.audit.reading import even_criterion
from pcf_core.audit.results import Report
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import Interval, MeanTilt, RiskReport
from pcf_core.material.evidence import womens_share
from pcf_core.measure.distribution import mean_tilts, share_interval
from pcf_core.measure.resampling import TemplateUnit
from pcf_core.report import how_to_read
from pcf_core.report.loaded import Study
from pcf_core.report.panels import Panel, lead_figures, part_of, tilt_figures
from pcf_core.report.records import ReportPart
from pcf_core.report.rows import tilt_table
from pcf_core.show.charts.tilt import LABELLED, tilt_box, tilt_panels
from pcf_core.show.compare import Lean
from pcf_core.show.findings.models import interval_sentence
from pcf_core.show.findings.numbers import count, people
from pcf_core.show.findings.occupations import (
    leaders_finding,
    opening_finding,
    striking_occupation,
    strongest_finding,
    tilt_finding,
)
from pcf_core.show.titles import whom_title

MOST_PANELS = 12


def tilt_panel(
    runs: Study,
    *,
    chosen: str = "",
    labour: bool = True,
    text: Mapping[str, float] | None = None,
    named: int = LABELLED,
) -> Panel:
    """Show every occupation's mean stereotype against an even split, a box per model.

    ``chosen``: a ringed occupation.  For two groups ``labour`` (women's share) and ``text`` (lean of the
    training text) are further rows, and ``named`` occupations are named on each side.  Of more groups
    ``MOST_PANELS`` are drawn.
    """
    reports, groups, over, tilts = runs.even, runs.groups, runs.over, tilts_of(runs)
    means = [tilts[name][groups[0]].intervals[over] for name in reports]
    scale = "±1 only one group" if len(groups) == 2 else "1 only this group"
    rated = runs.first.run.topic.decides
    panel = Panel(
        heading=(
            "Rate of favourable answers by occupation, less the mean of all groups"
            if rated
            else f"Preference by occupation (0 even, {scale})"
        ),
        claim=whom_title([Lean.of(name, report) for name, report in reports.items()]),
        source=runs.source,
        name="tilt",
        table=lambda: tilt_table(reports, tilts),
        table_title="Mean stereotype of every occupation",
        notes=list(dict.fromkeys(map(interval_sentence, means))),
    )
    if len(groups) > 2:
        drawn = panel_groups(reports)
        return replace(
            panel,
            findings=[leaders_finding(name, report) for name, report in reports.items()],
            numbers=lead_figures(reports),
            key="tilt_panels",
            alt="Box plots of the mean stereotype, a row a group",
            chart=partial(tilt_panels, reports, tilts, over, chosen, drawn),
            how=how_to_read.TILT_RATES if rated else how_to_read.TILT_SEVERAL,
        )
    high, low = groups[0], groups[1]
    shares = womens_share(runs.first.run.evidence) if labour and "female" in groups else None
    findings = [tilt_finding(name, report, high, low) for name, report in reports.items()]
    findings += [strongest_finding(name, report, high, low) for name, report in reports.items()]
    return replace(
        panel,
        findings=findings,
        numbers=tilt_figures(tilts, reports, high, over),
        key="tilt_box",
        alt=(
            f"Box plots of how far the rate for {people(high)} is above the mean of both groups, one a model"
            if rated
            else f"Box plots of the mean stereotype towards {high} words, one a model"
        ),
        chart=partial(
            tilt_box,
            reports,
            high,
            low,
            labour=shares,
            text=text,
            tilts=tilts,
            over=over,
            chosen=chosen,
            named=named,
        ),
        how=how_to_read.TILT_RATES if rated else how_to_read.TILT,
    )


def tilt_parts(study: Study) -> Sequence[ReportPart]:
    """Write the mean stereotypes, and whom sentences about one occupation prefer."""
    striking = striking_occupation(study.reports)  # as in the headline
    opening = opening_of(study.runs, study.even, study.options, striking)
    panel = tilt_panel(study)
    return [part_of(replace(panel, notes=[_even_note(study), *panel.notes]), findings=[opening])]


def _even_note(study: Study) -> str:
    """Say from where a tilt is measured, if the risks are measured from elsewhere."""
    if study.even is study.reports:
        return ""
    shown, counted = (len(next(iter(one.values())).occupations) for one in (study.even, study.reports))
    noun = study.first.run.evidence.noun
    return (
        f"The tilt is measured from an even split, and 1 is always one group, over {count(shown, noun)}. "
        "The risks are measured from the chosen neutral point and on the chosen scale, over "
        f"{count(counted, noun)}."
    )


def tilts_of(runs: Study) -> dict[str, dict[str, MeanTilt]]:
    """Return each model's mean stereotype of each group over all occupations, with intervals."""
    return {name: runs.remember(_mean_tilts_of, name) for name in runs.runs}


def _mean_tilts_of(runs: Study, name: str) -> dict[str, MeanTilt]:
    item, report = runs.runs[name], runs.even[name]
    names = [row.occupation for row in report.occupations]
    return mean_tilts(
        even_stereotypes(item, names),
        unit_in(item, report, runs.options),
        np.array([row.weight for row in report.occupations]),
        groups=report.groups,
        occupations=names,
    )


def unit_in(item: Report, report: RiskReport, options: ViewOptions) -> TemplateUnit:
    """Return what intervals over templates resample; the draws of an unfinished sampling plan."""
    plan, look = item.run.plan, report.sampling
    if plan is not None and look is not None and not look.whole:
        times = np.array([count for count in plan.times if count], dtype=np.float64)
        times[report.template_weights == 0] = 0.0
        return TemplateUnit("draw", report.template_weights, times)
    return unit_of(with_families(item.run), report.template_weights, options)


def even_stereotypes(item: Report, occupations: Sequence[str]) -> FloatArray:
    """Return [occupation, template, group] against an even split, on the scale that ends at 1."""
    preferences = item.result.preferences
    rows = [preferences.occupations.index(name) for name in occupations]
    return even_criterion(item.run.topic).stereotypes(filled(preferences.values[rows]))


def panel_groups(reports: Mapping[str, RiskReport]) -> tuple[str, ...]:
    """Choose the groups with a panel: those that some occupation prefers most clearly, in order."""
    groups = next(iter(reports.values())).groups
    farthest = {
        group: max(row.stereotype[group] for report in reports.values() for row in report.occupations)
        for group in groups
    }
    drawn = sorted(groups, key=lambda group: -farthest[group])[:MOST_PANELS]
    return tuple(group for group in groups if group in drawn)


def opening_of(
    runs: Mapping[str, Report],
    reports: Mapping[str, RiskReport],
    options: ViewOptions,
    occupation: str = "",
) -> str:
    """Say how many sentences about one occupation (by default the riskiest) prefer whom."""
    preferences = {name: item.result.preferences for name, item in runs.items()}
    chosen = occupation or striking_occupation(reports)

    def interval(model: str, share: float) -> Interval:
        return interval_of_share(runs[model], reports[model], options, share)

    return opening_finding(reports, preferences, chosen, interval)


def interval_of_share(item: Report, report: RiskReport, options: ViewOptions, share: float) -> Interval:
    """Return the interval of a share of a run's sentences, by their effective number."""
    return share_interval(share, unit_in(item, report, options).whole.effective)
