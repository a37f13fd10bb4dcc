"""Unsaved drafts of topics, which stay while one moves between pages.

Streamlit forgets fields that are not drawn, so every run first stores the fields here: text can arrive with
the same run as the press that leaves the form.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TypeVar
from uuid import uuid4

import streamlit as st

from pcf_core.app import widgets
from pcf_core.app.lists import topic_names, topics
from pcf_core.app.widgets import OVERTAKEN, TOPIC_DRAFTS
from pcf_core.core.errors import TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group, Topic
from pcf_core.material.safety.text import check_name
from pcf_core.material.topics import copied, load_topic, make_topic, own_topics

NEW = ""  # the draft of a new topic
T = TypeVar("T")
CALLED = {  # views of the page, by their names in code and earlier addresses
    "see": "Words",
    "edit": "Edit",
    "preview": "Preview",
    "check": "Check",
    "new": "Add a topic",
    "lists": "Occupations",
}


@dataclass(frozen=True)
class GroupFields:
    """A group as typed, one word a line; ``token``: identifies its fields."""

    token: str
    name: str
    words: str


@dataclass(frozen=True)
class Fields:
    """A topic as typed, valid or not."""

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
    favourable: tuple[str, ...] = ()
    unfavourable: tuple[str, ...] = ()

    def says_the_same(self, other: Fields) -> bool:
        """Return whether both hold the same topic, whatever their tokens."""
        one, two = (
            replace(each, groups=tuple(replace(group, token="") for group in each.groups))
            for each in (self, other)
        )
        return one == two


CARRIED = ("left_out", "favourable", "unfavourable")  # as they are, because the form does not have them
PLAIN_FIELDS = tuple(one.name for one in fields(Fields) if one.name not in ("groups", *CARRIED))


@dataclass(frozen=True)
class Draft:
    """The form of a topic; ``begun``: its fields at first; ``token``: in the keys of its fields."""

    token: str
    begun: Fields
    fields: Fields

    @property
    def changed(self) -> bool:
        """Whether there are unsaved changes."""
        return not self.fields.says_the_same(self.begun)


def _new_group(name: str, words: Iterable[str] = ()) -> GroupFields:
    return GroupFields(uuid4().hex, name, "\n".join(words))


def _empty_fields() -> Fields:
    groups = (_new_group("first"), _new_group("second"))
    return Fields("my-topic", "", "en", "subject", False, "", "", "", "", groups)


def topic_of(fields: Fields) -> Topic:
    """Make the topic of these fields."""
    facts = {field: getattr(fields, field) for field in (*PLAIN_FIELDS, *CARRIED) if field != "name"}
    groups = []
    for group in fields.groups:
        lines = group.words.rstrip().splitlines()
        if not fields.aligned:  # of counterparts empty lines count, so that gaps are refused
            lines = [line for line in lines if line.strip()]
        groups.append(Group(name=group.name.strip(), words=tuple(lines)))
    return make_topic(fields.name.strip(), groups, **facts | {"language": fields.language.strip()})


def problems_of(fields: Fields) -> list[str]:
    """List the errors of the fields, the name's first."""
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
    """Load the topic as saved."""
    if name not in topic_names():
        raise TopicError(f"There is no topic named {name!r}; choose another under Topic.")
    return topics().get(name) or load_topic(name)


def draft_of(name: str) -> Draft:
    """Return the draft of a topic (kept if changed), else the saved topic; ``NEW`` begins an empty one."""
    drafts = _drafts()
    draft = drafts.get(name)
    if draft is not None and draft.changed and is_gone(name):
        return draft
    begun = _begun(name)
    if draft is None or not (draft.changed or draft.begun.says_the_same(begun)):
        draft = drafts[name] = Draft(uuid4().hex, begun, begun)
    return draft


def field_key(draft: Draft, field: str) -> str:
    """Return the session key of a field of the form."""
    return f"topic_{field}_{draft.token}"


def take_written() -> None:
    """Store what the fields of all forms hold, whatever this run draws."""
    for name in _drafts():
        take_fields(name)


def take_fields(name: str) -> Draft:
    """Store what the fields of one form hold; return its draft."""
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
    """Remove the group with the token ``gone``, or add one if it is ``None``."""
    drafts = _drafts()
    fields = drafts[name].fields
    groups = tuple(group for group in fields.groups if group.token != gone)
    if gone is None:
        groups += (_new_group(f"group-{len(groups) + 1}"),)
    drafts[name] = replace(drafts[name], fields=replace(fields, groups=groups))


def is_changed(name: str) -> bool:
    """Return whether a form has unsaved changes."""
    draft = _drafts().get(name)
    return draft is not None and draft.changed


def is_gone(name: str) -> bool:
    """Return whether a form's topic was deleted since it was opened."""
    return name != NEW and name not in topic_names()


def discard(name: str) -> None:
    """Discard a draft."""
    _drafts().pop(name, None)


def as_it_stands(name: str) -> Topic:
    """Return the draft's topic if it is valid, else the saved one."""
    saved = opened(name)
    if not is_changed(name):
        return saved
    try:
        return topic_of(_drafts()[name].fields)
    except TopicError:
        return saved


def check_not_overtaken(name: str) -> None:
    """Refuse to save over what somebody else has saved since the draft began."""
    if not _drafts()[name].begun.says_the_same(_begun(name)):
        raise TopicError(f"The topic {name} {OVERTAKEN}")


def point_at(name: str, view: str) -> None:
    """Choose a topic and view for the next run of the script."""
    widgets.point_at({"topic_shown": name, "topic_view": CALLED[view]})


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
        **{field: getattr(topic, field) for field in (*PLAIN_FIELDS, *CARRIED)},
        groups=tuple(_new_group(group.name, group.words) for group in topic.groups),
    )
