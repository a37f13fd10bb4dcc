"""A topic's file: TOML, JSON with the same keys, or CSV with a row for every word."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from pcf_core.errors import TopicError
from pcf_core.topics.reading import read_json, read_table, read_toml

ENDINGS = (".toml", ".json", ".csv")


def read_topic(path: Path, keys: Collection[str]) -> dict[str, Any]:
    """What the file says, by key, nothing checked but its form; of a CSV file, the groups alone.

    Raises:
        TopicError: the file cannot be read, is malformed, or has a key or column that is not known.
    """
    ending = path.suffix.lower()
    if ending != ".csv":
        read = read_json if ending == ".json" else read_toml
        return read(path, keys, TopicError)
    words: dict[str, list[str]] = {}
    for _, row in read_table(path, ("group", "word"), (), TopicError, {}):
        words.setdefault(row["group"].strip(), []).append(row["word"])
    return {"groups": [{"name": name, "words": found} for name, found in words.items()]}
