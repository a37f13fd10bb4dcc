"""What a ready comparison has found, as sentences of paired comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pcf_core.app.compare.tables import SEVERAL_COLUMNS
from pcf_core.app.compare.two import command
from pcf_core.app.data import Loaded
from pcf_core.app.notes import SpreadBeside, spread_beside
from pcf_core.app.page import draw_table, finding
from pcf_core.app.provenance import draw_commands
from pcf_core.app.scoring import offer_scoring
from pcf_core.app.widgets import plain
from pcf_core.audit.comparing import controlled
from pcf_core.core.errors import AuditError
from pcf_core.core.risk import Comparison
from pcf_core.models.presets import Preset, PresetPair, preset_of
from pcf_core.report.documents import several_table
from pcf_core.report.loaded import said_risks
from pcf_core.show.findings.comparison import (
    change_finding,
    claim_finding,
    common_note,
    control_note,
    order_finding,
    sides_finding,
)
from pcf_core.show.findings.reliability import seeds_finding, seeds_spread


def draw_preset_finding(loaded: Loaded) -> str:
    """Draw the sentences of the ready comparison that the chosen models are; nothing for other models.

    Runs that have drawn some of their templates cannot be compared: that they be scored whole is offered.
    Returns the axis of the page of which the sentences speak; empty where no two models are compared.
    """
    preset = preset_of(loaded.choice.models)
    by_model = {item.run.scoring.name: item for item in loaded.runs.values()}
    if preset is None or len(by_model) < len(loaded.runs):  # a model in two precisions: no ready comparison
        return ""
    narrow = [label for label, item in loaded.runs.items() if label != item.run.scoring.name]
    loaded = replace(loaded, runs=by_model)
    runs = {name: item for name, item in loaded.runs.items() if item.run.plan is None}
    drawn = {name: item.run.whole for name, item in loaded.runs.items() if name not in runs}
    if drawn and not loaded.missing:  # else the page has offered to score already
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
        st.caption(plain(f"Scored in another precision than float32: {', '.join(narrow)}."))
    _draw_sentences(preset, comparisons, loaded)
    for sentence in _notes_of(preset, comparisons, loaded):
        st.caption(plain(sentence))
    if not comparisons:
        return ""
    with st.expander("Every difference, with interval and p"):
        st.caption(
            "The difference is that of the first model less the second. *Method and provenance* of the "
            "view *two models* tells how intervals and tests are made."
        )
        draw_table(several_table(comparisons, loaded.over), "ready_comparison", SEVERAL_COLUMNS)
        for warning in dict.fromkeys(warning for one in comparisons for warning in one.warnings):
            st.caption(plain(warning))
        draw_commands("\n".join(command(comparison, loaded) for comparison in comparisons))
    return preset.axis


def _draw_sentences(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> None:
    """Draw what was found: of each pair, with what the papers show; or the order of all models."""
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
    """Return the spread over seeds of either model where it is known, each with the other's name."""
    both = ((pair.first, pair.second), (pair.second, pair.first))
    return [(spread, other) for name, other in both if (spread := spread_beside(name, loaded))]


def _notes_of(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> list[str]:
    """List what has to be known: how tests are controlled, what differences may come from, what is missing.

    Another seed is among what they may come from.
    """
    read = [model for model in preset.models if model in loaded.runs and not loaded.runs[model].run.plan]
    absent = [model for model in preset.models if model not in read]
    waiting = f"Not compared yet, for lack of scores: {', '.join(absent)}." if absent else ""
    spreads = [spread for model in read if (spread := spread_beside(model, loaded))] if preset.pair else []
    seeds = [seeds_spread(spread.spreads, here=spread.here) for spread in spreads]
    notes = (waiting, control_note(comparisons), common_note(comparisons), *seeds, preset.caution)
    return [sentence for sentence in notes if sentence]
