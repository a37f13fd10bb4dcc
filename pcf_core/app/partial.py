"""A run while it is being scored: its complete part, drawn again every few seconds and never stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from pcf_core.app.caching import kept, key_of, open_queue, open_store
from pcf_core.app.choice import current_choice
from pcf_core.app.page import finding, picture
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.partial import CompletePart, complete_part, partial_report, range_of_whole
from pcf_core.audit.preferences import PROMPTS_AT_ONCE
from pcf_core.core.run import RunSpec
from pcf_core.report.loaded import Study
from pcf_core.report.panels import Panel
from pcf_core.show.charts.risk import RiskBar, risk_bars
from pcf_core.show.findings.partial import favours_so_far_finding, partial_finding, so_far_note

EVERY = "3s"


@dataclass(frozen=True)
class Growing:
    """The complete part of a model's run, and a study of that part."""

    model: str
    part: CompletePart
    study: Study


Draw = Callable[[Growing], None]


def draw_growing(missing: Mapping[str, RunSpec], draw: Draw) -> None:
    """Draw the complete part of the run that is being scored, again and again until its job ends."""
    options = current_choice().options

    @st.fragment(run_every=EVERY)
    def watch() -> None:
        for model, run in missing.items():
            growing = growing_of(model, run, options)
            if growing is not None:
                report = growing.study.first.report
                finding(
                    partial_finding(model, growing.part, report),
                    favours_so_far_finding(growing.part, report),
                )
                if not report.says_little:
                    draw(growing)
                return

    watch()


def growing_of(model: str, run: RunSpec, options: ViewOptions) -> Growing | None:
    """Return the complete part of a run that is being scored; ``None`` if it is too small."""
    job = open_queue().newest("score", run.key)
    # A larger run is scored one part of its list after the other, so the complete part is not a sample.
    if job is None or job.state != "running" or run.cells > PROMPTS_AT_ONCE:
        return None
    part = _part_of(run)
    study = None if part is None else _study_of(model, part, options)
    return None if part is None or study is None else Growing(model, part, study)


@kept(slots=8, state=lambda run: open_store().shards(run.scoring))
def _part_of(run: RunSpec) -> CompletePart | None:
    return complete_part(open_store(), run)


@kept(slots=8)
def _study_of(model: str, part: CompletePart, options: ViewOptions) -> Study | None:
    report = partial_report(open_store(), part, options)
    if report is None:
        return None
    return Study({model: replace(report, view_key=key_of(part, options))}, options, part.over)


def growing_risk(growing: Growing) -> None:
    """Draw the risk so far, with its range."""
    report = growing.study.first.report
    whole = range_of_whole(growing.part, report)
    bar = RiskBar(
        growing.model,
        "run",
        report.prejudice_risk,
        report.caprice_risk,
        report.overall_risk,
        whole.low if whole else None,
        whole.high if whole else None,
    )
    heading = f"Risk of {growing.model}"
    _draw(growing, Panel(heading=heading, key="risk", alt=heading, chart=partial(risk_bars, [bar])))


def growing_tilt(growing: Growing) -> None:
    """Draw the occupations so far, each between the groups."""
    from pcf_core.report.sections.tilt import panel_groups, tilt_panel
    from pcf_core.show.charts.tilt import tilt_box, tilt_panels

    study = growing.study
    panel = tilt_panel(study, labour=False)
    if range_of_whole(growing.part, study.first.report) is None:  # without the range of the mean
        groups = study.groups
        chart = (
            partial(tilt_box, study.even, groups[0], groups[1], labour=None)
            if len(groups) == 2
            else partial(tilt_panels, study.even, drawn=panel_groups(study.even))
        )
        panel = replace(panel, chart=chart)
    _draw(growing, panel)


def growing_heat_map(growing: Growing) -> None:
    """Draw the cells so far: the occupations that vary most and the heaviest sentences."""
    from pcf_core.report.sections.heat_map import heat_map_panel, shown_axes

    study = growing.study
    group = study.groups[0]
    axes = shown_axes(study.first, group, "varied", "tilt", ())
    _draw(growing, heat_map_panel(study, growing.model, group, axes))


def _draw(growing: Growing, panel: Panel) -> None:
    """Draw a panel's picture with how much is complete in its title, also in a saved file."""
    if panel.chart:
        note = so_far_note(growing.part)
        title = f"{note}: {panel.heading}"
        picture(
            panel.chart,
            f"growing_{panel.key}",
            f"{panel.alt}, {note}",
            title=title,
            source=growing.study.source,
        )
