"""The attributive rule on trees written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given

from pcf_core.mining.attributive import attributive, wanted
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree, trees

FORMS = {
    "The the DT 2 det; inspectors inspector NNS 4 nsubj:pass; were be VBD 4 aux:pass;"
    "appointed appoint VBN 0 root;"
    "in in IN 6 case; May May NNP 4 obl": "The [X], who was appointed, is [Y]",
    "A a DT 2 det; nurse nurse NN 3 nsubj; came come VBD 0 root": "The [X], who came, is [Y]",
    "Child child NN 2 compound; actors actor NNS 3 nsubj; play play VBP 0 root; a a DT 6 det;"
    "small small JJ 6 amod;"
    "role role NN 3 obj": "The [X], who played a role, is [Y]",
    "The the DT 2 det; teacher teacher NN 4 nsubj; is be VBZ 4 cop; popular popular JJ 0 root": (
        "The [X], who was popular, is [Y]"
    ),
}
DROPPED = {
    "The the DT 2 det; pilot pilot NN 3 nsubj; said say VBD 0 root; it it PRP 5 nsubj;"
    "rained rain VBD 3 ccomp": "clause",
    "The the DT 2 det; pilots pilot NNS 3 nsubj; gathered gather VBD 0 root": "only several",
    "The the DT 2 det; pilot pilot NN 3 nsubj; saw see VBD 0 root; it it PRP 3 obj": "a pronoun",
    "The the DT 2 det; pilot pilot NN 3 nsubj; entered enter VBD 0 root; the the DT 5 det;"
    "temple temple NN 3 obj": "hint",
    "The the DT 2 det; pilots pilot NNS 5 nsubj; were be VBD 5 cop; all all RB 5 advmod;"
    "blind blind JJ 0 root": "hint",
}
NOTHING = (
    "The the DT 2 det; film film NN 3 nsubj; began begin VBD 0 root",
    "He he PRP 2 nsubj; came come VBD 0 root",
    "Baker Baker NNP 2 nsubj; came come VBD 0 root",
    "The the DT 2 det; new new JJ 3 amod; model model NN 4 nsubj; came come VBD 0 root",
    "There there RB 2 advmod; came come VBD 0 root; a a DT 4 det; nurse nurse NN 2 nsubj",
)


@pytest.mark.parametrize(("text", "template"), FORMS.items(), ids=FORMS.values())
def test_a_template_of_each_form(text: str, template: str) -> None:
    assert texts(attributive(tree(text))) == [template]


@pytest.mark.parametrize(("text", "reason"), DROPPED.items(), ids=[text.split()[6] for text in DROPPED])
def test_a_predicate_that_cannot_stand_alone_or_hints_is_dropped(text: str, reason: str) -> None:
    (found,) = attributive(tree(text))
    assert isinstance(found, Dropped)
    assert reason in found.reason


@pytest.mark.parametrize("text", NOTHING)
def test_only_a_person_by_profession_left_of_the_predicate_counts(text: str) -> None:
    assert texts(attributive(tree(text))) == []


def test_a_word_of_the_topic_may_not_stand_inside() -> None:
    text = "The the DT 2 det; pilot pilot NN 4 nsubj; was be VBD 4 cop; tall tall JJ 0 root"
    assert texts(attributive(tree(text))) == ["The [X], who was tall, is [Y]"]
    assert texts(attributive(tree(text), {"tall"})) == [Dropped("a hint at the group")]


def test_the_wanted_words_are_nouns_for_persons_of_both_numbers() -> None:
    words = set(wanted())
    assert {"nurse", "nurses", "policeman", "policemen", "ceo", "secretary", "secretaries"} <= words
    assert not {"model", "models", "managment", "ii", "senior"} & words
    assert all(word.islower() for word in words)


@given(trees())
def test_whatever_the_tree_a_template_is_well_formed(parsed: Tree) -> None:
    for found in texts(attributive(parsed)):
        if isinstance(found, Dropped):
            assert found.reason
            continue
        words = found.removeprefix("The [X], who ").removesuffix(", is [Y]").split()
        assert 1 <= len(words) <= 9
        assert all(word.islower() for word in words)
        assert not {"smith", "he", "she", "actress", "five", "his", "nurse"} & set(words)
