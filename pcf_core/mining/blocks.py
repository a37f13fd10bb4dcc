"""Blocks: documents in a row, the unit that is counted at once, kept at once, and never counted twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pcf_core.mining.documents import Corpus, Document

CHARACTERS = 200_000  # a few seconds of a parser; part of a ledger's key


@dataclass(frozen=True)
class TextBlock:
    """``number`` counts from 0; ``read``: bytes of the corpus that were read when its last document came."""

    number: int
    documents: tuple[Document, ...]
    read: int


def blocks_of(corpus: Corpus, characters: int = CHARACTERS) -> Iterator[TextBlock]:
    """Documents in the corpus's order, a block as soon as it has so many characters: of the corpus alone.

    A document is never cut, so that the longest one decides what is held in memory.

    Raises:
        CorpusError: the corpus cannot be read any further.
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
