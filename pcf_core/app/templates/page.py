"""The page Templates: which set is looked at, its figures, its picture, its table, where it comes from."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from pcf_core.app import own
from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.choice import current_choice
from pcf_core.app.lists import own_sets, set_cards, set_names, topics, usual_lists
from pcf_core.app.page import (
    DATA,
    PROVENANCE,
    READING,
    draw_figures,
    draw_table,
    draw_tabs,
    finding,
    picture,
)
from pcf_core.app.roles import may_audit
from pcf_core.app.templates.draft import Shown, adopt_pointed, discard, edits, opened, undo
from pcf_core.app.templates.edit import COLUMNS, draw_card, draw_find, draw_origin, set_table
from pcf_core.app.widgets import plain
from pcf_core.core.topics import MinedSet
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.templates import SHELF
from pcf_core.measure.resampling import effective_number
from pcf_core.mining.rules import LANGUAGES
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.templates import zipf_plot
from pcf_core.show.findings.material import cut_finding, kept_share, origin_finding, set_finding
from pcf_core.show.findings.numbers import count, effective_count, number, percent

USUAL = "gender-wikipedia-100"
VIEWS = {
    "list": "all sets.",
    "see": "one set.",
    "new": "upload or write one.",
    "mine": "make one from text.",
    "edit": "filter, merge, add, save, export.",
    "preview": "what a choice does to R.",
    "compare": "against another set.",
}
FOR_AUDITORS = ("new", "mine", "edit")
HOW = """
Each skeleton is what remains of a sentence that people wrote, with *[X]* where the occupation goes and *[Y]*
where the model goes on; its count says how often the corpus had it, and is its weight. A straight line in the
upper panel means that few skeletons are common and very many are rare; the lower one adds the shares up. The
**effective number** is how many templates of equal weight would give means as steady as these.
"""


def draw_head() -> tuple[str, str]:
    """Draw which set, and what to do with it; both are in the URL."""
    adopt_pointed()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = own.choose_shown(
            "Set",
            set_names(),
            USUAL,
            key="set",
            help_text="The template set that this page shows: those that come with the app, then your own.",
        )
        view = own.draw_views(VIEWS, FOR_AUDITORS, "set_view", "see" if "set" in st.query_params else "list")
    own.draw_hidden(SHELF)
    return name, view


def draw_set(name: str) -> Shown:
    """Draw finding, key figures and the cut of a set."""
    edited = opened(name)
    mined = edited.mined
    texts, figures = st.container(), st.container()
    top = st.number_input(
        "Keep the heaviest",
        min_value=1,
        value=None,
        step=1,
        key="keep",
        bind="query-params",
        placeholder="all of them",
        width=240,
        help="How many templates a cut would keep. It is marked in the picture and used by preview and "
        "compare; the set itself changes only under edit.",
    )
    shown = replace(edited, top=top if top and top < len(mined.templates) else None)
    language = LANGUAGES.get(mined.card.language.partition("-")[0].lower())
    with texts:
        finding(
            set_finding(shown.counts),
            origin_finding(mined.card, language.unit if language else "words"),
            cut_finding(shown.counts, shown.top),
        )
    with figures:
        draw_figures(_set_figures(shown))
        st.caption(
            f"Corpus: {plain(mined.card.corpus) or 'not stated'} · licence of its texts: "
            f"{plain(mined.card.licence) or 'not stated'}"
        )
    _draw_unsaved(mined)
    return shown


def _draw_unsaved(mined: MinedSet) -> None:
    """Draw what was changed and is not saved yet, with the ways back."""
    steps = edits(mined.name)
    if not steps:
        return
    with st.container(border=True):
        st.markdown(
            f":material/edit: **{count(steps, 'change is', 'changes are')} not saved.** "
            f"The last one: {plain(mined.card.history[-1])}"
        )
        with st.container(horizontal=True):
            if st.button("Undo the last", key="undo", icon=":material/undo:"):
                undo(mined.name)
                st.rerun()
            if st.button("Discard all", key="discard", icon=":material/delete_sweep:"):
                discard(mined.name)
                st.rerun()


def _set_figures(shown: Shown) -> list[KeyFigure]:
    """Make key figures: templates, total count, effective number, share of the counts that the cut keeps."""
    counts, card = shown.counts, shown.mined.card
    cut = f"{shown.top:,} of {len(counts):,} templates" if shown.top else "no cut"
    whose = "your own set" if shown.name in own_sets() else "comes with the app"
    if edits(shown.name):  # it is neither yet
        whose = "changed, not saved"
    return [
        KeyFigure("Templates", f"{len(counts):,}", "Skeletons of the set.", whose),
        KeyFigure(
            "Total count",
            number(sum(counts)),
            "How often the corpus had them all together.",
            count(card.documents, "document") if card.documents else "documents not stated",
        ),
        KeyFigure(
            "Effective number",
            effective_count(effective_number(np.array(counts))),
            "(Σ count)² / Σ count²: as many templates of equal weight would give means as steady.",
            "of the whole set",
        ),
        KeyFigure(
            "Kept of this set",
            percent(kept_share(counts, shown.top)),
            "Share of the total count of this set that the cut keeps; 100 % without one.",
            cut,
        ),
    ]


def _draw_score(mined: MinedSet) -> None:
    """Draw the way to scoring a set as it is saved, on a topic that it suits.

    A topic that was just written comes first, then that of the sidebar.
    """
    if not may_audit() or edits(mined.name):
        return
    known, cards = topics(), set_cards()
    names = dict.fromkeys([own.last_written("topic"), current_choice().topic, *known])
    ranked = [known[name] for name in names if name in known]
    topic = next((topic for topic in ranked if mined.name in suiting_sets(topic, cards)), ranked[0])
    st.page_link(
        RUN_AN_AUDIT.file,
        label="Score with this set",
        icon=":material/play_circle:",
        query_params={
            "score_topic": topic.name,
            "score_templates": mined.name,
            "score_evidence": usual_lists(topic).evidence,
        },
    )


def draw_see(shown: Shown) -> None:
    """Draw picture, table, one template's origin, how to read, provenance."""
    mined = shown.mined
    _draw_score(mined)
    texts = [template.text for template in mined.templates]
    make = partial(zipf_plot, texts, shown.counts, shown.top)
    picture(make, "zipf_plot", f"Count and share of the weight by rank, {count(len(texts), 'template')}")

    def draw_data() -> None:
        rows = draw_find(mined)
        draw_table(set_table(shown).iloc[rows], mined.name, COLUMNS)
        draw_origin(mined, rows)

    draw_tabs("template_set", {READING: HOW, DATA: draw_data, PROVENANCE: partial(draw_card, mined.card)})
