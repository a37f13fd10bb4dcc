"""What one block gives."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.material.topics import load_topic
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.counting import (
    EXAMPLES,
    BlockCounter,
    Counts,
    Parser,
    TextBlock,
    blocks_of,
    first_examples,
)
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.rules import Rule, rule_for
from pcf_core.mining.sentences import TOO_LONG
from tests.mining.fakes import FakeCorpus, corpus_of, fake_counter
from tests.mining.hand import trees
from tests.mining.test_sentences import TEXTS, split


def document(name: str, text: str, source: str = "s") -> Document:
    return Document(id=name, title="", text=text, source=source)


def test_a_block_by_hand() -> None:
    """One sentence has no wanted word, one a number, one is too long; three give templates."""
    long = "Ann said that she " + "very " * 70 + "much came."
    block = TextBlock(
        0,
        (
            document("a", f"It rained. Ann said that he came. {long} Bob said that she came."),
            document("b", "Eve knew that she won 3 games.\nEve said that she won.", "t"),
        ),
        0,
    )
    counts = fake_counter().count(block)
    said = counts.templates.pop("The [X] said that [Y]")
    assert (said.count, said.documents, dict(said.sources)) == (3, 2, {"s": 2, "t": 1})
    assert said.examples == ("a@11", f"a@{11 + 23 + len(long) + 1}", "b@31")
    assert not counts.templates
    assert counts.dropped == {"a number": 1, TOO_LONG: 1}
    assert counts.without_word == 1
    assert (counts.documents, counts.sentences, counts.matches) == (2, 4, 3)
    assert counts.words == sum(len(one.text.split()) for one in block.documents)


class HandParser:
    """Trees by hand whatever the text: for each sentence the next of them, in a round."""

    name = identity = "hand"

    def __init__(self, forests: Sequence[list[Tree]]) -> None:
        self._forests = itertools.cycle(forests)

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        return (next(self._forests) for _ in texts)


def sums_up(counter: BlockCounter, texts: Sequence[str]) -> Counts:
    """Every sentence that a plain splitter finds is counted once."""
    documents = tuple(document(str(number), text) for number, text in enumerate(texts))
    counts = counter.count(TextBlock(0, documents, 0))
    read = sum(len(list(split(text))) for text in texts)
    assert counts.matches + counts.dropped.total() + counts.without_word == read
    assert counts.matches + counts.dropped.total() - counts.dropped[TOO_LONG] == counts.sentences
    return counts


RULES = (rule_for([load_topic("gender")]), rule_for([load_topic("race")]))


@given(
    st.lists(TEXTS, max_size=3),
    st.lists(st.lists(trees(), max_size=2), min_size=1, max_size=4),
    st.sampled_from(RULES),
)
def test_every_sentence_is_counted_once_whatever_the_parse(
    texts: list[str], forests: list[list[Tree]], rule: Rule
) -> None:
    sums_up(BlockCounter(HandParser(forests), rule), texts)


SENTENCES = (
    "The nurse said that she was tired.",
    "The inspectors were appointed in May and resigned in June.",
    "The king met her.",
    "She came.",
    "It rained.",
    "Mary thought in 1999 that she could win the race!",
    "The engineers were Scottish, and the doctor slept.",
    "He " + "very " * 70 + "much hoped.",
    "What he said, she did?",
)


@functools.cache
def shipped_parser() -> Parser:
    from pcf_core.mining.parser.pipeline import open_pipeline

    return open_pipeline("en-mini")


@given(st.lists(st.sampled_from(SENTENCES), max_size=6), st.sampled_from(RULES))
def test_every_sentence_is_counted_once_by_the_shipped_parser(sentences: list[str], rule: Rule) -> None:
    sums_up(BlockCounter(shipped_parser(), rule), [" ".join(sentences), "\n".join(sentences)])


def test_two_sentences_of_which_one_matches_have_a_reason_each() -> None:
    texts = ["The nurse said that she was tired. She went home. The rain fell."]
    counts = sums_up(BlockCounter(shipped_parser(), RULES[0]), texts)
    assert (counts.matches, counts.without_word) == (1, 1)
    assert counts.dropped == {RULES[0].formless: 1}


@pytest.mark.parametrize("rule", RULES, ids=["clausal", "attributive"])
def test_what_a_rule_says_of_itself_is_true(rule: Rule) -> None:
    """Each of its examples gives a template, and it names words that are looked for."""
    sentences = [f"{example.rstrip('.')}." for example in re.findall("“([^”]+)”", rule.form)]
    assert sentences
    forms_alone = 2 if rule.name == "attributive" else 0  # *woman* and *boy* are no words of the topic *race*
    assert sums_up(BlockCounter(shipped_parser(), rule), sentences).matches == len(sentences) - forms_alone
    named = re.findall(r"(?<=“)\w+(?=”)|(?<=such as )\w+|\b(?:he|she)\b", rule.looked_for)
    assert named
    assert set(named) <= set(rule.wanted)


def test_an_example_is_where_the_sentence_stands() -> None:
    block = next(blocks_of(corpus_of(5)))  # type: ignore[arg-type]
    texts = {one.id: one.text for one in block.documents}
    for text, tally in fake_counter().count(block).templates.items():
        for example in tally.examples:
            name, _, offset = example.rpartition("@")
            assert texts[name][int(offset) :].startswith(f"Ann {text.split()[2]} that")


@given(st.lists(st.lists(st.text("ab1", min_size=1, max_size=2))))
def test_the_first_examples_do_not_depend_on_how_they_came(several: list[list[str]]) -> None:
    whole = first_examples(*several)
    step: tuple[str, ...] = ()
    for one in reversed(several):
        step = first_examples(one, step)
    assert step == whole
    assert len(whole) == min(EXAMPLES, len({example for one in several for example in one}))


@given(st.integers(0, 30), st.integers(1, 600))
def test_blocks_are_the_corpus_in_order(documents: int, characters: int) -> None:
    """Every document once, no block but the last short of its characters or a document over them."""
    corpus: FakeCorpus = corpus_of(documents)
    blocks = list(blocks_of(corpus, characters))  # type: ignore[arg-type]
    assert [one for block in blocks for one in block.documents] == list(corpus.held)
    assert [block.number for block in blocks] == list(range(len(blocks)))
    ends = Counter(block.read for block in blocks)
    assert max(ends.values(), default=1) == 1
    for block in blocks:
        length = sum(len(one.text) for one in block.documents)
        assert length >= characters or block is blocks[-1]
        assert length - len(block.documents[-1].text) < characters
