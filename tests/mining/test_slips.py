"""Templates that once came out wrong, on trees written by hand: nothing of the kind comes out any more."""

from __future__ import annotations

import pytest

from pcf_core.mining.attributive import attributive
from pcf_core.mining.clausal import clausal
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree

SMITH = "Smith Smith NNP 2 nsubj; "
DROPPED = {
    "a complement that the verb needs was cut": (
        "Smith Smith NNP 3 nsubj:pass; was be VBD 3 aux:pass; rushed rush VBN 0 root; and and CC 6 cc;"
        "she she PRP 6 nsubj; recovered recover VBD 3 conj",
        "a verb that needs more",
    ),
    "him was somebody": (
        SMITH + "saw see VBD 0 root; her her PRP 2 obj; when when WRB 6 advmod; he he PRP 6 nsubj;"
        "moved move VBD 2 advcl",
        "a pronoun inside",
    ),
    "point without out": (
        SMITH + "pointed point VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj; won win VBD 2 ccomp",
        "a verb that needs more",
    ),
    "an origin without its adjective": (
        "Smith Smith NNP 4 nsubj; was be VBD 4 cop; of of IN 4 case; origin origin NN 0 root;"
        "but but CC 7 cc; he he PRP 7 nsubj; stayed stay VBD 4 conj",
        "a noun that needs more",
    ),
    "the judge spoke of another": (
        "The the DT 2 det; judge judge NN 3 nsubj; ruled rule VBD 0 root; that that IN 6 mark;"
        "he he PRP 6 nsubj; lied lie VBD 3 ccomp",
        "not the same person: the subject speaks of somebody else",
    ),
    "whoever rules speaks of another": (
        SMITH + "ruled rule VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj; lied lie VBD 2 ccomp",
        "not the same person: the subject speaks of somebody else",
    ),
}
KEPT = {
    "it pointed at something": (
        SMITH + "sold sell VBD 0 root; it it PRP 2 obj; when when WRB 6 advmod; he he PRP 6 nsubj;"
        "moved move VBD 2 advcl",
        "The [X] sold something when [Y]",
    ),
    "where it is said where to": (
        "Smith Smith NNP 3 nsubj:pass; was be VBD 3 aux:pass; rushed rush VBN 0 root; to to IN 5 case;"
        "hospital hospital NN 3 obl; and and CC 8 cc; she she PRP 8 nsubj; recovered recover VBD 3 conj",
        "The [X] was rushed to hospital and [Y]",
    ),
    "it that points at nothing": (
        SMITH + "found find VBD 0 root; it it PRP 2 obj; hard hard JJ 2 xcomp; to to TO 6 mark;"
        "walk walk VB 4 xcomp; when when WRB 9 advmod; he he PRP 9 nsubj; came come VBD 2 advcl",
        "The [X] found it hard to walk when [Y]",
    ),
    "point out": (
        SMITH + "pointed point VBD 0 root; out out RP 2 advmod; that that IN 6 mark; he he PRP 6 nsubj;"
        "won win VBD 2 ccomp",
        "The [X] pointed out that [Y]",
    ),
    "an origin with its adjective": (
        "Smith Smith NNP 5 nsubj; was be VBD 5 cop; of of IN 5 case; humble humble JJ 5 amod;"
        "origin origin NN 0 root; but but CC 8 cc; he he PRP 8 nsubj; stayed stay VBD 5 conj",
        "The [X] was of humble origin but [Y]",
    ),
    "a judge's own doing": (
        "The the DT 2 det; judge judge NN 3 nsubj; smiled smile VBD 0 root; when when WRB 6 advmod;"
        "she she PRP 6 nsubj; came come VBD 3 advcl",
        "The [X] smiled when [Y]",
    ),
}


@pytest.mark.parametrize(("text", "reason"), DROPPED.values(), ids=DROPPED)
def test_a_slip_is_dropped_with_its_reason(text: str, reason: str) -> None:
    assert texts(clausal(tree(text), ("he", "she"))) == [Dropped(reason)]


@pytest.mark.parametrize(("text", "template"), KEPT.values(), ids=KEPT)
def test_what_is_whole_is_kept(text: str, template: str) -> None:
    assert texts(clausal(tree(text), ("he", "she"))) == [template]


@pytest.mark.parametrize(
    ("predicate", "template"),
    [
        ("died die VBD 0 root", "The [X], who died, was [Y]"),
        ("was be VBD 4 aux:pass; killed kill VBN 0 root", "The [X], who was killed, was [Y]"),
        ("resigned resign VBD 0 root", "The [X], who resigned, is [Y]"),
    ],
)
def test_nothing_is_true_of_the_dead(predicate: str, template: str) -> None:
    relation, head = ("nsubj:pass", 4) if "pass" in predicate else ("nsubj", 3)
    parsed = tree(f"The the DT 2 det; nurse nurse NN {head} {relation}; {predicate}")
    assert texts(attributive(parsed)) == [template]


def test_a_house_is_zoned_for_something_and_nobody_is_without() -> None:
    parsed = tree(
        "The the DT 2 det; nurse nurse NN 4 nsubj:pass; was be VBD 4 aux:pass; zoned zone VBN 0 root"
    )
    assert texts(attributive(parsed)) == [Dropped("a verb that needs more")]
