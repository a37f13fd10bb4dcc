"""The user's own topics: TOML files in the folder ``topics`` of the cache.

They are found by name after the shipped ones, whose names they cannot take.  A topic that was changed is
another one to the store: its hash is that of its groups and words, and a run keeps the topic that it was
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pcf_core.core.errors import TopicError
from pcf_core.core.topics import Group, Topic
from pcf_core.material.own_files import OwnFiles, toml_lines
from pcf_core.material.safety.reading import read_text, title_of
from pcf_core.material.safety.text import listed, normalise
from pcf_core.material.safety.whole_files import check_ending, upload_label, uploaded
from pcf_core.material.shelves import MOST_NAMED, name_of, safe_name
from pcf_core.material.topics import ENDINGS, LINES, SHELF, load_topic, make_topic


def own_topics() -> tuple[str, ...]:
    """List the names of the user's own topics, damaged ones among them."""
    return OWN.names()


def save_topic(topic: Topic, *, replace: bool = False) -> Topic:
    """Keep a topic under its name, whole or not at all; see :meth:`OwnFiles.save`."""
    return OWN.save(topic, replace=replace)


def checked_topic(topic: Topic) -> Topic:
    """Return the topic normalised.

    Raises
    ------
    TopicError
        :func:`~pcf_core.material.topics.make_topic` refuses it.
    """
    facts = {field: getattr(topic, field) for field in Topic.model_fields if field not in ("name", "groups")}
    return make_topic(topic.name, topic.groups, where="The topic to save", **facts)


def free_topic_name(name: str) -> str:
    """Derive from a name one that no topic has: gender-own, gender-own-2 and so on."""
    return OWN.free_name(name)


def copied(topic: Topic) -> Topic:
    """Copy the topic under a free name; title and source say whose copy it is, for its words may change."""
    source = f"Made from the topic {topic.name}. {topic.source}".strip()
    return topic.model_copy(
        update={
            "name": free_topic_name(topic.name),
            "title": f"{topic.title} (own copy)",
            "source": source,
            "spells": "",
        }
    )


def delete_topic(name: str) -> None:
    """Delete one of the user's own topics; see :meth:`OwnFiles.delete`."""
    OWN.delete(name)


def topic_toml(topic: Topic) -> str:
    """Write a topic as TOML; :func:`~pcf_core.material.topics.load_topic` reads it as the same topic."""
    facts = topic.model_dump(mode="json")
    groups, left_out = facts.pop("groups"), facts.pop("left_out")
    parts = [toml_lines(facts)]
    parts += [f"[[groups]]\n{toml_lines(group)}" for group in groups]
    parts += [f"[[left_out]]\n{toml_lines(item)}" for item in left_out]
    return "\n".join(parts)


def load_topic_upload(files: Sequence[tuple[str, bytes]]) -> Topic:
    """Load a topic from uploaded files, each its name and content; nothing of them is kept.

    One file, as :func:`~pcf_core.material.topics.load_topic` reads it; or two or more text files, one for
    each group and named after it, with one word a line, as word lists are published.

    Raises
    ------
    TopicError
        No file, another kind of file, kinds mixed, or refused by ``load_topic``.
    StoreError
        There is no room for temporary files.
    """
    names = [upload_label(name) for name, _ in files]
    endings = {Path(name).suffix.lower() for name in names}
    for name in names:
        check_ending(name, ENDINGS, "topic", TopicError)
    if endings == {LINES} and len(files) > 1:
        return _of_lists(files)
    if len(files) != 1:
        raise TopicError(
            f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one, or a text file "
            "for each of two or more groups."
        )
    with uploaded(names[0], files[0][1]) as path:
        return load_topic(path)


def _of_lists(files: Sequence[tuple[str, bytes]]) -> Topic:
    """Make a topic of text files, named after them."""
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


OWN = OwnFiles(SHELF, lambda topic: topic_toml(topic).encode(), load_topic, checked_topic)
