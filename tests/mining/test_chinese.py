"""Chinese: which sentences are looked at, what each construction finds in them, and a corpus mined."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import PipelineError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.mining import chinese
from pcf_core.mining.chinese import MAX_CHARACTERS, TOO_LONG, Sentences, count_characters, words
from pcf_core.mining.constructions import CHINESE
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.counting import BlockCounter, open_counter
from pcf_core.mining.miner import Mined, mine
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.rules import rule_for
from pcf_core.mining.sentences import WITHOUT_WORD
from pcf_core.mining.verb_groups import Dropped, Found
from tests.mining.chinese_hand import sentence
from tests.mining.fakes import FakeCorpus, Here
from tests.mining.hand import texts

TOPIC_WORDS = frozenset({"他", "她", "男人", "女人"})
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
SEARCH = Sentences(("他", "她"))
TOPIC = load_topic("gender-zh")
PRONOUN = ("pronoun",)
PARSED = [
    sentence(text)
    for text in (
        "护士/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 。",
        "医生/NN/2/nsubj 说/VV/0/root 他/PRP/4/nsubj 辞职/VV/2/ccomp 。",
        "记者/NN/2/nsubj 失去/VV/0/root 了/AS/2/aux 他/PRP/6/nmod 的/DEC/4/case 工作/NN/2/obj 。",
        "护士们/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 。",
        "她/PRP/2/nsubj 来/VV/0/root 。",
    )
]
KNOWN = {"".join(tree.words): tree for tree in PARSED}


def test_the_document_says_how_many_sentences_were_tried() -> None:
    tried = sum(map(len, (CLAUSES, POSSESSIVES, DROPPED, DROPPED_POSSESSIVES, NOTHING)))
    said = (ROOT / "docs" / "mining.md").read_text(encoding="utf8")
    assert f"for {tried} sentences of our own" in said


def clause(text: str) -> list[str | Dropped]:
    return texts(chinese.clause(sentence(text), ("他", "她"), TOPIC_WORDS))


def possessive(text: str) -> list[str | Dropped]:
    return texts(chinese.possessive(sentence(text), ("他", "她"), TOPIC_WORDS))


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
    (found,) = chinese.clause(tree, ("她",))
    assert isinstance(found, Found)
    assert (tree.words[found.subject], tree.words[found.word or 0], found.fits) == (
        "护士",
        "她",
        ("pronoun",),
    )


def test_the_pronouns_that_are_looked_for_decide() -> None:
    assert list(chinese.clause(sentence(next(iter(CLAUSES))), ("他",))) == []


def test_a_word_of_the_topic_may_not_stand_inside() -> None:
    tree = sentence(next(iter(POSSESSIVES)))
    assert texts(chinese.possessive(tree, ("她",), {"工作"})) == [Dropped("a hint at the group")]


@pytest.mark.parametrize("name", CHINESE)
def test_the_example_of_a_construction_is_what_it_finds(name: str) -> None:
    example, template = CHINESE[name].example
    trees = [sentence(text) for text in (*CLAUSES, *POSSESSIVES)]
    trees.append(sentence("护士/NN/2/nsubj 说/VV/0/root 她/PRP/4/nsubj 累/JJ/2/ccomp 了/AS/4/aux 。"))
    (tree,) = (one for one in trees if "".join(one.words) == example)
    assert texts(CHINESE[name].find(tree, ("他", "她"), TOPIC_WORDS)) == [template]


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
    for find in (chinese.clause, chinese.possessive):
        for found in texts(find(parsed, ("他", "她"), TOPIC_WORDS)):
            if isinstance(found, Dropped):
                assert found.reason
            else:
                assert found.startswith("这位[X]")
                middle, _, end = found.removeprefix("这位[X]").partition("[Y]")
                assert set(middle) <= {*inside, "，"}
                assert end == "" or end.removeprefix("的") in things.split("|")


def split(text: str) -> tuple[list[str], Counter[str]]:
    passed: Counter[str] = Counter()
    found = []
    for offset, one in SEARCH(text, passed):
        assert text[offset:].startswith(one)
        found.append(one)
    return found, passed


def test_a_sentence_ends_behind_its_marks_and_closing_quotes_or_with_the_line() -> None:
    text = "护士说：“她累了！”他走了？！\n  标题 她\n价格是3.5元，她说。"
    assert split(text) == (["护士说：“她累了！”", "他走了？！", "标题 她", "价格是3.5元，她说。"], Counter())


def test_others_are_counted() -> None:
    long = "她" + "很" * MAX_CHARACTERS + "累。"
    assert split(f"下雨了。{long}她来了。\n\n天晴了。") == (
        ["她来了。"],
        Counter({WITHOUT_WORD: 2, TOO_LONG: 1}),
    )


def test_other_words_with_the_same_character_do_not_count() -> None:
    assert split("其他人来了。她们走了。他弹吉他。他们和吉他。") == (
        ["他弹吉他。"],
        Counter({WITHOUT_WORD: 3}),
    )


def test_no_words_find_nothing() -> None:
    assert list(Sentences(())("她来了。", Counter())) == []


def test_the_length_of_a_text_is_its_characters() -> None:
    assert count_characters("护士说 she 她累了，3 次。\n") == 7


@given(st.text("他她说。！”\n a.", max_size=40))
def test_every_character_is_in_one_sentence(text: str) -> None:
    everything = Sentences(("他", "她", "说", "。", "！", "”", "a", "."))
    passed: Counter[str] = Counter()
    found = "".join(sentence for _, sentence in everything(text, passed))
    assert "".join(found.split()) == "".join(text.split())
    assert not passed
    wanted, others = split(text)
    assert len(wanted) + others.total() == sum(1 for _ in everything(text, Counter()))


def test_the_shipped_occupations_are_persons() -> None:
    assert set(load_evidence("occupations-zh").terms) <= words().person


def test_the_verbs_of_the_shipped_templates_are_verbs_of_saying() -> None:
    shipped = [template.text for template in load_templates("gender-zh-reporting").templates]
    verbs = {text.removeprefix("这位[X]").removesuffix("[Y]").rstrip("，") for text in shipped}
    assert len(verbs) == 10
    assert verbs <= words().saying


def test_the_words_of_a_gender_are_known() -> None:
    assert {word for word in TOPIC.groups[0].words if len(word) > 1} <= words().male
    assert {word for word in TOPIC.groups[1].words if len(word) > 1} <= words().female
    assert not words().male & words().female


def test_nothing_that_is_kept_hints_at_a_gender() -> None:
    kept = words().saying | words().negation | words().aspect | words().before_saying | set(words().own)
    kept |= {thing for things in words().own.values() for thing in things}
    assert not [word for word in kept if {"男", "女", "他", "她", "父", "母", "妻", "夫"} & set(word)]


@pytest.mark.parametrize("name", ["saying", "negation", "cut", "aspect", "one"])
def test_no_word_is_a_person(name: str) -> None:
    assert not getattr(words(), name) & words().person


@dataclass(frozen=True)
class ByHeart:
    """The stub of a parser: sentences written by hand, and their trees."""

    name: str = "by heart"
    identity: str = "1"

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        for text in texts:
            yield [KNOWN[text]]


def mined(tmp_path: Path, topics: tuple[Topic, ...] = (TOPIC,)) -> Mined:
    rule = rule_for(topics, ("clause", "possessive"))
    nurse, doctor, reporter, nurses, comes = KNOWN
    documents = (
        Document(id="a", title="", text=f"{nurse}今天下雨。{doctor}\n{nurses}", source="s"),
        Document(id="b", title="", text=f"{reporter}{comes}{nurse}", source="t"),
    )
    counters = Here(BlockCounter(ByHeart(), rule))
    return mine(FakeCorpus(documents), topics, rule, counters, tmp_path, name="zh-mined")


def test_a_set_is_mined(tmp_path: Path) -> None:
    found = mined(tmp_path)
    rows = [(one.text, one.count, one.documents, one.fits) for one in found.templates.templates]
    assert rows == [("这位[X]说[Y]", 3, 2, PRONOUN), ("这位[X]失去了[Y]的工作", 1, 1, PRONOUN)]
    assert found.templates.templates[0].examples == ("a@0", "a@11", "b@13")
    facts = found.facts
    assert (facts.sentences, facts.matches, facts.without_word) == (6, 4, 1)
    assert dict(facts.dropped) == {
        "not the same person: the noun is not a person's": 1,
        "no wanted word stands where the chosen constructions have one": 1,
    }
    assert facts.words == 37


def test_its_card_says_the_language_and_what_was_counted(tmp_path: Path) -> None:
    card = mined(tmp_path).templates.card
    assert (card.language, card.form, card.words) == ("zh", "clausal", 37)
    assert card.notes == "Its length is counted in Chinese characters, not in words."
    assert card.history[0].endswith("Constructions: clause, possessive.")


def test_its_templates_are_filled_as_those_of_the_shipped_set(tmp_path: Path) -> None:
    first, second = mined(tmp_path).templates.templates_only.templates
    assert first.prompt("护士") == "这位护士说[Y]"
    assert second.prompt("护士").replace("[Y]", "她") == "这位护士失去了她的工作"


def test_the_rule_travels_to_a_worker() -> None:
    rule = rule_for((TOPIC,), ("clause",))
    assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301
    assert (rule.language, rule.looked_for) == ("zh", "他 or 她")
    assert rule.form == "one of these forms: “护士说她累了。”"


def test_the_shipped_parser_is_refused_before_anything_is_read() -> None:
    with pytest.raises(PipelineError, match=r"en-mini must be one of Chinese, 'zh' \(got 'en'\)"):
        open_counter("en-mini", (TOPIC,), ("clause",))
