"""Coreference: no rule is idle, one subject at most is meant, and both genders are treated alike."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.coreference import RULES, judge
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import GENDERS
from pcf_core.mining.unrivalled import the_only_one
from tests.mining.hand import cases, trees, trees_of

ROWS = (
    """
he he PRP nsubj; she she PRP nsubj; him he PRP obj; her she PRP iobj; his his PRP$ nmod:poss
her her PRP$ nmod:poss; Okonkwo Okonkwo NNP nsubj; nurse nurse NN obl; nurse nurse NN nsubj
doctors doctor NNS nmod; said say VBD ccomp; left leave VBD advcl; slept sleep VBD conj
keys key NNS obj; ” ” '' punct; of of IN case
""".strip()
    .replace("\n", ";")
    .split(";")
)


def test_every_rule_refuses_a_sentence_that_all_others_before_it_pass() -> None:
    pairs = [(case.tree, case.marked["<"], case.marked[">"]) for case in cases() if case.rule == "judge"]
    refusing = {next((rule for rule in RULES if rule(*pair)), None) for pair in pairs}
    assert refusing == {*RULES, None}


def mirrored(sentence: Tree) -> Tree:
    """The same with the genders of all pronouns changed."""
    other = {"he": "she", "she": "he", "him": "her", "his": "her"}

    def turned(word: str, tag: str) -> str:
        return ("his" if tag == "PRP$" else "him") if word == "her" else other.get(word, word)

    return replace(sentence, words=tuple(map(turned, sentence.words, sentence.tags)))


@given(trees_of(ROWS), st.data())
def test_the_rules_treat_both_genders_alike(sentence: Tree, data: st.DataObject) -> None:
    tokens = st.integers(0, len(sentence) - 1)
    subject, pronoun = data.draw(tokens), data.draw(tokens)
    verdict = judge(sentence, subject, pronoun)
    assert judge(mirrored(sentence), subject, pronoun) == verdict
    if verdict.accepted:
        assert sentence.words[pronoun] in GENDERS
        assert sentence.has(subject, "nsubj")
        assert sentence.heads[subject] in set(sentence.subtree(sentence.root)) - set(
            sentence.subtree(pronoun)
        )
        assert verdict.reason in ("pronoun", "name", "noun")


@given(trees())
def test_whom_alone_a_pronoun_can_mean_is_a_subject_and_another_word(one: Tree) -> None:
    for token, word in enumerate(one.words):
        if word.lower() in GENDERS:
            subject = the_only_one(one, token)
            assert subject is None or (subject != token and one.has(subject, "nsubj"))
