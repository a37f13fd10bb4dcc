"""Predicates: the complements they need, no adjuncts, and nobody named inside."""

from __future__ import annotations

import pytest

from pcf_core.mining.predicates import predicate, preposition, starts_with_vowel
from pcf_core.mining.verb_groups import Refused
from tests.mining.hand import tree

KEPT = {
    "adjuncts go": (
        "In in IN 2 case; May May NNP 5 obl; Smith Smith NNP 5 nsubj; often often RB 5 advmod;"
        "spoke speak VBD 0 root;"
        "in in IN 7 case; Rome Rome NNP 5 obl",
        "spoke",
    ),
    "an object keeps its article": (
        "Smith Smith NNP 2 nsubj; wrote write VBD 0 root; an a DT 5 det; early early JJ 5 amod;"
        "book book NN 2 obj",
        "wrote a book",
    ),
    "an article fits what follows now": (
        "Smith Smith NNP 2 nsubj; made make VBD 0 root; a a DT 5 det; public public JJ 5 amod;"
        "offer offer NN 2 obj",
        "made an offer",
    ),
    "a compound stays": (
        "Smith Smith NNP 2 nsubj; signed sign VBD 0 root; a a DT 5 det; record record NN 5 compound;"
        "deal deal NN 2 obj",
        "signed a record deal",
    ),
    "a quantity stays": (
        "Smith Smith NNP 2 nsubj; had have VBD 0 root; few few JJ 5 amod; old old JJ 5 amod;"
        "books book NNS 2 obj",
        "had few books",
    ),
    "a particle stays": (
        "Smith Smith NNP 2 nsubj; grew grow VBD 0 root; up up RP 2 compound:prt; in in IN 5 case;"
        "Rome Rome NNP 2 obl",
        "grew up",
    ),
    "a needed preposition stays": (
        "Smith Smith NNP 2 nsubj; referred refer VBD 0 root; to to IN 6 case; the the DT 6 det;"
        "old old JJ 6 amod;"
        "book book NN 2 obl; in in IN 8 case; May May NNP 2 obl",
        "referred to the book",
    ),
    "a phrase of one sense stays": (
        "Smith Smith NNP 2 nsubj; fell fall VBD 0 root; in in IN 4 case; love love NN 2 obl",
        "fell in love",
    ),
    "an infinitive stays": (
        "Smith Smith NNP 2 nsubj; wanted want VBD 0 root; to to TO 4 mark; leave leave VB 2 xcomp;"
        "Rome Rome NNP 4 obj",
        "wanted to leave",
    ),
    "infinitives below each other": (
        "Smith Smith NNP 2 nsubj; began begin VBD 0 root; to to TO 4 mark; try try VB 2 xcomp;"
        "to to TO 6 mark;"
        "work work VB 4 xcomp",
        "began to try to work",
    ),
    "an adjective with its infinitive": (
        "Smith Smith NNP 3 nsubj; is be VBZ 3 cop; able able JJ 0 root; to to TO 5 mark;walk walk VB 3 xcomp",
        "was able to walk",
    ),
    "an adjective alone": (
        "Smith Smith NNP 4 nsubj; were be VBD 4 cop; very very RB 4 advmod; old old JJ 0 root",
        "was old",
    ),
    "the first": (
        "Smith Smith NNP 4 nsubj; is be VBZ 4 cop; the the DT 4 det; first first JJ 0 root",
        "was the first",
    ),
    "a state": (
        "Smith Smith NNP 4 nsubj; is be VBZ 4 cop; in in IN 4 case; charge charge NN 0 root",
        "was in charge",
    ),
    "what somebody becomes": (
        "Smith Smith NNP 2 nsubj; became become VBD 0 root; famous famous JJ 2 xcomp",
        "became famous",
    ),
    "a right to something": (
        "Smith Smith NNP 2 nsubj; had have VBD 0 root; the the DT 4 det; right right NN 2 obj;"
        "to to TO 6 mark;"
        "vote vote VB 4 acl; there there RB 6 advmod",
        "had the right to vote",
    ),
    "part of something": (
        "Smith Smith NNP 2 nsubj; took take VBD 0 root; part part NN 2 obj; in in IN 6 case;"
        "the the DT 6 det; war war NN 2 obl",
        "took part",
    ),
    "an object that can go": (
        "Smith Smith NNP 2 nsubj; left leave VBD 0 root; Rome Rome NNP 2 obj",
        "left",
    ),
}

REFUSED = {
    "a name": ("Smith Smith NNP 2 nsubj; joined join VBD 0 root; Ford Ford NNP 2 obj", "a name"),
    "a number": (
        "Smith Smith NNP 2 nsubj; made make VBD 0 root; 12 12 CD 4 nummod; films film NNS 2 obj",
        "a number",
    ),
    "a possessive": (
        "Smith Smith NNP 2 nsubj; lost lose VBD 0 root; his his PRP$ 4 nmod:poss; job job NN 2 obj",
        "possessive",
    ),
    "a person": (
        "Smith Smith NNP 2 nsubj; hired hire VBD 0 root; a a DT 4 det; lawyer lawyer NN 2 obj",
        "person",
    ),
    "a profession": (
        "Smith Smith NNP 4 nsubj; was be VBD 4 cop; a a DT 4 det; pilot pilot NN 0 root",
        "person",
    ),
    "an age": (
        "Smith Smith NNP 5 nsubj; was be VBD 5 cop; five five CD 4 nummod; years year NNS 5 obl:npmod;"
        "old old JJ 0 root",
        "a number",
    ),
    "an object pronoun": ("Smith Smith NNP 2 nsubj; told tell VBD 0 root; him he PRP 2 obj", "a pronoun"),
    "no object": ("Smith Smith NNP 2 nsubj; made make VBD 0 root", "needs more"),
    "no preposition": ("Smith Smith NNP 2 nsubj; referred refer VBD 0 root", "needs more"),
    "a passive without its role": (
        "Smith Smith NNP 3 nsubj:pass; was be VBD 3 aux:pass; known know VBN 0 root; in in IN 5 case;"
        "Rome Rome NNP 3 obl",
        "needs more",
    ),
    "no whole": (
        "Smith Smith NNP 2 nsubj; had have VBD 0 root; a a DT 4 det; number number NN 2 obj",
        "needs more",
    ),
    "a second clause": (
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; it it PRP 4 nsubj; rained rain VBD 2 ccomp",
        "another clause",
    ),
    "a group act": ("The the DT 2 det; pilots pilot NNS 3 nsubj; gathered gather VBD 0 root", "only several"),
    "a lost particle object": (
        "Smith Smith NNP 2 nsubj; carried carry VBD 0 root; out out RP 2 compound:prt",
        "needs more",
    ),
    "it rains": ("It it PRP 2 expl; seems seem VBZ 0 root", "unusual"),
}


@pytest.mark.parametrize(("text", "expected"), KEPT.values(), ids=KEPT)
def test_a_predicate_keeps_what_it_needs(text: str, expected: str) -> None:
    parsed = tree(text)
    assert " ".join(predicate(parsed, parsed.root)) == expected


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_predicate_that_names_counts_or_lacks_something_is_refused(text: str, reason: str) -> None:
    parsed = tree(text)
    with pytest.raises(Refused, match=reason):
        predicate(parsed, parsed.root)


@pytest.mark.parametrize("between", ["which which WDT 5 obj; ", ""])
def test_the_object_that_a_relative_clause_says_more_of_is_something(between: str) -> None:
    verb = 5 if between else 4
    parsed = tree(
        f"A a DT 2 det; house house NN 0 root; {between}Smith Smith NNP {verb} nsubj;"
        "sold sell VBD 2 acl:relcl"
    )
    assert predicate(parsed, verb - 1) == ("sold", "something")


def test_what_a_place_is_said_of_lacks_its_object() -> None:
    parsed = tree(
        "A a DT 2 det; house house NN 0 root; where where WRB 5 advmod; Smith Smith NNP 5 nsubj;"
        "sold sell VBD 2 acl:relcl"
    )
    with pytest.raises(Refused, match="needs more"):
        predicate(parsed, 4)


def test_a_preposition_has_all_its_words() -> None:
    parsed = tree(
        "Smith Smith NNP 2 nsubj; left leave VBD 0 root; because because IN 5 case; of of IN 3 fixed;"
        "rain rain NN 2 obl"
    )
    assert preposition(parsed, 4) == "because of"


def test_too_stays_since_an_adjective_without_it_says_another_thing() -> None:
    parsed = tree("Smith Smith NNP 4 nsubj; was be VBD 4 cop; too too RB 4 advmod; young young JJ 0 root")
    assert predicate(parsed, 3) == ("was", "too", "young")


@pytest.mark.parametrize("word", ["apple", "hour", "heir", "uninvited", "honest", "idea", "unimportant"])
def test_words_spoken_with_a_vowel(word: str) -> None:
    assert starts_with_vowel(word)


@pytest.mark.parametrize("word", ["house", "university", "one", "useful", "European".lower(), "unit", "year"])
def test_words_spoken_with_a_consonant(word: str) -> None:
    assert not starts_with_vowel(word)
