"""Lists of given names: the shipped one, or the user's own, validated whole or refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pcf_core.core.errors import CriteriaError
from pcf_core.material.safety.reading import label, read_table, read_toml, title_of
from pcf_core.material.safety.text import (
    check_left_out,
    check_text,
    check_word,
    first_duplicate,
    shown,
    shown_value,
)
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.texts.criteria.gender_reading import WORD
from pcf_core.texts.criteria.records.independence import GivenName, NameList
from pcf_core.texts.criteria.records.quantities import GENDERS

USUAL = "names-1"
ENDINGS = (".toml", ".csv")
SHELF = Shelf("list of names", "criteria", (f"{USUAL}.toml",), ENDINGS, CriteriaError)
MOST_NAMES = 2000
LEAST_SHARE = 0.5  # of a user's own list that states none: the other gender is not the commoner one
FACTS = ("title", "version", "source", "notes", "years", "least_share", "names", "left_out")


def load_names(name_or_path: str | Path = USUAL) -> NameList:
    """Load the shipped list by its name, or the user's own: TOML as the shipped one, or CSV.

    CSV has the columns ``name`` and ``gender`` (female or male) and, if wanted, ``births`` and
    ``female_births``.
    """
    file = SHELF.find(name_or_path)
    where = label(file)
    if file.suffix.lower() == ".csv":
        table: dict[str, Any] = {}
        optional = ("births", "female_births")
        rows: list[tuple[str, Sequence[object]]] = [
            (index, [row["name"], row["gender"], *(row.get(column, "") for column in optional)])
            for index, row in read_table(file, ("name", "gender"), optional, CriteriaError)
        ]
    else:
        table = read_toml(file, FACTS, CriteriaError)
        rows = [(where, _entry(entry, where)) for entry in _entries(table, where)]
    least = table.get("least_share", LEAST_SHARE)
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0.5 <= least <= 1:
        raise CriteriaError(f"{where}: least_share is {shown_value(least)}; write a share from 0.5 to 1.")
    names = tuple(_name(index, cells, float(least)) for index, cells in rows)
    _check_names(names, where)
    return NameList(
        name=name_of(file),
        title=check_text(table.get("title", ""), "the title", where, CriteriaError) or title_of(file),
        version=check_text(table.get("version", "1"), "the version", where, CriteriaError),
        source=check_text(table.get("source", ""), "the source", where, CriteriaError),
        notes=check_text(table.get("notes", ""), "the notes", where, CriteriaError),
        years=_years(table.get("years"), where),
        least_share=float(least),
        names=names,
        left_out=check_left_out(table.get("left_out", []), where, CriteriaError),
    )


def _entries(table: Mapping[str, Any], where: str) -> list[Any]:
    entries = table.get("names")
    if not isinstance(entries, list):
        raise CriteriaError(f'{where}: names is {shown(entries)}; write a list such as [["Mary", "female"]].')
    return entries


def _entry(entry: object, where: str) -> Sequence[object]:
    """Read name, gender, births and those of girls."""
    if not isinstance(entry, list) or len(entry) not in (2, 4):
        raise CriteriaError(
            f"{where}: the name {shown(entry)} must be a list of name and gender, and if wanted births and "
            "births registered as girls."
        )
    return entry if len(entry) == 4 else [*entry, 0, 0]


def _name(where: str, cells: Sequence[object], least: float) -> GivenName:
    name = check_word(cells[0], "the name", where, CriteriaError)
    if not WORD.fullmatch(name):
        raise CriteriaError(f"{where}: the name {shown(name)} must be one word of letters.")
    gender = str(cells[1]).strip().lower()
    if gender not in GENDERS:
        raise CriteriaError(
            f"{where}: the gender of {shown(name)} is {shown(cells[1])}; write female or male."
        )
    try:
        births, female = (int(str(cell).strip() or 0) for cell in cells[2:])
    except ValueError as problem:
        raise CriteriaError(f"{where}: the births of {shown(name)} must be whole numbers.") from problem
    if not 0 <= female <= births:
        raise CriteriaError(
            f"{where}: {shown(name)} has {female:,} births of girls out of {births:,}; correct the counts."
        )
    given = GivenName(name=name, gender=gender, births=births, female_births=female)
    if given.share is not None and given.share < least:
        raise CriteriaError(
            f"{where}: {shown(name)} is {gender} for {100 * given.share:.1f} % of its bearers, under the "
            f"{100 * least:g} % that the list asks for; leave it out."
        )
    return given


def _check_names(names: tuple[GivenName, ...], where: str) -> None:
    if len(names) > MOST_NAMES:
        raise CriteriaError(f"{where} has {len(names):,} names; at most {MOST_NAMES:,} are asked about.")
    twice = first_duplicate(one.name.casefold() for one in names)
    if twice is not None:
        raise CriteriaError(f"{where}: the name {shown(twice)} stands twice; write it once.")
    for gender in GENDERS:
        if not any(one.gender == gender for one in names):
            raise CriteriaError(f"{where} has no {gender} name: give names of both genders.")


def _years(years: object, where: str) -> tuple[int, int] | None:
    if years is None:
        return None
    if not isinstance(years, list) or [type(year) for year in years] != [int, int] or years[0] > years[1]:
        raise CriteriaError(
            f"{where}: years is {shown(years)}; write the first and the last, such as [1940, 2020]."
        )
    return years[0], years[1]
