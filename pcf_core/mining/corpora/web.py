"""Web pages: an HTML file, or the pages and texts of a web archive (WARC 1.0 and 1.1, ISO 28500; WET).

Each block of a page is a paragraph, without scripts, forms, menus, headers, footers and tables.  Of an
archive, HTML responses and plain-text records are read.  Characters that do not fit a page's encoding are
replaced.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from email.parser import BytesParser
from functools import partial
from html.parser import HTMLParser
from http.client import HTTPException, HTTPResponse
from typing import BinaryIO, cast

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import MAX_LINE, Document, Entry, Source

BLOCKS = frozenset(
    ["p", "div", "li", "blockquote", "article", "section", "main", "br", "h1", "h2", "h3", "h4", "h5", "h6",
     "dd", "dt", "figcaption", "td", "tr", "body", "pre", "ul", "ol", "title"]
)  # fmt: skip
PASSED = frozenset(
    ["script", "style", "nav", "header", "footer", "form", "table", "aside", "noscript", "template", "svg",
     "select", "button"]
)  # fmt: skip
CHARSET = re.compile(rb"charset=[\"']?([\w-]+)", re.IGNORECASE)
HEAD = 64 * 1024  # maximum bytes of a record's head, and of a page searched for its encoding


def page(source: Source) -> Iterator[Entry]:
    """Yield the single document of an HTML file."""
    yield partial(_page, source)


def archive(source: Source) -> Iterator[Entry]:
    """Yield the pages and texts of a web archive; CorpusError for a needed record over 16 MiB."""
    with source.opened() as file:
        number = 0
        while head := _head(source, file, number + 1):
            number += 1
            size = int(head.get("content-length", "0"))
            kind, form = head.get("warc-type", ""), head.get("content-type", "")
            wanted = (kind == "response" and "http" in form) or (
                kind == "conversion" and "text/plain" in form
            )
            if wanted and size > MAX_LINE:
                raise CorpusError(
                    f"{source.label}, record {number:,} has {size:,} bytes; at most {MAX_LINE:,} are "
                    "allowed: leave it out."
                )
            body = _exactly(source, file, size, keep=wanted)
            if wanted:
                yield from _of_record(source, number, head, kind, body)


def _of_record(source: Source, number: int, head: dict[str, str], kind: str, body: bytes) -> Iterator[Entry]:
    name = head.get("warc-target-uri", "").strip("<>")
    if kind == "conversion":
        yield partial(_made, source, number, name, "", body.decode("utf8", "replace"))
        return
    answer = _answer(body)
    if answer is not None:
        yield partial(_read, source, number, name, *answer)


def _page(source: Source) -> Document:
    with source.opened() as file:
        content = file.read(MAX_LINE + 1)
    if len(content) > MAX_LINE:
        raise CorpusError(
            f"{source.label} is longer than {MAX_LINE // 2**20} MiB: give a file with a single page."
        )
    return _read(source, 1, "", content, "")


def _read(source: Source, number: int, name: str, content: bytes, charset: str) -> Document:
    declared = CHARSET.search(content[:HEAD])
    text = content.decode("utf8", "replace")
    for encoding in filter(None, (charset, declared[1].decode("ascii") if declared else "")):
        try:
            text = content.decode(encoding, "replace")
            break
        except LookupError:  # no such encoding
            continue
    blocks = _Blocks()
    blocks.feed(text)
    blocks.close()
    return _made(source, number, name, blocks.title, blocks.text)


def _made(source: Source, number: int, name: str, title: str, text: str) -> Document:
    clean = text.replace("\0", "\ufffd")
    fields = {"text": clean, "title": title, "id": name}
    return source.document(fields, f"{source.label}, record {number:,}", number)


def _head(source: Source, file: BinaryIO, number: int) -> dict[str, str]:
    line = file.readline(HEAD)
    while line in (b"\r\n", b"\n"):
        line = file.readline(HEAD)
    if not line:
        return {}
    if not line.startswith(b"WARC/"):
        raise CorpusError(
            f"{source.label}, record {number:,} does not begin with WARC/, so the file is not a web "
            "archive or is damaged: give another."
        )
    lines = []
    while (line := file.readline(HEAD)) not in (b"\r\n", b"\n", b""):
        lines.append(line)
        if sum(map(len, lines)) > HEAD:
            raise CorpusError(
                f"{source.label}, record {number:,} has a header without an end, so the "
                "file is damaged: copy or download it again."
            )
    fields = BytesParser().parsebytes(b"".join(lines), headersonly=True)
    head = {key.lower(): str(value).strip() for key, value in fields.items()}
    if not head.get("content-length", "").isdigit():
        raise CorpusError(
            f"{source.label}, record {number:,} does not state its length, so the file is "
            "damaged: copy or download it again."
        )
    return head


def _exactly(source: Source, file: BinaryIO, size: int, *, keep: bool) -> bytes:
    pieces, left = [], size
    while left:
        some = file.read(min(left, HEAD))
        if not some:
            raise CorpusError(
                f"{source.label} ends in the middle of a record, so it was cut off: copy or download it "
                "again."
            )
        left -= len(some)
        if keep:
            pieces.append(some)
    return b"".join(pieces)


class _Socket:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, *_: object) -> BinaryIO:
        return cast(BinaryIO, io.BytesIO(self._content))


def _answer(content: bytes) -> tuple[bytes, str] | None:
    """Return the page in an HTTP response and its declared encoding; ``None`` without a page."""
    answer = HTTPResponse(_Socket(content))  # type: ignore[arg-type]
    try:
        answer.begin()
        form = answer.getheader("content-type", "")
        if answer.status != 200 or "html" not in form:
            return None
        body = answer.read(MAX_LINE)
        if answer.getheader("content-encoding", "") in ("gzip", "deflate"):
            body = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, MAX_LINE)
    except (HTTPException, OSError, ValueError, zlib.error):
        return None
    charset = CHARSET.search(form.encode("latin-1", "replace"))
    return body, charset[1].decode("ascii") if charset else ""


class _Blocks(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._blocks: list[list[str]] = [[]]
        self._passed: list[str] = []
        self._in_title = False

    @property
    def text(self) -> str:
        """The non-empty blocks, one per line."""
        lines = (" ".join("".join(block).split()) for block in self._blocks)
        return "\n".join(line for line in lines if line)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in PASSED:
            self._passed.append(tag)
        if tag in BLOCKS:
            self._blocks.append([])
        self._in_title = tag == "title"

    def handle_endtag(self, tag: str) -> None:
        if tag in self._passed:
            while self._passed.pop() != tag:
                pass
        if tag in BLOCKS:
            self._blocks.append([])
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title = " ".join(data.split())
        elif not self._passed:
            self._blocks[-1].append(data)
