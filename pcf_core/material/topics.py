"""Topics (Y): groups of words, from ``assets/topics/*.toml`` or a user's file.

Groups may be products of the groups of two or more factors, such as race × gender.

**A topic's file: TOML, JSON with the same keys, CSV with a row for every word, or the papers' lists.**  The
papers' authors publish their words without names of groups: text with a line for each group and commas
between its words, or JSON with a list of words, each a group.  A group is then called after its first word.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, get_args

from pcf_core.core.errors import TopicError
from pcf_core.core.records import LeftOut, made
from pcf_core.core.topics import Group, Topic
from pcf_core.material.safety.reading import (
    label,
    read_json,
    read_json_value,
    read_table,
    read_text,
    read_toml,
    title_of,
)
from pcf_core.material.safety.text import (
    check_language,
    check_left_out,
    check_name,
    check_text,
    check_word,
    first_duplicate,
    listed,
    looks,
    normalise,
    shown,
)
from pcf_core.material.shelves import Shelf, name_of, safe_name

# A topic's file: TOML, JSON with the same keys, CSV with a row for every word, or the papers' lists.


LINES = ".txt"
UNNAMED = "own"  # what safe_name makes of a word without a letter of ASCII
ENDINGS = (".toml", ".json", ".csv", LINES)


def read_topic(path: Path, keys: Collection[str]) -> dict[str, Any]:
    """Read a file by key, with only its form checked; of CSV, text and lists the groups alone.

    Raises
    ------
    TopicError
        The file cannot be read, is malformed, or has a key or column that is not known.
    """
    ending = path.suffix.lower()
    if ending == LINES:
        return {"groups": _called_after_first(_lines(path))}
    if ending == ".json":
        value = read_json_value(path, TopicError)
        if isinstance(value, list):
            return {"groups": _called_after_first(_lists(value, label(path)))}
        return read_json(path, keys, TopicError)
    if ending == ".toml":
        return read_toml(path, keys, TopicError)
    words: dict[str, list[str]] = {}
    for _, row in read_table(path, ("group", "word"), (), TopicError, {}):
        words.setdefault(row["group"].strip(), []).append(row["word"])
    return {"groups": [{"name": name, "words": found} for name, found in words.items()]}


def _lines(path: Path) -> list[list[str]]:
    """Return the words of each line that has some."""
    lines = [
        [normalise(word) for word in line.split(",")]
        for line in read_text(path, TopicError).splitlines()
        if line.strip()
    ]
    if all(len(words) == 1 for words in lines):  # one group's list, or many groups? nobody can tell
        raise TopicError(
            f"{label(path)} has no line with a comma: write a line for each group with commas between its "
            "words, or give a text file for each of two or more groups, with one word a line."
        )
    return lines


def _lists(values: Sequence[object], where: str) -> list[list[str]]:
    """Return the words of each group: a word alone, or a list of words."""
    found = [[value] if isinstance(value, str) else value for value in values]
    for words in found:
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise TopicError(
                f"{where}: a list must hold the groups, each a word or a list of words in quotation marks."
            )
    return found  # type: ignore[return-value]


def _called_after_first(groups: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Name the groups after their first words; number them where those make no distinct names.

    Chinese words, for example, make none.
    """
    names = [safe_name(words[0]) for words in groups]
    if UNNAMED in names or first_duplicate(names) is not None:
        names = [f"group-{place + 1}" for place in range(len(groups))]
    return [{"name": name, "words": list(words)} for name, words in zip(names, groups, strict=True)]


# Groups of words: as a file writes them, and the rules that they must obey together.


MAX_WORDS = 5_000
MAX_GROUPS = 300  # more are written in no form; the longest shipped list, X and Y swapped, has 257


def groups_of(entries: object, where: str) -> tuple[Group, ...]:
    """Read the ``groups`` of a file as records, with only their types checked.

    Raises
    ------
    TopicError
        No list of tables with a name and words.
    """
    if not isinstance(entries, list):
        raise TopicError(f"{where}: groups must be a list, each of them with a name and words.")
    return tuple(
        made(Group, entry, f"{where}, group {place}", TopicError) for place, entry in enumerate(entries, 1)
    )


def check_groups(groups: Sequence[Group], aligned: bool, where: str) -> tuple[Group, ...]:
    """Return the groups with normalised words.

    Words of one group may differ in case alone: models read "Asian" and "asian" apart.  In two groups they
    may not: a model without case could not tell the groups.  Nor may they look the same there, such as *he*
    in Latin and in Cyrillic letters: a reader could not tell the groups.

    Raises
    ------
    TopicError
        Under two groups or over 300, over 5,000 words, a group without words, an empty word, a word twice in
        a group, or in two groups, two groups of one name, aligned groups of unequal length.
    """
    if len(groups) < 2:
        found = "1 group" if groups else "no groups"
        raise TopicError(f"{where} has {found}: a topic compares at least two.")
    if len(groups) > MAX_GROUPS:
        raise TopicError(f"{where} has {len(groups):,} groups: at most {MAX_GROUPS} are compared.")
    check_number(sum(len(group.words) for group in groups), where)
    checked = tuple(_check_group(group, where) for group in groups)
    twice = first_duplicate(group.name for group in checked)
    if twice is not None:
        raise TopicError(f"{where}: two groups are called {shown(twice)}; give each its own name.")
    owner: dict[str, tuple[str, str]] = {}
    for group in checked:
        for word in group.words:
            for form in (word.casefold(), looks(word)):
                other, there = owner.setdefault(form, (group.name, word))
                if other == group.name:
                    continue
                alike = "" if there.casefold() == word.casefold() else f" (it looks like {there!a})"
                raise TopicError(
                    f"{where}: {shown(word)}{alike} is in the groups {other} and {group.name}; "
                    f"a word must belong to one group, so remove it from the other or from both."
                )
    lengths = sorted({len(group.words) for group in checked})
    if aligned and len(lengths) > 1:
        raise TopicError(
            f"{where} is aligned, but its groups have {lengths[0]} to {lengths[-1]} words: "
            f"give each word its counterpart or write aligned = false."
        )
    return checked


def check_number(words: int, where: str) -> None:
    """Refuse a topic of too many words.

    Raises
    ------
    TopicError
        Over 5,000.
    """
    if words > MAX_WORDS:
        raise TopicError(f"{where} has {words:,} words: at most {MAX_WORDS:,} are allowed.")


def _check_group(group: Group, where: str) -> Group:
    name = check_name(group.name, "the name of a group", where, TopicError)
    words = tuple(check_word(word, f"a word of the group {name}", where, TopicError) for word in group.words)
    if not words:
        raise TopicError(f"{where}: the group {name} has no words; add one or remove the group.")
    twice = first_duplicate(words)
    if twice is not None:
        raise TopicError(f"{where}: {shown(twice)} stands twice in the group {name}; write it once.")
    return Group(name=name, words=words)


# Intersections: groups that are products of the groups of two or more factors, such as race × gender.


WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my"})  # languages that put none between words


def product_groups(
    factors: object, language: str, find: Callable[[str], Topic], where: str
) -> tuple[Group, ...]:
    """Make every combination of one group of each factor, the last factor changing fastest.

    A factor is the name of a topic, which ``find`` answers, or a list of groups: each a table with ``name``
    and ``words``, or one word that is its name, too.  The words of a combination are every word of the first
    group before every word of the next, with a space between them (none in Chinese, Japanese, Thai, Lao,
    Khmer and Burmese): white {white} and black {black, african} × man {man} and woman {woman} gives
    white-man {white man}, white-woman {white woman}, black-man {black man, african man} and black-woman.

    Raises
    ------
    TopicError
        Under two factors, a factor that is no topic and no list of groups, over 5,000 words together, groups
        of a factor that :func:`~pcf_core.material.topics.check_groups` refuses.
    """
    if not isinstance(factors, list) or len(factors) < 2:
        raise TopicError(
            f"{where}: product must be a list of two or more, each the name of a topic or a list of groups."
        )
    parts = [
        _factor_groups(factor, language, find, f"{where}, part {place} of the product")
        for place, factor in enumerate(factors, 1)
    ]
    check_number(math.prod(sum(len(group.words) for group in part) for part in parts), where)
    space = "" if language.split("-")[0].lower() in WITHOUT_SPACES else " "
    return tuple(
        Group(
            name="-".join(group.name for group in chosen),
            words=tuple(space.join(words) for words in itertools.product(*(group.words for group in chosen))),
        )
        for chosen in itertools.product(*parts)
    )


def _factor_groups(
    factor: object, language: str, find: Callable[[str], Topic], where: str
) -> tuple[Group, ...]:
    if isinstance(factor, str):
        topic = find(factor)
        if topic.language != language:
            raise TopicError(
                f"{where}: the topic {topic.name} is in the language {topic.language}, the product in "
                f"{language}; take one of the same language."
            )
        return topic.groups
    if not isinstance(factor, list):
        raise TopicError(f"{where} is {shown(factor)}; write the name of a topic or a list of groups.")
    entries = [
        {"name": entry.lower().replace(" ", "-"), "words": [entry]} if isinstance(entry, str) else entry
        for entry in factor
    ]
    return check_groups(groups_of(entries, where), False, where)


FIRST = "gender"
SHELF = Shelf("topic", "topics", (".toml",), ENDINGS, TopicError, keeps_own=True)
KEYS = (*Topic.model_fields, "product")
POSITIONS = get_args(Topic.model_fields["position"].annotation)


def list_topics() -> tuple[Topic, ...]:
    """List every shipped topic by name, gender (the default) first, then the user's own.

    A topic that spells the words of another stands before it, and the calibration last of the shipped ones;
    damaged topics of the user's own are left out.

    Raises
    ------
    TopicError
        A shipped file is damaged.
    """
    shipped = [load_topic(name) for name in SHELF.shipped()]
    place = {topic.name: place for place, topic in enumerate(shipped)}

    def order(topic: Topic) -> tuple[bool, int, bool]:
        return topic.name != FIRST, place.get(topic.spells, place[topic.name]), not topic.spells

    return (*sorted(shipped, key=order), *SHELF.readable(load_topic))


def left_out_topics() -> tuple[LeftOut, ...]:
    """List the user's own topics that cannot be read or reached, with the reason."""
    return SHELF.left_out(load_topic)


def load_topic(name_or_path: str | Path) -> Topic:
    """Load a shipped topic by its name, else one of the user's own, else a file: TOML, JSON, CSV or text.

    TOML and JSON have the same keys: ``name``, ``title``, ``language``, ``aligned`` (whether the i-th words
    of all groups are counterparts), ``evidence`` and ``templates`` (names of the lists to begin with),
    ``position`` (``subject`` or ``predicate``: what a word is at ``[Y]``), ``spells`` (the topic whose words
    these are in another spelling), ``source``, ``notes``, two or more ``groups`` with ``name`` and
    ``words``, and ``left_out`` with ``name`` and ``reason``.  Only the groups must be there; in their place
    ``product`` may make them of factors, each the name of a shipped topic or a list of groups
    (:func:`~pcf_core.material.topics.product_groups`).  CSV has the columns ``group`` and ``word``, a row for
    every word; the papers' published lists are read too (see the module).  Such a topic is
    English and its words are subjects.  One of the user's own has the name of its file.

    Raises
    ------
    TopicError
        Unknown, unreadable, or refused by :func:`make_topic`.
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
    spells: str = "",
    where: str = "The topic",
) -> Topic:
    """Make a topic with every part checked; words are normalised (NFC, white space), case is kept.

    Raises
    ------
    TopicError
        Groups that :func:`~pcf_core.material.topics.check_groups` refuses, a text over 64 KB, a name that is
        not safe in files and links.
    """
    if not isinstance(aligned, bool):
        raise TopicError(f"{where}: aligned is {shown(aligned)}; write true or false.")
    if position not in POSITIONS:
        raise TopicError(f"{where}: the position is {shown(position)}; write subject or predicate.")
    checked = check_groups(groups, aligned, where)
    for value, what in ((evidence, "evidence"), (templates, "templates"), (spells, "the spelled topic")):
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
        spells=spells,
    )


def _load(path: Path, *, factor_of: str = "") -> Topic:
    """Load the topic of a file; ``factor_of`` is the file whose product names it."""
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
        groups = product_groups(product, language, lambda factor: _shipped_factor(factor, where), where)
    return make_topic(name, groups, where=where, **{"title": title_of(path), **table})


def _shipped_factor(name: str, where: str) -> Topic:
    shipped = SHELF.shipped()
    if name not in shipped:
        raise TopicError(
            f"{where}: {shown(name)} is no shipped topic, of which a product can be made: use "
            f"{listed(sorted(shipped))}, or list its groups."
        )
    return _load(shipped[name], factor_of=where)
