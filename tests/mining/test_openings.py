"""The predicate above a noun, with the noun's place open."""

from __future__ import annotations

import pytest

from pcf_core.mining.openings import opened, steps_to
from pcf_core.mining.verb_groups import Refused
from tests.mining.hand import tree

SMITH = "Smith Smith NNP 2 nsubj; "
TOPIC = frozenset({"he", "his"})
LEFT = SMITH + "left leave VBD 0 root; "
OPENED = {
    SMITH + "sold sell VBD 0 root; his his PRP$ 4 nmod:poss; job job NN 2 obj": "The [X] sold [Y] job",
    LEFT + "Rome Rome NNP 2 obl; with with IN 6 case; his his PRP$ 6 nmod:poss; job job NN 2 obl": (
        "The [X] left with [Y] job"
    ),
    SMITH + "sold sell VBD 0 root; the the DT 4 det; rights right NNS 2 obj; to to IN 7 case;"
    "his his PRP$ 7 nmod:poss; job job NN 4 nmod": "The [X] sold the rights to [Y] job",
    SMITH + "sold sell VBD 0 root; a a DT 4 det; lot lot NN 2 obj; of of IN 7 case; his his PRP$ 7 nmod:poss;"
    "job job NN 4 nmod": "The [X] sold a lot of [Y] job",
    SMITH + "sold sell VBD 0 root; the the DT 4 det; house house NN 2 obj; and and CC 7 cc;"
    "his his PRP$ 7 nmod:poss; job job NN 4 conj": "The [X] sold [Y] job",
    SMITH + "hoped hope VBD 0 root; to to TO 4 mark; sell sell VB 2 xcomp; his his PRP$ 6 nmod:poss;"
    "job job NN 4 obj": "The [X] hoped to sell [Y] job",
    LEFT + "to to TO 4 mark; sell sell VB 2 advcl; his his PRP$ 6 nmod:poss; job job NN 4 obj": (
        "The [X] left to sell [Y] job"
    ),
    LEFT + "after after IN 4 mark; selling sell VBG 2 advcl; his his PRP$ 6 nmod:poss; job job NN 4 obj": (
        "The [X] left after selling [Y] job"
    ),
    LEFT + ", , , 4 punct; selling sell VBG 2 advcl; his his PRP$ 6 nmod:poss; job job NN 4 obj": (
        "The [X] sold [Y] job"
    ),
    LEFT + "before before IN 4 mark; selling sell VBG 7 advcl; his his PRP$ 6 nmod:poss; job job NN 4 obj;"
    "met meet VBD 2 conj; Ann Ann NNP 7 obj": "The [X] sold [Y] job",
    "To to TO 2 mark; sell sell VB 6 advcl; his his PRP$ 4 nmod:poss; job job NN 2 obj;"
    "Smith Smith NNP 6 nsubj; left leave VBD 0 root": "The [X] left to sell [Y] job",
    "Selling sell VBG 5 advcl; his his PRP$ 3 nmod:poss; job job NN 1 obj; Smith Smith NNP 5 nsubj;"
    "left leave VBD 0 root": "The [X] sold [Y] job",
    LEFT + "early early RB 2 advmod; in in IN 6 case; his his PRP$ 6 nmod:poss; job job NN 3 obl": (
        "The [X] left in [Y] job"
    ),
    SMITH + "sold sell VBD 0 root; most most JJS 2 obj; of of IN 6 case; his his PRP$ 6 nmod:poss;"
    "job job NN 3 nmod": "The [X] sold most of [Y] job",
    SMITH
    + "hoped hope VBD 0 root; to to TO 4 mark; stay stay VB 2 xcomp; and and CC 6 cc; sell sell VB 4 conj;"
    "his his PRP$ 8 nmod:poss; job job NN 6 obj": "The [X] hoped to sell [Y] job",
    SMITH.replace(" 2 ", " 5 ") + "was be VBD 5 cop; in in IN 5 case; his his PRP$ 5 nmod:poss;"
    "job job NN 0 root": "The [X] was in [Y] job",
    SMITH + "applied apply VBD 0 root; with with IN 5 case; his his PRP$ 5 nmod:poss; job job NN 2 obl": (
        "The [X] applied with [Y] job"
    ),
    SMITH + "lost lose VBD 0 root; it it PRP 2 obj; because because IN 7 case; of of IN 4 fixed;"
    "his his PRP$ 7 nmod:poss; job job NN 2 obl": "The [X] lost something because of [Y] job",
    SMITH + "sold sell VBD 0 root; two two CD 4 nummod; books book NNS 2 obj; in in IN 7 case;"
    "his his PRP$ 7 nmod:poss; job job NN 2 obl": "The [X] sold books in [Y] job",
    SMITH + "had have VBD 0 root; time time NN 2 obj; to to TO 5 mark; sell sell VB 3 acl;"
    "his his PRP$ 7 nmod:poss; job job NN 5 obj": "The [X] had time to sell [Y] job",
    SMITH + "had have VBD 0 root; time time NN 2 obj; to to TO 5 mark; focus focus VB 3 acl; on on IN 8 case;"
    "his his PRP$ 8 nmod:poss; job job NN 5 obl": "The [X] had time to focus on [Y] job",
    LEFT + "at at IN 5 case; the the DT 5 det; time time NN 2 obl; of of IN 8 case; his his PRP$ 8 nmod:poss;"
    "job job NN 5 nmod": "The [X] left at the time of [Y] job",
    SMITH + "raised raise VBD 0 root; the the DT 4 det; Titanic Titanic NNP 2 obj; in in IN 7 case;"
    "his his PRP$ 7 nmod:poss; job job NN 2 obl": "The [X] raised something in [Y] job",
    "Rain rain NN 2 nsubj; fell fall VBD 0 root; because because IN 5 mark; Smith Smith NNP 5 nsubj;"
    "sold sell VBD 2 advcl; his his PRP$ 7 nmod:poss; job job NN 5 obj": "The [X] sold [Y] job",
}
REFUSED = {
    SMITH.replace(" 2 ", " 4 ") + "is be VBZ 4 cop; his his PRP$ 4 nmod:poss; job job NN 0 root": (
        "a complement out of place"
    ),
    SMITH.replace(" 2 ", " 5 ") + "was be VBD 5 cop; after after IN 5 case; his his PRP$ 5 nmod:poss;"
    "job job NN 0 root": "a complement out of place",
    "Following follow VBG 5 advcl; his his PRP$ 3 nmod:poss; job job NN 1 obj; Smith Smith NNP 5 nsubj;"
    "left leave VBD 0 root": "an unsure verb form",
    SMITH + "sold sell VBD 0 root; in in IN 5 case; his his PRP$ 5 nmod:poss; job job NN 2 obl": (
        "a verb that needs more"
    ),
    SMITH + "read read VBD 0 root; between between IN 5 case; his his PRP$ 5 nmod:poss; job job NN 2 obl": (
        "an unusual phrase inside"
    ),
    "Without without IN 2 mark; selling sell VBG 6 advcl; his his PRP$ 4 nmod:poss; job job NN 2 obj;"
    "Smith Smith NNP 6 nsubj; met meet VBD 0 root; Ann Ann NNP 6 obj": "a name inside",
    SMITH + "gave give VBD 0 root; Jones Jones NNP 2 iobj; his his PRP$ 5 nmod:poss; job job NN 2 obj": (
        "a name inside"
    ),
    SMITH + "did do VBD 4 aux; not not RB 4 advmod; come come VB 0 root; or or CC 6 cc; sell sell VB 4 conj;"
    "his his PRP$ 8 nmod:poss; job job NN 6 obj": "a negation that is not kept",
    LEFT + "while while IN 5 mark; being be VBG 5 aux; selling sell VBG 2 advcl; his his PRP$ 7 nmod:poss;"
    "job job NN 5 obj": "an unusual sentence",
    SMITH + "wore wear VBD 0 root; a a DT 4 det; dress dress NN 2 obj; in in IN 7 case;"
    "his his PRP$ 7 nmod:poss; job job NN 2 obl": "a hint at the group",
    SMITH + "made make VBD 0 root; it it PRP 2 obj; clear clear JJ 2 xcomp; in in IN 7 case;"
    "his his PRP$ 7 nmod:poss; job job NN 2 obl": "a pronoun inside",
}


def text_of(text: str) -> str:
    parsed = tree(text)
    return opened(parsed, parsed.words.index("job"), ("[Y]", "job"), TOPIC)


@pytest.mark.parametrize(("text", "template"), OPENED.items())
def test_what_leads_to_the_noun_is_kept_and_the_rest_is_cut(text: str, template: str) -> None:
    assert text_of(text) == template


@pytest.mark.parametrize(("text", "reason"), REFUSED.items())
def test_what_cannot_be_kept_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        text_of(text)


def test_nothing_longer_than_other_predicates_comes_out() -> None:
    text = SMITH + "saw see VBD 0 root; the the DT 4 det; town town NN 2 obj"
    for at in (4, 7, 10):
        text += f"; of of IN {at + 3} case; the the DT {at + 3} det; river river NN {at} nmod"
    parsed = tree(text + "; by by IN 15 case; land land NN 13 nmod")
    with pytest.raises(Refused, match="too long"):
        opened(parsed, len(parsed) - 1, ("[Y]", "job"), TOPIC)


def test_the_way_down_to_a_noun_begins_at_the_predicates_own() -> None:
    parsed = tree(
        SMITH + "sold sell VBD 0 root; the the DT 4 det; rights right NNS 2 obj; to to IN 6 case;"
        "houses house NNS 4 nmod; and and CC 8 cc; jobs job NNS 6 conj"
    )
    better, steps = steps_to(parsed, 7)
    assert [parsed.words[step] for step in steps] == ["rights", "jobs"]
    assert (better.heads[7], better.relations[7], better.heads[4]) == (3, "nmod", 7)
