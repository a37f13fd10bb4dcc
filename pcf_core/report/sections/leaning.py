"""Which way does it lean, over all occupations and context by context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import plotly.graph_objects as go

from pcf_core.material.evidence import womens_share
from pcf_core.report import how_to_read
from pcf_core.report.arrange import Axes, shown_axes
from pcf_core.report.key_figures import heat_figures, lead_figures, tilt_figures
from pcf_core.report.loaded import LoadedRun, Runs, Study
from pcf_core.report.panels import Panel, part_of
from pcf_core.report.records import ReportPart
from pcf_core.report.rows import cell_rows, tilt_table
from pcf_core.report.tilts import opening_of, panel_groups, tilts_of
from pcf_core.show.answers import heat_map_answer
from pcf_core.show.charts.heat_map import heat_map
from pcf_core.show.charts.tilt import tilt_box, tilt_panels
from pcf_core.show.findings.models import interval_sentence
from pcf_core.show.findings.numbers import count, words_of
from pcf_core.show.findings.occupations import (
    heat_map_finding,
    leaders_finding,
    striking_occupation,
    strongest_finding,
    tilt_finding,
)

TELLING = ("nurse", "engineer")  # of whom the example may speak where the list has them


def tilt_panel(
    runs: Runs, *, chosen: str = "", labour: bool = True, text: Mapping[str, float] | None = None
) -> Panel:
    """Show the mean stereotype of every occupation, against an even split, a box a model.

    ``chosen``: an occupation that is ringed.  For two groups, rows beside the models': ``labour``, women's
    share by occupation; ``text``: the lean of what they read.
    """
    reports, groups, over, tilts = runs.even, runs.groups, runs.over, tilts_of(runs)
    means = [tilts[name][groups[0]].intervals[over] for name in reports]
    panel = Panel(
        heading="Whom each model favours, by occupation",
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
            alt="Box plots of the mean stereotype, a panel a group",
            chart=partial(tilt_panels, reports, tilts, over, chosen, drawn),
            how=how_to_read.TILT_SEVERAL,
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
        alt=f"Box plots of the mean stereotype towards {high} words, one a model",
        chart=partial(
            tilt_box, reports, high, low, labour=shares, text=text, tilts=tilts, over=over, chosen=chosen
        ),
        how=how_to_read.TILT,
    )


def tilt_parts(study: Study) -> Sequence[ReportPart]:
    """Write the mean stereotypes, and of one occupation how many contexts prefer whom."""
    striking = striking_occupation(study.reports)  # that of the headline, whatever the neutral point
    opening = opening_of(study.runs, study.even, study.options, striking)
    panel = tilt_panel(study)
    return [part_of(replace(panel, notes=[even_note(study), *panel.notes]), findings=[opening])]


def even_note(study: Study) -> str:
    """Say against what a tilt is held, where the risks are held against something else; else empty."""
    even, asked = study.even, study.reports
    if even is asked:
        return ""
    shown, counted = (len(next(iter(several.values())).occupations) for several in (even, asked))
    noun = study.first.run.evidence.noun
    return (
        f"The tilt is held against an even split on the scale pcf, over {count(shown, noun)}; the risks are "
        f"against the neutral point and on the scale that were chosen, over {count(counted, noun)}."
    )


def heat_map_panel(runs: Runs, name: str, group: str, axes: Axes, *, clicks: bool = False) -> Panel:
    """Show the probability of a group's words in the cells of one model."""
    item, rows, columns = runs.runs[name], axes.rows, axes.columns
    return Panel(
        title=name,
        findings=[runs.remember(heat_sentence, name, group)],
        heading=f"Probability of {words_of(group)}: {name}",
        source=runs.source,
        key="heat_map",
        name="heat-map",
        alt=f"Heat map of the probability of {words_of(group)}, {name}",
        chart=partial(heat_picture, item, group, rows, columns, clicks=clicks),
        how=how_to_read.HEAT_MAP,
        table=lambda: cell_rows(item.result.preferences, group, rows, columns),
        table_title=f"P({group}), {name}",
    )


def heat_sentence(runs: Runs, name: str, group: str) -> str:
    """Say which cells of a model are farthest from even."""
    item = runs.runs[name]
    return heat_map_finding(name, item.result.preferences, group, item.report.template_weights)


def heat_answer(runs: Runs, name: str) -> str:
    """Answer which way the cells of a model lean; empty where its figures say little."""
    item = runs.runs[name]
    if item.report.says_little:
        return ""
    return heat_map_answer(name, item.result.preferences, item.report.template_weights)


def example_cell(runs: Runs) -> tuple[str, dict[str, dict[str, float]]]:
    """Choose one sentence of the first run, and return whom the first two models expect in it.

    Returns
    -------
    tuple[str, dict[str, dict[str, float]]]
        The heaviest sentence, about the nurse or the engineer, of whom the two expect more different things,
        or else about the riskiest occupation, with ``[Y]`` in it; by model the probability of each group,
        which sum to 1.
    """
    first, report = runs.first.result.preferences, runs.first.report
    riskiest = max(report.occupations, key=lambda row: row.overall_risk).occupation
    template = first.templates[int(np.argmax(report.template_weights))]
    telling = [one for one in TELLING if one in first.occupations] or [riskiest]
    found = {one: _expected(runs, one, template) for one in telling}
    occupation = max(telling, key=lambda one: _apart([*found[one].values()]))
    return template.replace("[X]", occupation), found[occupation]


def _expected(runs: Runs, occupation: str, template: str) -> dict[str, dict[str, float]]:
    """Return the probability of each group in one cell, by model, of the first two that have it."""
    shares = {}
    for name, item in list(runs.runs.items())[:2]:
        cells = item.result.preferences
        if occupation in cells.occupations and template in cells.templates:
            values = cells.values[cells.occupations.index(occupation), cells.templates.index(template)]
            shares[name] = dict(zip(cells.groups, values.tolist(), strict=True))
    return shares


def _apart(shares: Sequence[Mapping[str, float]]) -> float:
    """Return the largest difference of a group's probability between two models; 0 for one."""
    return max(abs(shares[0][group] - shares[-1][group]) for group in shares[0])


def heat_picture(
    item: LoadedRun, group: str, rows: Sequence[int], columns: Sequence[int], *, clicks: bool
) -> go.Figure:
    """Draw the cells of a run."""
    preferences, weights = item.result.preferences, item.report.template_weights
    return heat_map(preferences, group, rows, columns, weights, neutral=item.even, clicks=clicks)


def heat_map_parts(study: Study) -> Sequence[ReportPart]:
    """Write the 40 occupations that vary most × the 30 heaviest contexts, for each model."""
    group = study.groups[0]
    parts = []
    for name, item in study.runs.items():
        axes = shown_axes(item, group, "varied", "tilt", ())
        occupations, templates = item.result.preferences.values.shape[:2]
        shown = (
            f"{len(axes.rows):,} of {count(occupations, item.run.evidence.noun)}, those that vary most, × "
            f"the heaviest {len(axes.columns):,} of {count(templates, 'context')}."
        )
        panel = heat_map_panel(study, name, group, axes)
        parts.append(part_of(replace(panel, numbers=heat_figures({name: item}, group)), notes=[shown]))
    return parts
