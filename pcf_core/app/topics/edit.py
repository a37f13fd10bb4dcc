"""The form of a topic: one field a group; brought in, taken out, copied and deleted.

Nothing is kept before it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pcf_core.app import own
from pcf_core.app.addresses import RUN_AN_AUDIT
from pcf_core.app.choice import take_usual
from pcf_core.app.lists import evidence_lists, set_cards, set_names, topic_names, usual_lists
from pcf_core.app.roles import may_audit, recorded
from pcf_core.app.topics.draft import (
    Draft,
    Fields,
    GroupFields,
    check_not_overtaken,
    discard,
    draft_of,
    field_key,
    new_group,
    point_at,
    problems_of,
    topic_of,
    write_down,
)
from pcf_core.app.widgets import TOPIC_DRAFTS, plain, refusals_said
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
from pcf_core.material.safety.text import MAX_NAME
from pcf_core.material.suiting import suiting_sets
from pcf_core.material.topics import ENDINGS
from pcf_core.show.findings.numbers import count
from pcf_core.show.findings.topics import topic_finding

SIDE_BY_SIDE = 3  # groups
LINE, FRAME = 24, 40  # pixels
FEWEST, MOST = 3, 8  # lines of a field of words that are seen at once
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


def draw_edit(name: str) -> None:
    """Draw the form of an existing topic; a shipped one is the beginning of an own one."""
    if name not in own_topics():
        st.caption(
            "This topic comes with the app and stays as it is: what you write is saved as one of yours."
        )
    draw_form(name)


def draw_form(name: str) -> None:
    """Draw the fields, what is wrong with them, and the button that saves."""
    draft = draft_of(name)
    draft = write_down(name, draw_fields(name, draft))
    verdict = st.container()
    fields = draft.fields
    problems = problems_of(fields)
    kept = fields.name.strip()
    replaces = kept == name and name in own_topics()
    with st.container(horizontal=True):
        pressed = st.button(
            "Save" if replaces else "Save as a new topic",
            key="save_topic",
            type="primary",
            icon=":material/save:",
            help="Keeps the topic among your own. Results scored with other words stay as they are.",
        )
        if draft.changed:
            draw_discard(name)
    with verdict:
        draw_verdict(draft, problems, refused=pressed)
    if pressed and not problems:
        with refusals_said():
            if replaces:
                check_not_overtaken(name)
            topic = topic_of(fields)
            recorded("changed", "topic", topic.name, save_topic, topic, replace=replaces)
            discard(name)
            own.note_written("topic", kept)
            point_at(kept, "see")
            st.rerun()


def draw_discard(name: str) -> None:
    """Draw the way back to what is saved."""
    if st.button("Discard changes", key="discard_topic", icon=":material/delete_sweep:"):
        discard(name)
        st.rerun()


def draw_verdict(draft: Draft, problems: Sequence[str], *, refused: bool) -> None:
    """Draw what is wrong with what is written, in the library's sentences, or what it compares.

    ``refused``: whether it was to be saved.
    """
    said = "  \n".join(map(plain, problems))
    if said and refused:
        st.error(said, icon=":material/error:")
    elif said and draft.changed:
        st.warning(said, icon=":material/rule:")
    elif said:
        st.caption("Write two groups or more: a name, and their words one a line.")
    else:
        st.caption(plain(topic_finding(topic_of(draft.fields))))


def draw_fields(name: str, draft: Draft) -> Fields:
    """Draw the fields; return them as they are written now."""
    fields = draft.fields
    left, middle = st.columns(2)
    with left:
        kept = text("Name", draft, "name", fields.name, "Small letters, digits and hyphens.", MAX_NAME)
        language = text("Language", draft, "language", fields.language, "A code such as en, zh or pt-BR.")
    with middle:
        title = text("Title", draft, "title", fields.title, "What people read in lists.")
        position = str(
            st.radio(
                "What a word is in its sentence",
                ("subject", "predicate"),
                key=held(draft, "position", fields.position),
                horizontal=True,
                help="subject: of a clause, as in “The nurse said that …”. predicate: behind a verb, as in "
                "“The nurse, who came, is …”. It decides which templates suit.",
            )
        )
    groups = draw_groups(name, draft)
    notes = st.text_area(
        "Notes",
        key=held(draft, "notes", fields.notes),
        height=100,
        help="What a reader has to know: what the words leave out, whom they say nothing about.",
    )
    with st.expander("Source, counterparts, usual lists"):
        more = draw_more(draft)
    return replace(
        more,
        name=kept,
        title=title,
        language=language,
        position=position,
        groups=groups,
        notes=notes,
        left_out=fields.left_out,
    )


def draw_more(draft: Draft) -> Fields:
    """Draw the fields that most topics leave as they are."""
    fields = draft.fields
    source = text("Source", draft, "source", fields.source, "Where the words come from.")
    aligned = st.checkbox(
        "Words of one line are counterparts",
        key=held(draft, "aligned", fields.aligned),
        help="The first words of all groups belong together, the second, and so on, as he and she do. A word "
        "that a model cannot score then takes its counterparts with it.",
    )
    return replace(
        fields,
        source=source,
        aligned=aligned,
        templates=one_of("Usual templates", draft, "templates", fields.templates, set_names()),
        evidence=one_of("Usual occupations", draft, "evidence", fields.evidence, list(evidence_lists())),
    )


def draw_groups(name: str, draft: Draft) -> tuple[GroupFields, ...]:
    """Draw a name and a field of words for each group, three side by side."""
    groups = draft.fields.groups
    written = []
    for start in range(0, len(groups), SIDE_BY_SIDE):
        row = groups[start : start + SIDE_BY_SIDE]
        columns = st.columns(min(SIDE_BY_SIDE, len(groups)))
        for place, (column, group) in enumerate(zip(columns, row, strict=False), start + 1):
            with column.container(border=True):
                written.append(draw_group(name, draft, group, place))
    st.button(
        "Add a group", key="add_group", icon=":material/add:", on_click=change_groups, args=(name, None)
    )
    return tuple(written)


def draw_group(name: str, draft: Draft, group: GroupFields, place: int) -> GroupFields:
    """Draw the fields of a group; screen readers say labels verbatim, so they hold no name."""
    called = text(
        "Group", draft, f"group_{group.token}", group.name, "Its name: small letters, digits, hyphens."
    )
    words = st.text_area(
        f"Words of group {place}, one a line",
        key=held(draft, f"words_{group.token}", group.words),
        height=FRAME + LINE * lines_seen(draft),
        help="A term of several words is scored whole.",
    )
    number = sum(bool(line.strip()) for line in words.splitlines())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(count(number, "word"))
        st.button(
            f"Remove {plain(called)}",
            key=f"remove_{group.token}",
            icon=":material/delete:",
            on_click=change_groups,
            args=(name, group.token),
        )
    return GroupFields(group.token, called, words)


def lines_seen(draft: Draft) -> int:
    """Return the height in lines: as many as the longest group began with, within limits.

    So the fields do not grow while one writes.
    """
    longest = max(len(group.words.splitlines()) for group in draft.begun.groups)
    return min(max(longest, FEWEST), MOST) if longest else MOST


def change_groups(name: str, gone: str | None) -> None:
    """Take a group out, or add one; the other fields stay as they are written."""
    draft: Draft = st.session_state[TOPIC_DRAFTS][name]
    groups = tuple(group for group in draft.fields.groups if group.token != gone)
    if gone is None:
        groups += (new_group(f"group-{len(groups) + 1}"),)
    write_down(name, replace(draft.fields, groups=groups))


def held(draft: Draft, field: str, value: object) -> str:
    """Return the key of a field, which begins with a value and keeps what is written into it."""
    key = field_key(draft, field)
    st.session_state.setdefault(key, value)
    return key


def text(label: str, draft: Draft, field: str, value: str, help_text: str, longest: int | None = None) -> str:
    """Draw a text field of the form; return its content."""
    return st.text_input(label, key=held(draft, field, value), max_chars=longest, help=help_text)


def one_of(label: str, draft: Draft, field: str, value: str, names: Sequence[str]) -> str:
    """Draw a choice of one of the names or none; a name that is not among them stays."""
    return str(
        st.selectbox(
            label,
            list(dict.fromkeys(["", *names, value])),
            key=held(draft, field, value),
            format_func=lambda name: name or "none in particular",
            help="What the sidebar begins with when somebody chooses this topic.",
        )
    )


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
    with refusals_said():
        recorded("changed", "topic", topic.name, save_topic, topic)
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
