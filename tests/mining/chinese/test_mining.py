"""From texts of Chinese to a set, through a parser that knows its sentences by heart."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pcf_core.core.errors import PipelineError
from pcf_core.core.topics import Topic
from pcf_core.material.topics import load_topic
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.counting import BlockCounter, open_counter
from pcf_core.mining.miner import Mined, mine
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.rules import rule_for
from tests.mining.chinese.hand import sentence
from tests.mining.fakes import FakeCorpus, Here

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
