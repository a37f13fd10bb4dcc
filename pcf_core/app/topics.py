"""The page Topics: which topic is looked at, its groups and words, its card, and the sentences it makes."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pcf_core.app import own
from pcf_core.app.choice import current_choice, with_asked
from pcf_core.app.facts import draw_facts
from pcf_core.app.lists import evidence_lists, template_sets, topic_names
from pcf_core.app.page import draw_figures, draw_table, finding
from pcf_core.app.text import plain
from pcf_core.app.topics_draft import adopt_pointed, as_it_stands, is_changed, is_gone, opened
from pcf_core.app.topics_edit import draw_discard, draw_form, draw_new_form
from pcf_core.app.topics_files import draw_actions, draw_delete, draw_upload
from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Topic
from pcf_core.material.own_topics import own_topics
from pcf_core.material.suiting import (
    filled_prompts,
    heaviest_templates,
    spread_terms,
    suiting_sets,
    template_cards,
)
from pcf_core.material.topics import FIRST, SHELF
from pcf_core.report.records import KeyFigure
from pcf_core.show.findings.notes import left_out_note
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.topics import POSITIONS, topic_finding

VIEWS = {
    "see": "groups, words and where they come from.",
    "edit": "change them.",
    "preview": "sentences that they make.",
    "check": "what the sidebar's models make of the words.",
    "new": "write or upload another.",
    "lists": "what stands at [X], occupations or a list of your own.",
}
FOR_AUDITORS = ("edit", "check", "new")
MOST_TEMPLATES = 5
MOST_TERMS = 3
HOW = """
A topic is two or more **groups** and the words that stand for each. A model is asked how probable every word
is at *[Y]*; a group gets what its words get together, and groups are compared with each other. So the words
are the measure: what they leave out, nothing is said about. Results know the words they were scored with:
changed words are another topic to the cache, and what the old ones gave stays readable.
"""


def draw_head() -> tuple[str, str]:
    """Draw which topic, and what to do with it; both are in the URL."""
    adopt_pointed()
    names = with_asked("topic_shown", topic_names())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Topic",
            names,
            index=names.index(FIRST) if FIRST in names else 0,
            key="topic_shown",
            bind="query-params",
            help="The topic that this page shows: those that come with the app, then your own.",
        )
        view = own.draw_views(VIEWS, FOR_AUDITORS, "topic_view", "see")
    own.draw_hidden(SHELF)
    return name, view


def draw_new() -> None:
    """Draw a topic from a file, or written here."""
    draw_upload()
    st.subheader("Write")
    draw_new_form()


def shown_topic(name: str, view: str) -> Topic | None:
    """Return the topic as the view needs it: as saved, or with what is written.

    ``None`` where it is damaged, or was deleted while it was written.

    Raises
    ------
    TopicError
        There is no topic of the name (any more).
    """
    try:
        topic = opened(name)
    except TopicError as error:
        if is_changed(name) and is_gone(name):
            st.warning(
                f"The topic {plain(name)} was deleted since you began to change it. What you wrote is here: "
                "save it as a new topic, or discard it.",
                icon=":material/delete:",
            )
            draw_form(name)
            return None
        if name not in own_topics():
            raise
        st.error(plain(str(error)), icon=":material/error:")
        draw_delete(name)
        return None
    if is_changed(name) and view != "edit":
        draw_unsaved(name, view)
    return topic if view == "see" else as_it_stands(name)


def draw_unsaved(name: str, view: str) -> None:
    """Say that something is written and not saved, with the way back."""
    what = "Here is the topic as it was saved last." if view == "see" else "They are shown if they are right."
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/edit: **Changes are not saved.** {what}")
        draw_discard(name)


def draw_see(topic: Topic) -> None:
    """Draw finding, figures, groups with their words, and the card."""
    sets = suiting_sets(topic, template_cards())
    finding(topic_finding(topic))
    if topic.notes:
        st.markdown(plain(topic.notes))
    draw_figures(
        [
            KeyFigure("Groups", f"{len(topic.groups):,}", "What is compared.", whose(topic.name)),
            KeyFigure(
                "Words",
                f"{len(topic.words):,}",
                "All of them stand for their group at [Y].",
                "counterparts line by line" if topic.aligned else "no counterparts",
            ),
            KeyFigure("Language", plain(topic.language), "Templates have to be of the same.", topic.position),
            KeyFigure(
                "Suitable sets",
                f"{len(sets):,}",
                "Template sets of the topic's language with a place for such words.",
                sets[0] if sets else "mine one on the page Templates",
            ),
        ]
    )
    draw_actions(topic)
    words = {group.name: ", ".join(group.words) for group in topic.groups}
    st.table(
        pd.DataFrame(
            {"group": list(words), "words": [plain(text) for text in words.values()]},
        ).set_index("group")
    )
    left, middle, right = st.tabs(["Reading the picture", "Data", "Card"])
    left.markdown(HOW)
    with middle:
        rows = [(group.name, word) for group in topic.groups for word in group.words]
        draw_table(pd.DataFrame(rows, columns=["group", "word"]), topic.name)
    with right:
        draw_card(topic, sets)


def whose(name: str) -> str:
    """Say whose a topic is."""
    return "your own topic" if name in own_topics() else "comes with the app"


def draw_card(topic: Topic, sets: tuple[str, ...]) -> None:
    """Draw what is known of a topic besides its words."""
    facts = {
        "name": topic.name,
        "title": topic.title,
        "source": topic.source,
        "language": topic.language,
        "position": f"{topic.position}: {POSITIONS[topic.position]}",
        "usual templates": topic.templates,
        "template sets that suit it": ", ".join(sets),
        "usual occupations": topic.evidence,
        "hash of groups and words": topic.hash,
    }
    draw_facts({what: value or "not stated" for what, value in facts.items()})
    note = left_out_note(topic.left_out)
    if note:
        st.markdown(plain(note))


def draw_preview(topic: Topic) -> None:
    """Draw sentences of the words with the heaviest templates of a set and a few occupations."""
    name = draw_set_choice(topic)
    templates = heaviest_templates(template_sets()[name], MOST_TEMPLATES)
    terms = spread_terms(evidence_lists()[evidence_name(topic)], MOST_TERMS)
    term = st.selectbox("Occupation", terms, key="preview_term", help="What stands at [X].")
    rows = filled_prompts(topic, templates, [term or terms[0]])
    st.markdown(f"{count(len(rows), 'sentence')}, as a model reads them:")
    draw_table(
        pd.DataFrame(rows, columns=["group", "word", "sentence"]),
        f"{topic.name}_preview",
        {"sentence": st.column_config.TextColumn(width="large")},
    )


def draw_set_choice(topic: Topic) -> str:
    """Draw one template set, those that suit the topic first."""
    suiting = suiting_sets(topic, template_cards())
    names = list(dict.fromkeys([*suiting, *template_sets()]))
    name: str = st.selectbox(
        "Template set",
        names,
        key=f"topic_set_{topic.position}_{topic.language}",
        format_func=lambda name: name if name in suiting else f"{name} (for other words)",
        help="Sets that suit the topic come first: of its language, with a place for such words.",
    )
    return name


def evidence_name(topic: Topic) -> str:
    """Return the topic's default occupations, else those of the sidebar, else the first list."""
    lists = evidence_lists()
    return next(name for name in (topic.evidence, current_choice().evidence, *lists) if name in lists)
