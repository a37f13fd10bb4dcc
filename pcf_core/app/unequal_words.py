"""The amber note where the groups' words are unequal in tokens or in number, and what to press then."""

from __future__ import annotations

import streamlit as st

from pcf_core.app.data import Loaded
from pcf_core.app.stores import open_store
from pcf_core.app.text import plain
from pcf_core.audit.fitting import template_without
from pcf_core.audit.preferences import every_group_has_some, words_that_count
from pcf_core.core.errors import TemplateError
from pcf_core.core.run import Protocol
from pcf_core.report.loaded import LoadedRun
from pcf_core.show.findings.notes import sizes_sentence, tokens_sentence

NARROWER: dict[Protocol, Protocol] = {"exact": "equal-tokens", "equal-tokens": "single-token"}
LABELS = {"equal-tokens": "Only words of equal tokens", "single-token": "Only words of one token"}
NONE = "No words of equal tokens are left for every group."


def draw_unequal_words(loaded: Loaded) -> None:
    """Draw what is unequal about the words that count, and a button for each way to make them equal."""
    options = loaded.options
    told = tokens_sentence(
        {name: item.result.token_shares for name, item in loaded.runs.items()},
        {name: item.run.scoring.family for name, item in loaded.runs.items()},
    )
    sizes = "" if options.aggregation == "mean" else sizes_sentence(word_numbers(loaded.first))
    if not (told or sizes):
        return
    narrower = NARROWER.get(options.protocol) if told else None
    possible = narrower and any(can_be_read(item, narrower) for item in loaded.runs.values())
    said = [told, NONE if narrower and not possible else "", sizes]
    st.warning(plain(" ".join(filter(None, said))), icon=":material/warning:")
    with st.container(horizontal=True):
        if narrower and possible:
            _draw_button(LABELS[narrower], "protocol", narrower)
        if sizes:
            _draw_button("Mean of a group's words", "aggregation", "mean")


def _draw_button(label: str, option: str, value: str) -> None:
    st.button(
        label,
        key=f"take_{option}",
        icon=":material/balance:",
        on_click=st.session_state.update,
        args=({option: value},),
        help="Changes *Reading options* in the sidebar; nothing is scored anew.",
    )


def word_numbers(item: LoadedRun) -> dict[str, int]:
    """Return how many words of each group count."""
    used = set(item.result.words)
    return {group.name: sum(word in used for word in group.words) for group in item.run.topic.groups}


def can_be_read(item: LoadedRun, protocol: Protocol) -> bool:
    """Tell whether every group keeps a word under a protocol that selects from the same scores."""
    try:
        words, _ = words_that_count(open_store(), item.run, protocol)
    except TemplateError:
        return False
    whole = template_without(item.run, words, protocol) is None
    return whole and every_group_has_some(item.run.topic, words)
