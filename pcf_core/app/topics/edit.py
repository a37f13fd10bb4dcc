"""The form of a topic, one field a group; its upload, download, copy and deletion."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pcf_core.app import own
from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.choice import choose_topic
from pcf_core.app.lists import evidence_lists, set_cards, set_names, topic_names, usual_lists
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.titles import list_titles, set_titles
from pcf_core.app.topics.draft import (
    Draft,
    GroupFields,
    change_groups,
    check_not_overtaken,
    discard,
    draft_of,
    field_key,
    point_at,
    problems_of,
    take_fields,
    topic_of,
)
from pcf_core.app.widgets import plain, refusals_said
from pcf_core.core.topics import Topic
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.topics import OWN, copied, delete_topic, own_topics, save_topic, topic_toml
from pcf_core.show.findings.material import topic_finding
from pcf_core.show.findings.numbers import count
from pcf_core.show.names import Titles

SIDE_BY_SIDE = 3  # groups
LINE, FRAME = 24, 40  # pixels
FEWEST, MOST = 3, 8  # visible lines of a field of words
EXAMPLES = {
    "**TOML**, as in the download; a title, notes and more can stand above": """\
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
    "group has the name of its first word. Lines of pairs, such as *he,she*, are read too": """\
he,man,king
she,woman,queen
""",
    "**JSON** with a list, as they publish too: each word is a group; a list in it is a group of several "
    "words": """\
["white", ["black", "african"], "asian"]
""",
    "**Text files**, one for each group and named after it, such as `male.txt`, with one word a line; choose "
    "two or more at once": """\
he
man
""",
}


def draw_edit(name: str) -> None:
    """Draw the form of an existing topic; changes to a shipped one are saved as one's own."""
    if name not in own_topics():
        st.caption(
            "This topic comes with the app and is not changed: your changes are saved as a topic of your own."
        )
    draw_form(name)


def draw_form(name: str) -> None:
    """Draw the fields, their errors, and the button that saves."""
    _draw_fields(name, draft_of(name))
    draft = take_fields(name)
    verdict = st.container()
    fields = draft.fields
    problems = problems_of(fields)
    saved_as = fields.name.strip()
    replaces = saved_as == name and name in own_topics()
    with st.container(horizontal=True):
        pressed = st.button(
            "Save" if replaces else "Save as a new topic",
            key="save_topic",
            type="primary",
            icon=":material/save:",
            help="Saves the topic among your own. Results with other words stay as they are.",
        )
        if draft.changed:
            draw_discard(name)
    with verdict:
        _draw_verdict(draft, problems, refused=pressed)
    if pressed and not problems:
        with refusals_said():
            if replaces:
                check_not_overtaken(name)
            topic = topic_of(fields)
            recorded("changed", "topic", topic.name, save_topic, topic, replace=replaces)
            discard(name)
            own.note_written("topic", saved_as)
            point_at(saved_as, "see")
            st.rerun()


def draw_discard(name: str) -> None:
    """Draw the button that discards the changes."""
    if st.button("Discard changes", key="discard_topic", icon=":material/delete_sweep:"):
        discard(name)
        st.rerun()


def _draw_verdict(draft: Draft, problems: Sequence[str], *, refused: bool) -> None:
    """Draw why the topic is invalid, or what it compares; ``refused``: somebody tried to save it."""
    text = "  \n".join(map(plain, problems))
    if text and refused:
        st.error(text, icon=":material/error:")
    elif text and draft.changed:
        st.warning(text, icon=":material/rule:")
    elif text:
        st.caption("Type two or more groups: a name for each, and its words, one a line.")
    else:
        st.caption(plain(topic_finding(topic_of(draft.fields))))


def _draw_fields(name: str, draft: Draft) -> None:
    left, middle = st.columns(2)
    with left:
        _text("Name", draft, "name", "Small letters, digits and hyphens.", MAX_NAME)
        _text("Language", draft, "language", "A code such as en, zh or pt-BR.")
    with middle:
        _text("Title", draft, "title", "What people read in lists.")
        st.radio(
            "What a word is in its sentence",
            ("subject", "predicate"),
            key=_held(draft, "position", draft.fields.position),
            horizontal=True,
            help="subject: of a clause, as in “The nurse said that …”. predicate: after a verb, as in “The "
            "nurse, who came, is …”. This decides which templates suit the topic.",
        )
    _draw_groups(name, draft)
    st.text_area(
        "Notes",
        key=_held(draft, "notes", draft.fields.notes),
        height=100,
        help="What a reader has to know: for example, which people the words leave out.",
    )
    with st.expander("Source, counterparts, usual lists"):
        _text("Source", draft, "source", "Where the words come from.")
        st.checkbox(
            "Words of one line are counterparts",
            key=_held(draft, "aligned", draft.fields.aligned),
            help="The first words of all groups belong together, such as he and she, then the second words, "
            "and so on. If a model cannot write a word, its counterparts are left out too.",
        )
        _one_of("Usual templates", draft, "templates", set_names(), set_titles())
        _one_of("Usual occupations", draft, "evidence", list(evidence_lists()), list_titles())


def _draw_groups(name: str, draft: Draft) -> None:
    groups = draft.fields.groups
    for start in range(0, len(groups), SIDE_BY_SIDE):
        row = groups[start : start + SIDE_BY_SIDE]
        columns = st.columns(min(SIDE_BY_SIDE, len(groups)))
        for number, (column, group) in enumerate(zip(columns, row, strict=False), start + 1):
            with column.container(border=True):
                _draw_group(name, draft, group, number)
    st.button(
        "Add a group", key="add_group", icon=":material/add:", on_click=change_groups, args=(name, None)
    )


def _draw_group(name: str, draft: Draft, group: GroupFields, number: int) -> None:
    """Draw a group's fields; labels have no name because screen readers read them verbatim."""
    called = st.text_input(
        "Group",
        key=_held(draft, f"group_{group.token}", group.name),
        help="Its name: small letters, digits, hyphens.",
    )
    # As many lines as the longest group had at first, so that the field does not grow while one writes.
    longest = max(len(group.words.splitlines()) for group in draft.begun.groups)
    lines = min(max(longest, FEWEST), MOST) if longest else MOST
    words = st.text_area(
        f"Words of group {number}, one a line",
        key=_held(draft, f"words_{group.token}", group.words),
        height=FRAME + LINE * lines,
        help="A term can have several words.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(count(sum(bool(line.strip()) for line in words.splitlines()), "word"))
        st.button(
            f"Remove {plain(called)}",
            key=f"remove_{group.token}",
            icon=":material/delete:",
            on_click=change_groups,
            args=(name, group.token),
        )


def _held(draft: Draft, field: str, value: object) -> str:
    """Return the key of a field; it begins with ``value`` and keeps what is typed."""
    key = field_key(draft, field)
    st.session_state.setdefault(key, value)
    return key


def _text(label: str, draft: Draft, field: str, help_text: str, longest: int | None = None) -> None:
    key = _held(draft, field, getattr(draft.fields, field))
    st.text_input(label, key=key, max_chars=longest, help=help_text)


def _one_of(label: str, draft: Draft, field: str, names: Sequence[str], titles: Titles) -> None:
    """Draw a menu of the names, none, and the present name."""
    value = getattr(draft.fields, field)
    st.selectbox(
        label,
        list(dict.fromkeys(["", *names, value])),
        key=_held(draft, field, value),
        format_func=lambda name: titles(name) or "none in particular",
        help="Selected in the sidebar when somebody chooses this topic.",
    )


def draw_actions(topic: Topic) -> None:
    """Draw actions on the topic as a whole."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Select in the sidebar",
            key="use_topic",
            icon=":material/arrow_back:",
            on_click=choose_topic,
            args=(topic.name,),
            help="The pages of results then show this topic, with its usual sentences and occupations.",
        )
        if may_audit():
            usual, written = usual_lists(topic), own.last_written("templates")
            # Sentences that were just written come before the usual ones, if they suit.
            templates = written if written in suiting_sets(topic, set_cards()) else usual.templates
            st.page_link(
                RUN_AN_AUDIT.file,
                label="Run with this topic",
                icon=":material/play_circle:",
                query_params={
                    "score_topic": topic.name,
                    "score_templates": templates,
                    "score_evidence": usual.evidence,
                },
            )
        st.download_button(
            "Download (TOML)",
            lambda: topic_toml(topic),
            f"{topic.name}.toml",
            "application/toml",
            key="download_topic",
            on_click="ignore",
            icon=":material/download:",
            help="The topic as a file. The command line takes it as --topic, this page under *Add a topic*.",
        )
        if may_audit() and st.button(
            "Duplicate",
            key="duplicate_topic",
            icon=":material/content_copy:",
            help="Saves a copy among your own topics and opens it.",
        ):
            with refusals_said():
                copy = copied(topic)
                recorded("changed", "topic", copy.name, save_topic, copy)
                own.note_written("topic", copy.name)
                point_at(copy.name, "edit")
                st.rerun()
        draw_delete(topic.name)


def draw_delete(name: str) -> None:
    """Delete one of the user's own topics, after confirmation."""

    def deleted() -> None:
        discard(name)
        go_to(topic_names()[0])

    own.draw_delete(name, own_topics(), delete_topic, deleted, "delete_topic", "topic")


def draw_upload() -> None:
    """Draw a pasted or uploaded topic: one file, or a list of words for each group."""
    st.subheader("Paste or upload")
    with st.expander("An example of each"):
        for what, example in EXAMPLES.items():
            st.markdown(what)
            st.code(example, language=None, wrap_lines=True)
    own.draw_upload(OWN, topic_finding, go_to, "One file, or two or more text files with one word a line.")


def go_to(name: str) -> None:
    """Choose another topic and redraw the page."""
    point_at(name, "see")
    st.rerun()
