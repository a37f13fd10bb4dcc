"""Tables of counterparts from TOML: shipped ones by name, a user's own by path; checked whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pcf_core.core.errors import PerturbationError
from pcf_core.material.safety.reading import label, read_toml, title_of
from pcf_core.material.safety.text import check_name, check_text, check_word, first_duplicate, listed, shown
from pcf_core.material.shelves import Shelf, name_of
from pcf_core.texts.fairpair.records import Pair, PerturbationTable, Rule

SHELF = Shelf("table of counterparts", "perturbations", (".toml",), (".toml",), PerturbationError)
KEYS = tuple(PerturbationTable.model_fields)
PAIRS = ("names", "titles", "words", "plurals")
MOST = 2_000  # entries of one list


def load_table(name_or_path: str | Path) -> PerturbationTable:
    """Load a shipped table by its name, or a TOML file of the same form (``assets/perturbations``).

    Raises
    ------
    PerturbationError
        Unknown, unreadable; a list of another shape; a word twice where one counterpart is meant; a pair of
        which one word alone has a capital; a pronoun or surname without a counterpart; a word that is its
        own.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    table = read_toml(path, KEYS, PerturbationError)
    sides = _pair(table.get("sides"), "sides", where)
    for side in sides:
        check_name(side, "a side", where, PerturbationError)
    lists: dict[str, tuple[Pair, ...]] = {
        key: tuple(_pair(entry, key, where) for entry in _list(table, key, where)) for key in PAIRS
    }
    if not lists["names"]:
        raise PerturbationError(f'{where} has no names: give a pair, such as names = [["John", "Jane"]].')
    made = PerturbationTable(
        name=check_name(table.get("name", name_of(path)), "the name", where, PerturbationError),
        title=check_text(table.get("title", title_of(path)), "the title", where, PerturbationError),
        sides=sides,
        **lists,
        rules=tuple(_rule(entry, sides, where) for entry in _list(table, "rules", where)),
        pronouns=_words(table, "pronouns", where),
        surnames=_words(table, "surnames", where),
        fixed=_words(table, "fixed", where),
        unpaired=_unpaired(table.get("unpaired", {}), sides, where),
        source=check_text(table.get("source", ""), "the source", where, PerturbationError),
        notes=check_text(table.get("notes", ""), "the notes", where, PerturbationError),
    )
    _refuse_clashes(made, where)
    return made


def check_names(names: object, where: str = "The entity") -> Pair:
    """Check two names to exchange, each with a capital letter.

    Raises
    ------
    PerturbationError
        Not two, the same one twice, or one that is written small.
    """
    pair = _pair(names, "names", where)
    for name in pair:
        if not name[0].isupper():
            raise PerturbationError(f"{where}: the name {shown(name)} must begin with a capital letter.")
    return pair


def check_sides(table: PerturbationTable, entity: Pair) -> None:
    """Refuse names that stand for the side of a table that they are not of: the pronouns would not fit.

    A name that the table does not have may stand for either side.

    Raises
    ------
    PerturbationError
        A name of the other side.
    """
    for index, name in enumerate(entity):
        names = {pair[0].casefold() for pair in table.names}, {pair[1].casefold() for pair in table.names}
        if name.casefold() in names[1 - index] and name.casefold() not in names[index]:
            side, other = table.sides[index], table.sides[1 - index]
            raise PerturbationError(
                f"{shown(name)} stands for the side {side} here, and is a name of {other} in the table "
                f"{table.name}: exchange the two names, or ask for the other way round (--reverse)."
            )


def _list(table: dict[str, Any], key: str, where: str) -> list[Any]:
    entries = table.get(key, [])
    if not isinstance(entries, list) or len(entries) > MOST:
        got = f"{len(entries):,} entries" if isinstance(entries, list) else shown(entries)
        raise PerturbationError(f"{where}: {key} must be a list of at most {MOST:,} entries, not {got}.")
    return entries


def _word(value: object, key: str, where: str) -> str:
    word = check_word(value, f"an entry of {key}", where, PerturbationError)
    if not any(character.isalpha() for character in word):
        raise PerturbationError(f"{where}: {shown(word)} in {key} has no letter; write a word or remove it.")
    return word


def _words(table: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    return tuple(_word(entry, key, where) for entry in _list(table, key, where))


def _pair(value: object, key: str, where: str) -> Pair:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise PerturbationError(f"{where}: an entry of {key} is {shown(value)}; write two texts in brackets.")
    first, second = (_word(word, key, where) for word in value)
    if first.casefold() == second.casefold():
        raise PerturbationError(f"{where}: {shown(first)} in {key} is its own counterpart; remove it.")
    return first, second


def _rule(entry: object, sides: Pair, where: str) -> Rule:
    needed, allowed = {"side", "word", "becomes"}, {"side", "word", "becomes", "tags", "title"}
    if not isinstance(entry, dict) or not needed <= set(entry) <= allowed:
        raise PerturbationError(
            f"{where}: an entry of rules must have {listed(sorted(needed))}, and may have tags and title."
        )
    word, becomes = _pair((entry["word"], entry["becomes"]), "rules", where)
    if entry["side"] not in sides:
        raise PerturbationError(
            f"{where}: the rule for {shown(word)} has the side {shown(entry['side'])}; use {listed(sides)}."
        )
    if not isinstance(title := entry.get("title", False), bool):
        raise PerturbationError(f"{where}: title of the rule for {shown(word)} must be true or false.")
    return Rule(
        side=entry["side"], word=word, becomes=becomes, tags=_words(entry, "tags", where), title=title
    )


def _unpaired(value: object, sides: Pair, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or not set(value) <= set(sides):
        raise PerturbationError(f"{where}: unpaired must be a table with lists for {listed(sides)} alone.")
    return {side: _words(value, side, where) for side in value}


def _refuse_clashes(table: PerturbationTable, where: str) -> None:
    """Refuse a word with two counterparts, but for titles and rules.

    Pronouns and unpaired words are what they say.
    """
    for pair in table.names:
        check_names(pair, where)
    for first, second in (*table.titles, *table.words, *table.plurals):
        if first[0].isupper() != second[0].isupper():  # else the case of a text could not be given back
            raise PerturbationError(
                f"{where}: write {shown(first)} and {shown(second)} both with a capital or both without."
            )
    both_ways = [word.casefold() for pair in (*table.names, *table.words, *table.plurals) for word in pair]
    always = {rule.word.casefold() for rule in table.rules if not (rule.tags or rule.title)}
    twice = first_duplicate(both_ways) or next((word for word in both_ways if word in always), None)
    if twice is not None:
        raise PerturbationError(f"{where}: {shown(twice)} has two counterparts; keep one, or write rules.")
    changed = {*both_ways, *(rule.word.casefold() for rule in table.rules)}
    for what, words in (("pronoun", table.pronouns), ("surname", table.surnames)):
        for word in words:
            if word.casefold() not in changed:
                raise PerturbationError(f"{where}: the {what} {shown(word)} has no counterpart; add it.")
    for word in (word for words in table.unpaired.values() for word in words):
        if word.casefold() in changed:
            raise PerturbationError(f"{where}: {shown(word)} is unpaired and has a counterpart; keep one.")
