"""Groups of words: as a file writes them, and the rules that they must obey together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcf_core.errors import TopicError
from pcf_core.records import Group
from pcf_core.topics.text import check_name, check_word, first_duplicate, shown

MAX_WORDS = 5_000
MAX_GROUPS = 300  # more are written in no form; the longest shipped list, X and Y swapped, has 257


def groups_of(entries: object, where: str) -> tuple[Group, ...]:
    """The ``groups`` of a file as records, their types checked and nothing else.

    Raises:
        TopicError: no list of tables with a name and words.
    """
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise TopicError(f"{where}: groups must be a list, each of them with a name and words.")
    return tuple(_group(entry, where) for entry in entries)


def check_groups(groups: Sequence[Group], aligned: bool, where: str) -> tuple[Group, ...]:
    """The groups with normalised words.

    Words of one group may differ in case alone: models read "Asian" and "asian" apart.  In two groups they
    may not: a model without case could not tell the groups.

    Raises:
        TopicError: under two groups or over 300, over 5,000 words, a group without words, an empty word, a
            word twice in a group, or in two groups, two groups of one name, aligned groups of unequal length.
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
    owner: dict[str, str] = {}
    for group in checked:
        for word in group.words:
            other = owner.setdefault(word.casefold(), group.name)
            if other != group.name:
                raise TopicError(
                    f"{where}: {shown(word)} is in the groups {other} and {group.name}; "
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

    Raises:
        TopicError: over 5,000.
    """
    if words > MAX_WORDS:
        raise TopicError(f"{where} has {words:,} words: at most {MAX_WORDS:,} are allowed.")


def _group(entry: dict[str, Any], where: str) -> Group:
    if set(entry) != {"name", "words"}:
        raise TopicError(f"{where}: each of the groups needs a name and words, nothing else.")
    name, words = entry["name"], entry["words"]
    if not isinstance(name, str):
        raise TopicError(f"{where}: the name of a group is {shown(name)}; write it in quotation marks.")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TopicError(f"{where}: the words of {shown(name)} must be a list of texts in quotation marks.")
    return Group(name=name, words=tuple(words))


def _check_group(group: Group, where: str) -> Group:
    name = check_name(group.name, "the name of a group", where, TopicError)
    words = tuple(check_word(word, f"a word of the group {name}", where, TopicError) for word in group.words)
    if not words:
        raise TopicError(f"{where}: the group {name} has no words; add one or remove the group.")
    twice = first_duplicate(words)
    if twice is not None:
        raise TopicError(f"{where}: {shown(twice)} stands twice in the group {name}; write it once.")
    return Group(name=name, words=words)
