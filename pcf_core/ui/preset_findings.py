"""What a ready comparison has found, on the page Compare: sentences of paired comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pcf_core.audit import controlled
from pcf_core.errors import AuditError
from pcf_core.findings import (
    change_finding,
    claim_finding,
    control_note,
    ranked_finding,
    seeds_finding,
)
from pcf_core.models.presets import preset_of
from pcf_core.records.comparison import Comparison
from pcf_core.records.presets import Preset, PresetPair
from pcf_core.ui.compare import command, comparison_of
from pcf_core.ui.compare_tables import SEVERAL_COLUMNS, several_table
from pcf_core.ui.data import Loaded
from pcf_core.ui.page import draw_table, finding, offer_scoring
from pcf_core.ui.seeds import spread_beside
from pcf_core.ui.text import plain


def draw_preset_finding(loaded: Loaded) -> None:
    """The sentences of the ready comparison that the chosen models are; nothing for other models.

    Runs that have drawn some of their templates cannot be compared: that they be scored whole is offered.
    """
    preset = preset_of(loaded.choice.models)
    if preset is None:
        return
    runs = {name: item for name, item in loaded.runs.items() if item.run.plan is None}
    drawn = {name: item.run.whole for name, item in loaded.runs.items() if name not in runs}
    if drawn and not loaded.missing:  # else the page has offered to score already
        offer_scoring(drawn)
    pairs = [(one, other) for one, other in preset.compared if one in runs and other in runs]
    try:
        compared = [comparison_of(runs[one], runs[other], loaded) for one, other in pairs]
    except AuditError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return
    comparisons = controlled(compared)
    st.markdown(f"**{plain(preset.title)}**")
    draw_sentences(preset, comparisons, loaded)
    for sentence in notes_of(preset, comparisons, loaded):
        st.caption(plain(sentence))
    if comparisons:
        draw_differences(comparisons, loaded)


def draw_differences(comparisons: Sequence[Comparison], loaded: Loaded) -> None:
    """Every difference with its interval and p, and the commands that make them again."""
    with st.expander("Every difference, with interval and p"):
        st.caption(
            "The difference is that of the first model less the second. *How to read this* of the view "
            "*two models* tells how intervals and tests are made."
        )
        draw_table(several_table(comparisons, loaded.choice.over), "ready_comparison", SEVERAL_COLUMNS)
        st.code("\n".join(command(found, loaded) for found in comparisons), language="bash")


def draw_sentences(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> None:
    """What was found: of each pair in its order, with what the papers show; or the order of all models."""
    over = loaded.choice.over
    if comparisons and not preset.pair:
        known = {name: report.interval("overall_risk", over) for name, report in loaded.reports.items()}
        finding(ranked_finding(comparisons, {name: found for name, found in known.items() if found}))
    by_names = {(found.first.model, found.second.model): found for found in comparisons}
    for pair in preset.pair:
        comparison = by_names.get((pair.first, pair.second))
        if comparison is None:
            continue
        finding(change_finding(pair, comparison, over), *seeds_of_pair(pair, comparison, loaded))
        if pair.claim and pair.claim.topic == loaded.first.run.topic.name:
            st.caption(plain(claim_finding(pair.claim, comparison)))


def seeds_of_pair(pair: PresetPair, comparison: Comparison, loaded: Loaded) -> list[str]:
    """The difference of R beside the spread over seeds, for those of the two where it is known."""
    spreads = [found for name in (pair.first, pair.second) if (found := spread_beside(name, loaded))]
    total = comparison.differences["overall_risk"]
    return [seeds_finding(found.spread, total, here=found.here) for found in spreads]


def notes_of(preset: Preset, comparisons: Sequence[Comparison], loaded: Loaded) -> list[str]:
    """What has to be known: how tests are controlled, what a difference may come from, what is not there."""
    read = {name for name, item in loaded.runs.items() if item.run.plan is None}
    absent = [model for model in preset.models if model not in read]
    waiting = f"Not compared yet, for lack of scores: {', '.join(absent)}." if absent else ""
    warnings = dict.fromkeys(warning for found in comparisons for warning in found.warnings)
    return [
        sentence for sentence in (waiting, control_note(comparisons), preset.caution, *warnings) if sentence
    ]
