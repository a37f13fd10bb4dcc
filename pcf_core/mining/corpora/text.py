"""Plain text: paragraphs with empty lines between them; documents of about 64 KB.

Of a file of Project Gutenberg only the book is read: what stands between its START and END lines, without the
underscores that mark italics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

from pcf_core.mining.corpora.source import Document, Entry, Source

GUTENBERG = b"project gutenberg"
OPENING = 40  # lines among which a file of Project Gutenberg says what it is
HEADER = 2000  # lines before its START line at most
START = re.compile(
    rb"\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG|\*END\*? ?THE SMALL PRINT", re.IGNORECASE
)
END = re.compile(
    rb"\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg", re.IGNORECASE
)
ITALICS = re.compile(rb"\b_|_\b")
SIZE = 64 * 1024  # bytes of a document at most, unless one line has more


def entries(source: Source) -> Iterator[Entry]:
    """Yield documents of whole paragraphs, as many as fit.

    A paragraph that alone is too long is cut between lines.

    An id is the file's name and the number of the document's first line.
    """
    whole: list[tuple[int, bytes]] = []  # lines of paragraphs that have ended, and the empty ones between
    last: list[tuple[int, bytes]] = []  # lines of the paragraph that is being read
    size = 0
    for number, line in _book(source.lines()):
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


def _book(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of the books of Project Gutenberg, and all lines of any other file.

    A file that only mentions it, without a START line, is kept whole.
    """
    first = list(islice(lines, OPENING))
    if not any(GUTENBERG in line.lower() for _, line in first):
        yield from first
        yield from lines
        return
    held: list[tuple[int, bytes]] = []  # what goes before the first START line
    inside = started = False
    for number, line in chain(first, lines):
        if START.search(line):
            inside = started = True
        elif inside and END.search(line):
            inside = False
        elif inside:
            yield number, ITALICS.sub(b"", line)
        elif not started:
            held.append((number, line))
            if len(held) > HEADER:
                break
    if not started:
        yield from held
        yield from lines


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
