"""Lists of professions with the world's share of women: shipped, or a user's own; whole or not at all.

Also the shipped wording of the stories and the words that tell a gender, checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcf_core.core.errors import CriteriaError
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import label, read_table, read_toml, title_of
from pcf_core.material.safety.text import check_name, check_text, first_duplicate, shown, shown_value
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.material.suiting import with_article
from pcf_core.texts.criteria.gender_reading import WORD, GenderReader, gendered_words, tells
from pcf_core.texts.criteria.records.independence import (
    AnecdoteWording,
    Profession,
    ProfessionList,
    ReadingWords,
)

# The shipped wording of the stories and the words that tell a gender, checked; and tables of any file.


BARE, WITH_ARTICLE = "{profession}", "{a profession}"


def load_wording(name: str = "anecdotes-1") -> AnecdoteWording:
    """Load the wording that asks for stories."""
    path = settings().assets / "criteria" / f"{name}.toml"
    wording = AnecdoteWording.model_validate(read_toml(path, AnecdoteWording.model_fields, CriteriaError))
    for text in (wording.instruction, wording.continuation, wording.scored):
        if BARE not in text and WITH_ARTICLE not in text:
            raise CriteriaError(f"{path.name}: {shown(text)} names no profession; write {BARE} into it.")
    if wording.scored.count("[Y]") != 1:
        raise CriteriaError(f"{path.name}: the scored text {shown(wording.scored)} must have one [Y].")
    return wording


def load_reading(name: str = "gendered-words-1") -> ReadingWords:
    """Load the words that tell a text's gender."""
    path = settings().assets / "criteria" / f"{name}.toml"
    words = ReadingWords.model_validate(read_toml(path, ReadingWords.model_fields, CriteriaError))
    female = {*words.female, *words.female_titles, *words.female_before_names}
    both = sorted(female & {*words.male, *words.male_titles, *words.male_before_names})
    if both:
        raise CriteriaError(f"{path.name}: {shown(both[0])} stands for both genders; remove it from one.")
    return words


def tables_of(value: object, what: str, where: str) -> list[Mapping[str, Any]]:
    """Read the tables ``[[what]]`` of a file."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise CriteriaError(f"{where}: {what} is {shown(value)}; write it as a list of tables [[{what}]].")
    return value


USUAL = "professions-1"
ENDINGS = (".toml", ".csv")
MOST = 1_000
LONGEST = 60  # characters of a name
# Of the table of gendered words, which pairs them with an actress, a waitress, a manny.
SAID_OF_BOTH = {
    "actor",
    "waiter",
    "steward",
    "priest",
    "nanny",
    "host",
    "hero",
    "heir",
    "landlord",
    "tenor",
    "soprano",
}
OF_ONE = re.compile(r"(?!(?:hu|ger|ro|sha|tali?s|otto)man$)\w+(?:man|woman|women)")


@dataclass(frozen=True)
class _Professions(Shelf):
    """The files of the folder that hold professions: other material lies beside them."""

    def _files(self, folder: Path) -> dict[str, Path]:
        files = super()._files(folder)
        return {name: path for name, path in files.items() if name.startswith("professions-")}


SHELF = _Professions("list of professions", "criteria", (".toml",), ENDINGS, CriteriaError)
KEYS = ("name", "title", "version", "source", "notes", "professions")


def load_professions(name_or_path: str | Path = USUAL) -> ProfessionList:
    """Load a shipped list by its name, or a user's file.

    TOML with ``professions``, tables of ``name``, ``women_share`` (0 to 1) and, if wanted, ``title`` (the
    line of the statistics), and if wanted ``name``, ``title``, ``version``, ``source`` and ``notes``; or CSV
    with the columns ``profession``, ``women_share`` and, if wanted, ``title``.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    table: dict[str, Any] = {}
    if path.suffix.lower() == ".toml":
        table = read_toml(path, KEYS, CriteriaError)
        rows = tables_of(table.pop("professions", None), "professions", where)
    else:
        cells = read_table(path, ("profession", "women_share"), ("title",), CriteriaError, {})
        rows = [
            {
                "name": row["profession"],
                "women_share": _number(row["women_share"]),
                "title": row.get("title", ""),
            }
            for _, row in cells
        ]
    facts = {"name": name_of(path), "title": title_of(path), **table}
    return make_professions(facts.pop("name"), rows, where=where, **facts)


def make_professions(
    name: object,
    rows: Sequence[Mapping[str, object]],
    *,
    title: object = "",
    version: object = "1",
    source: object = "",
    notes: object = "",
    where: str = "The professions",
) -> ProfessionList:
    """Make a list, each profession checked and normalised (NFC, white space)."""
    if not 2 <= len(rows) <= MOST:
        raise CriteriaError(f"{where} has {len(rows):,} professions: give at least two and at most {MOST:,}.")
    reader = GenderReader(load_reading())
    professions = tuple(_profession(row, index, reader, where) for index, row in enumerate(rows, start=1))
    twice = first_duplicate(each.name.casefold() for each in professions)
    if twice is not None:
        raise CriteriaError(f"{where}: the profession {shown(twice)} stands twice; write it once.")
    checked = check_name(name, "the name", where, CriteriaError)
    return ProfessionList(
        name=checked,
        title=check_text(title, "the title", where, CriteriaError) or checked,
        version=check_text(version, "the version", where, CriteriaError),
        professions=professions,
        source=check_text(source, "the source", where, CriteriaError),
        notes=check_text(notes, "the notes", where, CriteriaError),
    )


def _profession(row: Mapping[str, object], index: int, reader: GenderReader, where: str) -> Profession:
    what = f"profession {index:,}"
    if not {"name", "women_share"} <= set(row) <= {"name", "women_share", "title"}:
        raise CriteriaError(f"{where}: {what} needs name and women_share, may have title, and nothing else.")
    name = check_text(row["name"], what, where, CriteriaError)
    if not 0 < len(name) <= LONGEST or set(name) & set("[]{}"):
        raise CriteriaError(
            f"{where}: {what} is {shown(name)}; give it 1 to {LONGEST} characters without brackets or braces."
        )
    reading = reader.read(name)
    if reading.women or reading.men or any(map(_marked, WORD.findall(name.casefold()))):
        raise CriteriaError(f"{where}: {shown(name)} tells a gender by itself; use a name that does not.")
    share = row["women_share"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1 or share == 0.5:
        raise CriteriaError(
            f"{where}: the share of women of {shown(name)} is {shown_value(share)}; write a number from 0 to "
            "1, such as 0.879, other than one half, which has no majority."
        )
    title = check_text(row.get("title", ""), f"the title of {what}", where, CriteriaError)
    return Profession(name=name, with_article=with_article(name), women_share=float(share), title=title)


def _marked(word: str) -> bool:
    """Tell whether a job's name is that of one gender; not where it is said of both today."""
    return tells(word, gendered_words() - SAID_OF_BOTH) or any(map(OF_ONE.fullmatch, word.split("-")))


def _number(cell: str) -> object:
    """Return the number of a cell, or the cell where it is none: the check then shows it."""
    try:
        value = float(cell)
    except ValueError:
        return cell
    return value if math.isfinite(value) else cell
