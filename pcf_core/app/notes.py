"""Caveats to the numbers of a page: few templates, intervals, unequal words, spread over training seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pcf_core.app.caching import kept, open_store
from pcf_core.app.data import Loaded, whole_template_intervals
from pcf_core.app.widgets import plain
from pcf_core.audit.baseline import OtherScales, has_baseline
from pcf_core.audit.fitting import template_without
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import every_group_has_some, words_that_count
from pcf_core.audit.results import Report
from pcf_core.core.errors import TemplateError
from pcf_core.core.options import declared
from pcf_core.core.risk import RiskReport
from pcf_core.core.run import Protocol
from pcf_core.report.loaded import interval_notes, unequal_words, warnings_of
from pcf_core.report.sections.risk import neutral_distances, scales_of
from pcf_core.report.seeds import seeds_notes
from pcf_core.show.findings.models import whole_templates_finding
from pcf_core.show.findings.notes import none_equal_note, unequal_note

EQUAL_WEIGHTS = (
    "“Reading options” in the sidebar can give all sentences equal weights, and say what is resampled."
)
NARROWER: dict[Protocol, Protocol] = {"exact": "equal-tokens", "equal-tokens": "single-token"}
TOKENS = {"equal-tokens": "equal tokens", "single-token": "one token"}


def notes(
    loaded: Loaded, intervals: Sequence[str] | None = None, reports: Mapping[str, RiskReport] | None = None
) -> None:
    """Draw a page's caveats: few templates, occupations left out, meaning of the intervals.

    ``intervals``: sentences on its intervals, ``None`` for those of the risks.
    """
    reports = loaded.reports if reports is None else reports
    sentences = [*warnings_of(reports), *(said_intervals(loaded) if intervals is None else intervals)]
    if hint := weights_hint(loaded.first.report):
        sentences.append(hint)
    if sentences:  # one paragraph, so that the picture stays near
        st.caption("  \n".join(plain(sentence) for sentence in sentences))


def weights_hint(report: RiskReport) -> str:
    """Say where sentences can be given equal weights; empty if they have them."""
    return EQUAL_WEIGHTS if report.effective_by_weight < len(report.templates) - 0.5 else ""


def said_intervals(loaded: Loaded, of: str = "") -> list[str]:
    """Explain each kind of interval of the loaded runs once; ``of`` names the figures."""
    return interval_notes(loaded.reports, loaded.over, of)


def said_intervals_and_more(loaded: Loaded) -> list[str]:
    """Explain the intervals; if documents are resampled, also give those of R over whole templates."""
    more = whole_templates_finding(whole_template_intervals(loaded))
    return [*said_intervals(loaded), *([more] if more else [])]


def with_baseline(loaded: Loaded, *_: object) -> list[str]:
    """List the loaded models with results of neutral subjects."""
    store = open_store()
    return [name for name, item in loaded.runs.items() if has_baseline(store, item.run)]


@kept(state=with_baseline)
def neutral_distances_of(loaded: Loaded) -> dict[str, float]:
    """Return the distance from neutral subjects, for each loaded model that has them."""
    return neutral_distances(loaded, open_store())


@kept(state=with_baseline)
def other_scales(loaded: Loaded, pair: tuple[str, str]) -> OtherScales:
    """Compare two of the loaded models by other measures than against an even split."""
    return scales_of(loaded, pair, open_store())


def draw_unequal_words(loaded: Loaded, before: str = "") -> None:
    """Warn of groups with unequal words, a button for each remedy; ``before``: text that comes first."""
    options = loaded.options
    tokens, sizes = unequal_words(loaded)
    if not (before or tokens or sizes):
        return
    narrower = NARROWER.get(options.protocol) if tokens else None
    possible = narrower is not None and any(_can_be_read(item, narrower) for item in loaded.runs.values())
    sentences = [before, unequal_note(tokens, sizes), none_equal_note() if narrower and not possible else ""]
    st.warning(plain(" ".join(filter(None, sentences))), icon=":material/warning:")
    with st.container(horizontal=True):
        if narrower and possible:
            _draw_button(f"Use only words of {TOKENS[narrower]}", "protocol", narrower)
        if sizes:
            _draw_button("Use the mean of each group's words", "aggregation", "mean")


def _draw_button(label: str, option: str, value: str) -> None:
    called = next(one.called for one in declared(ViewOptions).values() if one.url == option)
    st.button(
        label,
        key=f"take_{option}",
        icon=":material/balance:",
        on_click=st.session_state.update,
        args=({option: called[value]},),
        help="Changes *Reading options* in the sidebar; nothing is scored anew.",
    )


def _can_be_read(item: Report, protocol: Protocol) -> bool:
    """Return whether every group keeps a word under a protocol that selects from the same scores."""
    try:
        words, _ = words_that_count(open_store(), item.run, protocol)
    except TemplateError:
        return False
    whole = template_without(item.run, words, protocol) is None
    return whole and every_group_has_some(item.run.topic, words)


def draw_seeds(loaded: Loaded) -> None:
    """Draw the notes on the spread over training seeds, for models where it was measured."""
    for note in seeds_notes(loaded):
        st.caption(plain(note))
