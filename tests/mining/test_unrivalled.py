"""Whom a pronoun means where nobody else was named, on trees written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given

from pcf_core.mining.constructions import CONSTRUCTIONS
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import GENDERS
from pcf_core.mining.unrivalled import the_only_one
from pcf_core.mining.verb_groups import Dropped
from tests.mining.hand import texts, tree, trees

TOPIC = frozenset({"he", "she", "his", "her", "him", "himself", "herself"})
ILL = "{} {} NNP 3 nsubj; was be VBD 3 cop; ill ill JJ 0 root; {}"


def meant(text: str, pronoun: str) -> str | None:
    """The subject that the last such word of a sentence means."""
    one = tree(text)
    token = max(at for at, word in enumerate(one.words) if word == pronoun)
    subject = the_only_one(one, token)
    return None if subject is None else one.words[subject]


def find(name: str, text: str) -> list[str | Dropped]:
    one = CONSTRUCTIONS[name]
    return texts(one.find(tree(text), one.taken(TOPIC), TOPIC))


@pytest.mark.parametrize(
    ("text", "pronoun", "subject"),
    [
        # "Smith was ill, he stayed"
        (ILL.format("Smith", "Smith", "he he PRP 5 nsubj; stayed stay VBD 3 parataxis"), "he", "Smith"),
        # "Smith was ill, Jones said, he stayed": two names
        (
            ILL.format(
                "Smith",
                "Smith",
                "Jones Jones NNP 5 nsubj; said say VBD 3 parataxis;he he PRP 7 nsubj; stayed stay VBD 3 conj",
            ),
            "he",
            None,
        ),
        # the same name again is nobody else
        (
            ILL.format(
                "Smith",
                "Smith",
                "Smith Smith NNP 5 nsubj; said say VBD 3 parataxis;he he PRP 7 nsubj; stayed stay VBD 3 conj",
            ),
            "he",
            "Smith",
        ),
        # a woman is nobody whom *he* could mean
        (
            ILL.format(
                "Smith",
                "Smith",
                "Mary Mary NNP 5 nsubj; said say VBD 3 parataxis; he he PRP 7 nsubj;stayed stay VBD 3 conj",
            ),
            "he",
            "Smith",
        ),
        (ILL.format("Mary", "Mary", "he he PRP 5 nsubj; stayed stay VBD 3 parataxis"), "he", None),
        # "They met a stranger who left; he": a noun with *who* is a person, whichever it is
        (
            ILL.format(
                "Smith",
                "Smith",
                "for for IN 6 case; the the DT 6 det; tsar tsar NN 3 obl; who who WP 8 nsubj;"
                "left leave VBD 6 acl:relcl;"
                "he he PRP 10 nsubj; stayed stay VBD 3 parataxis",
            ),
            "he",
            None,
        ),
        # "Smith met him, he stayed": subject and object of one verb are two
        (
            "Smith Smith NNP 2 nsubj; met meet VBD 0 root; him he PRP 2 obj; he he PRP 5 nsubj;"
            "stayed stay VBD 2 parataxis",
            "he",
            None,
        ),
        # "His work is good, but he likes music"; *he* alone is not asked for another *he* behind
        (
            "His his PRP$ 2 nmod:poss; work work NN 4 nsubj; is be VBZ 4 cop; good good JJ 0 root;"
            "but but CC 7 cc; he he PRP 7 nsubj; likes like VBZ 4 conj",
            "His",
            "he",
        ),
        (
            "he he PRP 2 nsubj; left leave VBD 0 root; because because IN 5 mark; He he PRP 5 nsubj;"
            "slept sleep VBD 2 advcl",
            "he",
            None,
        ),
        # "The beast turned as he came, he left": the first *he* may be the beast
        (
            "The the DT 2 det; beast beast NN 3 nsubj; turned turn VBD 0 root; as as IN 6 mark;"
            "He he PRP 6 nsubj;"
            "came come VBD 3 advcl; he he PRP 8 nsubj; left leave VBD 3 parataxis",
            "he",
            None,
        ),
        # a name behind the pronoun was not named yet, a name before it as no subject is not taken
        (
            "They they PRP 2 nsubj; met meet VBD 0 root; Smith Smith NNP 2 obj; he he PRP 5 nsubj;"
            "stayed stay VBD 2 parataxis",
            "he",
            None,
        ),
        # "Smith had faith in Jones, he": behind *in* a name may be a person's
        (
            "Smith Smith NNP 2 nsubj; had have VBD 0 root; faith faith NN 2 obj; in in IN 5 case;"
            "Jones Jones NNP 3 nmod; he he PRP 7 nsubj; stayed stay VBD 2 parataxis",
            "he",
            None,
        ),
        # "as a surgeon" says what somebody is
        (
            ILL.format(
                "Smith",
                "Smith",
                "as as IN 6 case; a a DT 6 det; surgeon surgeon NN 3 obl; he he PRP 8 nsubj;"
                "stayed stay VBD 3 parataxis",
            ),
            "he",
            "Smith",
        ),
        # what explains a name, or is joined to it, is the name's
        (
            "Smith Smith NNP 5 nsubj; , , , 4 punct; his his PRP$ 4 nmod:poss; brother brother NN 1 appos;"
            "left leave VBD 0 root",
            "his",
            None,
        ),
    ],
)
def test_whom_a_pronoun_means(text: str, pronoun: str, subject: str | None) -> None:
    assert meant(text, pronoun) == subject


def test_what_another_rule_accepts_is_left_to_it() -> None:
    text = (
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj;"
        "won win VBD 2 ccomp"
    )
    assert meant(text, "he") == "Smith"
    assert find("clause", text) == ["The [X] said that [Y]"]
    assert find("alone", text) == []


def test_the_second_clause_is_kept_where_it_hangs_on_the_subjects_predicate() -> None:
    """The clausal rule gives one template a sentence."""
    text = (
        "Smith Smith NNP 2 nsubj; said say VBD 0 root; that that IN 5 mark; he he PRP 5 nsubj;"
        "won win VBD 2 ccomp; when when WRB 8 advmod; he he PRP 8 nsubj; ran run VBD {} advcl"
    )
    assert find("alone", text.format(2)) == ["The [X] said something when [Y]"]
    assert find("alone", text.format(5)) == [], "it hangs on *won*, and is of the construction *embedded*"


def test_him_is_no_object_of_the_subjects_own_verb() -> None:
    text = (
        "Smith Smith NNP 2 nsubj; left leave VBD 0 root; and and CC 5 cc; Jones Jones NNP 5 nsubj;"
        "saw see VBD 2 conj; {} {} {}"
    )
    assert meant(text.format("him", "he PRP 5", "obj"), "him") == "Smith"
    assert meant(text.format("his", "his PRP$ 7", "nmod:poss; house house NN 5 obj"), "his") is None


def test_a_place_that_is_no_clause_beside_gives_a_reason() -> None:
    text = (
        "Smith Smith NNP 3 nsubj; was be VBD 3 cop; ill ill JJ 0 root; we we PRP 5 nsubj;"
        "gave give VBD 3 parataxis; {}"
    )
    assert find("object-alone", text.format("him he PRP 5 iobj; food food NN 5 obj")) == [
        Dropped("a clause out of place")
    ]
    assert find("object-alone", text.format("him he PRP 5 obj")) != []


@given(trees())
def test_it_is_a_subject_and_another_word(one: Tree) -> None:
    for token, word in enumerate(one.words):
        if word.lower() in GENDERS:
            subject = the_only_one(one, token)
            assert subject is None or (subject != token and one.has(subject, "nsubj"))
