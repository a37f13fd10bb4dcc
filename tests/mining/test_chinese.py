"""Chinese: which sentences are looked at, what each construction finds in them, and a corpus mined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import PipelineError
from pcf_core.core.topics import Topic
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
from pcf_core.mining.verb_groups import Dropped
from tests.mining.fakes import FakeCorpus, Here
from tests.mining.hand import cases, texts, tree, trees_of

SEARCH = Sentences(("他", "她"))
TOPIC = load_topic("gender-zh")
PRONOUN = ("pronoun",)
PARSED = [
    tree(text)
    for text in (
        "护士 NN 2 nsubj; 说 VV 0 root; 她 PRP 4 nsubj; 累 JJ 2 ccomp; 。 . 2 punct",
        "医生 NN 2 nsubj; 说 VV 0 root; 他 PRP 4 nsubj; 辞职 VV 2 ccomp; 。 . 2 punct",
        "记者 NN 2 nsubj; 失去 VV 0 root; 了 AS 2 aux; 他 PRP 6 nmod; 的 DEC 4 case; 工作 NN 2 obj;"
        "。 . 2 punct",
        "护士们 NN 2 nsubj; 说 VV 0 root; 她 PRP 4 nsubj; 累 JJ 2 ccomp; 。 . 2 punct",
        "她 PRP 2 nsubj; 来 VV 0 root; 。 . 2 punct",
    )
]
KNOWN = {"".join(one.words): one for one in PARSED}


@pytest.mark.parametrize("name", CHINESE)
def test_the_example_of_a_construction_is_what_it_finds(name: str) -> None:
    example, template = CHINESE[name].example
    trees = [case.tree for case in cases() if case.rule == f"zh {name}"]
    trees.append(
        tree("护士 NN 2 nsubj; 说 VV 0 root; 她 PRP 4 nsubj; 累 JJ 2 ccomp; 了 AS 4 aux; 。 . 2 punct")
    )
    (one,) = (one for one in trees if "".join(one.words) == example)
    assert texts(CHINESE[name].find(one, ("他", "她"), ())) == [template]


ROWS = [
    f"{word} {word} NN"
    for word in "护士 说 她 的 工作 失去 了 医院 没有 ， 和 女护士 昨天 解释 们".split()  # noqa: SIM905
]
RELATIONS = ("nsubj", "obj", "ccomp", "nmod", "case", "punct", "advmod", "aux", "compound", "det", "obl:tmod")


@given(trees_of(ROWS, RELATIONS))
def test_whatever_the_tree_a_template_is_made_of_listed_words(parsed: Tree) -> None:
    lists = words()
    inside = "".join(
        sorted(
            {*"".join(lists.saying | lists.negation | lists.aspect | lists.before_saying | set(lists.own))}
        )
    )
    things = "|".join(sorted({thing for own in lists.own.values() for thing in own}))
    for find in (chinese.clause, chinese.possessive):
        for found in texts(find(parsed, ("他", "她"), ("男人", "女人"))):
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


def test_the_shipped_parser_is_refused_before_anything_is_read() -> None:
    with pytest.raises(PipelineError, match=r"Chinese \('zh'\) is needed, but en-mini is for 'en'"):
        open_counter("en-mini", (TOPIC,), ("clause",))
