"""The user's own topics: TOML files in the folder ``topics`` of the cache.

They are found by name after the shipped ones, whose names they cannot take.  A topic that was changed is
another one to the store: its hash is that of its groups and words, and a run keeps the topic that it was
asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pcf_core.errors import StoreError, TopicError
from pcf_core.records import Group, Topic
from pcf_core.topics.reading import MOST_NAMED, name_of, read_text, safe_name, title_of
from pcf_core.topics.text import MAX_NAME, check_name, listed, normalise, shown
from pcf_core.topics.toml import toml_lines
from pcf_core.topics.topic_files import ENDINGS
from pcf_core.topics.topics import SHELF, load_topic, make_topic
from pcf_core.topics.whole_files import upload_label, uploaded, write_whole

LIST = ".txt"  # the published form: a group's words one a line, the file named after the group
UPLOADS = (*ENDINGS, LIST)
OWN_ENDING = re.compile(r"-own(-\d+)?$")
ROOM_FOR_ENDING = 10  # characters: "-own-99999"


def own_topics() -> tuple[str, ...]:
    """Names of the user's own topics, damaged ones among them."""
    return tuple(SHELF.own())


def save_topic(topic: Topic, *, replace: bool = False) -> Topic:
    """Keep a topic under its name, whole or not at all; the answer is what was kept.

    Saving again what is there changes nothing.  ``replace``: another of the user's topics of that name goes.

    Raises:
        TopicError: the name is not safe or taken, or :func:`~pcf_core.topics.topics.make_topic` refuses it.
        StoreError: the disk is full, or the folder cannot be written.
    """
    checked = checked_topic(topic)
    check_new_topic_name(topic.name, replace=replace or _is_kept(checked))
    path = SHELF.own_folder / f"{topic.name}.toml"
    try:
        if not write_whole(path, topic_toml(checked).encode(), replace=topic.name in SHELF.own()) and (
            not _is_kept(checked)
        ):
            check_new_topic_name(topic.name)  # another app was quicker
    except OSError as problem:
        raise StoreError(_sentence("saved", topic.name, problem)) from problem
    return checked


def checked_topic(topic: Topic) -> Topic:
    """The topic normalised.

    Raises:
        TopicError: :func:`~pcf_core.topics.topics.make_topic` refuses it.
    """
    facts = {field: getattr(topic, field) for field in Topic.model_fields if field not in ("name", "groups")}
    return make_topic(topic.name, topic.groups, where="The topic to save", **facts)


def check_new_topic_name(name: str, *, replace: bool = False) -> None:
    """Refuse a name that a new topic cannot have.

    Raises:
        TopicError: it is not safe in files and links, a shipped topic has it, or, without ``replace``, one of
            the user's.
    """
    check_name(name, "the name", "The topic to save", TopicError)
    if name in SHELF.shipped():
        raise TopicError(f"The name {name} belongs to a shipped topic: choose another.")
    if name in SHELF.own() and not replace:
        raise TopicError(f"There is a topic of yours named {name}: choose another name or delete it.")


def free_topic_name(name: str) -> str:
    """A name made of this one that no topic has: gender-own, gender-own-2, …"""
    taken = set(SHELF.names())
    stem = OWN_ENDING.sub("", name)[: MAX_NAME - ROOM_FOR_ENDING]
    found, number = f"{stem}-own", 1
    while found in taken:
        number += 1
        found = f"{stem}-own-{number}"
    return found


def copied(topic: Topic) -> Topic:
    """The topic under a free name; its source says whose copy it is, for its words may change."""
    source = f"Made from the topic {topic.name}. {topic.source}".strip()
    return topic.model_copy(update={"name": free_topic_name(topic.name), "source": source})


def delete_topic(name: str) -> None:
    """Delete one of the user's own topics; results that were scored with it stay readable.

    Raises:
        TopicError: none of the user's topics has that name.
        StoreError: the folder cannot be written.
    """
    own = SHELF.own()
    if name not in own:
        kind = "is a shipped topic, which stays" if name in SHELF.shipped() else "is none of your topics"
        raise TopicError(f"{shown(name)} {kind}: you can delete {listed(own)}.")
    try:
        own[name].unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(_sentence("deleted", name, problem)) from problem


def topic_toml(topic: Topic) -> str:
    """The topic as a TOML file, which :func:`~pcf_core.topics.topics.load_topic` reads as the same topic."""
    facts = topic.model_dump(mode="json")
    groups, left_out = facts.pop("groups"), facts.pop("left_out")
    parts = [toml_lines(facts)]
    parts += [f"[[groups]]\n{toml_lines(group)}" for group in groups]
    parts += [f"[[left_out]]\n{toml_lines(item)}" for item in left_out]
    return "\n".join(parts)


def load_topic_upload(files: Sequence[tuple[str, bytes]]) -> Topic:
    """A topic from uploaded files, each its name and content; nothing of them is kept.

    One TOML, JSON or CSV file, as :func:`~pcf_core.topics.topics.load_topic` reads it; or two or more text
    files, one for each group and named after it, with one word a line, as word lists are published.

    Raises:
        TopicError: no file, another kind of file, kinds mixed, or refused by ``load_topic``.
        StoreError: there is no room for temporary files.
    """
    names = [upload_label(name) for name, _ in files]
    endings = {Path(name).suffix.lower() for name in names}
    for name in names:
        if Path(name).suffix.lower() not in UPLOADS:
            raise TopicError(f"{shown(name)} is no {' or '.join(UPLOADS)} file: save the topic as one.")
    if endings == {LIST} and len(files) > 1:
        return _of_lists(files)
    if len(files) != 1 or endings == {LIST}:
        raise TopicError(
            f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one .toml, .json or "
            ".csv file, or a text file for each of two or more groups."
        )
    with uploaded(names[0], files[0][1]) as path:
        return load_topic(path)


def _of_lists(files: Sequence[tuple[str, bytes]]) -> Topic:
    """A topic of text files; its name is made of theirs."""
    groups = []
    names = [upload_label(name) for name, _ in files]
    for name, (_, data) in zip(names, files, strict=True):
        with uploaded(name, data) as path:
            lines = read_text(path, TopicError).splitlines()
        words = tuple(word for line in lines if (word := normalise(line)))
        groups.append(Group(name=name_of(Path(name)), words=words))
    name = safe_name("-".join(group.name for group in groups))
    title = " and ".join(title_of(Path(name)) for name in names)
    where = (
        f"The topic of {listed(names)}" if len(names) <= MOST_NAMED else f"The topic of {len(names)} files"
    )
    return make_topic(name, groups, title=title, where=where)


def _is_kept(topic: Topic) -> bool:
    """Whether the very same topic is there already."""
    try:
        return topic.name in SHELF.own() and load_topic(topic.name) == topic
    except TopicError:  # what is there is damaged
        return False


def _sentence(what: str, name: str, problem: OSError) -> str:
    reason = problem.strerror or "input/output error"
    return (
        f"The topic {name} cannot be {what} in {SHELF.own_folder} ({reason}): make room and the folder "
        "writable, or set PCF_CACHE to another folder."
    )
