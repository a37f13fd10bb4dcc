"""Lists of given names, shipped or a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from pcf_core.core.errors import CriteriaError
from pcf_core.material.base import Kind, Material, Omitted, Origin, Text, origin_of
from pcf_core.material.safety.reading import tell
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import check_once, check_word, listed, normalise, shown, shown_value
from pcf_core.material.shelves import Shelf
from pcf_core.texts.criteria.gender_reading import WORD
from pcf_core.texts.criteria.records.independence import GivenName, NameList
from pcf_core.texts.criteria.records.quantities import GENDERS

USUAL = "names-1"
ACCEPTED = Accepted(
    "given names",
    (
        Column("name", "a given name", ("first name", "given name", "forename")),
        Column("gender", "female or male; also F or M, woman or man, girl or boy", ("sex",)),
        Column("births", "children of this name", needed=False),
        Column("female_births", "girls among them", needed=False),
    ),
    json="the keys of TOML",
)
WRITTEN = {  # ways to write a gender
    "female": "f w woman women females girl girls weiblich femenino femenina féminin féminine feminino",
    "male": "m man men males boy boys männlich masculino masculin",
}
OTHERS = {other: gender for gender, others in WRITTEN.items() for other in others.split()}
SHELF = Shelf("list of names", "criteria", (f"{USUAL}.toml",), ACCEPTED.endings, CriteriaError)
MOST_NAMES = 2000
LEAST_SHARE = 0.5  # for lists that state none: the other gender is not more common


@dataclass(frozen=True)
class _Line:
    """Name, gender, births and births of girls, with the line they come from."""

    where: str
    cells: Sequence[object]


def _names(value: object, info: ValidationInfo) -> tuple[GivenName, ...]:
    where, least = origin_of(info).where, info.data.get("least_share", LEAST_SHARE)
    if not isinstance(value, list):
        raise CriteriaError(f'{where}: names is {shown(value)}; write a list such as [["Mary", "female"]].')
    lines = [entry if isinstance(entry, _Line) else _Line(where, _entry(entry, where)) for entry in value]
    names = tuple(_name(line.where, line.cells, least) for line in lines)
    if len(names) > MOST_NAMES:
        raise CriteriaError(f"{where} has {len(names):,} names; at most {MOST_NAMES:,} are allowed.")
    check_once((one.name.casefold() for one in names), "name", where, CriteriaError)
    for gender in GENDERS:
        if not any(one.gender == gender for one in names):
            raise CriteriaError(f"{where} has no {gender} name: give names of both genders.")
    return names


def _share(value: object, info: ValidationInfo) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.5 <= value <= 1:
        raise CriteriaError(
            f"{origin_of(info).where}: least_share is {shown_value(value)}; write a share from 0.5 to 1."
        )
    return float(value)


def _years(years: object, info: ValidationInfo) -> tuple[int, int] | None:
    if years is None:
        return None
    if not isinstance(years, list) or [type(year) for year in years] != [int, int] or years[0] > years[1]:
        raise CriteriaError(
            f"{origin_of(info).where}: years is {shown(years)}; write the first and the last, such as "
            "[1940, 2020]."
        )
    return years[0], years[1]


class WrittenNames(Material):
    """A list in a file; see :class:`~pcf_core.texts.criteria.records.independence.NameList`.

    A table has the columns ``name`` and ``gender`` and, optionally ``births`` and ``female_births``.
    """

    record = NameList
    accepted = ACCEPTED
    entries = "names"

    version: Text = "1"
    years: Annotated[tuple[int, int] | None, BeforeValidator(_years)] = None
    least_share: Annotated[float, BeforeValidator(_share)] = LEAST_SHARE
    names: Annotated[tuple[GivenName, ...], BeforeValidator(_names)] = ()
    left_out: Omitted = ()

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Read one name per row."""
        columns = [column.name for column in cls.accepted.columns]
        return {"names": [_Line(where, [row.get(column, "") for column in columns]) for where, row in rows]}


NAMES: Kind[NameList] = Kind(SHELF, WrittenNames)


def _entry(entry: object, where: str) -> Sequence[object]:
    if not isinstance(entry, list) or len(entry) not in (2, 4):
        raise CriteriaError(
            f"{where}: the name {shown(entry)} must be a list of a name and a gender, optionally followed by "
            "the number of births and the number registered as girls."
        )
    return entry if len(entry) == 4 else [*entry, 0, 0]


def _name(where: str, cells: Sequence[object], least: float) -> GivenName:
    name = check_word(cells[0], "the name", where, CriteriaError)
    if not WORD.fullmatch(name):
        raise CriteriaError(f"{where}: the name {shown(name)} must be one word of letters.")
    written = normalise(str(cells[1])).lower()
    gender = OTHERS.get(written, written)
    if gender != written:
        tell(f"In {where.partition(', ')[0]}, {shown(str(cells[1]).strip())} was read as {gender}.")
    if gender not in GENDERS:
        raise CriteriaError(
            f"{where}: the gender of {shown(name)} is {shown(cells[1])}; write female or male."
        )
    births, female = _births(where, name, [str(cell).strip() for cell in cells[2:]])
    if not 0 <= female <= births:
        raise CriteriaError(
            f"{where}: {shown(name)} has {female:,} births of girls out of {births:,} births in all: "
            "correct the counts."
        )
    given = GivenName(name=name, gender=gender, births=births, female_births=female)
    if given.share is not None and given.share < least:
        raise CriteriaError(
            f"{where}: {shown(name)} is {gender} for only {100 * given.share:.1f} % of its bearers, and the "
            f"list requires {100 * least:g} %: remove the name."
        )
    return given


def _births(where: str, name: str, counts: Sequence[str]) -> tuple[int, int]:
    """Read the births of a name, and those of girls among them; either both are given or none."""
    try:
        births, female = (int(count.removesuffix(".0") or 0) for count in counts)
    except ValueError as problem:
        raise CriteriaError(
            f"{where}: the births of {shown(name)} are {listed(map(shown, filter(None, counts)))}, but must "
            "be whole numbers: write digits alone, such as 1234."
        ) from problem
    missing = "female_births" if births and not counts[1] else "births" if female and not counts[0] else ""
    if missing:
        raise CriteriaError(
            f"{where}: {shown(name)} has {'births' if births else 'female_births'} but no {missing}: write "
            "both, all births of the name and those of girls among them, or neither."
        )
    return births, female
