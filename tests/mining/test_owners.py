"""Whose a thing is: the subject nearest above it, and who else it may belong to."""

from __future__ import annotations

import pytest

from pcf_core.mining.coreference import Verdict
from pcf_core.mining.owners import Host, host_of, host_that_owns, owns
from tests.mining.hand import tree

SMITH = "Smith Smith NNP 2 nsubj; "
HOSTS = {
    "the predicate's own": (
        SMITH + "ended end VBD 0 root; his his PRP$ 4 nmod:poss; job job NN 2 obj",
        2, 1, 0,
    ),
    "of a second verb": (
        SMITH + "came come VBD 0 root; and and CC 4 cc; ended end VBD 2 conj; his his PRP$ 6 nmod:poss;"
        "job job NN 4 obj",
        4, 3, 0,
    ),
    "of a second verb that the parser reads as adverbial": (
        SMITH + "came come VBD 0 root; and and CC 4 cc; ended end VBD 2 advcl; his his PRP$ 6 nmod:poss;"
        "job job NN 4 obj",
        4, 3, 0,
    ),
    "of an infinitive": (
        SMITH + "hoped hope VBD 0 root; to to TO 4 mark; end end VB 2 xcomp; his his PRP$ 6 nmod:poss;"
        "job job NN 4 obj",
        4, 3, 0,
    ),
    "of a participle beside the predicate": (
        SMITH + "left leave VBD 0 root; ending end VBG 2 advcl; his his PRP$ 5 nmod:poss; job job NN 3 obj",
        3, 2, 0,
    ),
    "whom *who* stands for": (
        "They they PRP 2 nsubj; hired hire VBD 0 root; Smith Smith NNP 2 obj; who who WP 5 nsubj;"
        "lost lose VBD 3 acl:relcl; his his PRP$ 7 nmod:poss; job job NN 5 obj",
        5, 4, 2,
    ),
    "whom a participle behind tells of": (
        "They they PRP 2 nsubj; met meet VBD 0 root; Smith Smith NNP 2 obj; carrying carry VBG 3 acl;"
        "his his PRP$ 6 nmod:poss; bag bag NN 4 obj",
        4, 3, 2,
    ),
    "above an adverb": (
        SMITH + "retired retire VBD 0 root; early early RB 2 advmod; in in IN 6 case;"
        "his his PRP$ 6 nmod:poss; life life NN 3 obl",
        4, 1, 0,
    ),
    "above an adjective in a noun's place": (
        SMITH + "admired admire VBD 0 root; his his PRP$ 4 nmod:poss; own own JJ 2 obj",
        2, 1, 0,
    ),
    "of an infinitive behind a thing": (
        SMITH + "had have VBD 0 root; time time NN 2 obj; to to TO 5 mark; end end VB 3 acl;"
        "his his PRP$ 7 nmod:poss; job job NN 5 obj",
        5, 4, 0,
    ),
    "of what a participle tells of": (
        SMITH + "sold sell VBD 0 root; books book NNS 2 obj; based base VBN 3 acl; on on IN 7 case;"
        "his his PRP$ 7 nmod:poss; job job NN 4 obl",
        5, 3, 2,
    ),
    "above a part": (
        SMITH + "sold sell VBD 0 root; some some DT 2 obj; of of IN 6 case; his his PRP$ 6 nmod:poss;"
        "books book NNS 3 nmod",
        4, 1, 0,
    ),
    "above a phrase in a phrase": (
        SMITH + "sold sell VBD 0 root; copies copy NNS 2 obj; of of IN 6 case; his his PRP$ 6 nmod:poss;"
        "book book NN 3 nmod",
        4, 1, 0,
    ),
}  # fmt: skip
NOBODY = {
    "told whom": SMITH + "told tell VBD 0 root; Jones Jones NNP 2 obj; to to TO 5 mark; end end VB 2 xcomp;"
    "his his PRP$ 7 nmod:poss; job job NN 5 obj",
    "it ends": SMITH + "knew know VBD 0 root; it it PRP 4 expl; ended end VBD 2 ccomp;"
    "his his PRP$ 6 nmod:poss; job job NN 4 obj",
    "an infinitive behind a person": SMITH + "met meet VBD 0 root; nurses nurse NN 2 obj; to to TO 5 mark;"
    "end end VB 3 acl; his his PRP$ 7 nmod:poss; job job NN 5 obj",
    "two subjects": "Smith Smith NNP 3 nsubj; you you PRP 3 nsubj; end end VBP 0 root;"
    "his his PRP$ 5 nmod:poss; job job NN 3 obj",
    "the thing is the subject": "His his PRP$ 2 nmod:poss; job job NN 3 nsubj; ended end VBD 0 root",
}
KNEW = "knew know VBD 0 root; {} 4 nsubj; hurt hurt VBD 2 ccomp; his his PRP$ 6 nmod:poss; job job NN 4 obj"
OWNS = (
    SMITH + "met meet VBD 0 root; his his PRP$ 4 nmod:poss; nurse nurse NN 2 obj",
    "In in IN 3 case; his his PRP$ 3 nmod:poss; youth youth NN 5 obl; Smith Smith NNP 5 nsubj;"
    "won win VBD 0 root",
    SMITH.replace(" 2 ", " 5 ") + "was be VBD 5 cop; in in IN 5 case; his his PRP$ 5 nmod:poss;"
    "prime prime NN 0 root",
)
HE_TOLD = "told tell VBD 0 root; Jones Jones NNP 2 iobj; his his PRP$ 5 nmod:poss; story story NN 2 obj"


@pytest.mark.parametrize(("text", "pronoun", "verb", "subject"), HOSTS.values(), ids=HOSTS)
def test_the_subject_is_that_of_the_nearest_predicate(
    text: str, pronoun: int, verb: int, subject: int
) -> None:
    assert host_of(tree(text), pronoun) == Host(verb, subject)


@pytest.mark.parametrize("text", NOBODY.values(), ids=NOBODY)
def test_where_it_cannot_be_told_there_is_none(text: str) -> None:
    parsed = tree(text)
    assert host_of(parsed, [word.lower() for word in parsed.words].index("his")) is None


@pytest.mark.parametrize(
    "other", ["it it PRP", "they they PRP", "rain rain NN", "nurses nurse NNS", "she she PRP", "Ann Ann NNP"]
)
def test_who_cannot_be_meant_is_passed_over(other: str) -> None:
    assert host_that_owns(tree(SMITH + KNEW.format(other)), 4) == Host(1, 0, (2,))


@pytest.mark.parametrize("other", ["Jones Jones NNP", "nurse nurse NN", "he he PRP"])
def test_who_can_be_meant_is_not(other: str) -> None:
    assert host_that_owns(tree(SMITH + KNEW.format(other)), 4) == Host(3, 2)


def test_whom_who_stands_for_is_a_person_though_the_noun_is_not_known() -> None:
    text = (
        SMITH + "met meet VBD 0 root; foobars foobar NN 2 obj; who who WP 5 nsubj; lost lose VBD 3 acl:relcl;"
        "his his PRP$ 7 nmod:poss; job job NN 5 obj"
    )
    assert host_that_owns(tree(text), 5) == Host(4, 2)


def test_nobody_owns_where_all_are_passed_over() -> None:
    assert host_that_owns(tree("It it PRP 2 nsubj; " + KNEW.format("they they PRP")), 4) is None


def test_beyond_another_predicate_nobody_else_may_be_near() -> None:
    """Of "He told Jones that it hurt his job" nobody knows whose; of "He knew that it did" all do."""
    assert verdict("He he PRP 2 nsubj; " + KNEW.format("it it PRP")) == (True, "pronoun")
    told = (
        "He he PRP 2 nsubj; told tell VBD 0 root; Jones Jones NNP 2 iobj; it it PRP 5 nsubj;"
        "hurt hurt VBD 2 ccomp; his his PRP$ 7 nmod:poss; job job NN 5 obj"
    )
    assert verdict(told) == (False, "another person may be meant")


def verdict(text: str) -> tuple[bool, str]:
    parsed = tree(text)
    pronoun = [word.lower() for word in parsed.words].index("his")
    host = host_that_owns(parsed, pronoun)
    assert host is not None
    found = owns(parsed, host, pronoun)
    return found.accepted, found.reason


def test_beside_he_the_other_word_is_the_same_person() -> None:
    assert verdict("He he PRP 2 nsubj; " + HE_TOLD) == (True, "pronoun")
    she = tree("She she PRP 2 nsubj; " + HE_TOLD)
    assert host_that_owns(she, 3) is None
    assert owns(she, Host(1, 0), 3) == Verdict(False, "the genders differ")


@pytest.mark.parametrize("text", OWNS)
def test_beside_a_name_it_is_the_names_where_nobody_else_is_near(text: str) -> None:
    assert verdict(text) == (True, "name")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SMITH + HE_TOLD, "another person may be meant"),
        (
            "As as IN 3 mark; Jones Jones NNP 3 nsubj; spoke speak VBD 5 advcl; Smith Smith NNP 5 nsubj;"
            "stole steal VBD 0 root; his his PRP$ 7 nmod:poss; radio radio NN 5 obj",
            "another person may be meant",
        ),
        (
            SMITH + "beat beat VBD 0 root; Styles Styles NNPS 2 obj; in in IN 6 case;"
            "his his PRP$ 6 nmod:poss; match match NN 2 obl",
            "another person may be meant",
        ),
        (
            "Jones Jones NNP 2 nsubj; knew know VBD 0 root; in in IN 5 case; his his PRP$ 5 nmod:poss;"
            "absence absence NN 8 obl; , , , 8 punct; Smith Smith NNP 8 nsubj; left leave VBD 2 ccomp",
            "another person may be meant",
        ),
        (
            SMITH.replace(" 2 ", " 4 ") + "was be VBD 4 cop; his his PRP$ 4 nmod:poss; guest guest NN 0 root",
            "what the possessive owns is the predicate",
        ),
        (
            SMITH + "beat beat VBD 0 root; Hills hill NNS 2 obj; in in IN 6 case;"
            "his his PRP$ 6 nmod:poss; match match NN 2 obl",
            "another person may be meant",
        ),
        (
            "The the DT 2 det; doctor doctor NN 3 nsubj; touched touch VBD 0 root; his his PRP$ 5 nmod:poss;"
            "arm arm NN 3 obj",
            "what the possessive owns may be another's",
        ),
    ],
)
def test_beside_a_name_or_noun_it_may_be_somebody_elses(text: str, reason: str) -> None:
    assert verdict(text) == (False, reason)


@pytest.mark.parametrize(
    ("relation", "person", "accepted"),
    [("conj", "Jones", False), ("conj", "England", True), ("obl", "Jones", True), ("appos", "Jones", False)],
)
def test_what_is_joined_to_a_name_is_the_names(relation: str, person: str, accepted: bool) -> None:
    """He praised Jones and his career; a place has no career."""
    sentence = tree(
        f"He he PRP 2 nsubj; praised praise VBD 0 root; {person} {person} NNP 2 obj; and and CC 6 cc;"
        f"his his PRP$ 6 nmod:poss; career career NN 3 {relation}"
    )
    assert owns(sentence, Host(1, 0), 4).accepted == accepted


@pytest.mark.parametrize(("name", "accepted"), [("Smith", True), ("Jones", False)])
def test_the_same_name_is_nobody_else(name: str, accepted: bool) -> None:
    sentence = tree(
        f"{name} {name} NNP 2 nsubj; left leave VBD 0 root; and and CC 5 cc; Smith Smith NNP 5 nsubj;"
        "ended end VBD 2 conj; his his PRP$ 7 nmod:poss; job job NN 5 obj"
    )
    assert owns(sentence, Host(4, 3), 5).accepted == accepted
