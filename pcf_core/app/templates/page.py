"""The page Templates: a set with figures, picture, table and card, and edits that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from pcf_core.app import own
from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.caching import kept
from pcf_core.app.choice import choose_shown, current_choice
from pcf_core.app.lists import mined_set, own_sets, set_cards, set_names, topics, usual_lists
from pcf_core.app.page import DATA, PROVENANCE, READING, draw_figures, draw_table, draw_tabs, finding, picture
from pcf_core.app.roles import may_audit
from pcf_core.app.templates.keeping import (
    CALLED,
    OpenSet,
    discard,
    draw_delete,
    draw_export,
    draw_save,
    edit,
    edits,
    opened,
    undo,
)
from pcf_core.app.titles import set_titles
from pcf_core.app.widgets import adopt_next, draw_facts, numeric, plain, refusals_said, table_key, textual
from pcf_core.core.records import digest
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.template_editing import (
    add,
    cut,
    drop,
    filtered,
    in_family,
    matching,
    merge,
    united,
    with_full_stop,
)
from pcf_core.material.templates import SHELF
from pcf_core.measure.resampling import effective_number
from pcf_core.mining.rewording import RULES, chosen_rules, reworded
from pcf_core.mining.rules import LANGUAGES
from pcf_core.report.loaded import PROGRAM
from pcf_core.report.records import KeyFigure
from pcf_core.show.charts.templates import zipf_plot
from pcf_core.show.findings.material import (
    cut_finding,
    families_caution,
    kept_share,
    origin_finding,
    set_finding,
)
from pcf_core.show.findings.numbers import count, effective_count, number, percent

USUAL = "gender-wikipedia-100"
VIEWS = {
    "list": "all sets.",
    "see": "the sentences of one set, and where they come from.",
    "new": "type, paste or upload sentences of your own.",
    "mine": "make a set from a text or a corpus.",
    "edit": "delete, merge and add sentences; save and download the set.",
    "preview": "how the risk changes with fewer sentences.",
    "compare": "how the risk differs between two sets.",
}
FOR_AUDITORS = ("new", "mine", "edit")
HOW = """
Each template is what remains of a sentence that people wrote, with *[X]* where the occupation goes and *[Y]*
where the model continues. Its count, how often the corpus has it, is its weight. A straight line in the upper
panel means that few templates are common and very many are rare; the lower panel adds the shares up. The
**effective number** is how many equally common templates would give results as precise as these. Templates of
one **family** say the same in other words, so they count as one there.
"""
WIDTH = 330  # pixels of the longest title of a shipped set
FAMILY = ("family", "families")
MOST_SEEN = 10  # sentences listed above the picture
MOST_ROWS = 1000
MOST_LISTED = 300


def draw_head() -> tuple[str, str]:
    """Draw the menus of sets and views; return both names."""
    adopt_next()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_shown(
            "Set",
            set_names(),
            USUAL,
            set_titles(),
            key="set",
            help_text="The set of templates on this page. Your own sets come last.",
            width=WIDTH,
        )
        view = own.draw_views(
            VIEWS, CALLED, FOR_AUDITORS, "set_view", "see" if "set" in st.query_params else "list"
        )
    own.draw_hidden(SHELF)
    return name, view


def draw_set(name: str) -> OpenSet:
    """Draw a set's finding and key figures, and how many of its templates are used."""
    edited = opened(name)
    mined = edited.mined
    texts, figures = st.container(), st.container()
    top = st.number_input(
        "Only the most common",
        min_value=1,
        value=None,
        step=1,
        key="keep",
        bind="query-params",
        placeholder="all of them",
        width=240,
        help="Uses only this many templates for *Preview* and *Compare*, and marks them in the picture. The "
        "set itself changes only under *Edit*.",
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
        families = shown.family_counts
        alone = effective_number(shown.counts)
        if caution := families_caution(len(families), effective_number(families), alone):
            st.warning(plain(caution), icon=":material/warning:")
    _draw_unsaved(mined)
    return shown


def _draw_unsaved(mined: MinedSet) -> None:
    steps = edits(mined.name)
    if not steps:
        return
    with st.container(border=True):
        st.markdown(
            f":material/edit: **{count(steps, 'change is', 'changes are')} not saved.** "
            f"The last change: {plain(mined.card.history[-1])}"
        )
        with st.container(horizontal=True):
            if st.button("Undo the last change", key="undo", icon=":material/undo:"):
                undo(mined.name)
                st.rerun()
            if st.button("Discard all changes", key="discard", icon=":material/delete_sweep:"):
                discard(mined.name)
                st.rerun()


def _set_figures(shown: OpenSet) -> list[KeyFigure]:
    counts, families, card = shown.counts, shown.family_counts, shown.mined.card
    cut = f"{shown.top:,} of {len(counts):,} templates" if shown.top else "all templates"
    whose = "your own set" if shown.name in own_sets() else "comes with the app"
    if edits(shown.name):  # neither yet
        whose = "changed, not saved"
    return [
        KeyFigure("Templates", f"{len(counts):,}", "Templates in the set.", whose),
        KeyFigure(
            "Total count",
            number(sum(counts)),
            "How often the corpus has them, all together.",
            count(card.documents, "document") if card.documents else "documents not stated",
        ),
        KeyFigure(
            "Effective number",
            effective_count(effective_number(families)),
            "This many equally common templates would give results as precise as this set: (Σ count)² / Σ "
            "count², where the count of a family is the sum over its templates.",
            "of the whole set" if len(families) == len(counts) else f"of {count(len(families), *FAMILY)}",
        ),
        KeyFigure(
            "Share of this set",
            percent(kept_share(counts, shown.top)),
            "Share of the total count that *Only the most common* leaves; 100 % without it.",
            cut,
        ),
    ]


def _draw_score(mined: MinedSet) -> None:
    """Draw the link to *Run an audit* with a saved set, on a new topic or the sidebar's if it suits."""
    if not may_audit() or edits(mined.name):
        return
    by_name, cards = topics(), set_cards()
    names = dict.fromkeys([own.last_written("topic"), current_choice().topic, *by_name])
    ranked = [by_name[name] for name in names if name in by_name]
    topic = next((topic for topic in ranked if mined.name in suiting_sets(topic, cards)), ranked[0])
    st.page_link(
        RUN_AN_AUDIT.file,
        label="Run with this set",
        icon=":material/play_circle:",
        query_params={
            "score_topic": topic.name,
            "score_templates": mined.name,
            "score_evidence": usual_lists(topic).evidence,
        },
    )


def draw_see(shown: OpenSet) -> None:
    """Draw picture, table, one template's origin, explanation and card."""
    mined = shown.mined
    _draw_score(mined)
    _draw_sentences(mined)
    texts = [template.text for template in mined.templates]
    make = partial(zipf_plot, texts, shown.counts, shown.top)
    alt = f"Count and share of the weight by rank, {count(len(texts), 'template')}"
    picture(make, "zipf_plot", alt, source=f"{PROGRAM} · {mined.name}")

    def draw_data() -> None:
        rows = draw_find(mined)
        draw_table(set_table(shown).iloc[rows], mined.name, COLUMNS)
        draw_origin(mined, rows)

    draw_tabs("template_set", {READING: HOW, DATA: draw_data, PROVENANCE: partial(draw_card, mined.card)})


def _draw_sentences(mined: MinedSet) -> None:
    texts = [template.text for template in mined.templates[:MOST_SEEN]]
    st.markdown("\n".join(f"- {plain(text)}" for text in texts))
    if len(mined.templates) > MOST_SEEN:
        st.caption(
            f"The {MOST_SEEN} most common of {count(len(mined.templates), 'sentence')}. *Data* below the "
            "picture has all."
        )


def draw_edit(shown: OpenSet) -> None:
    """Draw the table with its edits, then save, export and delete."""
    rows = draw_find(shown.mined)
    chosen = _draw_rows(shown, rows)
    _draw_row_changes(shown.name, chosen)
    _draw_set_changes(shown)
    draw_save(shown.mined)
    draw_export(shown.mined)
    draw_delete(shown.mined.name)


def _draw_rows(shown: OpenSet, rows: list[int]) -> list[str]:
    """Draw the templates that match the filter; return the texts of the ticked ones."""
    listed = rows[:MOST_ROWS]
    if not listed:
        st.info("No template has these words. Change the text under Find.", icon=":material/search_off:")
        return []
    event = st.dataframe(
        set_table(shown).iloc[listed],
        hide_index=True,
        column_config=COLUMNS,
        placeholder="–",
        on_select="rerun",
        selection_mode="multi-row",
        key=table_key("rows", [shown.token, str(st.session_state.get("find"))]),
        alt=f"Templates to tick, {len(listed):,} rows",
    )
    if len(rows) > len(listed):
        st.caption(
            f"The {len(listed):,} most common templates are listed. Change the text under Find to see others."
        )
    ticked = [row for row in event.selection.rows if row < len(listed)]
    return [shown.mined.templates[listed[row]].text for row in ticked]


def _changed(name: str, change: Callable[[MinedSet], MinedSet]) -> None:
    """Make a change and redraw the page; a refusal is shown beside the button."""
    with refusals_said():
        edit(name, change)
        st.rerun()


def _draw_row_changes(name: str, chosen: list[str]) -> None:
    query = str(st.session_state.get("find", "")).strip()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button(
            f"Delete {count(len(chosen), 'row')}" if chosen else "Delete rows",
            key="drop_rows",
            icon=":material/delete:",
            disabled=not chosen,
            help="Deletes the ticked rows from the set. Tick rows at their left edge, or with Shift and "
            "the space bar.",
        ):
            _changed(name, lambda before: drop(before, chosen))
        if st.button(
            "Delete all other rows",
            key="keep_found",
            icon=":material/filter_alt:",
            disabled=not query,
            help="Deletes every template that does not match the text under Find.",
        ):
            _changed(name, lambda before: filtered(before, query))
        with st.popover(
            "Merge …",
            icon=":material/merge:",
            disabled=len(chosen) < 2,
            help="Makes one template of the ticked rows, and adds up their counts, documents and sources.",
        ):
            into = st.text_input(
                "Into",
                value=chosen[0] if chosen else "",
                key=f"merge_into_{digest(chosen)}",
                help="The text of the merged template: one of the ticked ones, or a new one with [X] and "
                "[Y].",
            )
            if st.button("Merge", key="merge_rows", type="primary"):
                _changed(name, lambda before: merge(before, chosen, into))
        with st.popover(
            "Family …",
            icon=":material/family_history:",
            disabled=not chosen,
            help="Says that the ticked rows have one meaning. They stay templates of their own.",
        ):
            label = st.text_input(
                "Name of the family",
                key=f"family_{digest(chosen)}",
                help="The ticked rows get it. Leave it empty to take them out of their families.",
            )
            if st.button("Set the family", key="set_family", type="primary"):
                _changed(name, lambda before: in_family(before, chosen, label))


def _draw_set_changes(shown: OpenSet) -> None:
    name = shown.name
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.popover("Add …", icon=":material/add:", help="Adds a template of your own."):
            text = st.text_input(
                "Template",
                key="add_text",
                placeholder="The [X] said that [Y]",
                help="A text with one [X], where the occupation goes, and one [Y], where the model "
                "continues.",
            )
            weight = st.number_input(
                "Count", min_value=0.0, value=1.0, step=1.0, format="%g", key="add_count", help="Its weight."
            )
            if st.button("Add", key="add_template", type="primary"):
                _changed(name, lambda before: add(before, text, weight))
        with st.popover(
            "Delete rare ones …", icon=":material/delete:", help="Deletes all rare templates at once."
        ):
            lowest = st.number_input(
                "Lowest count",
                min_value=0.0,
                value=2.0,
                step=1.0,
                format="%g",
                key="cut_count",
                help="Templates with a lower count are deleted.",
            )
            if st.button("Delete below this count", key="cut_by_count", type="primary"):
                _changed(name, lambda before: cut(before, min_count=lowest))
            label = (
                f"Delete all but the {shown.top:,} most common"
                if shown.top
                else "Delete all but the most common"
            )
            top = shown.top
            if st.button(
                label,
                key="cut_to_top",
                disabled=top is None,
                help="As many as *Only the most common* above the table says.",
            ):
                _changed(name, lambda before: cut(before, top=top))
        if st.button(
            "Add full stops",
            key="full_stops",
            icon=":material/fiber_manual_record:",
            help="Ends every template with a full stop, which the models then read too.",
        ):
            _changed(name, with_full_stop)
        with st.popover("Combine …", icon=":material/library_add:", help="Adds another set; counts add up."):
            others = [name_of_set for name_of_set in set_names() if name_of_set != name]
            other = st.selectbox(
                "Other set",
                others,
                format_func=set_titles(),
                key="unite_with",
                help="Its templates are added.",
            )
            if st.button("Combine", key="unite_sets", type="primary", disabled=other is None):
                _changed(name, lambda before: _united_under(before, mined_set(str(other))))
        with st.popover(
            "Reword …",
            icon=":material/edit_note:",
            help="Adds other wordings of each template, which share its family and its count. English only.",
        ):
            rules = st.multiselect(
                "Rules",
                list(RULES),
                default=[one.name for one in chosen_rules()],
                format_func=lambda rule: f"{RULES[rule].title}: “{RULES[rule].example[1]}”",
                key="reword_rules",
                help="Each changes one thing. Those that are off by default give sentences that we would not "
                "write.",
            )
            for one in (RULES[rule] for rule in rules if not RULES[rule].on):
                st.caption(plain(f"{one.title} is {one.standing}."))
            if st.button("Reword", key="reword_set", type="primary", disabled=not rules):
                _changed(name, lambda before: reworded(before, rules))


def _united_under(first: MinedSet, second: MinedSet) -> MinedSet:
    """Merge two sets under the name and history of the first."""
    both = united([first, second], first.name, first.card.title)
    history = (*first.card.history, *both.card.history)
    return both.model_copy(update={"card": both.card.model_copy(update={"history": history})})


def draw_find(mined: MinedSet) -> list[int]:
    """Draw the text filter; return the indices of matching templates."""
    wanted = st.text_input(
        "Find",
        key="find",
        bind="query-params",
        placeholder="words, such as said -not",
        help="Lists the templates with all these words, or parts of words; -word: those without it.",
    )
    matched = {template.text for template in matching(mined, wanted)}
    rows = [index for index, template in enumerate(mined.templates) if template.text in matched]
    st.caption(f"{len(rows):,} of {count(len(mined.templates), 'template')}")
    return rows


COLUMNS = {
    "rank": numeric(None, "1 is the most common.", None, width="small"),
    "template": textual(None, width="large"),
    "count": numeric(None, "How often the corpus has it.", "localized"),
    "share": numeric(None, "Its share of the weight.", "percent"),
    "mass": numeric("together", "Share of all down to this rank.", "percent"),
    "documents": numeric(None, "Documents that have it; empty where unknown.", "localized"),
    "sources": textual(None, "Count per source of the corpus."),
    "fits": textual(None, "Words that fit at [Y] and can mean the person at [X]; empty where not stated."),
    "family": textual(None, "Templates of one family say the same in other words; empty: its own family."),
    "examples": textual(None, "Up to three sentences: document @ position of the first letter."),
}


def set_table(shown: OpenSet) -> pd.DataFrame:
    """Make a table with one row per template of the set, the heaviest first."""
    return _templates_table(shown.mined.templates)


@kept()
def _templates_table(templates: Sequence[MinedTemplate]) -> pd.DataFrame:
    counts = pd.Series([template.count for template in templates], dtype=float)
    return pd.DataFrame(
        {
            "rank": range(1, len(templates) + 1),
            "template": [template.text for template in templates],
            "count": counts,
            "share": counts / counts.sum(),
            "mass": (counts.cumsum() / counts.sum()).clip(upper=1.0),
            "documents": [template.documents or None for template in templates],
            "sources": [_sources_text(template) for template in templates],
            "fits": [", ".join(template.fits) for template in templates],
            "family": [template.family for template in templates],
            "examples": ["; ".join(template.examples) for template in templates],
        }
    )


def _sources_text(template: MinedTemplate) -> str:
    ranked = sorted(template.sources.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{name}: {times:,}" for name, times in ranked)


def draw_origin(mined: MinedSet, rows: Sequence[int]) -> None:
    """Draw the origin of one template."""
    if not rows:
        return
    options = {mined.templates[index].text: mined.templates[index] for index in rows[:MOST_LISTED]}
    template = options[
        st.selectbox(
            "Origin of a template",
            list(options),
            key="origin_of",
            help=f"One of the {MOST_LISTED} most common templates under Find.",
        )
    ]
    if not template.sources and not template.examples:
        st.caption("Not stated: the set was published, typed or edited without the origins of its templates.")
        return
    st.markdown(
        f"{number(template.count)} times in {count(template.documents, 'document')}. "
        f"Sources: {plain(_sources_text(template)) or 'not stated'}."
    )
    if template.examples:
        st.markdown("Examples, as document @ position of the sentence's first letter:")
        st.code("\n".join(template.examples), language=None)


def draw_card(card: SetCard) -> None:
    """Draw the set's card and history."""
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
        "lowest count": number(card.cut) if card.cut else "",
        "share of the matches in the set": percent(card.kept) if card.matches and card.kept else "",
        "made of": ", ".join(card.parents),
        "notes": card.notes,
    }
    draw_facts({what: value or "not stated" for what, value in read.items()})
    if card.history:
        st.markdown("**What was done**")
        st.markdown("\n".join(f"{step}. {plain(text)}" for step, text in enumerate(card.history, start=1)))
