"""Which way does it lean, over all occupations and context by context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcf_core.core.risk import MeanTilt
from pcf_core.material.evidence import womens_share
from pcf_core.report import how_to_read
from pcf_core.report.arrange import shown_axes
from pcf_core.report.key_figures import heat_figures, lead_figures, tilt_figures
from pcf_core.report.loaded import Study
from pcf_core.report.parts import figure_of, said, table_of
from pcf_core.report.records import ReportFigure, ReportPart
from pcf_core.report.rows import cell_rows, tilt_table
from pcf_core.report.tilts import mean_tilts_of, opening_of, panel_groups
from pcf_core.show.charts.heat_map import heat_map
from pcf_core.show.charts.tilt import tilt_box, tilt_panels
from pcf_core.show.findings.models import interval_sentence
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.occupations import (
    heat_map_finding,
    leaders_finding,
    striking_occupation,
    strongest_finding,
    tilt_finding,
)


def tilt_parts(study: Study) -> Sequence[ReportPart]:
    """Write the mean stereotype of each occupation, against an even split."""
    reports, groups, over = study.even, study.groups, study.over
    tilts = tilts_of(study)
    if len(groups) > 2:
        findings = [leaders_finding(name, report) for name, report in reports.items()]
        numbers = lead_figures(reports)
    else:
        high, low = groups[0], groups[1]
        findings = [tilt_finding(name, report, high, low) for name, report in reports.items()]
        findings += [strongest_finding(name, report, high, low) for name, report in reports.items()]
        numbers = tilt_figures(tilts, reports, high, over)
    figure, how = tilt_picture(study, "tilt")
    striking = striking_occupation(study.reports)  # that of the headline, whatever the neutral point
    means = [tilts[name][groups[0]].intervals[over] for name in reports]
    return [
        ReportPart(
            findings=said([*findings, opening_of(study.runs, reports, study.options, striking)]),
            numbers=tuple(numbers),
            figure=figure,
            how=how,
            tables=(table_of(tilt_table(reports, tilts), "tilt", "Mean stereotype of every occupation"),),
            notes=said([even_note(study), *map(interval_sentence, means)]),
        )
    ]


def tilts_of(study: Study) -> dict[str, Mapping[str, MeanTilt]]:
    """Return for each model the mean stereotype of each group over all occupations."""
    return {name: mean_tilts_of(item, study.even[name], study.options) for name, item in study.runs.items()}


def tilt_picture(study: Study, name: str) -> tuple[ReportFigure, str]:
    """Draw the mean stereotype of every occupation, a box a model; return it with how it is read."""
    reports, groups, over, tilts = study.even, study.groups, study.over, tilts_of(study)
    if len(groups) > 2:
        drawn = tilt_panels(reports, tilts, over, "", panel_groups(reports))
        alt = "Box plots of the mean stereotype, a panel a group"
        return figure_of(drawn, name, alt), how_to_read.TILT_SEVERAL
    labour = womens_share(study.first.run.evidence) if "female" in groups else None
    drawn = tilt_box(reports, groups[0], groups[1], labour=labour, tilts=tilts, over=over)
    alt = f"Box plots of the mean stereotype towards {groups[0]} words, one a model"
    return figure_of(drawn, name, alt), how_to_read.TILT


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


def heat_map_parts(study: Study) -> Sequence[ReportPart]:
    """Draw the 40 occupations that vary most × the 30 heaviest contexts, for each model."""
    group = study.groups[0]
    parts = []
    for name, item in study.runs.items():
        preferences, weights = item.result.preferences, item.report.template_weights
        axes = shown_axes(item, group, "varied", "tilt", ())
        rows, columns = axes.rows, axes.columns
        shown = (
            f"{len(rows):,} of {count(len(preferences.occupations), item.run.evidence.noun)}, those that "
            f"vary most, × the heaviest {len(columns):,} of {count(len(preferences.templates), 'context')}."
        )
        parts.append(
            ReportPart(
                title=name,
                findings=said([heat_map_finding(name, preferences, group, weights)]),
                numbers=tuple(heat_figures({name: item}, group)),
                figure=figure_of(
                    heat_map(preferences, group, rows, columns, weights, neutral=item.even),
                    "heat-map",
                    f"Heat map of the probability of {group} words, {name}",
                ),
                how=how_to_read.HEAT_MAP,
                tables=(
                    table_of(cell_rows(preferences, group, rows, columns), "heat-map", f"P({group}), {name}"),
                ),
                notes=(shown,),
            )
        )
    return parts
