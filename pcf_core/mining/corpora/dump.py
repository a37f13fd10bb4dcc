"""A Wikipedia dump, ``…-pages-articles.xml.bz2``: its articles, and of them the paragraphs of prose."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from pcf_core.errors import CorpusError
from pcf_core.mining.corpora.source import Document, Entry, Source
from pcf_core.mining.corpora.wikitext import prose

if TYPE_CHECKING:
    from typing import BinaryIO

MAX_PAGE = 64 * 2**20  # bytes of XML; an article has at most 2 MiB of text
WIKITEXT = (None, "wikitext")


def entries(source: Source) -> Iterator[Entry]:
    """An article each, a page of namespace 0 that is no redirect, as the last of its revisions has it."""
    from mwxml import Dump
    from mwxml.element_iterator import ElementIterator

    with source.opened() as file:
        guarded = _Guarded(file, source)
        title = "its beginning"
        try:
            root = ElementIterator.from_file(guarded)
            for page in Dump.from_element(root).pages:
                title = f"the page {page.title!r}"
                article = page.namespace == 0 and page.redirect is None
                wikitext = _newest(page, guarded) if article else ""
                if wikitext and not wikitext.lstrip()[:9].upper().startswith("#REDIRECT"):
                    yield partial(_document, source, str(page.id), str(page.title), wikitext)
                guarded.since = 0
                del root.element[:]  # else the pages' empty elements stay to the end
        except (CorpusError, OSError, EOFError):
            raise
        except Exception as problem:  # the library raises what its assumptions happen to break on
            raise CorpusError(
                f"{source.label} is no MediaWiki XML that can be read at {title} "
                f"({' '.join(str(problem).split())[:80] or type(problem).__name__}): give the dump of the "
                "articles, …-pages-articles.xml.bz2, whole."
            ) from problem


def _newest(page: Any, guarded: _Guarded) -> str:
    text = ""
    for revision in page:
        guarded.since = 0
        text = (revision.text or "") if revision.model in WIKITEXT else ""
    return text


class _Guarded:
    """Reads on only while it is a MediaWiki dump without a document type, in pages of sane size.

    A dump has no document type; a file that declares one could have entities that expand without end.
    """

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file = file
        self._source = source
        self._prolog: expat.XMLParserType | None = expat.ParserCreate()
        self._prolog.StartDoctypeDeclHandler = self._refuse
        self._prolog.StartElementHandler = self._first
        self.since = 0  # bytes since the last page ended

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self.since += len(data)
        if self.since > MAX_PAGE:
            raise CorpusError(
                f"{self._source.label} has a page over {MAX_PAGE // 2**20} MiB: give the dump of the "
                "articles, …-pages-articles.xml.bz2."
            )
        prolog = self._prolog
        if prolog:
            try:
                prolog.Parse(data, not data)
            except expat.ExpatError as problem:
                if self._prolog:  # else what follows the first element, which is not for this parser
                    raise self._no_dump(f"no XML: {problem}") from problem
        return data

    def _refuse(self, *_: object) -> None:
        raise self._no_dump("it declares a document type")

    def _first(self, name: str, _: object) -> None:
        if self._prolog and name != "mediawiki":
            raise self._no_dump(f"it begins with <{name[:40]}>")
        self._prolog = None

    def _no_dump(self, reason: str) -> CorpusError:
        return CorpusError(
            f"{self._source.label} is no MediaWiki dump ({reason}): give …-pages-articles.xml.bz2 of a wiki."
        )


def _document(source: Source, number: str, title: str, wikitext: str) -> Document:
    """``id``: the page's."""
    return Document(id=number, title=title, text=prose(wikitext), source=source.stem)
