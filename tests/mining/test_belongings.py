"""Pronouns beside a noun: what is kept of the noun, what joins a clause to it, and which rule it is of."""

from __future__ import annotations

import pytest

from pcf_core.mining.belongings import elsewhere, of_subject, possessive, relative
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
    "his his PRP$ 5 nmod:poss; student student NN 5 compound; books book NNS 2 obj": "The [X] sold [Y] books",
    "his his PRP$ 4 nmod:poss; students student NNS 2 obj": "The [X] sold [Y] students",
    "his his PRP$ 4 nmod:poss; wife wife NN 2 obj": "The [X] sold [Y] spouse",
    "his his PRP$ 4 nmod:poss; sons son NNS 2 obj": "The [X] sold [Y] children",
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
    "the the DT 4 det; house house NN 2 obj; , , , 9 punct; which which WDT 9 obj; he he PRP 9 nsubj;"
    "had have VBD 9 aux; built build VBN 4 acl:relcl": "The [X] sold the house which [Y]",
    "house house NN 2 obj; he he PRP 5 nsubj; built build VBN 3 acl:relcl": "a noun without an article",
    "the the DT 4 det; house house NN 2 obj; and and CC 7 cc; he he PRP 7 nsubj;"
    "built build VBN 4 acl:relcl": "a relative clause",
}


SAID = "Smith Smith NNP 2 nsubj; said say VBD 0 root; "
OF_SUBJECT = {
    SAID + "his his PRP$ 4 nmod:poss; health health NN 6 nsubj; had have VBD 6 aux;failed fail VBN 2 ccomp": (
        "The [X] said that [Y] health failed"
    ),
    "Smith Smith NNP 2 nsubj; smiled smile VBD 0 root; when when WRB 6 advmod; his his PRP$ 5 nmod:poss;"
    "books book NNS 6 nsubj:pass; burned burn VBN 2 advcl; were be VBD 6 aux:pass": (
        "a question or an inversion"
    ),
    "Smith Smith NNP 2 nsubj; smiled smile VBD 0 root; when when WRB 7 advmod; his his PRP$ 5 nmod:poss;"
    "books book NNS 7 nsubj:pass; were be VBD 7 aux:pass; burned burn VBN 2 advcl": (
        "The [X] smiled when [Y] books were burned"
    ),
    "Smith Smith NNP 2 nsubj; slept sleep VBD 0 root; but but CC 6 cc; his his PRP$ 5 nmod:poss;"
    "wife wife NN 6 nsubj; left leave VBD 2 conj": "The [X] slept but [Y] spouse left",
    "Smith Smith NNP 2 nsubj; told tell VBD 0 root; Jones Jones NNP 2 obj; that that IN 7 mark;"
    "his his PRP$ 6 nmod:poss; career career NN 7 nsubj; ended end VBD 2 ccomp": (
        "not the same person: another person may be meant"
    ),
}


@pytest.mark.parametrize(("phrase", "found"), OWNED.items())
def test_of_a_thing_only_what_says_what_it_is_stays(phrase: str, found: str) -> None:
    (one,) = texts(possessive(tree(SOLD + phrase), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


def test_an_exception_is_refused() -> None:
    """Somebody who loved nobody but his father did not just love him."""
    phrase = "nobody nobody NN 2 obj; but but IN 6 case; his his PRP$ 6 nmod:poss; father father NN 3 nmod"
    assert texts(elsewhere(tree(SOLD + phrase), TOPIC, TOPIC)) == [Dropped("an exception that is not kept")]


@pytest.mark.parametrize(("phrase", "found"), CLAUSES.items())
def test_a_clause_is_joined_to_its_noun_by_what_stood_there_or_that(phrase: str, found: str) -> None:
    (one,) = texts(relative(tree(SOLD + phrase), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


@pytest.mark.parametrize(("text", "found"), OF_SUBJECT.items())
def test_a_clause_about_a_thing_of_the_subject_is_kept_whole(text: str, found: str) -> None:
    (one,) = texts(of_subject(tree(text), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


def test_a_named_place_in_another_clause_is_a_place() -> None:
    text = (
        "Rain rain NN 2 nsubj; fell fall VBD 0 root; when when WRB 5 advmod; Smith Smith NNP 5 nsubj;"
        "moved move VBD 2 advcl; to to IN 7 case; Rome Rome NNP 5 obl; where where WRB 10 advmod;"
        "he he PRP 10 nsubj; lived live VBD 7 acl:relcl"
    )
    assert texts(relative(tree(text), TOPIC, TOPIC)) == ["The [X] moved to a place where [Y]"]


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


OF_ANOTHER = {
    SAID + "that that IN 6 mark; the the DT 5 det; press press NN 6 nsubj; hated hate VBD 2 ccomp;"
    "his his PRP$ 8 nmod:poss; book book NN 6 obj": "The [X] said that the press hated [Y] book",
    SAID + "they they PRP 5 nsubj:pass; were be VBD 5 aux:pass; hired hire VBN 2 ccomp; with with IN 8 case;"
    "his his PRP$ 8 nmod:poss; book book NN 5 obl": "The [X] said that people were hired with [Y] book",
    SAID + "that that IN 5 mark; it it PRP 5 nsubj; fell fall VBD 2 ccomp; with with IN 8 case;"
    "his his PRP$ 8 nmod:poss; book book NN 5 obl": "The [X] said that something fell with [Y] book",
    SOLD + "houses house NNS 2 obj; that that WDT 5 nsubj; fell fall VBD 3 acl:relcl; with with IN 8 case;"
    "his his PRP$ 8 nmod:poss; books book NNS 5 obl": "a clause out of place",
    SAID + "that that IN 5 mark; it it PRP 5 nsubj; fell fall VBD 2 ccomp; when when WRB 8 advmod;"
    "they they PRP 8 nsubj; sold sell VBD 5 advcl; his his PRP$ 10 nmod:poss; book book NN 8 obj": (
        "a clause out of place"
    ),
}


@pytest.mark.parametrize(("text", "found"), OF_ANOTHER.items())
def test_what_another_does_with_a_thing_keeps_who_does_it(text: str, found: str) -> None:
    (one,) = texts(elsewhere(tree(text), TOPIC, TOPIC))
    assert one == (found if found.startswith("The") else Dropped(found))


def test_where_nobody_can_be_meant_the_reason_is_given() -> None:
    text = "It it PRP 2 nsubj; ended end VBD 0 root; after after IN 5 case; his his PRP$ 5 nmod:poss;"
    found = [*possessive(tree(text + "job job NN 2 obl"), TOPIC, TOPIC)]
    assert found == [Dropped("no subject above that the word could mean")]


def test_the_subject_of_a_clause_is_left_to_other_rules() -> None:
    text = tree(
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; his his PRP$ 4 nmod:poss; career career NN 5 nsubj;"
        "ended end VBD 2 ccomp"
    )
    assert list(possessive(text, TOPIC, TOPIC)) == []
    assert list(elsewhere(text, TOPIC, TOPIC)) == [Dropped("the word stands in the subject of a clause")]


def test_a_clause_with_where_behind_the_main_predicate_is_of_another_rule() -> None:
    text = SOLD + (
        "the the DT 4 det; house house NN 2 obj; where where WRB 7 advmod; he he PRP 7 nsubj;"
        "lived live VBD 4 acl:relcl"
    )
    assert list(relative(tree(text), TOPIC, TOPIC)) == []
