"""What is written in the form of a topic and not saved yet; it stays while one moves between pages.

Streamlit forgets a field that is not drawn, so that every run writes the fields down here, before anything
else: what is typed can come with the same run as the press that leads away from the form.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TypeVar
from uuid import uuid4

import streamlit as st

from pcf_core.app.lists import topic_names, topics
from pcf_core.app.widgets import TOPIC_DRAFTS
from pcf_core.core.errors import TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group, Topic
from pcf_core.material.safety.text import check_name
from pcf_core.material.topics import copied, load_topic, make_topic, own_topics

NEXT = "topic_next"
NEW = ""  # the draft of a topic that is not there yet
T = TypeVar("T")
CALLED = {  # the views of the page, by their names in the code and in older addresses
    "see": "Words",
    "edit": "Edit",
    "preview": "Preview",
    "check": "Check",
    "new": "Add a topic",
    "lists": "Occupations",
}


@dataclass(frozen=True)
class GroupFields:
    """A group as it is written: its words one a line.  ``token`` tells its fields from those of others."""

    token: str
    name: str
    words: str


@dataclass(frozen=True)
class Fields:
    """A topic as it is written, right or not."""

    name: str
    title: str
    language: str
    position: str
    aligned: bool
    source: str
    notes: str
    evidence: str
    templates: str
    groups: tuple[GroupFields, ...]
    left_out: tuple[LeftOut, ...] = ()

    def says_the_same(self, other: Fields) -> bool:
        """Tell whether the other fields hold the same topic, however they are laid out."""
        one, two = (
            replace(each, groups=tuple(replace(group, token="") for group in each.groups))
            for each in (self, other)
        )
        return one == two


PLAIN_FIELDS = tuple(one.name for one in fields(Fields) if one.name not in ("groups", "left_out"))


@dataclass(frozen=True)
class Draft:
    """What is written in a topic's form.

    ``begun``: the fields as they were when they were filled, ``token``: in the keys of the fields.
    """

    token: str
    begun: Fields
    fields: Fields

    @property
    def changed(self) -> bool:
        """Tell whether something is written that is not saved."""
        return not self.fields.says_the_same(self.begun)


def _new_group(name: str, words: Iterable[str] = ()) -> GroupFields:
    """Make the fields of a group, with an identity of its own."""
    return GroupFields(uuid4().hex, name, "\n".join(words))


def _empty_fields() -> Fields:
    groups = (_new_group("first"), _new_group("second"))
    return Fields("my-topic", "", "en", "subject", False, "", "", "", "", groups)


def topic_of(fields: Fields) -> Topic:
    """Make the topic that is written."""
    facts = {field: getattr(fields, field) for field in (*PLAIN_FIELDS, "left_out") if field != "name"}
    groups = []
    for group in fields.groups:
        lines = group.words.rstrip().splitlines()
        if not fields.aligned:  # of counterparts every line counts up to the last word, to refuse gaps
            lines = [line for line in lines if line.strip()]
        groups.append(Group(name=group.name.strip(), words=tuple(lines)))
    return make_topic(fields.name.strip(), groups, **facts | {"language": fields.language.strip()})


def problems_of(fields: Fields) -> list[str]:
    """List the errors of the fields, that of the name first; empty if there is none."""
    problems: list[str] = []
    try:
        check_name(fields.name.strip(), "the name", "The topic", TopicError)
    except TopicError as error:
        problems.append(str(error))
        fields = replace(fields, name=_empty_fields().name)
    try:
        topic_of(fields)
    except TopicError as error:
        problems.append(str(error))
    return problems


def opened(name: str) -> Topic:
    """Load the topic as it is saved."""
    if name not in topic_names():
        raise TopicError(f"There is no topic named {name!r}; choose another under Topic.")
    return topics().get(name) or load_topic(name)


def draft_of(name: str) -> Draft:
    """Return what is written in a topic's form, else the topic as it is saved; ``NEW`` begins an empty one.

    What is written outlives the topic, if that is deleted meanwhile.
    """
    drafts = _drafts()
    draft = drafts.get(name)
    if draft is not None and draft.changed and is_gone(name):
        return draft
    begun = _begun(name)
    if draft is None or not (draft.changed or draft.begun.says_the_same(begun)):
        draft = drafts[name] = Draft(uuid4().hex, begun, begun)
    return draft


def field_key(draft: Draft, field: str) -> str:
    """Return the key under which a field of the form stands in the session."""
    return f"topic_{field}_{draft.token}"


def take_written() -> None:
    """Write down what the fields of all forms hold, whatever this run is going to draw."""
    for name in _drafts():
        take_fields(name)


def take_fields(name: str) -> Draft:
    """Write down what the fields of one form hold; return its draft."""
    drafts = _drafts()
    draft = drafts[name]
    fields = draft.fields
    plain = {field: _written(draft, field, getattr(fields, field)) for field in PLAIN_FIELDS}
    groups = tuple(
        GroupFields(
            group.token,
            _written(draft, f"group_{group.token}", group.name),
            _written(draft, f"words_{group.token}", group.words),
        )
        for group in fields.groups
    )
    drafts[name] = replace(draft, fields=replace(fields, groups=groups, **plain))
    return drafts[name]


def _written(draft: Draft, field: str, before: T) -> T:
    value: T = st.session_state.get(field_key(draft, field), before)
    return value


def change_groups(name: str, gone: str | None) -> None:
    """Take a group out, or add one; the other fields stay as they are written."""
    drafts = _drafts()
    fields = drafts[name].fields
    groups = tuple(group for group in fields.groups if group.token != gone)
    if gone is None:
        groups += (_new_group(f"group-{len(groups) + 1}"),)
    drafts[name] = replace(drafts[name], fields=replace(fields, groups=groups))


def is_changed(name: str) -> bool:
    """Tell whether something is written that is not saved."""
    draft = _drafts().get(name)
    return draft is not None and draft.changed


def is_gone(name: str) -> bool:
    """Tell whether the topic of a form was deleted since the form was opened."""
    return name != NEW and name not in topic_names()


def discard(name: str) -> None:
    """Forget what is written."""
    _drafts().pop(name, None)


def as_it_stands(name: str) -> Topic:
    """Return the topic as it is written where that is right, else as it is saved."""
    saved = opened(name)
    if not is_changed(name):
        return saved
    try:
        return topic_of(_drafts()[name].fields)
    except TopicError:
        return saved


def check_not_overtaken(name: str) -> None:
    """Refuse to save over what somebody else has saved since the writing began."""
    if not _drafts()[name].begun.says_the_same(_begun(name)):
        raise TopicError(
            f"The topic {name} was saved elsewhere since you began to change it: save yours under another "
            "name, or discard your changes."
        )


def point_at(name: str, view: str) -> None:
    """Let the page show another topic and view when it is drawn next."""
    st.session_state[NEXT] = {"topic_shown": name, "topic_view": CALLED[view]}


def adopt_pointed() -> None:
    """Take over what :func:`point_at` said, before the page's widgets are drawn."""
    for key, value in st.session_state.pop(NEXT, {}).items():
        st.session_state[key] = value


def _drafts() -> dict[str, Draft]:
    drafts: dict[str, Draft] = st.session_state.setdefault(TOPIC_DRAFTS, {})
    return drafts


def _begun(name: str) -> Fields:
    if name == NEW:
        return _empty_fields()
    topic = opened(name)
    if name not in own_topics():
        topic = copied(topic)
    return Fields(
        **{field: getattr(topic, field) for field in PLAIN_FIELDS},
        groups=tuple(_new_group(group.name, group.words) for group in topic.groups),
        left_out=topic.left_out,
    )
