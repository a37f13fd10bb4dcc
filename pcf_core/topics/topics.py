"""Topics (Y): groups of words, from ``assets/topics/*.toml`` or a user's file of the same form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pcf_core.errors import TopicError
from pcf_core.records import Group, LeftOut, Topic
from pcf_core.topics.reading import Shelf, label, name_of, read_toml, title_of
from pcf_core.topics.text import (
    check_language,
    check_left_out,
    check_name,
    check_text,
    check_word,
    first_duplicate,
    shown,
)

MAX_WORDS = 5_000
FIRST = "gender"
SHELF = Shelf("topic", "topics", (".toml",), (".toml",), TopicError)
KEYS = tuple(Topic.model_fields)
POSITIONS = get_args(Topic.model_fields["position"].annotation)


def list_topics() -> tuple[Topic, ...]:
    """Every shipped topic, by name, gender first: where nothing is chosen, it is what the app begins with.
    The calibration stands last.

    Raises:
        TopicError: a shipped file is damaged.
    """
    names = sorted(SHELF.names(), key=lambda name: name != FIRST)
    return tuple(load_topic(name) for name in names)


def load_topic(name_or_path: str | Path) -> Topic:
    """A shipped topic by its name, or a user's TOML file.

    The file: ``name``, ``title``, ``language``, ``aligned`` (whether the i-th words of all groups are
    counterparts), ``evidence`` and ``templates`` (names of the lists to begin with), ``position``
    (``subject`` or ``predicate``: what a word is at ``[Y]``), ``source``, ``notes``, two or more
    ``[[groups]]`` with ``name`` and ``words``, and ``[[left_out]]`` with ``name`` and ``reason``.  Only the
    groups must be there.

    Raises:
        TopicError: unknown, unreadable, or refused by :func:`make_topic`.
    """
    path = SHELF.find(name_or_path)
    table = read_toml(path, KEYS, TopicError)
    groups = _groups(table.pop("groups", []), label(path))
    name = table.pop("name", name_of(path))
    return make_topic(name, groups, where=label(path), **{"title": title_of(path), **table})


def make_topic(
    name: str,
    groups: Sequence[Group],
    *,
    title: str = "",
    aligned: bool = False,
    language: str = "en",
    source: str = "",
    notes: str = "",
    left_out: Sequence[LeftOut] = (),
    evidence: str = "",
    templates: str = "",
    position: str = "subject",
    where: str = "The topic",
) -> Topic:
    """A topic whose every part was checked; words are normalised (NFC, white space), case is kept.

    Raises:
        TopicError: under two groups, over 5,000 words, a group without words, an empty word, a word twice in
            a group, or in two groups (there compared without case), aligned groups of unequal length, a name
            that is not safe in files and links.
    """
    if not isinstance(aligned, bool):
        raise TopicError(f"{where}: aligned is {shown(aligned)}; write true or false.")
    if position not in POSITIONS:
        raise TopicError(f"{where}: the position is {shown(position)}; write subject or predicate.")
    checked = _check_groups(groups, aligned, where)
    for value, what in ((evidence, "evidence"), (templates, "templates")):
        if value != "":
            check_name(value, what, where, TopicError)
    name = check_name(name, "the name", where, TopicError)
    return Topic(
        name=name,
        title=check_text(title, "the title", where, TopicError) or name,
        groups=checked,
        aligned=aligned,
        language=check_language(language, where, TopicError),
        source=check_text(source, "the source", where, TopicError),
        notes=check_text(notes, "the notes", where, TopicError),
        left_out=check_left_out(left_out, where, TopicError),
        evidence=evidence,
        templates=templates,
        position=position,
    )


def _groups(entries: object, where: str) -> tuple[Group, ...]:
    """The ``[[groups]]`` of a file as records, their types checked and nothing else."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TopicError(f"{where}: groups must be written as [[groups]], each with a name and words.")
    return tuple(_group(entry, where) for entry in entries)


def _group(entry: dict[str, Any], where: str) -> Group:
    if set(entry) != {"name", "words"}:
        raise TopicError(f"{where}: each of [[groups]] needs a name and words, nothing else.")
    name, words = entry["name"], entry["words"]
    if not isinstance(name, str):
        raise TopicError(f"{where}: the name of a group is {shown(name)}; write it in quotation marks.")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TopicError(f"{where}: the words of {shown(name)} must be a list of texts in quotation marks.")
    return Group(name=name, words=tuple(words))


def _check_groups(groups: Sequence[Group], aligned: bool, where: str) -> tuple[Group, ...]:
    if len(groups) < 2:
        raise TopicError(f"{where} has {len(groups)} groups: a topic compares at least two.")
    total = sum(len(group.words) for group in groups)
    if total > MAX_WORDS:
        raise TopicError(f"{where} has {total:,} words: at most {MAX_WORDS:,} are allowed.")
    checked = tuple(_check_group(group, where) for group in groups)
    twice = first_duplicate(group.name for group in checked)
    if twice is not None:
        raise TopicError(f"{where}: two groups are called {shown(twice)}; give each its own name.")
    owner: dict[str, str] = {}
    for group in checked:
        for word in group.words:
            other = owner.setdefault(word.casefold(), group.name)
            if other != group.name:
                raise TopicError(
                    f"{where}: {shown(word)} is in the groups {other} and {group.name}; "
                    f"a word must belong to one group, so remove it from the other or from both."
                )
    lengths = [len(group.words) for group in checked]
    if aligned and len(set(lengths)) > 1:
        raise TopicError(
            f"{where} is aligned, but its groups have {', '.join(map(str, lengths))} words: "
            f"give each word its counterpart or write aligned = false."
        )
    return checked


def _check_group(group: Group, where: str) -> Group:
    name = check_name(group.name, "the name of a group", where, TopicError)
    words = tuple(check_word(word, f"a word of the group {name}", where, TopicError) for word in group.words)
    if not words:
        raise TopicError(f"{where}: the group {name} has no words; add one or remove the group.")
    twice = first_duplicate(words)
    if twice is not None:
        raise TopicError(f"{where}: {shown(twice)} stands twice in the group {name}; write it once.")
    return Group(name=name, words=words)
