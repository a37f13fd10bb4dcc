"""Results along an axis, such as sizes or topics, and the findings of the ready comparisons along one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.caching import open_store
from pcf_core.app.compare.tables import AXIS_COLUMNS, SEVERAL_COLUMNS, axis_table
from pcf_core.app.compare.two import command
from pcf_core.app.data import Loaded, results
from pcf_core.app.lists import evidence_lists, template_sets, told_apart, topics, usual_lists
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_commands,
    draw_provenance,
    draw_table,
    draw_tabs,
    finding,
    picture,
)
from pcf_core.app.roles import may_audit
from pcf_core.app.scoring import offer_scoring
from pcf_core.app.widgets import choose_one, plain, plain_titled
from pcf_core.audit.comparing import controlled
from pcf_core.audit.results import Report, Waiting
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import AxisPoint, Comparison, Over, RiskReport
from pcf_core.core.run import RunSpec, model_label
from pcf_core.material.published import PublishedRisk, published_of_topic, speaks_of
from pcf_core.measure.regression import rank_correlation
from pcf_core.models.names import all_series, known_model, split_name
from pcf_core.models.presets import Preset, PresetPair, preset_of
from pcf_core.models.registry import resolve
from pcf_core.report.documents import RISKS, several_table
from pcf_core.report.loaded import said_risks
from pcf_core.report.seeds import SpreadBeside, spread_beside
from pcf_core.show.charts.comparison import axis_panels, change_panels
from pcf_core.show.findings.comparison import (
    alignment_finding,
    axis_finding,
    change_finding,
    checkpoints_finding,
    claim_finding,
    common_note,
    control_note,
    order_finding,
    sides_finding,
    size_finding,
    topics_finding,
)
from pcf_core.show.findings.numbers import count, listed
from pcf_core.show.findings.reliability import seeds_finding, seeds_spread
from pcf_core.show.names import with_titles
from pcf_core.show.titles import axis_title, change_title

Axis = Literal["models", "size", "base and aligned", "text source", "topic"]
BY_SOURCE = 4  # the number of the papers' table of text sources
TITLES: dict[Axis, str] = {
    "models": "model, in the order chosen",
    "size": "parameters (log) → larger",
    "base and aligned": "parameters (log) → larger",
    "text source": "set of sentences",
    "topic": "topic",
}
HOW = """
The three panels show the risk and its two parts, from 0 to 1. Whiskers are 95 % ranges; *Intervals over* in
the sidebar says what they allow for. A model has one colour and one mark on every page. Lines join only the
sizes of one series, because checkpoints, sets of sentences and topics have no natural order. This picture
does not test whether two models differ: the ready comparisons above it do, and so does the view *two models*.

- **models**: the models in the sidebar, in their order, such as before and after fine-tuning.
- **size**: the same models by their number of parameters. Each point is a single checkpoint. Two checkpoints
  differ in more than their size, so a trend over a few of them is not a law.
- **base and aligned**: two lines for each series, one for its base checkpoints and one for the checkpoints
  that its makers aligned. The picture below shows how alignment changes each size: the aligned checkpoint
  minus its base, for the same sentences and occupations. *Run an audit* lists the pairs of each series.
- **text source**: the same topic and occupations with every set of sentences that has results, as in the
  papers' Table 4. Some sets differ only in wording, such as a full stop at the end. A ± after the name means
  that only a sample of the set has results. The first digits of a key mean that the set has changed since.
- **topic**: every topic that has results, with its usual sentences. Topics differ in their groups, words and
  sentences, so their levels cannot be compared directly: on the PCF scale 1 always means the same group, but
  a random model gets a different risk in each topic.
"""


@dataclass(frozen=True)
class Line:
    """The points of an axis with their runs, the papers' printed points, and why others are left out."""

    points: tuple[AxisPoint, ...]
    runs: tuple[Report, ...]
    left_out: tuple[str, ...] = ()
    printed: tuple[AxisPoint, ...] = ()


def draw_axis(loaded: Loaded, head: DeltaGenerator, ready: str = "") -> None:
    """Draw small multiples, findings in ``head``; ``ready``: the axis that a ready comparison covers."""
    axis: Axis = choose_one(
        "Axis", list(TITLES), default="text source", key="compare_axis", help="How the results are arranged."
    )
    line, joined = _of_reliable(LINES[axis](loaded)), axis == "base and aligned"
    changed: Sequence[tuple[Size, Comparison]] = ()
    if joined:
        try:
            changed = changes(loaded.reliable)
        except AuditError as error:  # two runs that cannot be compared
            st.info(plain(str(error)), icon=":material/info:")
    if not line.points and joined:
        _draw_no_pairs()
    elif not line.points:
        st.info("There are no results for this axis yet.", icon=":material/info:")
    comparisons = [comparison for _, comparison in changed]
    with head:
        if axis != ready:
            finding(
                alignment_finding(comparisons) if joined else _sentence(axis, line.points, loaded.reliable)
            )
        for reason in line.left_out:
            st.caption(plain_titled(reason))
    if not line.points:
        return
    alt = f"Risk and its two parts of {count(len(line.points), 'result')} by {axis}, with ranges"
    points = [*line.points, *line.printed]
    make = partial(axis_panels, points, TITLES[axis], [] if joined else list(loaded.runs), joined=joined)
    title, claim = f"Risk and its two parts by {axis}", axis_title(line.points, axis)
    picture(make, "axis_panels", alt, title=title, claim=claim, source=loaded.source)
    if changed:
        st.markdown("**How alignment changes the risk**")
        differences = [_change_point(size, comparison, loaded.over) for size, comparison in changed]
        checkpoints = count(len(changed), "aligned checkpoint")
        alt = f"Risk and its two parts of {checkpoints} minus those of the base, with ranges"
        make = partial(change_panels, differences, "parameters (log) → larger")
        title = "How alignment changes the risk and its parts"
        claim = change_title(comparisons)
        picture(make, "change_panels", alt, title=title, claim=claim, source=loaded.source)

    def draw_data() -> None:
        draw_table(axis_table(points), "axis", AXIS_COLUMNS)
        if changed:
            table = several_table(comparisons, loaded.over)
            draw_table(table, "base_and_aligned", SEVERAL_COLUMNS, "Aligned checkpoints minus their base")
        if axis == "text source":
            ranks = loaded.remember(_ranks_table, line)
            if not ranks.empty:
                st.markdown("Is the order of the occupations by risk the same with another set of sentences?")
                draw_table(ranks, "rank_stability")

    draw_tabs("axis", {READING: HOW, DATA: draw_data, PROVENANCE: partial(draw_provenance, loaded)})


def _sentence(axis: Axis, points: Sequence[AxisPoint], loaded: Loaded) -> str:
    if not points:
        return ""
    if axis == "models":
        return checkpoints_finding(loaded.order, points)
    if axis == "topic":
        return topics_finding(points)
    return size_finding(loaded.order, points) if axis == "size" else axis_finding(points, axis)


def _point_of(line: str, index: str | float, report: RiskReport, loaded: Loaded) -> AxisPoint:
    """Make a run's point, with the intervals chosen in the sidebar."""
    intervals = {name: report.interval(name, loaded.over) for name in RISKS}
    return AxisPoint(
        line=line,
        place=index,
        values={name: getattr(report, name) for name in RISKS},
        intervals={name: interval for name, interval in intervals.items() if interval is not None},
    )


def _of_models(loaded: Loaded) -> Line:
    points = [_point_of(name, name, report, loaded) for name, report in loaded.reports.items()]
    return Line(tuple(points), tuple(loaded.runs.values()))


def _of_sizes(loaded: Loaded) -> Line:
    keys = {name: item.run.scoring for name, item in loaded.runs.items()}
    sizes = {name: 0 if key.imported else resolve(key.model).parameters for name, key in keys.items()}
    unknown = [name for name, size in sizes.items() if not size]
    sized = sorted((size, name) for name, size in sizes.items() if size)
    return Line(
        tuple(_point_of(name, float(size), loaded.reports[name], loaded) for size, name in sized),
        tuple(loaded.runs[name] for _, name in sized),
        (f"The number of parameters of {', '.join(unknown)} is not known.",) if unknown else (),
    )


def _of_pairs(loaded: Loaded) -> Line:
    """Return base and aligned checkpoints of declared series by size, a line each."""
    points: list[AxisPoint] = []
    runs: list[Report] = []
    sizes = sizes_of(loaded)
    for line in dict.fromkeys(size.line for size in sizes):
        for role in ("base", "aligned"):
            for size in sizes:
                item = size.base if role == "base" else size.aligned
                if size.line == line and item is not None:
                    points.append(_point_of(f"{line}, {role}", size.parameters, item.report, loaded))
                    runs.append(item)
    paired = {item.key for item in runs}
    unpaired = [name for name, item in loaded.runs.items() if item.key not in paired]
    apart = (f"Not part of a listed series: {', '.join(unpaired)}.",) if runs and unpaired else ()
    return Line(tuple(points), tuple(runs), apart)


def of_sources(loaded: Loaded) -> Line:
    """Return the chosen models' results on every template set, and what the papers print for them."""
    first = loaded.first.run

    def index(run: RunSpec) -> str:
        fits = run.topic.hash == first.topic.hash and run.evidence.hash == first.evidence.hash
        return run.templates.name if fits else ""

    rows = published_of_topic(first.topic)
    models = dict.fromkeys(item.run.scoring.model for item in loaded.runs.values())
    printed = [row for name in models for row in rows if row.table == BY_SOURCE and speaks_of(row, name)]
    return replace(_gathered(loaded, index), printed=tuple(printed_point(row) for row in printed))


def printed_point(row: PublishedRisk) -> AxisPoint:
    """Make the point of a printed row; it has no interval."""
    return AxisPoint(
        line=row.model,
        place=row.context_source,
        values={name: getattr(row, name) for name in RISKS},
        intervals={},
        published=f"{row.paper} Table {row.table}",
    )


def _of_topics(loaded: Loaded) -> Line:
    """Return the topics scored for the chosen models, unusual lists and other languages in the name."""
    existing, chosen = topics(), {item.key for item in loaded.runs.values()}
    first = loaded.first.run.topic

    def index(run: RunSpec) -> str:
        topic, usual = existing.get(run.topic.name), usual_lists(run.topic)
        unusual = []
        if run.templates.hash != template_sets()[usual.templates].hash:
            again = "another set named " if run.templates.name == usual.templates else ""
            unusual.append(f"with {again}{run.templates.name}")
        if run.evidence.hash != evidence_lists()[usual.evidence].hash:
            again = "another list named " if run.evidence.name == usual.evidence else ""
            unusual.append(f"with {again}{run.evidence.name}")
        present = topic is not None and topic.hash == run.topic.hash
        if run.key not in chosen and (not present or unusual or run.topic.name == first.name):
            return ""
        other = [f"language {run.topic.language}"] if run.topic.language != first.language else []
        beside = ", ".join([*other, *unusual])
        return f"{run.topic.name} ({beside})" if beside else run.topic.name

    return _gathered(loaded, index)


def _gathered(loaded: Loaded, index: Callable[[RunSpec], str]) -> Line:
    """Return the loaded models' finished runs that have an index on the axis."""
    options = loaded.options
    names = {item.run.scoring.hash: name for name, item in loaded.runs.items()}
    placed: dict[str, list[RunSpec]] = {}
    for info in open_store().runs():
        if info.complete and info.run.scoring.hash in names and index(info.run):
            placed.setdefault(names[info.run.scoring.hash], []).append(info.run)
    opened_runs: dict[tuple[str, str], Report] = {}
    refused: list[str] = []
    runs_at = {
        (name, where): run for name, runs in placed.items() for where, run in told_apart(runs, index).items()
    }
    for (name, where), run in runs_at.items():
        opened = results().open(run, options)
        if isinstance(opened, Report):
            opened_runs[name, where] = opened
        elif isinstance(opened, Waiting):
            refused.append(f"{name} on {where} is large: open it once from the sidebar to see it here.")
        else:
            refused.append(f"{name} on {where}: {opened.reason}")
    order = sorted({where for _, where in opened_runs})
    keys = [(name, where) for name in loaded.runs for where in order if (name, where) in opened_runs]
    return _of_reliable(
        Line(
            tuple(_point_of(name, where, opened_runs[name, where].report, loaded) for name, where in keys),
            tuple(opened_runs[key] for key in keys),
            tuple(refused),
        )
    )


def _of_reliable(line: Line) -> Line:
    """Return the points with a reliable answer, and name the others."""
    pairs = list(zip(line.points, line.runs, strict=True))
    shown = [(point, item) for point, item in pairs if not item.report.says_little]
    little = tuple(
        f"{point.line}, {item.run.topic.title}, {item.run.templates.title}: no reliable answer, because the "
        "model almost never used these words."
        for point, item in pairs
        if item.report.says_little
    )
    return replace(
        line,
        points=tuple(point for point, _ in shown),
        runs=tuple(item for _, item in shown),
        left_out=(*line.left_out, *little),
    )


LINES: dict[Axis, Callable[[Loaded], Line]] = {
    "models": _of_models,
    "size": _of_sizes,
    "base and aligned": _of_pairs,
    "text source": of_sources,
    "topic": _of_topics,
}


def _ranks_table(loaded: Loaded, line: Line) -> pd.DataFrame:
    """Make a table of Spearman's ρ of r_x between the chosen template set and each other."""
    rows = []
    for point, item in zip(line.points, line.runs, strict=True):
        base = loaded.runs[point.line]
        if item.run.templates.hash == base.run.templates.hash:
            continue
        theirs = {row.occupation: row.overall_risk for row in item.report.occupations}
        pairs = [
            (row.overall_risk, theirs[row.occupation])
            for row in base.report.occupations
            if row.occupation in theirs
        ]
        correlation = rank_correlation(*np.array(pairs, dtype=np.float64).reshape(-1, 2).T)
        rows.append(
            {
                "model": point.line,
                "templates": point.place,
                "occupations": len(pairs),
                "spearman": correlation and correlation.spearman,
                "low": correlation and correlation.spearman_interval.low,
                "high": correlation and correlation.spearman_interval.high,
            }
        )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Size:
    """A declared pair in one precision, as far as it is loaded; ``line``: series and unusual precision."""

    line: str
    parameters: float
    base: Report | None
    aligned: Report | None


def sizes_of(loaded: Loaded) -> list[Size]:
    """List the pairs with a loaded checkpoint, by series and size."""
    sizes: list[Size] = []

    def run_of(model: str, dtype: str) -> Report | None:  # at any revision
        keys = ((item, item.run.scoring) for item in loaded.runs.values() if not item.run.scoring.frame)
        return next(
            (item for item, key in keys if split_name(key.model).model == model and key.dtype == dtype), None
        )

    dtypes = dict.fromkeys(item.run.scoring.dtype for item in loaded.runs.values())
    for series in all_series():
        for dtype in dtypes:
            for pair in series.pair:
                base, aligned = (run_of(name, dtype) for name in (pair.base, pair.aligned))
                base_model = known_model(pair.base)
                if base_model and (base or aligned):
                    line = model_label(series.title, dtype)
                    sizes.append(Size(line, float(base_model.parameters), base, aligned))
    return sizes


def changes(loaded: Loaded) -> list[tuple[Size, Comparison]]:
    """Compare aligned checkpoints with their bases if both are scored whole, corrected for several tests."""
    pairs = [
        (size, loaded.compare(size.aligned, size.base))
        for size in sizes_of(loaded)
        if size.base and size.aligned and not (size.base.run.plan or size.aligned.run.plan)
    ]
    comparisons = controlled([comparison for _, comparison in pairs])
    return [(size, comparison) for (size, _), comparison in zip(pairs, comparisons, strict=True)]


def _change_point(size: Size, comparison: Comparison, over: Over) -> AxisPoint:
    """Make the point of a difference, with the interval chosen in the sidebar."""
    intervals = {name: comparison.differences[name].interval(over) for name in RISKS}
    return AxisPoint(
        line=size.line,
        place=size.parameters,
        values={name: comparison.differences[name].value for name in RISKS},
        intervals={name: interval for name, interval in intervals.items() if interval is not None},
    )


def _draw_no_pairs() -> None:
    """Name the declared series, and link to a ready comparison or to scoring."""
    series = all_series()
    if not series:
        st.info("There is no list of base and aligned checkpoints here.", icon=":material/info:")
        return
    titles = listed([plain(one.title) for one in series])
    st.info(
        f"Choose base and aligned checkpoints of one series in the sidebar: {titles}.", icon=":material/info:"
    )
    if may_audit():
        st.page_link(
            "pages/run_an_audit.py",
            label=f"Run an audit of {plain(series[-1].title)}, base and aligned",
            icon=":material/play_arrow:",
            query_params={"score_model": [*series[-1].models]},
        )


def draw_preset_finding(loaded: Loaded) -> str:
    """Draw the findings if the chosen models are a ready comparison; return its axis, else ""."""
    preset = preset_of(loaded.choice.models)
    by_model = {item.run.scoring.name: item for item in loaded.runs.values()}
    if preset is None or len(by_model) < len(loaded.runs):  # a model in two precisions: no ready comparison
        return ""
    narrow = [label for label, item in loaded.runs.items() if label != item.run.scoring.name]
    loaded = replace(loaded, runs=by_model)
    whole = {name: item for name, item in loaded.runs.items() if item.run.plan is None}
    drawn = {name: item.run.whole for name, item in loaded.runs.items() if name not in whole}
    runs = {name: item for name, item in whole.items() if not item.report.says_little}
    if drawn and not loaded.missing:  # else the page has offered it already
        offer_scoring(drawn)
    pairs = [(one, other) for one, other in preset.compared if one in runs and other in runs]
    try:
        compared = [loaded.compare(runs[one], runs[other]) for one, other in pairs]
    except AuditError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return ""
    comparisons = controlled(compared)
    st.markdown(f"**{plain(preset.title)}**")
    if narrow:
        st.caption(plain(f"Calculated in another precision than float32: {with_titles(', '.join(narrow))}."))
    _draw_sentences(preset, comparisons, loaded)
    for sentence in _notes_of(preset, comparisons, loaded):
        st.caption(plain(sentence))
    if not comparisons:
        return ""
    with st.expander("Every difference, with its range and p-value"):
        st.caption(
            "Each difference is the first model minus the second. *Method and provenance* in the view "
            "*two models* explains the ranges and tests."
        )
        draw_table(several_table(comparisons, loaded.over), "ready_comparison", SEVERAL_COLUMNS)
        for warning in dict.fromkeys(warning for one in comparisons for warning in one.warnings):
            st.caption(plain(warning))
        draw_commands("\n".join(command(comparison, loaded) for comparison in comparisons))
    return preset.axis


def _draw_sentences(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> None:
    """Draw each pair's finding with the papers' claim, or the order of all models."""
    over = loaded.over
    if comparisons and not preset.pair:
        finding(order_finding(comparisons, said_risks(loaded.runs, over)))
    by_names = {(one.first.model, one.second.model): one for one in comparisons}
    for pair in preset.pair:
        comparison = by_names.get((pair.first, pair.second))
        if comparison is None:
            continue
        here = [(one, other) for one, other in spreads_of_pair(pair, loaded) if one.here]
        beside = [seeds_finding(one.spreads, other, comparison.differences) for one, other in here]
        reports = loaded.reports[pair.first], loaded.reports[pair.second]
        sides = sides_finding(*reports, (pair.first, pair.second))
        finding(change_finding(pair, comparison, over), sides, *beside)
        if pair.claim and pair.claim.topic == loaded.first.run.topic.name:
            spreads = [spread for one, _ in here for spread in one.spreads.values()]
            st.caption(plain(claim_finding(pair.claim, comparison, spreads)))


def spreads_of_pair(pair: PresetPair, loaded: Loaded) -> list[tuple[SpreadBeside, str]]:
    """Return the known spreads over seeds of either model, each with the other model's name."""
    both = ((pair.first, pair.second), (pair.second, pair.first))
    return [(spread, other) for name, other in both if (spread := spread_beside(name, loaded))]


def _notes_of(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> list[str]:
    """List caveats: several tests, other explanations such as the seed, missing results."""
    read = [model for model in preset.models if model in loaded.runs and not loaded.runs[model].run.plan]
    absent = [model for model in preset.models if model not in read]
    waiting = f"Not compared, because results are missing: {', '.join(absent)}." if absent else ""
    spreads = [spread for model in read if (spread := spread_beside(model, loaded))] if preset.pair else []
    seeds = [seeds_spread(spread.spreads, here=spread.here) for spread in spreads]
    notes = (waiting, control_note(comparisons), common_note(comparisons), *seeds, preset.caution)
    return [sentence for sentence in notes if sentence]
