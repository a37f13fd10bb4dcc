"""Plain text, JSON lines, Parquet tables and subtitles (SRT).

**Plain text** has paragraphs with empty lines between them; a document has about 64 KB.  Of Project Gutenberg
files only the book between the START and END lines is read, without underscores for italics.

**JSON lines** have one object per line with ``text`` and optionally ``id``, ``title`` and ``source``;
**Parquet** has one row per document with these columns.  A chat has its turns instead of ``text``, under one
of :data:`CHATS`: texts, or objects with a text under one of :data:`TEXT_KEYS`.  Each turn is a paragraph.

**Subtitles** are numbered cues with times:

    2
    00:00:05,100 --> 00:00:07,000
    - <i>She said that</i>
    she would come.

Cues are joined to paragraphs that end with a sentence.  Sounds in brackets, music, styles and speaker dashes
are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

import orjson

from pcf_core.core.errors import CorpusError
from pcf_core.material.safety.parquet import pages
from pcf_core.material.safety.text import listed, shown
from pcf_core.mining.corpora.source import BUFFER, Document, Entry, Source

GUTENBERG = b"project gutenberg"
OPENING = 40  # lines in which Project Gutenberg is named
HEADER = 2000  # maximum number of lines before START
START = re.compile(
    rb"\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG|\*END\*? ?THE SMALL PRINT", re.IGNORECASE
)
END = re.compile(
    rb"\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg", re.IGNORECASE
)
ITALICS = re.compile(rb"\b_|_\b")
SIZE = 64 * 1024  # bytes per document, unless one line has more
CHATS = ("messages", "conversations", "conversation", "dialog", "dialogue", "turns", "utterances")
TEXT_KEYS = ("content", "value", "text", "utterance")
EXAMPLE = 'write one object a line, such as {"text": "She said no."}'
COLUMNS = ("text", "id", "title", "source")
MAX_PAGE = 2**29  # bytes unpacked; most writers take one MiB
ROWS = 32  # at once, to limit memory
TIMES = re.compile(r"\d{1,2}:\d{2}:\d{2}[,.]\d{1,3} *--> *\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}")
STYLE = re.compile(r"</?[a-zA-Z][^<>]*>|\{\\[^{}]*\}")
SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫].*[♪♫]?")
SPEAKER = re.compile(r"^\s*(?:[-–—]\s*|[A-Z][A-Z .'’]+:\s*)")
ENDED = re.compile(r"[.!?…][\"'”’)\]]*$")


def plain_text(source: Source) -> Iterator[Entry]:
    """Yield documents of whole paragraphs, as many as fit; a longer paragraph is cut between lines.

    An id is the file's name and the number of the document's first line.
    """
    whole: list[tuple[int, bytes]] = []  # lines of completed paragraphs, with empty lines
    last: list[tuple[int, bytes]] = []  # lines of the current paragraph
    size = 0
    for number, line in _book(source.lines()):
        if not line.isspace():
            while size + len(line) > SIZE and (whole or last):
                ready, whole, last = (whole, [], last) if whole else (last, [], [])
                size = sum(len(held) for _, held in last)
                yield partial(_text_document, source, ready)
            last.append((number, line))
            size += len(line)
        elif last:
            whole += [*last, (number, b"")]
            last = []
    if whole or last:
        yield partial(_text_document, source, whole + last)


def _book(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of Project Gutenberg's books, and all lines of other files."""
    first = list(islice(lines, OPENING))
    if not any(GUTENBERG in line.lower() for _, line in first):
        yield from first
        yield from lines
        return
    held: list[tuple[int, bytes]] = []  # before the first START line
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


def _text_document(source: Source, lines: list[tuple[int, bytes]]) -> Document:
    paragraphs: list[list[str]] = [[]]
    for number, line in lines:
        if line:
            paragraphs[-1].append(source.decoded(line, number).strip())
        else:
            paragraphs.append([])
    text = "\n".join(" ".join(paragraph) for paragraph in paragraphs if paragraph)
    return Document(id=f"{source.stem}:{lines[0][0]}", title="", text=text, source=source.stem)


def json_lines(source: Source) -> Iterator[Entry]:
    """Yield a document for every non-empty line."""
    for number, line in source.lines():
        if not line.isspace():
            yield partial(_json_document, source, number, line)


def _json_document(source: Source, number: int, line: bytes) -> Document:
    where = f"{source.label}, line {number:,}"
    try:
        fields = orjson.loads(line)
    except ValueError as problem:
        source.decoded(line, number)  # raises if the encoding is wrong
        reason = str(problem).split(":")[0]
        raise CorpusError(f"{where} is not JSON ({reason}): {EXAMPLE}.") from problem
    if not isinstance(fields, dict):
        raise CorpusError(f"{where} is not a JSON object ({shown(fields)}): {EXAMPLE}.")
    chat = next((key for key in CHATS if isinstance(fields.get(key), list)), None)
    if "text" not in fields and chat is not None:
        fields["text"] = "\n".join(
            _turn_text(entry, f"{where}, turn {n}") for n, entry in enumerate(fields[chat], 1)
        )
    if "text" not in fields:
        keys = listed(shown(key) for key in list(fields)[:8]) if fields else "no key at all"
        raise CorpusError(f"{where} must have the key text, but it has {keys}: {EXAMPLE}.")
    return source.document(fields, where, number)


def _turn_text(entry: object, where: str) -> str:
    text = entry
    if isinstance(entry, dict):
        text = next((entry[key] for key in TEXT_KEYS if key in entry), None)
    if isinstance(text, list):
        text = "\n".join(str(part["text"]) for part in text if isinstance(part, dict) and "text" in part)
    if text is None and isinstance(entry, dict) and set(entry) & set(TEXT_KEYS):
        return ""  # without words, such as a tool call
    if not isinstance(text, str):
        raise CorpusError(
            f"{where} has no text ({shown(entry)}): write turns such as "
            '{"role": "user", "content": "She said no."}.'
        )
    return text


def parquet(source: Source) -> Iterator[Entry]:
    """Yield a document for every row; ``source.read`` grows with the share of rows read."""
    import pyarrow.parquet as pq

    with source.checked():
        size = source.path.stat().st_size
        with pq.ParquetFile(
            source.path, buffer_size=BUFFER, pre_buffer=False, page_checksum_verification=True
        ) as file:
            columns = _columns(source, file.schema_arrow)
            with source.path.open("rb") as raw:
                largest = max((page.unpacked for page in pages(raw, file.metadata, columns)), default=0)
            if largest > MAX_PAGE:
                raise CorpusError(
                    f"{source.label} has a page of {largest / 2**20:,.0f} MiB unpacked; at most "
                    f"{MAX_PAGE // 2**20} MiB are allowed: write it with smaller pages."
                )
            done, rows = 0, file.metadata.num_rows
            for batch in file.iter_batches(ROWS, columns=columns, use_threads=False):
                for row in range(batch.num_rows):
                    yield partial(_row_document, source, batch, row, done + row + 1)
                done += batch.num_rows
                source.read = round(size * done / rows)


def _columns(source: Source, schema: Any) -> list[str]:
    from pyarrow import types

    if "text" not in schema.names:
        names = listed(shown(name) for name in schema.names[:8])
        raise CorpusError(
            f"{source.label} must have the column text, but it has {names}: give the column with the texts "
            "the name text."
        )
    kind = schema.field("text").type
    if not _is_string(_plain(kind)):
        raise CorpusError(f"{source.label} has {str(kind)[:60]} in the column text; it must hold strings.")
    # Not lists or tables: one row could exceed the memory.
    kinds = {name: _plain(schema.field(name).type) for name in COLUMNS if name in schema.names}
    return [name for name, kind in kinds.items() if _is_string(kind) or types.is_integer(kind)]


def _plain(kind: Any) -> Any:
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind


def _is_string(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _row_document(source: Source, batch: Any, row: int, number: int) -> Document:
    where = f"{source.label}, row {number:,}"
    try:
        fields = {name: batch.column(name)[row].as_py() for name in batch.schema.names}
    except UnicodeDecodeError as problem:
        raise CorpusError(f"{where} is not UTF-8 text: write the column text in UTF-8.") from problem
    return source.document(fields, where, number)


def subtitles(source: Source) -> Iterator[Entry]:
    """Yield the single document of a file."""
    yield partial(_spoken_document, source)


def _spoken_document(source: Source) -> Document:
    """Join the spoken text; CorpusError without a line of times."""
    paragraphs: list[str] = []
    before, timed = "", False
    waiting = ""  # an unfinished sentence
    for number, line in source.lines():
        text = source.decoded(line, number).strip()
        if TIMES.match(text):
            timed = True
        elif text and not (text.isdigit() and not before):
            new_speaker = SPEAKER.match(text) is not None
            spoken = SPEAKER.sub("", " ".join(SOUND.sub(" ", STYLE.sub("", text)).split()))
            if new_speaker and waiting:
                paragraphs.append(waiting)
                waiting = ""
            waiting = f"{waiting} {spoken}".strip()
            if ENDED.search(waiting):
                paragraphs.append(waiting)
                waiting = ""
        before = text
    if waiting:
        paragraphs.append(waiting)
    if not timed:
        raise CorpusError(
            f"{source.label} has no line with times such as 00:00:05,100 --> 00:00:07,000, so it is not in "
            "SRT format: give other texts the ending .txt."
        )
    return source.document({"text": "\n".join(paragraphs)}, source.label, 1)
