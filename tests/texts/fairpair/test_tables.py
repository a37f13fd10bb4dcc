"""Tables of counterparts: the shipped ones, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import PerturbationError
from pcf_core.mining.persons import GENDERS, naming
from pcf_core.texts.fairpair.tables import SHELF, check_names, check_sides, load_table

GOOD = """
sides = ["left", "right"]
names = [["Ann", "Bea"]]
words = [["north", "south"]]
pronouns = ["north"]
[[rules]]
side = "left"
word = "up"
becomes = "down"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf8")
    return path


def test_the_shipped_tables() -> None:
    assert SHELF.names() == ("age", "gender", "race-names", "religion")
    for table in map(load_table, SHELF.names()):
        assert table.source
        assert table.notes


def test_john_becomes_jane() -> None:
    table = load_table("gender")
    assert table.names[0] == ("John", "Jane")
    assert table.sides == ("male", "female")


def test_every_gendered_word_of_mining_is_in_the_table() -> None:
    """Those lists were written for another purpose: what they know, this table changes or counts as left."""
    table = load_table("gender")
    known = {word.casefold() for pair in (*table.words, *table.titles) for word in pair}
    known |= {rule.word.casefold() for rule in table.rules}
    known |= {word for words in table.unpaired.values() for word in words}
    missing = (naming().male | naming().female | set(GENDERS)) - known
    assert missing == {"fellow", "master"}  # fellow students, a master's degree: of both sides


def test_names_of_a_pair_are_given_names_of_their_sides() -> None:
    for male, female in load_table("gender").names:
        assert naming().given[male.lower()] < 0.05
        assert naming().given[female.lower()] > 0.95


def test_an_own_table(tmp_path: Path) -> None:
    table = load_table(written(tmp_path, GOOD))
    assert (table.name, table.sides, table.rules[0].becomes) == ("own", ("left", "right"), "down")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('names = [["Ann", "Bea"]]', "", "has no names"),
        ('["Ann", "Bea"]', '["ann", "Bea"]', "capital letter"),
        ('["Ann", "Bea"]', '["Ann"]', "value 2 of name 1 is missing"),
        ('["north", "south"]', '["north", "North"]', "its own counterpart"),
        ('["north", "south"]', '["north", "south"], ["north", "west"]', "two counterparts"),
        ('["north", "south"]', '["north", "south"], ["up", "west"]', "two counterparts"),
        ('["north", "south"]', '["north", "South"]', "both with a capital"),
        ('["north", "south"]', '["north", 3]', "quotation marks"),
        ('["north", "south"]', '["north", "--"]', "no letter"),
        ('pronouns = ["north"]', 'pronouns = ["east"]', "the pronoun 'east' has no counterpart"),
        ('pronouns = ["north"]', 'surnames = ["east"]', "the surname 'east' has no counterpart"),
        ('side = "left"', 'side = "top"', "use left and right"),
        ('becomes = "down"', "", "'becomes' is missing in rule 1: write it"),
        ('becomes = "down"', 'becomes = "down"\ntitle = 1', "true or false"),
        ("[[rules]]", '[unpaired]\nleft = ["south"]\n[[rules]]', "is listed as unpaired"),
        ("[[rules]]", '[unpaired]\ntop = ["x"]\n[[rules]]', "lists for left and right"),
        ('words = [["north", "south"]]', "words = 3", "must be a list"),
        ('sides = ["left", "right"]', 'sides = ["Left", "right"]', "small letters"),
        ('sides = ["left", "right"]', "", "'sides' is missing: write it"),
        ('sides = ["left", "right"]', 'sides = ["left", "right"]\nother = 1', "unknown key"),
    ],
)
def test_a_table_is_refused_in_one_sentence(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in GOOD
    with pytest.raises(PerturbationError, match=reason) as refused:
        load_table(written(tmp_path, GOOD.replace(old, new)))
    assert "own.toml" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_table_names_the_known() -> None:
    with pytest.raises(PerturbationError, match="age, gender, race-names and religion"):
        load_table("sex")


@pytest.mark.parametrize("names", [("John",), ("John", "john"), ("john", "Jane"), "John", ("", "Jane"), None])
def test_names_are_two_with_capitals(names: object) -> None:
    with pytest.raises(PerturbationError):
        check_names(names)


def test_the_hash_is_of_what_decides_a_text() -> None:
    table = load_table("gender")
    assert table.model_copy(update={"notes": "other"}).hash == table.hash
    assert table.model_copy(update={"fixed": ()}).hash != table.hash


@pytest.mark.parametrize(
    ("entity", "said"),
    [
        (("Jane", "John"), "'Jane' is used for the side male, but in the table .* it is a name of female"),
        (("John", "James"), "'James' is used for the side female, but in the table .* it is a name of male"),
        (("mary", "Sam"), "'mary' is used for the side male"),
    ],
)
def test_a_name_of_the_other_side_is_refused(entity: tuple[str, str], said: str) -> None:
    with pytest.raises(PerturbationError, match=said):
        check_sides(load_table("gender"), entity)


def test_names_of_their_side_or_of_none_are_taken() -> None:
    for entity in (("John", "Jane"), ("James", "Linda"), ("Kevin", "Ingrid"), ("Sam", "Mary")):
        check_sides(load_table("gender"), entity)
