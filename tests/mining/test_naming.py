"""What a noun phrase names: a person or not, of which gender, by lists that hold together."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pcf_core.mining.persons import (
    gender_of,
    is_name,
    is_same_name,
    name_of,
    names_a_person,
    names_one_person,
    naming,
)
from tests.mining.hand import tree

GIVEN = Path(__file__).resolve().parents[3] / "shared" / "data" / "names" / "us_given_names.csv"

NAMES = {
    "a family name": ("Okonkwo Okonkwo NNP 0 root", True),
    "a given name and a family name that is a place": (
        "Jack Jack NNP 0 root; London London NNP 1 flat",
        True,
    ),
    "initials": ("J. J. NNP 0 root; K. K. NNP 1 flat; Okonkwo Okonkwo NNP 1 flat", True),
    "a title": ("Detective Detective NNP 2 compound; Smith Smith NNP 0 root", True),
    "a title alone": ("Senator Senator NNP 0 root", True),
    "a noun for a person": ("author author NN 2 compound; Smith Smith NNP 0 root", True),
    "a place": ("London London NNP 0 root", False),
    "a place of several words": ("Lake Lake NNP 2 compound; Placid Placid NNP 0 root", False),
    "a place named after somebody": ("Mary Mary NNP 2 compound; Lake Lake NNP 0 root", True),
    "an organisation with a title": ("Police Police NNP 2 compound; Department Department NNP 0 root", False),
    "an organisation with a given name": ("Tiffany Tiffany NNP 2 compound; Inc. Inc. NNP 0 root", False),
    "an abbreviation": ("UNESCO UNESCO NNP 0 root", False),
    "an article": ("the the DT 2 det; Titanic Titanic NNP 0 root", False),
    "a day": ("Monday Monday NNP 0 root", False),
}


@pytest.mark.parametrize(("text", "person"), NAMES.values(), ids=NAMES)
def test_names_of_persons(text: str, person: bool) -> None:
    sentence = tree(text)
    assert is_name(sentence, sentence.root)
    assert names_a_person(sentence, sentence.root) is person
    assert names_one_person(sentence, sentence.root) is person


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("he he PRP 0 root", "male"),
        ("her she PRP 0 root", "female"),
        ("I I PRP 0 root", None),
        ("nurse nurse NN 0 root", None),
        ("widow widow NN 0 root", "female"),
        ("alderwoman alderwoman NN 0 root", "female"),
        ("schoolmaster schoolmaster NN 0 root", "male"),
        ("Sir Sir NNP 2 compound; Leslie Leslie NNP 0 root", "male"),
        ("Mary Mary NNP 0 root", "female"),
        ("John John NNP 0 root; Mary Mary NNP 1 flat", "male"),
        ("Okonkwo Okonkwo NNP 0 root; Mary Mary NNP 1 flat", None),  # the last name is the family's
        ("Jordan Jordan NNP 0 root", None),  # of both
        ("actress actress NN 2 compound; Okonkwo Okonkwo NNP 0 root", "female"),
    ],
)
def test_gender(text: str, gender: str | None) -> None:
    sentence = tree(text)
    assert gender_of(sentence, sentence.root) == gender


@pytest.mark.parametrize(
    ("row", "person"),
    [
        ("nurse nurse NN", True),
        ("nurses nurse NNS", False),
        ("report report NN", False),
        ("he he PRP", False),
    ],
)
def test_nouns_for_one_person(row: str, person: bool) -> None:
    assert names_one_person(tree(f"{row} 0 root"), 0) is person


def test_a_name_has_its_parts_in_order() -> None:
    sentence = tree(
        "Dr. Dr. NNP 2 nmod:desc; John John NNP 0 root; Smith Smith NNP 2 flat; ill ill JJ 2 amod"
    )
    assert name_of(sentence, 1) == [0, 1, 2]


def test_no_word_is_of_both_genders_or_a_person_and_a_thing() -> None:
    known = naming()
    assert not known.male & known.female
    assert not known.title_male & known.title_female
    assert not known.title & (known.title_male | known.title_female)
    assert not (known.title | known.title_male | known.title_female) & known.organisation
    assert all(0 <= share <= 1 for share in known.given.values())


@pytest.mark.skipif(not GIVEN.is_file(), reason="the given names of ../shared are not here")
def test_given_names_are_the_shares_of_their_source() -> None:
    with GIVEN.open(encoding="utf8", newline="") as file:
        births = {
            row["name"].lower(): (int(row["female_count"]), int(row["male_count"]))
            for row in csv.DictReader(file)
        }
    assert naming().given.keys() == births.keys()
    for name, (female, male) in births.items():
        assert naming().given[name] == pytest.approx(female / (female + male), abs=6e-4)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("John John NNP 3 nsubj; Smith Smith NNP 4 flat", True),
        ("Mary Mary NNP 3 nsubj; Smith Smith NNP 4 flat", False),
        ("Mr. Mr. NNP 5 nmod:desc; Smith Smith NNP 3 nsubj", True),
        ("the the DT 5 det; smith smith NN 3 nsubj", False),
    ],
)
def test_names_of_which_one_holds_the_other_are_one_persons(other: str, same: bool) -> None:
    sentence = tree(f"John John NNP 3 nsubj; Smith Smith NNP 1 flat; left leave VBD 0 root; {other}")
    place = next(token for token in (3, 4) if sentence.has(token, "nsubj"))
    assert is_same_name(sentence, 0, place) == is_same_name(sentence, place, 0) == same


@pytest.mark.parametrize(("word", "person"), [("Hartley", True), ("umbrella", False)])
def test_a_word_in_lower_case_is_nobodys_name(word: str, person: bool) -> None:
    sentence = tree(f"The the DT 2 det; nice nice JJ 3 amod; {word} {word} NNP 4 nsubj; fell fall VBD 0 root")
    assert names_a_person(sentence, 2) == person
