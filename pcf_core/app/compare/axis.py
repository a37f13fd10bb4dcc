"""Results along an axis, such as sizes or topics, and the findings of the ready comparisons along one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pcf_core.app.addresses import precisions_called
from pcf_core.app.compare.lines import LINES, Axis, Line, Size, reliable, sizes_of
from pcf_core.app.compare.tables import AXIS_COLUMNS, SEVERAL_COLUMNS, axis_table
from pcf_core.app.compare.two import command
from pcf_core.app.data import Loaded
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
from pcf_core.audit.results import Report
from pcf_core.core.errors import AuditError
from pcf_core.core.families import FAMILIES
from pcf_core.core.frame import Frame, is_plain
from pcf_core.core.risk import AxisPoint, Comparison, Over
from pcf_core.measure.regression import rank_correlation
from pcf_core.models.names import all_series
from pcf_core.models.presets import Preset, PresetPair, preset_of
from pcf_core.report.documents import RISKS, several_table
from pcf_core.report.loaded import said_risks
from pcf_core.report.seeds import SpreadBeside, spread_beside
from pcf_core.show.charts.comparison import axis_panels, change_panels
from pcf_core.show.findings.comparison import (
    alignment_finding,
    axis_finding,
    change_finding,
    chat_finding,
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

TITLES: dict[Axis, str] = {
    "models": "model, in the order chosen",
    "size": "parameters (log) → larger",
    "base and aligned": "parameters (log) → larger",
    "text source": "set of sentences",
    "topic": "topic",
    "instruction": "what stands around each sentence",
}
HOW = """
The three panels show the risk and its two parts, from 0 to 1. Whiskers are 95 % ranges; *Ranges over* in
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
- **instruction**: each model with bare sentences, in its chat, and with every system text and instruction
  that has results for the same sentences and occupations. The sentences above compare each chat with the chat
  without a system text, or with bare sentences; *Data* has the differences with their ranges. *Run an audit*
  makes such results under *Text around each sentence*.
- **topic**: every topic that has results, with its usual sentences. Topics differ in their groups, words and
  sentences, so their levels cannot be compared directly: on the PCF scale 1 always means the same group, but
  a random model gets a different risk in each topic.
"""


def draw_axis(loaded: Loaded, head: DeltaGenerator, ready: str = "") -> None:
    """Draw small multiples, findings in ``head``; ``ready``: the axis that a ready comparison covers."""
    axis: Axis = choose_one(
        "Axis", list(TITLES), default="text source", key="compare_axis", help="How the results are arranged."
    )
    line, joined = reliable(LINES[axis](loaded)), axis == "base and aligned"
    changed: Sequence[tuple[Size, Comparison]] = ()
    if joined:
        try:
            changed = changes(loaded.reliable)
        except AuditError as error:  # two runs that cannot be compared
            st.info(plain(str(error)), icon=":material/info:")
    if not line.points and joined:
        _draw_no_pairs()
    elif axis == "instruction" and not any(item.run.scoring.frame for item in line.runs):
        _draw_no_chats(loaded)
    elif not line.points:
        st.info("There are no results for this axis yet.", icon=":material/info:")
    chats = _of_chats(line, loaded) if axis == "instruction" else []
    comparisons = [comparison for _, comparison in (*changed, *chats)]
    with head:
        if joined:
            finding(alignment_finding(comparisons) if axis != ready else "")
        elif axis == "instruction":
            finding(*(chat.sentence(comparison) for chat, comparison in chats))
            warnings = dict.fromkeys(warning for one in comparisons for warning in one.warnings)
            for note in filter(None, (control_note(comparisons), *warnings)):
                st.caption(plain_titled(note))
        elif axis != ready:
            finding(_sentence(axis, line.points, loaded.reliable))
        for reason in line.left_out:
            st.caption(plain_titled(reason))
    if not line.points:
        return
    alt = f"Risk and its two parts of {count(len(line.points), 'result')} by {axis}, with ranges"
    points = [*line.points, *line.printed]
    make = partial(axis_panels, points, TITLES[axis], [] if joined else list(loaded.runs), joined=joined)
    title, claim = f"Risk and its two parts by {axis}", axis_title(line.points, axis)
    table = partial(axis_table, points)
    picture(make, "axis_panels", alt, title=title, claim=claim, source=loaded.source, table=table)
    if changed:
        st.markdown("**How alignment changes the risk**")
        differences = [_change_point(size, comparison, loaded.over) for size, comparison in changed]
        checkpoints = count(len(changed), "aligned checkpoint")
        alt = f"Risk and its two parts of {checkpoints} minus those of the base, with ranges"
        make = partial(change_panels, differences, "parameters (log) → larger")
        title = "How alignment changes the risk and its parts"
        claim = change_title(comparisons)
        table = partial(several_table, comparisons, loaded.over)
        picture(make, "change_panels", alt, title=title, claim=claim, source=loaded.source, table=table)

    def draw_data() -> None:
        draw_table(axis_table(points), "axis", AXIS_COLUMNS)
        if changed:
            table = several_table(comparisons, loaded.over)
            draw_table(table, "base_and_aligned", SEVERAL_COLUMNS, "Aligned checkpoints minus their base")
        if chats:
            table = several_table(comparisons, loaded.over)
            draw_table(table, "instructions", SEVERAL_COLUMNS, "Each chat minus the one it is compared with")
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


@dataclass(frozen=True)
class Chat:
    """A model's chat, compared with bare sentences (``from_bare``) or with its chat without a text."""

    model: str
    frame: Frame
    from_bare: bool

    def sentence(self, comparison: Comparison) -> str:
        """Say what changes."""
        return chat_finding(self.model, self.frame, comparison, from_bare=self.from_bare)


def _of_chats(line: Line, loaded: Loaded) -> list[tuple[Chat, Comparison]]:
    """Compare each chat with the plain one, and that with bare sentences, corrected for several tests."""
    by_line: dict[str, list[Report]] = {}
    for point, item in zip(line.points, line.runs, strict=True):
        if not item.run.plan:
            by_line.setdefault(point.line, []).append(item)
    chats: list[Chat] = []
    comparisons: list[Comparison] = []
    for model, several in by_line.items():
        bare = next((item for item in several if item.run.scoring.frame is None), None)
        plain_chat = next((item for item in several if is_plain(item.run.scoring.frame)), None)
        for item in several:
            frame = item.run.scoring.frame
            other = bare if item is plain_chat or plain_chat is None else plain_chat
            if frame is not None and other is not None:
                chats.append(Chat(model, frame, other is bare))
                comparisons.append(loaded.compare(item, other))
    return list(zip(chats, controlled(comparisons), strict=True))


def _draw_no_chats(loaded: Loaded) -> None:
    """Say that no chat can be shown, and link to the form for models that may have one."""
    st.info("These models have no result in a chat to show for these sentences.", icon=":material/info:")
    keys = [item.run.scoring for item in loaded.runs.values()]
    models = [key.model for key in keys if FAMILIES[key.family].answers and not key.imported]
    if models and may_audit():
        run = loaded.first.run
        st.page_link(
            "pages/run_an_audit.py",
            label="Run an audit in a chat",
            icon=":material/play_arrow:",
            query_params={
                "score_model": list(dict.fromkeys(models)),
                "score_topic": run.topic.name,
                "score_templates": run.templates.name,
                "score_evidence": run.evidence.name,
                "score_precision": precisions_called([run.scoring.dtype]),
                "score_frame": "chat",
            },
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
