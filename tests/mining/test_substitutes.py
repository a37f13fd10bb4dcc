"""General words for what only a sentence explains, and what stays as it is."""

from __future__ import annotations

import pytest

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.predicates import predicate, told
from pcf_core.mining.substitutes import (
    CUT,
    STAND_IN,
    closed,
    in_general,
    who_in_general,
    with_something,
    with_word,
)
from pcf_core.mining.verb_groups import Refused
from tests.mining.hand import tree

SAW = "Smith Smith NNP 2 nsubj; saw see VBD 0 root; "
GENERAL = {
    "it it PRP 2 obj": "saw something",
    "this this DT 2 obj": "saw something",
    "us we PRP 2 obj": "saw people",
    "students student NNS 2 obj": "saw people",
    "the the DT 5 det; old old JJ 5 amod; students student NNS 2 obj": "saw people",
    "these these DT 4 det; houses house NNS 2 obj": "saw the houses",
    "its its PRP$ 4 nmod:poss; house house NN 2 obj": "saw the house",
    "Ann Ann NNP 5 nmod:poss; 's 's POS 3 case; house house NN 2 obj": "saw the house",
    "Harvard Harvard NNP 4 compound; University University NNP 2 obj": "saw the university",
    "the the DT 4 det; University University NNP 2 obj; of of IN 6 case; York York NNP 4 nmod": (
        "saw the university"
    ),
}
AS_IT_IS = {
    "her she PRP 2 obj": "a pronoun inside",
    "them they PRP 2 obj": "a pronoun inside",
    "Ann Ann NNP 2 obj": "a name inside",
    "University University NNP 2 obj": "a name inside",
    "the the DT 4 det; student student NN 2 obj": "another person inside",
}


def said(text: str, kept: int = 0) -> str:
    general = in_general(tree(text), kept)
    return " ".join(predicate(general, general.root))


@pytest.mark.parametrize(("phrase", "words"), GENERAL.items())
def test_what_is_no_single_person_is_said_in_general(phrase: str, words: str) -> None:
    assert said(SAW + phrase) == words


@pytest.mark.parametrize(("phrase", "reason"), AS_IT_IS.items())
def test_single_persons_and_names_of_nothing_known_stay(phrase: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        said(SAW + phrase)


def test_it_that_points_at_nothing_stays() -> None:
    made = "Smith Smith NNP 2 nsubj; made make VBD 0 root; it it PRP 2 obj; clear clear JJ 2 xcomp"
    assert said(made) == "made it clear"


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("it it PRP", ("something",)),
        ("this this DT", ("something",)),
        ("they they PRP", ("people",)),
        ("nurses nurse NNS", ("people",)),
        ("she she PRP", None),
        ("press press NN", None),
        ("people people NNS", None),
    ],
)
def test_who_does_something_is_said_in_general(subject: str, words: tuple[str, ...] | None) -> None:
    assert who_in_general(tree(f"{subject} 2 nsubj; fell fall VBD 0 root"), 0) == words


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("the the DT 4 det; Titanic Titanic NNP 2 obj", "saw something"),
        ("five five CD 4 nummod; houses house NNS 2 obj", "saw something"),
        ("a a DT 4 det; piece piece NN 2 obj", "saw something"),
        ("the the DT 4 det; house house NN 2 obj", "saw the house"),
    ],
)
def test_an_object_that_cannot_be_kept_is_something(phrase: str, words: str) -> None:
    assert " ".join(told(tree(SAW + phrase), 1)) == words


@pytest.mark.parametrize("phrase", ["Ann Ann NNP 2 obj", "five five CD 4 nummod; nurses nurse NNS 2 obj"])
def test_no_person_is_something(phrase: str) -> None:
    parsed = tree(SAW + phrase)
    assert with_something(parsed, 1) == parsed
    with pytest.raises(Refused):
        told(parsed, 1)


def test_of_two_objects_none_is_something() -> None:
    two = "five five CD 4 nummod; houses house NNS 2 obj; six six CD 6 nummod; towns town NNS 2 obj"
    with pytest.raises(Refused, match="a number inside"):
        told(tree(SAW + two), 1)


def test_the_object_of_an_infinitive_is_something_too() -> None:
    text = (
        "Smith Smith NNP 2 nsubj; hoped hope VBD 0 root; to to TO 4 mark; raise raise VB 2 xcomp;"
        "the the DT 6 det; Titanic Titanic NNP 4 obj"
    )
    assert " ".join(told(tree(text), 1)) == "hoped to raise something"


def test_who_is_told_is_a_person() -> None:
    told = "Smith Smith NNP 2 nsubj; told tell VBD 0 root; them they PRP 2 iobj; lies lie NNS 2 obj"
    assert said(told) == "told people lies"


def test_what_is_said_is_something_once() -> None:
    clause = "that that IN 5 mark; rain rain NN 5 nsubj; fell fall VBD 2 ccomp"
    text = "Smith Smith NNP 2 nsubj; said say VBD 0 root; " + clause
    assert said(text) == "said something"
    assert tree(text) == in_general(tree(text), 4)
    with pytest.raises(Refused, match="another clause"):
        said(text.replace("said say", "hoped hope"))
    with pytest.raises(Refused, match="another clause"):
        said(text + "; and and CC 7 cc; won win VBD 2 ccomp")


def test_beside_the_clause_that_is_kept_no_other_is_something() -> None:
    text = (
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; rain rain NN 4 nsubj; fell fall VBD 2 ccomp;"
        "and and CC 7 cc; he he PRP 7 nsubj; left leave VBD 2 ccomp"
    )
    assert in_general(tree(text), 6) == tree(text)


def test_what_is_kept_keeps_its_possessive_and_all_above_it() -> None:
    parsed = tree(
        SAW + "this this DT 4 det; book book NN 2 obj; of of IN 7 case; his his PRP$ 7 nmod:poss;"
        "students student NNS 4 nmod"
    )
    general = in_general(parsed, 6)
    assert general.words == ("Smith", "saw", "the", "book", "of", "his", "students")
    assert general.heads == parsed.heads


def test_whose_is_no_article() -> None:
    parsed = tree(
        "Smith Smith NNP 4 nsubj; , , , 1 punct; whose whose WP$ 1 nmod:poss; left leave VBD 0 root"
    )
    assert in_general(parsed, 3) is parsed


def test_a_closed_noun_has_nothing_but_its_preposition() -> None:
    parsed = tree(SAW + "in in IN 5 case; old old JJ 5 amod; Rome Rome NNP 2 obl")
    found = closed(parsed, 4)
    assert (found.words[4], found.tags[4], found.relations[4]) == (STAND_IN, "NN", "obl")
    assert (found.relations[2], found.relations[3]) == ("case", CUT)


def test_another_word_in_a_place_changes_that_place_alone() -> None:
    parsed = tree(SAW + "it it PRP 2 obj")
    found = with_word(parsed, 2, "that", "DT", "nsubj")
    assert found == Tree(
        ("Smith", "saw", "that"), ("Smith", "see", "that"), ("NNP", "VBD", "DT"), parsed.heads,
        ("nsubj", "root", "nsubj"),
    )  # fmt: skip
