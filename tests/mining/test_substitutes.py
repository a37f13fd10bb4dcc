"""Trees with words cut or exchanged: what changes, and what stays as it was."""

from __future__ import annotations

import pytest

from pcf_core.mining.clauses import without_numbers
from pcf_core.mining.owners import opened, steps_to
from pcf_core.mining.parser.trees import Tree
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

SMITH = "Smith NNP 2 nsubj; "
SAW = SMITH + "saw see VBD 0 root; "


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("it PRP", ("something",)),
        ("this DT", ("something",)),
        ("they PRP", ("people",)),
        ("nurses nurse NNS", ("people",)),
        ("she PRP", None),
        ("press NN", None),
        ("people NNS", None),
    ],
)
def test_who_does_something_is_said_in_general(subject: str, words: tuple[str, ...] | None) -> None:
    assert who_in_general(tree(f"{subject} 2 nsubj; fell fall VBD 0 root"), 0) == words


@pytest.mark.parametrize("phrase", ["Ann NNP 2 obj", "five CD 4 nummod; nurses nurse NNS 2 obj"])
def test_no_person_is_something(phrase: str) -> None:
    parsed = tree(SAW + phrase)
    assert with_something(parsed, 1) == parsed


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("said say VBD 0 root; that IN 5 mark; rain NN 5 nsubj; fell fall VBD 2 ccomp", 4),
        ("said say VBD 0 root; rain NN 4 nsubj; fell fall VBD 2 ccomp; and CC 7 cc; he PRP 7 nsubj;"
         "left leave VBD 2 ccomp", 6),
        ("left leave VBD 0 root; , , 1 punct; whose WP$ 1 nmod:poss", 3),
    ],
    ids=["the clause that is kept", "nor another beside it", "whose is no article"],
)  # fmt: skip
def test_what_stays_is_the_same_tree(text: str, kept: int) -> None:
    assert in_general(tree(SMITH + text), kept) == tree(SMITH + text)


def test_what_is_kept_keeps_its_possessive_and_all_above_it() -> None:
    parsed = tree(
        SAW + "this DT 4 det; book NN 2 obj; of IN 7 case; his PRP$ 7 nmod:poss; students student NNS 4 nmod"
    )
    general = in_general(parsed, 6)
    assert general.words == ("Smith", "saw", "the", "book", "of", "his", "students")
    assert general.heads == parsed.heads


def test_a_closed_noun_has_nothing_but_its_preposition() -> None:
    parsed = tree(SAW + "in IN 5 case; old JJ 5 amod; Rome NNP 2 obl")
    found = closed(parsed, 4)
    assert (found.words[4], found.tags[4], found.relations[4]) == (STAND_IN, "NN", "obl")
    assert (found.relations[2], found.relations[3]) == ("case", CUT)


def test_another_word_in_a_place_changes_that_place_alone() -> None:
    parsed = tree(SAW + "it PRP 2 obj")
    assert with_word(parsed, 2, "that", "DT", "nsubj") == Tree(
        ("Smith", "saw", "that"), ("Smith", "see", "that"), ("NNP", "VBD", "DT"), parsed.heads,
        ("nsubj", "root", "nsubj"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("phrase", "cut"),
    [
        ("three CD 4 nummod; books book NNS 2 obj", ["three"]),
        ("one CD 4 nummod; book NN 2 obj", []),  # "read book" is no English
        ("books book NNS 2 obj; three CD 3 nummod", []),  # "books three" counts nothing
        ("a DT 4 det; lot NN 2 obj; of IN 7 case; ten CD 7 nummod; books book NNS 4 nmod", []),
    ],
)
def test_only_numbers_that_a_plural_can_do_without_are_cut(phrase: str, cut: list[str]) -> None:
    found = without_numbers(tree(SMITH + "read VBD 0 root; " + phrase))
    left_out = [word for word, relation in zip(found.words, found.relations, strict=True) if relation == CUT]
    assert left_out == cut


def test_nothing_longer_than_other_predicates_comes_out() -> None:
    text = SAW + "the DT 4 det; town NN 2 obj"
    for at in (4, 7, 10):
        text += f"; of IN {at + 3} case; the DT {at + 3} det; river NN {at} nmod"
    parsed = tree(text + "; by IN 15 case; land NN 13 nmod")
    with pytest.raises(Refused, match="too long"):
        opened(parsed, len(parsed) - 1, ("[Y]", "job"), ())


def test_the_way_down_to_a_noun_begins_at_the_predicates_own() -> None:
    parsed = tree(
        SMITH + "sold sell VBD 0 root; the DT 4 det; rights right NNS 2 obj; to IN 6 case;"
        "houses house NNS 4 nmod; and CC 8 cc; jobs job NNS 6 conj"
    )
    better, steps = steps_to(parsed, 7)
    assert [parsed.words[step] for step in steps] == ["rights", "jobs"]
    assert (better.heads[7], better.relations[7], better.heads[4]) == (3, "nmod", 7)
