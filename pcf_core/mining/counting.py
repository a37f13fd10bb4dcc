"""Count the templates in a block of documents, in a process of its own.

documents → sentences with a wanted word → trees → skeletons → counts per template and source
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pcf_core.core.topics import PARTS, Part, Topic
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.documents import Corpus
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.rules import LANGUAGES, Rule, rule_for
from pcf_core.mining.sentences import WITHOUT_WORD
from pcf_core.mining.verb_groups import Dropped

CHARACTERS = 200_000  # a few seconds of a parser; part of a ledger's key
EXAMPLES = 3  # sentences recorded per template: the first by name


@dataclass(frozen=True)
class TextBlock:
    """Documents counted together; ``number``: from 0; ``read``: bytes of the corpus read so far."""

    number: int
    documents: tuple[Document, ...]
    read: int


def blocks_of(corpus: Corpus, characters: int = CHARACTERS) -> Iterator[TextBlock]:
    """Yield blocks of whole documents, each as soon as it has so many characters."""
    number, length = 0, 0
    documents: list[Document] = []
    for document in corpus.documents():
        documents.append(document)
        length += len(document.text)
        if length >= characters:
            yield TextBlock(number, tuple(documents), corpus.read)
            number, length, documents = number + 1, 0, []
    if documents:
        yield TextBlock(number, tuple(documents), corpus.read)


class Parser(Protocol):
    """A parser such as :class:`pcf_core.mining.parser.pipeline.Pipeline`; ``identity`` pins its output."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def identity(self) -> str: ...  # noqa: D102

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        """Yield the sentences of each text, in order."""
        ...


@dataclass
class Tally:
    """The counts of one template; ``examples``: ``document id@offset``, sorted."""

    count: int = 0
    documents: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    examples: tuple[str, ...] = ()
    fits: tuple[Part, ...] = ()


@dataclass
class Counts:
    """The counts of a block.

    ``words``: in the language's unit; ``sentences``: with a wanted word.  Every sentence is in one of
    ``matches`` (gave a template), ``dropped`` (by the first reason) and ``without_word``.
    """

    templates: dict[str, Tally] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    words: int = 0
    sentences: int = 0
    matches: int = 0
    without_word: int = 0


@dataclass(frozen=True)
class Parsed:
    """A sentence of a document with its trees: several if the parser splits it."""

    document: Document
    offset: int
    trees: list[Tree]


class BlockCounter:
    """A parser and a rule, ready to count blocks."""

    def __init__(self, parser: Parser, rule: Rule) -> None:
        self.parser = parser
        self.rule = rule
        self.language = LANGUAGES[rule.language]
        self.search = self.language.search(rule.wanted)

    def count(self, block: TextBlock) -> Counts:
        """Count a block."""
        counts = Counts(
            documents=len(block.documents),
            words=sum(self.language.count(document.text) for document in block.documents),
        )
        owners: dict[str, set[int]] = {}
        for number, parsed in self._parsed(block.documents, counts.dropped):
            self._count_sentence(parsed, number, counts, owners)
        counts.without_word = counts.dropped.pop(WITHOUT_WORD, 0)
        for text, numbers in owners.items():
            counts.templates[text].documents = len(numbers)
        return counts

    def _parsed(self, documents: Sequence[Document], dropped: Counter[str]) -> Iterator[tuple[int, Parsed]]:
        sentences = [
            (number, document, offset, sentence)
            for number, document in enumerate(documents)
            for offset, sentence in self.search(document.text, dropped)
        ]
        trees = self.parser.trees(sentence for *_, sentence in sentences)
        for (number, document, offset, _), forest in zip(sentences, trees, strict=True):
            yield number, Parsed(document, offset, forest)

    def _count_sentence(
        self, parsed: Parsed, number: int, counts: Counts, owners: dict[str, set[int]]
    ) -> None:
        counts.sentences += 1
        matched = False
        reasons: list[str] = []
        for tree in parsed.trees:
            for skeleton in self.rule.skeletons(tree):
                if isinstance(skeleton, Dropped):
                    reasons.append(skeleton.reason)
                    continue
                matched = True
                tally = counts.templates.setdefault(skeleton.text, Tally())
                tally.count += 1
                tally.sources[parsed.document.source] += 1
                tally.examples = first_examples(
                    tally.examples, [f"{parsed.document.id}@{parsed.offset + tree.offset}"]
                )
                tally.fits = all_parts(tally.fits, skeleton.fits)
                owners.setdefault(skeleton.text, set()).add(number)
        counts.matches += matched
        if not matched:
            counts.dropped[next(iter(reasons), self.rule.formless)] += 1


def first_examples(*several: Iterable[str]) -> tuple[str, ...]:
    """Choose the examples to record from several lists, in any order."""
    return tuple(sorted({example for examples in several for example in examples})[:EXAMPLES])


def all_parts(*several: Iterable[Part]) -> tuple[Part, ...]:
    """Unite the parts of speech that fit at ``[Y]``."""
    united = {part for parts in several for part in parts}
    return tuple(part for part in PARTS if part in united)


def open_counter(
    pipeline: str, topics: tuple[Topic, ...], constructions: tuple[str, ...] = ()
) -> BlockCounter:
    """Open a parser for the topics' rule; called in the counting process, as it imports spaCy.

    Raises PipelineError for an unusable parser, TopicError for topics without a common rule.
    """
    from pcf_core.mining.parser.pipeline import open_pipeline

    rule = rule_for(topics, constructions)
    return BlockCounter(open_pipeline(pipeline, rule.language), rule)
