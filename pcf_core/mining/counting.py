"""From a block of documents to counts: what runs on every core, in a process of its own.

documents → sentences with a wanted word → trees → skeletons → counts per template and source
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pcf_core.language.trees import Tree
from pcf_core.mining.blocks import TextBlock
from pcf_core.mining.documents import Document
from pcf_core.mining.rules import Rule, rule_for
from pcf_core.mining.sentences import Wanted, candidates
from pcf_core.records import Topic

EXAMPLES = 3  # sentences that are remembered of a template: the first in the order of their names


class Parser(Protocol):
    """What is used of :class:`pcf_core.language.pipeline.Pipeline`, which imports spaCy."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str: ...

    def trees(self, texts: Iterable[str]) -> Iterator[list[Tree]]: ...


@dataclass
class Tally:
    """What was counted of one template.  ``examples``: ``document id@offset``, sorted."""

    count: int = 0
    documents: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    examples: tuple[str, ...] = ()


@dataclass
class Counts:
    """What was counted in a block.

    ``words``: read; ``sentences``: parsed, because they have a wanted word; ``matches``: sentences that gave
    a template.  ``dropped``: would-be templates, and sentences, that were refused, by reason.
    """

    templates: dict[str, Tally] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    words: int = 0
    sentences: int = 0
    matches: int = 0


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
        self.wanted = Wanted(rule.wanted)

    def count(self, block: TextBlock) -> Counts:
        """Count a block: a function of its documents alone.

        Raises:
            PipelineError: the parser fails.
        """
        counts = Counts(
            documents=len(block.documents),
            words=sum(len(document.text.split()) for document in block.documents),
        )
        owners: dict[str, set[int]] = {}
        for number, parsed in self._parsed(block.documents, counts.dropped):
            self._count_sentence(parsed, number, counts, owners)
        for text, numbers in owners.items():
            counts.templates[text].documents = len(numbers)
        return counts

    def _parsed(self, documents: Sequence[Document], dropped: Counter[str]) -> Iterator[tuple[int, Parsed]]:
        """Every sentence with a wanted word, and the number of its document."""
        found = [
            (number, document, offset, sentence)
            for number, document in enumerate(documents)
            for offset, sentence in candidates(document.text, self.wanted, dropped)
        ]
        trees = self.parser.trees(sentence for *_, sentence in found)
        for (number, document, offset, _), forest in zip(found, trees, strict=True):
            yield number, Parsed(document, offset, forest)

    def _count_sentence(
        self, parsed: Parsed, number: int, counts: Counts, owners: dict[str, set[int]]
    ) -> None:
        counts.sentences += 1
        matched = False
        for tree in parsed.trees:
            for skeleton in self.rule.skeletons(tree):
                if not isinstance(skeleton, str):
                    counts.dropped[skeleton.reason] += 1
                    continue
                matched = True
                tally = counts.templates.setdefault(skeleton, Tally())
                tally.count += 1
                tally.sources[parsed.document.source] += 1
                tally.examples = first_examples(
                    tally.examples, [f"{parsed.document.id}@{parsed.offset + tree.offset}"]
                )
                owners.setdefault(skeleton, set()).add(number)
        counts.matches += matched


def first_examples(*several: Iterable[str]) -> tuple[str, ...]:
    """The examples to remember out of several lists: the same in whatever order these come."""
    return tuple(sorted({example for examples in several for example in examples})[:EXAMPLES])


def open_counter(pipeline: str, topics: tuple[Topic, ...]) -> BlockCounter:
    """Open a parser by name for the topics' rule: called in the process that counts, which imports spaCy.

    Raises:
        PipelineError: no such parser, or one that cannot be used.
        TopicError: the topics have no rule in common.
    """
    from pcf_core.language.pipeline import open_pipeline

    return BlockCounter(open_pipeline(pipeline), rule_for(topics))
