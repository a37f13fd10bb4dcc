"""Topics (Y): groups of words, from ``assets/topics/*.toml`` or a user's file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from pcf_core.errors import TopicError
from pcf_core.records import Group, LeftOut, Topic
from pcf_core.topics.groups import check_groups, groups_of
from pcf_core.topics.products import product_groups
from pcf_core.topics.reading import label, title_of
from pcf_core.topics.shelves import Shelf, name_of
from pcf_core.topics.text import check_language, check_left_out, check_name, check_text, listed, shown
from pcf_core.topics.topic_files import ENDINGS, read_topic

FIRST = "gender"
SHELF = Shelf("topic", "topics", (".toml",), ENDINGS, TopicError, keeps_own=True)
KEYS = (*Topic.model_fields, "product")
POSITIONS = get_args(Topic.model_fields["position"].annotation)


def list_topics() -> tuple[Topic, ...]:
    """Every shipped topic, by name, gender first: where nothing is chosen, it is what the app begins with.
    The calibration stands last of them; then come the user's own, of which damaged ones are left out.

    Raises:
        TopicError: a shipped file is damaged.
    """
    shipped = tuple(load_topic(name) for name in sorted(SHELF.shipped(), key=lambda name: name != FIRST))
    return shipped + SHELF.readable(load_topic)


def left_out_topics() -> tuple[LeftOut, ...]:
    """The user's own topics that cannot be read or reached, with the reason."""
    return SHELF.left_out(load_topic)


def load_topic(name_or_path: str | Path) -> Topic:
    """A shipped topic by its name, else one of the user's own, else a file: TOML, JSON, CSV or text.

    TOML and JSON have the same keys: ``name``, ``title``, ``language``, ``aligned`` (whether the i-th words
    of all groups are counterparts), ``evidence`` and ``templates`` (names of the lists to begin with),
    ``position`` (``subject`` or ``predicate``: what a word is at ``[Y]``), ``source``, ``notes``, two or
    more ``groups`` with ``name`` and ``words``, and ``left_out`` with ``name`` and ``reason``.  Only the
    groups must be there; in their place ``product`` may make them of factors, each the name of a shipped
    topic or a list of groups (:func:`~pcf_core.topics.products.product_groups`).  CSV has the columns
    ``group`` and ``word``, a row for every word; the papers' published lists are read too
    (:mod:`~pcf_core.topics.topic_files`).  Such a topic is English and its words are subjects.  One of the
    user's own has the name of its file.

    Raises:
        TopicError: unknown, unreadable, or refused by :func:`make_topic`.
    """
    return _load(SHELF.find(name_or_path))


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
        TopicError: groups that :func:`~pcf_core.topics.groups.check_groups` refuses, a text over 64 KB, a
            name that is not safe in files and links.
    """
    if not isinstance(aligned, bool):
        raise TopicError(f"{where}: aligned is {shown(aligned)}; write true or false.")
    if position not in POSITIONS:
        raise TopicError(f"{where}: the position is {shown(position)}; write subject or predicate.")
    checked = check_groups(groups, aligned, where)
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


def _load(path: Path, *, factor_of: str = "") -> Topic:
    """The topic of a file; ``factor_of``: the file whose product names it."""
    where = label(path)
    table = read_topic(path, KEYS)
    product = table.pop("product", None)
    written = table.pop("name", name_of(path))
    name = path.stem if path.parent == SHELF.own_folder else written
    if product is None:
        groups = groups_of(table.pop("groups", []), where)
    elif factor_of:
        raise TopicError(
            f"{factor_of}: the topic {shown(name)} is a product itself; name its factors instead."
        )
    elif table.pop("groups", []):
        raise TopicError(
            f"{where} has groups and a product: a product makes all groups, so write one of them."
        )
    else:
        language = check_language(table.get("language", "en"), where, TopicError)
        groups = product_groups(product, language, lambda factor: _factor(factor, where), where)
    return make_topic(name, groups, where=where, **{"title": title_of(path), **table})


def _factor(name: str, where: str) -> Topic:
    shipped = SHELF.shipped()
    if name not in shipped:
        raise TopicError(
            f"{where}: {shown(name)} is no shipped topic, of which a product can be made: use "
            f"{listed(sorted(shipped))}, or list its groups."
        )
    return _load(shipped[name], factor_of=where)
