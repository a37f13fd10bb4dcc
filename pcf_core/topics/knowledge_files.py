"""A knowledge set's file: TOML, JSON with the same keys, or CSV of which each row is a template or a fact.

CSV has the columns ``template``, ``subject``, ``right``, ``wrong`` and, if wanted, ``weight``.  A row with a
template has nothing else; every fact is asked in every template.  Several answers in a cell have ``|``
between them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pcf_core.errors import TopicError
from pcf_core.topics.reading import read_json, read_table, read_toml
from pcf_core.topics.text import shown

ENDINGS = (".toml", ".json", ".csv")
COLUMNS = ("template", "subject", "right", "wrong")
BETWEEN = "|"


def read_knowledge(path: Path, keys: Collection[str]) -> dict[str, Any]:
    """What the file says, by key, nothing checked but its form; of a CSV file, templates and facts.

    Raises:
        TopicError: the file cannot be read, is malformed, or has a key or column that is not known.
    """
    ending = path.suffix.lower()
    if ending != ".csv":
        read = read_json if ending == ".json" else read_toml
        return read(path, keys, TopicError)
    templates, facts = [], []
    for where, row in read_table(path, COLUMNS, ("weight",), TopicError, {}):
        filled = {name for name, cell in row.items() if cell.strip()}
        if filled == {"template"}:
            templates.append(row["template"])
        elif "template" in filled:
            raise TopicError(
                f"{where} has a template and a fact: give each a row of its own, for every fact is asked in "
                "every template."
            )
        elif filled:
            facts.append(_fact(row, where))
    return {"templates": templates, "facts": facts}


def _fact(row: Mapping[str, str], where: str) -> dict[str, Any]:
    """A row as an entry of ``facts``."""
    entry: dict[str, Any] = {
        "subject": row["subject"],
        **{name: _answers(row[name]) for name in ("right", "wrong")},
    }
    weight = row.get("weight", "").strip()
    if weight:
        try:
            entry["weight"] = float(weight)
        except ValueError as problem:
            raise TopicError(f"{where}: the weight {shown(weight)} is not a number, such as 2.") from problem
    return entry


def _answers(cell: str) -> list[str]:
    return [word for word in cell.split(BETWEEN) if word.strip()]
