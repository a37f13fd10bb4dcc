"""A parser, a rule and a corpus made of sentences like "Ann said that she came", and processes that fail.

As a program, a mining of such a corpus by two processes:

    python -m tests.mining.fakes FOLDER DOCUMENTS DELAY
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pcf_core.core.errors import PipelineError
from pcf_core.core.topics import Group, Topic
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.counting import BlockCounter, Counts, TextBlock
from pcf_core.mining.miner import Mined, mine
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.pool import Opened, Processes
from pcf_core.mining.verb_groups import Candidate, Dropped

TOPIC = Topic(
    name="pronouns",
    title="Pronouns",
    groups=(Group(name="male", words=("he",)), Group(name="female", words=("she",))),
)
VERBS = ("said", "knew", "thought", "felt", "hoped")


@dataclass(frozen=True)
class FakeParser:
    """Words between spaces, each the child of the first.  ``delay``: seconds a sentence."""

    name: str = "fake"
    identity: str = "1"
    delay: float = 0.0

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        for text in texts:
            time.sleep(self.delay)
            words = tuple(text.rstrip(".").split())
            heads = (0,) * len(words)
            yield [Tree(words, words, ("X",) * len(words), heads, ("root",) * len(words))]


@dataclass(frozen=True)
class FakeRule:
    """The word before ``that`` is the verb; a sentence with a number is dropped."""

    name: str = "clausal"
    constructions: tuple[str, ...] = ("clause",)
    language: str = "en"
    wanted: tuple[str, ...] = ("he", "she")
    looked_for: str = "he or she"
    form: str = "the word that"
    formless: str = "it has no that"

    def skeletons(self, tree: Tree) -> Iterator[Candidate | Dropped]:
        if any(word.isdigit() for word in tree.words):
            yield Dropped("a number")
        elif "that" in tree.words:
            verb = tree.words.index("that") - 1
            yield Candidate(f"The [X] {tree.words[verb]} that [Y]", 0, verb + 2, ("pronoun",))


@dataclass
class FakeCorpus:
    """Documents in memory; a byte a document."""

    held: tuple[Document, ...]
    name: str = "fake"
    identity: str = "fake"
    licence: str = "CC0"
    read: int = 0

    @property
    def size(self) -> int:
        return len(self.held)

    def documents(self) -> Iterator[Document]:
        for self.read, document in enumerate(self.held, 1):  # noqa: B020
            yield document


class Here:
    """Counts in this process, in the order of ``order``: what :class:`Processes` does, without them."""

    def __init__(
        self, counter: BlockCounter, order: Callable[[list[TextBlock]], None] = lambda _: None
    ) -> None:
        self._counter = counter
        self._order = order
        self.counted: list[int] = []

    def open(self) -> Opened:
        return Opened(self._counter.parser.name, self._counter.parser.identity)

    def count(
        self, blocks: Iterator[TextBlock], pause: Callable[[], None]
    ) -> Iterator[tuple[TextBlock, Counts]]:
        held = list(blocks)
        self._order(held)
        for block in held:
            pause()
            self.counted.append(block.number)
            yield block, self._counter.count(block)


def corpus_of(documents: int, sentences: int = 4) -> FakeCorpus:
    """Verbs by a fixed pattern, two sources, a number in every eleventh sentence."""

    def sentence(document: int, number: int) -> str:
        one = document * sentences + number
        who = "she" if one % 3 else "they"
        year = " in 1999" if one % 11 == 0 else ""
        return f"Ann {VERBS[one * one % len(VERBS)]} that {who} came{year}."

    return FakeCorpus(
        tuple(
            Document(
                id=f"doc:{number}",
                title="",
                text=" ".join(sentence(number, one) for one in range(sentences)),
                source=("books", "papers")[number % 2],
            )
            for number in range(documents)
        )
    )


def fake_counter(delay: float = 0.0) -> BlockCounter:
    return BlockCounter(FakeParser(delay=delay), FakeRule())


def open_fake(pipeline: str, topics: Sequence[Topic], constructions: Sequence[str] = ()) -> BlockCounter:
    """In place of :func:`pcf_core.mining.counting.open_counter`; the parser's name says how slow it is."""
    return fake_counter(float(pipeline.partition("-")[2] or 0))


def write_jsonl(path: Path, corpus: FakeCorpus) -> Path:
    rows = [{"id": one.id, "title": "", "text": one.text, "source": one.source} for one in corpus.held]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class Failing(FakeParser):
    """Ends its process at a sentence with ``CRASH``, so many ``times``: each leaves a file in ``folder``."""

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__()
        object.__setattr__(self, "folder", folder)
        object.__setattr__(self, "times", times)

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        held = list(texts)
        crashes = len(list(self.folder.iterdir()))  # type: ignore[attr-defined]
        if any("CRASH" in text for text in held) and crashes < self.times:  # type: ignore[attr-defined]
            (self.folder / str(os.getpid())).touch()  # type: ignore[attr-defined]
            os._exit(7)
        if any("BUG" in text for text in held):
            raise ValueError("a bug")
        if any("REFUSED" in text for text in held):
            raise PipelineError("The parser refuses this.")
        return super().trees(held)


def failing_counter(folder: Path, times: int) -> BlockCounter:
    return BlockCounter(Failing(folder, times), FakeRule())


def unopened() -> BlockCounter:
    raise PipelineError("There is no such parser.")


def lost_while_opening() -> BlockCounter:
    os._exit(7)


def mine_fake(folder: Path, corpus: FakeCorpus, counters: object, **options: object) -> Mined:
    """In blocks of two documents or so."""
    wanted = {"name": "fake", "characters": 200, **options}
    return mine(corpus, [TOPIC], FakeRule(), counters, folder, **wanted)  # type: ignore[arg-type]


if __name__ == "__main__":
    with Processes(partial(fake_counter, float(sys.argv[3])), 2) as processes:
        mine_fake(Path(sys.argv[1]), corpus_of(int(sys.argv[2])), processes)
