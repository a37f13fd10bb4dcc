"""A topic brought in, taken out, copied and deleted."""

from __future__ import annotations

import streamlit as st

from pcf_core.app import own
from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.choice import take_usual
from pcf_core.app.lists import set_cards, topic_names, usual_lists
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.text import plain
from pcf_core.app.topics_draft import discard, point_at
from pcf_core.core.errors import AuditError
from pcf_core.core.topics import Topic
from pcf_core.material.own_topics import (
    OWN,
    copied,
    delete_topic,
    load_topic_upload,
    own_topics,
    save_topic,
    topic_toml,
)
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.topics import ENDINGS
from pcf_core.show.findings.topics import topic_finding

FORMS = """
TOML or JSON, CSV with the columns *group* and *word*, or lists as they are published: a text file with a line
for each group, a text file for each group, or JSON with the groups' words.
"""
EXAMPLES = {
    "**TOML**, as the download gives it; a title, notes and more may stand above": """\
[[groups]]
name = "male"
words = ["he", "man"]

[[groups]]
name = "female"
words = ["she", "woman"]
""",
    "**JSON** with the same keys": """\
{"groups": [{"name": "male", "words": ["he", "man"]},
            {"name": "female", "words": ["she", "woman"]}]}
""",
    "**CSV**, a row for every word": """\
group,word
male,he
male,man
female,she
female,woman
""",
    "**Text**, a line for each group with commas between its words, as the papers' authors publish theirs; a "
    "group is called after its first word": """\
he,man
she,woman
""",
    "**JSON** with a list, also theirs: each word is a group; a list in it is a group of several words": """\
["white", ["black", "african"], "asian"]
""",
    "**Text files**, one for each group and named after it, such as `male.txt`, with one word a line; choose "
    "two or more at once": """\
he
man
""",
}


def draw_actions(topic: Topic) -> None:
    """Draw what can be done with a topic as a whole."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use in the sidebar",
            key="use_topic",
            icon=":material/arrow_back:",
            on_click=use,
            args=(topic.name,),
            help="The other pages then speak of this topic, with its usual templates and occupations.",
        )
        if may_audit():
            st.page_link(
                RUN_AN_AUDIT.file,
                label="Score it",
                icon=":material/play_circle:",
                query_params={"score_topic": topic.name, **score_lists(topic)},
            )
        st.download_button(
            "TOML",
            lambda: topic_toml(topic),
            f"{topic.name}.toml",
            "application/toml",
            key="download_topic",
            on_click="ignore",
            icon=":material/download:",
            help="The topic as a file: the command line reads it as --topic, and this page under new.",
        )
        if may_audit() and st.button(
            "Duplicate",
            key="duplicate_topic",
            icon=":material/content_copy:",
            help="Keeps a copy among your own topics and opens it.",
        ):
            kept(copied(topic), "edit")
        draw_delete(topic.name)


def score_lists(topic: Topic) -> dict[str, str]:
    """Return the lists that the page Run an audit begins with for a topic.

    Sentences that were just written come before the usual ones, where they suit it.
    """
    usual, written = usual_lists(topic), own.last_written("templates")
    templates = written if written in suiting_sets(topic, set_cards()) else usual.templates
    return {"score_templates": templates, "score_evidence": usual.evidence}


def use(name: str) -> None:
    """Choose a topic in the sidebar."""
    st.session_state["topic"] = name
    take_usual()


def kept(topic: Topic, view: str) -> None:
    """Save a topic and show it; a refusal is said here."""
    try:
        recorded("changed", "topic", topic.name, save_topic, topic)
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
    else:
        own.note_written("topic", topic.name)
        point_at(topic.name, view)
        st.rerun()


def draw_delete(name: str) -> None:
    """Delete an own topic, after a second question."""

    def deleted() -> None:
        discard(name)
        go_to(topic_names()[0])

    own.draw_delete(name, own_topics(), delete_topic, deleted, "delete_topic", "topic")


def draw_upload() -> None:
    """Draw a topic from one file, or from a list of words for each group."""
    st.subheader("Upload")
    st.caption(FORMS)
    with st.expander("An example of each"):
        for what, example in EXAMPLES.items():
            st.markdown(what)
            st.code(example, language=None, wrap_lines=True)
    own.draw_upload(
        OWN,
        ENDINGS,
        load_topic_upload,
        topic_finding,
        go_to,
        "One file, or two or more text files with one word a line.",
    )


def go_to(name: str) -> None:
    """Show another topic from now on."""
    point_at(name, "see")
    st.rerun()
