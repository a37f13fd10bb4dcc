"""The table of a template set, where one of its templates comes from, and the set's card."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pcf_core.app.caching import kept
from pcf_core.app.facts import draw_facts
from pcf_core.app.templates_draft import Shown
from pcf_core.app.text import plain
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.material.template_editing import matching
from pcf_core.show.findings.numbers import count, number, percent

MOST_LISTED = 300


def draw_find(mined: MinedSet) -> list[int]:
    """Draw the text filter; return the places of the templates that hold the text."""
    wanted = st.text_input(
        "Find",
        key="find",
        bind="query-params",
        placeholder="words, such as said -not",
        help="Lists the templates that have all these words, or parts of words; -word: those without it.",
    )
    matched = {template.text for template in matching(mined, wanted)}
    found = [place for place, template in enumerate(mined.templates) if template.text in matched]
    st.caption(f"{len(found):,} of {count(len(mined.templates), 'template')}")
    return found


COLUMNS = {
    "rank": st.column_config.NumberColumn(width="small", help="1 is the heaviest."),
    "template": st.column_config.TextColumn(width="large"),
    "count": st.column_config.NumberColumn(format="localized", help="How often the corpus had it."),
    "share": st.column_config.NumberColumn(format="percent", help="Its share of the weight."),
    "mass": st.column_config.NumberColumn(
        "together", format="percent", help="Share of all down to this rank."
    ),
    "documents": st.column_config.NumberColumn(
        format="localized", help="Documents that had it; empty where unknown."
    ),
    "sources": st.column_config.TextColumn(help="Count per source of the corpus."),
    "fits": st.column_config.TextColumn(
        help="What fits at [Y] and can mean who stands at [X]; empty where nothing says it."
    ),
    "examples": st.column_config.TextColumn(help="Up to three sentences: document @ place of its beginning."),
}


def set_table(shown: Shown) -> pd.DataFrame:
    """Make a table with one row per template of the set, the heaviest first."""
    return templates_table(shown.mined.templates)


@kept()
def templates_table(templates: Sequence[MinedTemplate]) -> pd.DataFrame:
    """Make a table with one row per template."""
    counts = pd.Series([template.count for template in templates], dtype=float)
    return pd.DataFrame(
        {
            "rank": range(1, len(templates) + 1),
            "template": [template.text for template in templates],
            "count": counts,
            "share": counts / counts.sum(),
            "mass": (counts.cumsum() / counts.sum()).clip(upper=1.0),
            "documents": [template.documents or None for template in templates],
            "sources": [sources_text(template) for template in templates],
            "fits": [", ".join(template.fits) for template in templates],
            "examples": ["; ".join(template.examples) for template in templates],
        }
    )


def sources_text(template: MinedTemplate) -> str:
    """Count per source, the largest first."""
    ranked = sorted(template.sources.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{name}: {times:,}" for name, times in ranked)


def draw_origin(mined: MinedSet, rows: Sequence[int]) -> None:
    """Draw where one template comes from."""
    if not rows:
        return
    options = {mined.templates[place].text: mined.templates[place] for place in rows[:MOST_LISTED]}
    template = options[
        st.selectbox(
            "Where does this come from?",
            list(options),
            key="origin_of",
            help=f"One of the {MOST_LISTED} heaviest templates that the filter finds.",
        )
    ]
    if not template.sources and not template.examples:
        st.caption("The set does not say: it was published, written or edited without its origins.")
        return
    st.markdown(
        f"{number(template.count)} times in {count(template.documents, 'document')}. "
        f"Sources: {plain(sources_text(template)) or 'not stated'}."
    )
    if template.examples:
        st.markdown("Examples, as document @ place of the sentence's first letter:")
        st.code("\n".join(template.examples), language=None)


def draw_card(card: SetCard) -> None:
    """Draw what is known of the set, and what was done to it."""
    read = {
        "title": card.title,
        "source": card.source,
        "corpus": card.corpus,
        "licence": card.licence,
        "language": card.language,
        "rule": card.form,
        "parser": card.pipeline,
        "version of the rules": card.rules,
        "documents": f"{card.documents:,}" if card.documents else "",
        "words": f"{card.words:,}" if card.words else "",
        "sentences parsed": f"{card.sentences:,}" if card.sentences else "",
        "matches": f"{card.matches:,}" if card.matches else "",
        "lowest count kept": number(card.cut) if card.cut else "",
        "share of the matches kept": percent(card.kept) if card.matches and card.kept else "",
        "made of": ", ".join(card.parents),
        "notes": card.notes,
    }
    draw_facts({what: value or "not stated" for what, value in read.items()})
    if card.history:
        st.markdown("**What was done**")
        st.markdown("\n".join(f"{step}. {plain(text)}" for step, text in enumerate(card.history, start=1)))
