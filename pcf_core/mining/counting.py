"""From a block of documents to counts: what runs on every core, in a process of its own.

documents → sentences with a wanted word → trees → skeletons → counts per template and source

A block is documents in a row: the unit that is counted at once, kept at once, and never counted twice.
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
EXAMPLES = 3  # sentences that are remembered of a template: the first in the order of their names


@dataclass(frozen=True)
class TextBlock:
    """Consecutive documents that are counted together.

    ``number`` counts from 0; ``read``: the bytes of the corpus read up to the end of its last document.
    """

    number: int
    documents: tuple[Document, ...]
    read: int


def blocks_of(corpus: Corpus, characters: int = CHARACTERS) -> Iterator[TextBlock]:
    """Yield documents in the corpus's order, a block as soon as it has so many characters.

    Blocks depend on the corpus alone.  A document is never cut, so that the longest one decides how much is
    held in memory.
    """
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
    """What is used of :class:`pcf_core.mining.parser.pipeline.Pipeline`, which imports spaCy.

    ``identity`` pins the parser: another one of the same name has another identity.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def identity(self) -> str: ...  # noqa: D102

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]:
        """Yield the sentences of each text as trees, in the order of the texts."""
        ...


@dataclass
class Tally:
    """The counts of one template.

    ``examples``: ``document id@offset``, sorted; ``fits``: parts of speech seen at ``[Y]``, see
    :class:`~pcf_core.core.topics.Template`.
    """

    count: int = 0
    documents: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    examples: tuple[str, ...] = ()
    fits: tuple[Part, ...] = ()


@dataclass
class Counts:
    """What was counted in a block.

    ``words``: read, in the language's unit; ``sentences``: parsed, because they have a wanted word.  Every
    sentence that was read is one of ``matches``, which gave a template; of ``dropped``, which gave none, by
    the first reason; and of ``without_word``, which have no wanted word.
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
    """A sentence of a document with its trees: more than one where the parser sees several sentences."""

    document: Document
    offset: int
    trees: list[Tree]


class BlockCounter:
    """A parser and a rule, ready to count block after block."""

    def __init__(self, parser: Parser, rule: Rule) -> None:
        self.parser = parser
        self.rule = rule
        self.language = LANGUAGES[rule.language]
        self.search = self.language.search(rule.wanted)

    def count(self, block: TextBlock) -> Counts:
        """Count a block: a function of its documents alone."""
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
        """Yield every sentence with a wanted word, and the number of its document."""
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
    """Choose the examples to remember out of several lists; their order does not matter."""
    return tuple(sorted({example for examples in several for example in examples})[:EXAMPLES])


def all_parts(*several: Iterable[Part]) -> tuple[Part, ...]:
    """Unite what fits at ``[Y]`` according to several rules."""
    united = {part for parts in several for part in parts}
    return tuple(part for part in PARTS if part in united)


def open_counter(
    pipeline: str, topics: tuple[Topic, ...], constructions: tuple[str, ...] = ()
) -> BlockCounter:
    """Open a parser by name for the topics' rule: called in the process that counts, which imports spaCy.

    Raises PipelineError for a parser that cannot be used, TopicError for topics without a rule in common.
    """
    from pcf_core.mining.parser.pipeline import open_pipeline

    rule = rule_for(topics, constructions)
    return BlockCounter(open_pipeline(pipeline, rule.language), rule)
