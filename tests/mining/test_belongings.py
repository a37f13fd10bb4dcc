"""Pronouns beside a noun: what is kept of the noun, what joins a clause to it, and which rule it is of."""

from __future__ import annotations

import pytest

from pcf_core.mining.belongings import elsewhere, possessive, relative
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree

TOPIC = frozenset({"he", "she", "his", "her"})
SOLD = "Smith Smith NNP 2 nsubj; sold sell VBD 0 root; "
OWNED = {
    "his his PRP$ 5 nmod:poss; long long JJ 5 amod; book book NN 2 obj": "The [X] sold [Y] book",
    "his his PRP$ 5 nmod:poss; Welsh Welsh NNP 5 compound; book book NN 2 obj": "The [X] sold [Y] book",
    "his his PRP$ 5 nmod:poss; two two CD 5 nummod; books book NNS 2 obj": "The [X] sold [Y] books",
    "his his PRP$ 5 nmod:poss; song song NN 5 compound; book book NN 2 obj": "The [X] sold [Y] song book",
    "his his PRP$ 4 nmod:poss; way way NN 2 obj": "The [X] sold [Y] way",
    "his his PRP$ 5 nmod:poss; father father NN 5 nmod:poss; book book NN 2 obj": "a possessive inside",
    "his his PRP$ 4 nmod:poss; London London NNP 2 obj": "a name inside",
}
CLAUSES = {
    "the the DT 4 det; house house NN 2 obj; he he PRP 6 nsubj; built build VBN 4 acl:relcl": (
        "The [X] sold the house that [Y]"
    ),
    "houses house NNS 2 obj; which which WDT 6 obj; he he PRP 6 nsubj; built build VBN 3 acl:relcl": (
        "The [X] sold houses which [Y]"
    ),
    "an a DT 5 det; old old JJ 5 amod; house house NN 2 obj; he he PRP 7 nsubj;"
    "built build VBN 5 acl:relcl": "The [X] sold a house that [Y]",
    "the the DT 4 det; house house NN 2 obj; in in IN 6 case; which which WDT 8 obl; he he PRP 8 nsubj;"
    "lived live VBD 4 acl:relcl": "The [X] sold the house in which [Y]",
    "the the DT 4 det; rights right NNS 2 obj; to to IN 7 case; a a DT 7 det; book book NN 4 nmod;"
    "he he PRP 9 nsubj; wrote write VBD 7 acl:relcl": "The [X] sold the rights to a book that [Y]",
    "house house NN 2 obj; he he PRP 5 nsubj; built build VBN 3 acl:relcl": "a noun without an article",
    "the the DT 4 det; house house NN 2 obj; , , , 7 punct; he he PRP 7 nsubj; built build VBN 4 acl:relcl": (
        "a relative clause"
    ),
}


@pytest.mark.parametrize(("phrase", "found"), OWNED.items())
def test_of_a_thing_only_what_says_what_it_is_stays(phrase: str, found: str) -> None:
    (one,) = texts(possessive(tree(SOLD + phrase), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


@pytest.mark.parametrize(("phrase", "found"), CLAUSES.items())
def test_a_clause_is_joined_to_its_noun_by_what_stood_there_or_that(phrase: str, found: str) -> None:
    (one,) = texts(relative(tree(SOLD + phrase), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


def test_each_possessive_gives_a_template_of_the_rule_of_its_place() -> None:
    text = tree(
        "Smith Smith NNP 2 nsubj; slept sleep VBD 0 root; in in IN 5 case; his his PRP$ 5 nmod:poss;"
        "town town NN 2 obl; with with IN 8 case; his his PRP$ 8 nmod:poss; friends friend NNS 2 obl;"
        "and and CC 10 cc; left leave VBD 2 conj; with with IN 13 case; his his PRP$ 13 nmod:poss;"
        "book book NN 10 obl"
    )
    assert texts(possessive(text, TOPIC, TOPIC)) == [
        "The [X] slept in [Y] town",
        "The [X] slept with [Y] friends",
    ]
    assert texts(elsewhere(text, TOPIC, TOPIC)) == ["The [X] left with [Y] book"]


def test_the_subject_of_a_clause_is_left_to_other_rules() -> None:
    text = tree(
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 5 nsubj;"
        "ended end VBD 2 ccomp"
    )
    assert [*possessive(text, TOPIC, TOPIC), *elsewhere(text, TOPIC, TOPIC)] == []


def test_a_clause_with_where_behind_the_main_predicate_is_of_another_rule() -> None:
    text = SOLD + (
        "the the DT 4 det; house house NN 2 obj; where where WRB 7 advmod; he he PRP 7 nsubj;"
        "lived live VBD 4 acl:relcl"
    )
    assert list(relative(tree(text), TOPIC, TOPIC)) == []
