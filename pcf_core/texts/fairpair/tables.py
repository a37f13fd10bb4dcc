"""Tables of counterparts, shipped or a user's own TOML."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from pcf_core.core.errors import PerturbationError
from pcf_core.material.base import Entry, Flag, Kind, Material, Name, origin_of
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.text import check_word, first_duplicate, listed, shown
from pcf_core.material.shelves import Shelf
from pcf_core.texts.fairpair.records import Pair, PerturbationTable, Rule

ACCEPTED = Accepted("counterparts of FairPair")
SHELF = Shelf("table of counterparts", "perturbations", (".toml",), ACCEPTED.endings, PerturbationError)
MOST = 2_000  # entries of one list


def _lettered(word: str, field: str, where: str) -> str:
    if not any(character.isalpha() for character in word):
        raise PerturbationError(
            f"{where}: {shown(word)} in {field} has no letter; write a word or remove it."
        )
    return word


def _of_two(first: str, second: str, field: str, where: str) -> Pair:
    if first.casefold() == second.casefold():
        raise PerturbationError(f"{where}: {shown(first)} in {field} is its own counterpart; remove it.")
    return first, second


Lettered = Annotated[
    Entry, AfterValidator(lambda word, info: _lettered(word, info.field_name, origin_of(info).where))
]
OfTwo = Annotated[
    tuple[Lettered, Lettered],
    AfterValidator(lambda pair, info: _of_two(*pair, info.field_name, origin_of(info).where)),
]
Words = Annotated[tuple[Lettered, ...], Field(max_length=MOST)]
Pairs = Annotated[tuple[OfTwo, ...], Field(max_length=MOST)]


class _WrittenRule(Rule):
    word: Lettered
    becomes: Lettered
    tags: Words = ()
    title: Flag = False


def _plain(rules: tuple[_WrittenRule, ...]) -> tuple[Rule, ...]:
    return tuple(Rule(**dict(rule)) for rule in rules)


class WrittenTable(Material):
    """A table in a file; see :class:`~pcf_core.texts.fairpair.records.PerturbationTable`."""

    record = PerturbationTable
    accepted = ACCEPTED
    entries = "words"

    sides: tuple[Name, Name]
    names: Pairs = ()
    titles: Pairs = ()
    words: Pairs = ()
    plurals: Pairs = ()
    rules: Annotated[tuple[_WrittenRule, ...], Field(max_length=MOST), AfterValidator(_plain)] = ()
    pronouns: Words = ()
    surnames: Words = ()
    fixed: Words = ()
    unpaired: dict[str, Words] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Self:
        where, sides = origin_of(info).where, self.sides
        _of_two(*sides, "sides", where)
        if not self.names:
            raise PerturbationError(f'{where} has no names: give a pair, such as names = [["John", "Jane"]].')
        for rule in self.rules:
            if rule.side not in sides:
                raise PerturbationError(
                    f"{where}: the rule for {shown(rule.word)} has the side {shown(rule.side)}; use "
                    f"{listed(sides)}."
                )
            _of_two(rule.word, rule.becomes, "rules", where)
        if not set(self.unpaired) <= set(sides):
            raise PerturbationError(f"{where}: unpaired must be a table with lists for {listed(sides)} only.")
        _refuse_clashes(self, where)
        return self


load_table = Kind[PerturbationTable](SHELF, WrittenTable).load


def check_names(names: object, where: str = "The entity") -> Pair:
    """Check two names to exchange, each with a capital letter."""
    if not isinstance(names, list | tuple) or len(names) != 2:
        raise PerturbationError(f"{where}: names is {shown(names)}; write two texts in brackets.")
    words = (
        _lettered(check_word(name, "a name", where, PerturbationError), "names", where) for name in names
    )
    pair = _of_two(next(words), next(words), "names", where)
    for name in pair:
        if not name[0].isupper():
            raise PerturbationError(f"{where}: the name {shown(name)} must begin with a capital letter.")
    return pair


def check_sides(table: PerturbationTable, entity: Pair) -> None:
    """Raise PerturbationError if a name belongs to the table's other side; unknown names fit either."""
    for index, name in enumerate(entity):
        existing = {pair[0].casefold() for pair in table.names}, {pair[1].casefold() for pair in table.names}
        if name.casefold() in existing[1 - index] and name.casefold() not in existing[index]:
            side, other = table.sides[index], table.sides[1 - index]
            raise PerturbationError(
                f"{shown(name)} is used for the side {side}, but in the table {table.name} it is a name of "
                f"{other}: exchange the two names, or swap the sides (--reverse)."
            )


def _refuse_clashes(table: WrittenTable, where: str) -> None:
    for pair in table.names:
        check_names(pair, where)
    for first, second in (*table.titles, *table.words, *table.plurals):
        if first[0].isupper() != second[0].isupper():  # otherwise a text's case could not be restored
            raise PerturbationError(
                f"{where}: write {shown(first)} and {shown(second)} both with a capital letter or both "
                "without."
            )
    both_ways = [word.casefold() for pair in (*table.names, *table.words, *table.plurals) for word in pair]
    always = {rule.word.casefold() for rule in table.rules if not (rule.tags or rule.title)}
    twice = first_duplicate(both_ways) or next((word for word in both_ways if word in always), None)
    if twice is not None:
        raise PerturbationError(f"{where}: {shown(twice)} has two counterparts: remove one, or write rules.")
    paired = {*both_ways, *(rule.word.casefold() for rule in table.rules)}
    for what, words in (("pronoun", table.pronouns), ("surname", table.surnames)):
        for word in words:
            if word.casefold() not in paired:
                raise PerturbationError(f"{where}: the {what} {shown(word)} has no counterpart; add it.")
    for word in (word for words in table.unpaired.values() for word in words):
        if word.casefold() in paired:
            raise PerturbationError(
                f"{where}: {shown(word)} is listed as unpaired but has a counterpart: remove one of the two."
            )
