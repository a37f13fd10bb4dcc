"""What one block gives."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.blocks import TextBlock, blocks_of
from pcf_core.mining.counting import EXAMPLES, first_examples
from pcf_core.mining.documents import Document
from pcf_core.mining.sentences import TOO_LONG
from tests.mining.fakes import FakeCorpus, corpus_of, fake_counter


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
    assert (counts.documents, counts.sentences, counts.matches) == (2, 4, 3)
    assert counts.words == sum(len(one.text.split()) for one in block.documents)


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
