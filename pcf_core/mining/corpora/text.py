"""Plain text: paragraphs with empty lines between them; documents of about 64 KB."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pcf_core.mining.corpora.source import Document, Entry, Source

SIZE = 64 * 1024  # bytes of a document at most, unless one line has more


def entries(source: Source) -> Iterator[Entry]:
    """Yield documents of whole paragraphs, as many as fit.

    A paragraph that alone is too long is cut between lines.

    An id is the file's name and the number of the document's first line.
    """
    whole: list[tuple[int, bytes]] = []  # lines of paragraphs that have ended, and the empty ones between
    last: list[tuple[int, bytes]] = []  # lines of the paragraph that is being read
    size = 0
    for number, line in source.lines():
        if not line.isspace():
            while size + len(line) > SIZE and (whole or last):
                ready, whole, last = (whole, [], last) if whole else (last, [], [])
                size = sum(len(held) for _, held in last)
                yield partial(_document, source, ready)
            last.append((number, line))
            size += len(line)
        elif last:
            whole += [*last, (number, b"")]
            last = []
    if whole or last:
        yield partial(_document, source, whole + last)


def _document(source: Source, lines: list[tuple[int, bytes]]) -> Document:
    """Join the lines of each paragraph with spaces: where they break is no matter of the text."""
    paragraphs: list[list[str]] = [[]]
    for number, line in lines:
        if line:
            paragraphs[-1].append(source.decoded(line, number).strip())
        else:
            paragraphs.append([])
    text = "\n".join(" ".join(paragraph) for paragraph in paragraphs if paragraph)
    return Document(id=f"{source.stem}:{lines[0][0]}", title="", text=text, source=source.stem)
