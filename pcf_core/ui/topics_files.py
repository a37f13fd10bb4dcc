"""A topic brought in, taken out, copied and deleted."""

from __future__ import annotations

import streamlit as st

from pcf_core.errors import AuditError
from pcf_core.findings.topics import topic_finding
from pcf_core.records import Topic
from pcf_core.topics import (
    copied,
    delete_topic,
    free_topic_name,
    load_topic_upload,
    own_topics,
    save_topic,
    topic_toml,
)
from pcf_core.topics.topic_files import ENDINGS
from pcf_core.topics.text import MAX_NAME
from pcf_core.ui.choice import take_usual
from pcf_core.ui.lists import topic_names
from pcf_core.ui.text import plain
from pcf_core.ui.topics_draft import discard, point_at

LARGEST_UPLOAD = 32  # MiB
FORMS = """
TOML or JSON as the download gives it, CSV with the columns *group* and *word*, or the published form: a text
file for each group, named after it, with one word a line.
"""


def draw_actions(topic: Topic) -> None:
    """What can be done with a topic as a whole."""
    with st.container(horizontal=True):
        st.button(
            "Use in the sidebar",
            key="use_topic",
            icon=":material/arrow_back:",
            on_click=use,
            args=(topic.name,),
            help="The other pages then speak of this topic, with its usual templates and occupations.",
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
        if st.button(
            "Duplicate",
            key="duplicate_topic",
            icon=":material/content_copy:",
            help="Keeps a copy among your own topics and opens it.",
        ):
            kept(copied(topic), "edit")
        draw_delete(topic.name)


def use(name: str) -> None:
    """Choose a topic in the sidebar."""
    st.session_state["topic"] = name
    take_usual()


def kept(topic: Topic, view: str) -> None:
    """Save a topic and show it; a refusal is said here."""
    try:
        save_topic(topic)
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
    else:
        point_at(topic.name, view)
        st.rerun()


def draw_delete(name: str) -> None:
    """Delete an own topic, after a second question."""
    if name not in own_topics():
        return
    with st.popover(f"Delete {plain(name)} …", icon=":material/delete_forever:"):
        st.markdown(f"**{plain(name)}** is deleted. Results scored with it stay in the cache.")
        if st.button("Delete for good", key="delete_topic", type="primary"):
            try:
                delete_topic(name)
            except AuditError as error:
                st.error(plain(str(error)), icon=":material/error:")
            else:
                discard(name)
                point_at(topic_names()[0], "see")
                st.rerun()


def draw_upload() -> None:
    """A topic from one file, or from a list of words for each group."""
    st.subheader("Upload")
    st.caption(FORMS)
    files = st.file_uploader(
        "Files",
        type=[ending.removeprefix(".") for ending in ENDINGS],
        accept_multiple_files=True,
        max_upload_size=LARGEST_UPLOAD,
        key="upload_topic",
        help="One file, or two or more text files with one word a line.",
    )
    if not files:
        return
    try:
        topic = load_topic_upload([(file.name, file.getvalue()) for file in files])
    except AuditError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.markdown(plain(topic_finding(topic)))
    free = free_topic_name(topic.name) if topic.name in topic_names() else topic.name
    name = st.text_input(
        "Name of the topic",
        value=free,
        max_chars=MAX_NAME,
        key=f"upload_name_{'_'.join(file.file_id for file in files)}",
        help="Small letters, digits and hyphens.",
    ).strip()
    if st.button("Keep it", key="keep_upload", type="primary", icon=":material/upload:"):
        kept(topic.model_copy(update={"name": name}), "see")
