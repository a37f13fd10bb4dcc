"""A topic's file: TOML, JSON with the same keys, CSV with a row for every word, or the papers' lists.

The papers' authors publish their words without names of groups: text with a line for each group and commas
between its words, or JSON with a list of words, each a group.  A group is then called after its first word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pcf_core.errors import TopicError
from pcf_core.topics.reading import label, read_json, read_json_value, read_table, read_text, read_toml
from pcf_core.topics.shelves import safe_name
from pcf_core.topics.text import first_duplicate, normalise

LINES = ".txt"
UNNAMED = "own"  # what safe_name makes of a word without a letter of ASCII
ENDINGS = (".toml", ".json", ".csv", LINES)


def read_topic(path: Path, keys: Collection[str]) -> dict[str, Any]:
    """What the file says, by key, nothing checked but its form; of CSV, text and lists the groups alone.

    Raises:
        TopicError: the file cannot be read, is malformed, or has a key or column that is not known.
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
    """The words of each line that has some."""
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
    """The words of each group: a word alone, or a list of words."""
    found = [[value] if isinstance(value, str) else value for value in values]
    for words in found:
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise TopicError(
                f"{where}: a list must hold the groups, each a word or a list of words in quotation marks."
            )
    return found  # type: ignore[return-value]


def _called_after_first(groups: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Groups with names; numbers where the first words make no names that differ, as in Chinese."""
    names = [safe_name(words[0]) for words in groups]
    if UNNAMED in names or first_duplicate(names) is not None:
        names = [f"group-{place + 1}" for place in range(len(groups))]
    return [{"name": name, "words": list(words)} for name, words in zip(names, groups, strict=True)]
