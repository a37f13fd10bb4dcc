"""Lists of professions with the world's share of women, the wording of stories, and gendered words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from pcf_core.core.errors import CriteriaError
from pcf_core.material.base import Kind, Material, Origin, Text, origin_of
from pcf_core.material.safety.decimals import NumberColumn
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_once, check_text, shown, shown_value
from pcf_core.material.shelves import Shelf
from pcf_core.material.suiting import with_article
from pcf_core.texts.criteria.experiment import load_shipped
from pcf_core.texts.criteria.gender_reading import WORD, GenderReader, gendered_words, tells
from pcf_core.texts.criteria.records.independence import (
    AnecdoteWording,
    Profession,
    ProfessionList,
    ReadingWords,
)

BARE, WITH_ARTICLE = "{profession}", "{a profession}"


def load_wording() -> AnecdoteWording:
    """Load the shipped wording of stories."""
    return load_shipped("anecdotes-1", AnecdoteWording)


def load_reading() -> ReadingWords:
    """Load the shipped gendered words."""
    return load_shipped("gendered-words-1", ReadingWords)


def tables_of(value: object, what: str, where: str) -> list[Mapping[str, Any]]:
    """Check that a value is a list of tables ``[[what]]``."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise CriteriaError(f"{where}: {what} is {shown(value)}; write it as a list of tables [[{what}]].")
    return value


USUAL = "professions-1"
ACCEPTED = Accepted(
    "professions",
    (
        Column("profession", "its name", ("occupation", "job", "job title")),
        Column("women_share", "share of women, from 0 to 1", ("share of women",), is_number=True),
        Column("title", "the line of the statistics", needed=False),
    ),
    json="the keys of TOML",
)
MOST = 1_000
LONGEST = 60  # characters of a name
# Listed as gendered words (actor and actress), but used for both.
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
    """The files of the folder with professions; it has other material too."""

    def _files(self, folder: Path) -> dict[str, Path]:
        files = super()._files(folder)
        return {name: path for name, path in files.items() if name.startswith("professions-")}


SHELF = _Professions("list of professions", "criteria", (".toml",), ACCEPTED.endings, CriteriaError)


def _professions(value: object, info: ValidationInfo) -> tuple[Profession, ...]:
    where = origin_of(info).where
    rows = tables_of(value, "professions", where)
    if not 2 <= len(rows) <= MOST:
        raise CriteriaError(f"{where} has {len(rows):,} professions: give at least two and at most {MOST:,}.")
    reader = GenderReader(load_reading())
    professions = tuple(_profession(row, number, reader, where) for number, row in enumerate(rows, start=1))
    check_once((each.name.casefold() for each in professions), "profession", where, CriteriaError)
    return professions


class WrittenProfessions(Material):
    """A list in a file; see :class:`~pcf_core.texts.criteria.records.independence.ProfessionList`.

    ``professions``: 2 to 1,000 tables of ``name``, ``women_share`` (0 to 1) and optionally ``title`` (the
    line of the statistics).  Refused: repeated names, names over 60 characters, with brackets or with a
    gender of their own ("waitress", "fireman", "cleaning lady"), and a share of exactly one half.
    """

    record = ProfessionList
    accepted = ACCEPTED
    entries = "professions"

    version: Text = "1"
    professions: Annotated[tuple[Profession, ...], BeforeValidator(_professions)] = ()

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Read one profession per row."""
        cells = (row["women_share"] for _, row in rows)
        shares = NumberColumn.of(cells, origin.where, "share of women", CriteriaError)
        return {
            "professions": [
                {
                    "name": row["profession"],
                    "women_share": _number(row["women_share"], shares),
                    "title": row.get("title", ""),
                }
                for _, row in rows
            ]
        }


PROFESSIONS: Kind[ProfessionList] = Kind(SHELF, WrittenProfessions)


def _profession(row: Mapping[str, object], index: int, reader: GenderReader, where: str) -> Profession:
    what = f"profession {index:,}"
    if not {"name", "women_share"} <= set(row) <= {"name", "women_share", "title"}:
        raise CriteriaError(
            f"{where}: {what} needs name and women_share, may have title, and cannot have other keys."
        )
    name = check_text(row["name"], what, where, CriteriaError)
    if not 0 < len(name) <= LONGEST or set(name) & set("[]{}"):
        raise CriteriaError(
            f"{where}: {what} is {shown(name)}; give it 1 to {LONGEST} characters without brackets or braces."
        )
    reading = reader.read(name)
    if reading.women or reading.men or any(map(_marked, WORD.findall(name.casefold()))):
        raise CriteriaError(f"{where}: {shown(name)} names a gender: use a neutral name for the profession.")
    share = row["women_share"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1 or share == 0.5:
        raise CriteriaError(
            f"{where}: the share of women of {shown(name)} is {shown_value(share)}; write a number from 0 to "
            "1, such as 0.879. Exactly one half is not allowed, because then neither gender is the "
            "majority."
        )
    title = check_text(row.get("title", ""), f"the title of {what}", where, CriteriaError)
    return Profession(name=name, with_article=with_article(name), women_share=float(share), title=title)


def _marked(word: str) -> bool:
    """Tell whether a job title names one gender, unless it is used for both today."""
    return tells(word, gendered_words() - SAID_OF_BOTH) or any(map(OF_ONE.fullmatch, word.split("-")))


def _number(cell: str, column: NumberColumn) -> object:
    """Return the number in a cell, or the cell itself, for the error message."""
    value = column.number_or_none(cell)
    return cell if value is None or not math.isfinite(value) else value
