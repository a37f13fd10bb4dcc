"""The constructions of Chinese on sentences of our own, parsed by hand as UD Chinese GSD does it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.settings import ROOT
from pcf_core.mining.chinese import finders
from pcf_core.mining.chinese.words import words
from pcf_core.mining.constructions import CHINESE
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped, Found
from tests.mining.chinese.hand import sentence
from tests.mining.hand import texts

TOPIC = frozenset({"他", "她", "男人", "女人"})
CLAUSES = {
    "护士/NN/2/nsubj 说/VV/0/root 她/PRP/5/nsubj 很/RB/5/advmod 累/JJ/2/ccomp 。": "这位[X]说[Y]",
    "这/DT/3/det 位/NNB/1/clf 医生/NN/4/nsubj 表示/VV/0/root ，/,/4/punct "
    "他/PRP/7/nsubj 辞职/VV/4/ccomp 。": "这位[X]表示，[Y]",
    "昨天/NN/4/obl:tmod ，/,/4/punct 律师/NN/4/nsubj 承认/VV/0/root 她/PRP/6/nsubj 错/JJ/4/ccomp 了 。": (
        "这位[X]承认[Y]"
    ),
    "5月/CD/5/obl:tmod 3日/CD/5/obl:tmod 教授/NN/5/nsubj 已/RB/5/advmod 宣布/VV/0/root 他/PRP/7/nsubj "
    "退休/VV/5/ccomp 。": "这位[X]宣布[Y]",
    "记者/NN/3/nsubj 没有/RB/3/advmod 说/VV/0/root 他/PRP/5/nsubj 来/VV/3/ccomp 。": "这位[X]没有说[Y]",
    "工程师/NN/3/nsubj 解释/VV/3/advcl 说/VV/0/root 她/PRP/5/nsubj 迟到/VV/3/ccomp 。": "这位[X]解释说[Y]",
    "年轻/JJ/3/amod 医院/NN/3/compound 护士/NN/4/nsubj 认为/VV/0/root 她/PRP/6/nsubj 对/JJ/4/ccomp 。": (
        "这位[X]认为[Y]"
    ),
    "护士/NN/2/compound 王芳/NNP/3/nsubj 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。": "这位[X]说[Y]",
    "校长/NN/3/nsubj 王芳/NNP/1/appos 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。": "这位[X]说[Y]",
    "玛丽·史密斯/NNP/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 。": "这位[X]说[Y]",
    "王医生/NN/2/nsubj 说/VV/0/root 他/PRP/5/nsubj:pass 被/BB/5/aux:pass 解雇/VV/2/ccomp 。": "这位[X]说[Y]",
    "女护士/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 。": "这位[X]说[Y]",
    "王/NNP/2/compound 医生/NN/3/nsubj 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。": "这位[X]说[Y]",
}
POSSESSIVES = {
    "护士/NN/2/nsubj 失去/VV/0/root 了/AS/2/aux 她/PRP/6/nmod 的/DEC/4/case 工作/NN/2/obj 。": (
        "这位[X]失去了[Y]的工作"
    ),
    "教授/NN/3/nsubj 去年/NN/3/obl:tmod 结束/VV/0/root 他/PRP/6/det 的/DEC/4/case 职业生涯/NN/3/obj 。": (
        "这位[X]结束[Y]的职业生涯"
    ),
    "经理/NN/3/nsubj 没有/RB/3/advmod 辞去/VV/0/root 她/PRP/6/nmod:poss 的/DEC/4/case 职务/NN/3/obj 。": (
        "这位[X]没有辞去[Y]的职务"
    ),
}
SPOKEN = "累/JJ/2/ccomp 。"
DROPPED = {
    "two persons": (
        "护士/NN/4/nsubj 和/CC/3/cc 医生/NN/1/conj 说/VV/0/root 她/PRP/6/nsubj 累/JJ/4/ccomp 。",
        "something beside the noun may name another",
    ),
    "several": (
        "三/CD/3/nummod 名/NNB/1/clf 护士/NN/4/nsubj 说/VV/0/root 她/PRP/6/nsubj 累/JJ/4/ccomp 。",
        "there may be several",
    ),
    "a plural": ("护士们/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj " + SPOKEN, "the noun is not a person's"),
    "no person": ("医院/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj " + SPOKEN, "the noun is not a person's"),
    "an organisation": (
        "护士/NN/2/compound 协会/NNP/3/nsubj 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。",
        "the noun is not a person's",
    ),
    "a name alone": ("江苏/NNP/2/nsubj 说/VV/0/root 他/PRP/4/nsubj " + SPOKEN, "the noun is not a person's"),
    "an owner": (
        "小明/NNP/3/nmod 的/DEC/1/case 护士/NN/4/nsubj 说/VV/0/root 她/PRP/6/nsubj 累/JJ/4/ccomp 。",
        "something beside the noun may name another",
    ),
    "a relative clause": (
        "照顾/VV/4/acl:relcl 病人/NN/1/obj 的/DEC/1/mark 护士/NN/5/nsubj 说/VV/0/root 她/PRP/7/nsubj "
        "累/JJ/5/ccomp 。",
        "something beside the noun may name another",
    ),
    "whose mother is named": (
        "小红/NNP/2/nmod 妈妈/NN/3/nsubj 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。",
        "something beside the noun may name another",
    ),
    "whose mother is named, by a parser without a tagger": (
        "小红//2/compound 妈妈//3/nsubj 说//0/root 她//5/nsubj 累//3/ccomp 。",
        "something beside the noun may name another",
    ),
    "a person beside a person": (
        "病人/NN/2/compound 护士/NN/3/nsubj 说/VV/0/root 她/PRP/5/nsubj 累/JJ/3/ccomp 。",
        "something beside the noun may name another",
    ),
    "a woman is not 他": ("女护士/NN/2/nsubj 说/VV/0/root 他/PRP/4/nsubj " + SPOKEN, "another gender"),
    "a man is not 她": ("王先生/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj " + SPOKEN, "another gender"),
    "somebody who is spoken to": (
        "护士/NN/4/nsubj 对/IN/3/case 病人/NN/4/obl 说/VV/0/root 她/PRP/6/nsubj 累/JJ/4/ccomp 。",
        "more than the subject",
    ),
    "a time with a name": (
        "王芳/NNP/2/nmod 生日/NN/4/obl:tmod 护士/NN/4/nsubj 说/VV/0/root 她/PRP/6/nsubj 累/JJ/4/ccomp 。",
        "more than the subject",
    ),
    "direct speech": (
        "护士/NN/2/nsubj 说/VV/0/root ：/:/2/punct “/``/6/punct 她/PRP/6/nsubj 累/JJ/2/ccomp ”/''/6/punct 。",
        "direct speech",
    ),
    "words before the clause": (
        "护士/NN/2/nsubj 承认/VV/0/root 昨天/NN/5/obl:tmod 她/PRP/5/nsubj 迟到/VV/2/ccomp 。",
        "more than a comma",
    ),
    "several in two words": (
        "护士/NN/2/nsubj 说/VV/0/root 她/PRP/5/nsubj 们/SFN/3/mark 累/JJ/2/ccomp 。",
        "more than the pronoun",
    ),
    "two in the clause": (
        "护士/NN/2/nsubj 说/VV/0/root 她/PRP/6/nsubj 和/CC/5/cc 同事/NN/3/conj 累/JJ/2/ccomp 。",
        "more than the pronoun",
    ),
}
DROPPED_POSSESSIVES = {
    "more than the thing": (
        "护士/NN/2/nsubj 失去/VV/0/root 她/PRP/6/nmod 的/DEC/3/case 第一份/CD/6/nummod 工作/NN/2/obj 。",
        "more than 的",
    ),
    "no 的": ("护士/NN/2/nsubj 失去/VV/0/root 她/PRP/4/nmod 工作/NN/2/obj 。", "more than 的"),
    "another sign": (
        "护士/NN/2/nsubj 失去/VV/0/root 着/AS/2/aux 她/PRP/6/nmod 的/DEC/4/case 工作/NN/2/obj 。",
        "more than the verb",
    ),
    "several": (
        "护士/NN/2/nsubj 失去/VV/0/root 她/PRP/6/nmod 们/SFN/3/mark 的/DEC/3/case 工作/NN/2/obj 。",
        "more than the pronoun",
    ),
}
NOTHING = {
    "a wish is about somebody else": "护士/NN/2/nsubj 希望/VV/0/root 她/PRP/4/nsubj 康复/VV/2/ccomp 。",
    "a perception, too": "护士/NN/2/nsubj 发现/VV/0/root 她/PRP/4/nsubj 病/VV/2/ccomp 了 。",
    "the pronoun is the object": "护士/NN/2/nsubj 认为/VV/0/root 病人/NN/4/nsubj 恨/VV/2/ccomp "
    "她/PRP/4/obj 。",
    "the pronoun speaks": "她/PRP/2/nsubj 说/VV/0/root 护士/NN/4/nsubj 累/JJ/2/ccomp 。",
    "nobody is named": "据说/VV/0/root 她/PRP/3/nsubj 累/JJ/1/ccomp 。",
    "a clause in a clause": "护士/NN/2/nsubj 说/VV/0/root 医生/NN/4/nsubj 认为/VV/2/ccomp 她/PRP/6/nsubj "
    "累/JJ/4/ccomp 。",
    "the things of others": "护士/NN/2/nsubj 整理/VV/0/root 了/AS/2/aux 她/PRP/6/nmod 的/DEC/4/case "
    "房间/NN/2/obj 。",
    "her memoirs, by whoever publishes them": "编辑/NN/2/nsubj 出版/VV/0/root 她/PRP/5/nmod 的/DEC/3/case "
    "回忆录/NN/2/obj 。",
}


def test_the_document_says_how_many_sentences_were_tried() -> None:
    tried = sum(map(len, (CLAUSES, POSSESSIVES, DROPPED, DROPPED_POSSESSIVES, NOTHING)))
    said = (ROOT / "docs" / "mining.md").read_text(encoding="utf8")
    assert f"for {tried} sentences of our own" in said


def clause(text: str) -> list[str | Dropped]:
    return texts(finders.clause(sentence(text), ("他", "她"), TOPIC))


def possessive(text: str) -> list[str | Dropped]:
    return texts(finders.possessive(sentence(text), ("他", "她"), TOPIC))


@pytest.mark.parametrize(("text", "template"), CLAUSES.items(), ids=CLAUSES.values())
def test_a_clause_behind_a_verb_of_saying(text: str, template: str) -> None:
    assert clause(text) == [template]
    assert possessive(text) == []


@pytest.mark.parametrize(("text", "template"), POSSESSIVES.items(), ids=POSSESSIVES.values())
def test_a_possessive_before_a_thing_of_ones_own(text: str, template: str) -> None:
    assert possessive(text) == [template]
    assert clause(text) == []


@pytest.mark.parametrize(("text", "reason"), DROPPED.values(), ids=DROPPED)
def test_a_clause_that_may_be_about_somebody_else_is_dropped(text: str, reason: str) -> None:
    (found,) = clause(text)
    assert isinstance(found, Dropped)
    assert reason in found.reason


@pytest.mark.parametrize(("text", "reason"), DROPPED_POSSESSIVES.values(), ids=DROPPED_POSSESSIVES)
def test_a_possessive_with_other_words_is_dropped(text: str, reason: str) -> None:
    (found,) = possessive(text)
    assert isinstance(found, Dropped)
    assert reason in found.reason


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_sentence_of_another_form_is_not_counted(text: str) -> None:
    assert clause(text) == possessive(text) == []


def test_what_stood_at_x_and_y_is_said() -> None:
    tree = sentence(next(iter(CLAUSES)))
    (found,) = finders.clause(tree, ("她",))
    assert isinstance(found, Found)
    assert (tree.words[found.subject], tree.words[found.word or 0], found.fits) == (
        "护士",
        "她",
        ("pronoun",),
    )


def test_the_pronouns_that_are_looked_for_decide() -> None:
    assert list(finders.clause(sentence(next(iter(CLAUSES))), ("他",))) == []


def test_a_word_of_the_topic_may_not_stand_inside() -> None:
    tree = sentence(next(iter(POSSESSIVES)))
    assert texts(finders.possessive(tree, ("她",), {"工作"})) == [Dropped("a hint at the group")]


@pytest.mark.parametrize("name", CHINESE)
def test_the_example_of_a_construction_is_what_it_finds(name: str) -> None:
    example, template = CHINESE[name].example
    trees = [sentence(text) for text in (*CLAUSES, *POSSESSIVES)]
    trees.append(sentence("护士/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 了/AS/4/aux 。"))
    (tree,) = (one for one in trees if "".join(one.words) == example)
    assert texts(CHINESE[name].find(tree, ("他", "她"), TOPIC)) == [template]


PARTS = [
    "护士",
    "说",
    "她",
    "的",
    "工作",
    "失去",
    "了",
    "医院",
    "没有",
    "，",
    "和",
    "女护士",
    "昨天",
    "解释",
    "们",
]
RELATIONS = ["nsubj", "obj", "ccomp", "nmod", "case", "punct", "advmod", "aux", "compound", "det", "obl:tmod"]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree over words and relations of the rules."""
    size = draw(st.integers(2, 8))
    found = tuple(draw(st.sampled_from(PARTS)) for _ in range(size))
    root = draw(st.integers(0, size - 1))
    order = [root, *(token for token in range(size) if token != root)]
    heads = {root: root}
    for place, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, place - 1))]
    relations = tuple("root" if token == root else draw(st.sampled_from(RELATIONS)) for token in range(size))
    return Tree(found, found, ("NN",) * size, tuple(heads[token] for token in range(size)), relations)


@given(trees())
def test_whatever_the_tree_a_template_is_made_of_listed_words(parsed: Tree) -> None:
    known = words()
    inside = "".join(
        sorted(
            {*"".join(known.saying | known.negation | known.aspect | known.before_saying | set(known.own))}
        )
    )
    things = "|".join(sorted({thing for own in known.own.values() for thing in own}))
    for find in (finders.clause, finders.possessive):
        for found in texts(find(parsed, ("他", "她"), TOPIC)):
            if isinstance(found, Dropped):
                assert found.reason
            else:
                assert found.startswith("这位[X]")
                middle, _, end = found.removeprefix("这位[X]").partition("[Y]")
                assert set(middle) <= {*inside, "，"}
                assert end == "" or end.removeprefix("的") in things.split("|")
