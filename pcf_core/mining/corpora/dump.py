"""A Wikipedia dump, ``…-pages-articles.xml.bz2``: its articles, and of them the paragraphs of prose.

Articles are the pages of namespace 0 that are no redirects.  A paragraph of prose is a line outside tables,
templates, lists, headings, notes and captions with at least eight words that ends as a sentence does; it is
the rule by which texts of WikiExtractor are commonly cleaned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from pcf_core.errors import CorpusError
from pcf_core.mining.corpora.source import Document, Entry, Source

if TYPE_CHECKING:
    from typing import BinaryIO

MAX_PAGE = 64 * 2**20  # bytes of XML; an article has at most 2 MiB of text
MIN_WORDS = 8
WIKITEXT = (None, "wikitext")
LISTS = ("*", "#", ":", ";")
WITH_TEXT = {"b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "span", "div", "p", "center"}
WITH_TEXT |= {"blockquote", "poem", "abbr", "q", "cite", "ins", "mark", "nowiki", "var", "dfn", "section"}
FIRST_WORDS = {"nowrap": "1", "lang": "2", "transl": "2", "transliteration": "2"}  # templates around a text
NO_TEXT = re.compile(r"\s*(file|image|category|media|template|[a-z]{2,3}(-[a-z]+)*)\s*:", re.IGNORECASE)
MARKS = re.compile(r"'{2,}|__[A-Z]+__")
EMPTY = re.compile(r"\s*\(\s*[,;:–\s]*\)")
SPACES = re.compile(r"\s+(?=[,.;:)\s])|(?<=\()\s+")
SENTENCE = re.compile(r"[^*#:;|!{}=<].*[.!?…][\"'”’»)]*")


def entries(source: Source) -> Iterator[Entry]:
    """An article each, as it stands in the newest revision that the dump has."""
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
        self._prolog.StartElementHandler = self._root
        self.since = 0  # bytes since the last page ended

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self.since += len(data)
        if self.since > MAX_PAGE:
            raise CorpusError(
                f"{self._source.label} has a page over {MAX_PAGE // 2**20} MiB: give the dump of the articles, "
                "…-pages-articles.xml.bz2."
            )
        if self._prolog:
            try:
                self._prolog.Parse(data, not data)
            except expat.ExpatError as problem:
                raise self._no_dump(f"no XML: {problem}") from problem
        return data

    def _refuse(self, *_: object) -> None:
        raise self._no_dump("it declares a document type")

    def _root(self, name: str, _: object) -> None:
        if name != "mediawiki":
            raise self._no_dump(f"it begins with <{name[:40]}>")
        self._prolog = None

    def _no_dump(self, reason: str) -> CorpusError:
        return CorpusError(
            f"{self._source.label} is no MediaWiki dump ({reason}): give …-pages-articles.xml.bz2 of a wiki."
        )


def _document(source: Source, number: str, title: str, wikitext: str) -> Document:
    """``id``: the page's; a page whose markup cannot be parsed has the text ""."""
    return Document(id=number, title=title, text=prose(wikitext), source=source.stem)


def prose(wikitext: str) -> str:
    """The paragraphs of prose of a page, a line each."""
    import mwparserfromhell
    from mwparserfromhell.parser import ParserError

    try:
        code = mwparserfromhell.parse(wikitext, skip_style_tags=True)
    except ParserError:
        return ""
    text = MARKS.sub("", _text(code))
    lines = (SPACES.sub("", " ".join(EMPTY.sub("", line).split())) for line in text.split("\n"))
    return "\n".join(line for line in lines if SENTENCE.fullmatch(line) and len(line.split()) >= MIN_WORDS)


def _text(code: Any) -> str:
    """The text of parsed markup; list items keep their mark, by which their line is known."""
    from mwparserfromhell import nodes

    if code is None:
        return ""
    parts: list[str] = []
    for node in code.nodes:
        if isinstance(node, nodes.Text):
            parts.append(str(node.value))
        elif isinstance(node, nodes.Wikilink):
            if not NO_TEXT.match(str(node.title)):
                parts.append(_text(node.title if node.text is None else node.text))
        elif isinstance(node, nodes.HTMLEntity):
            parts.append(str(node.normalize()))
        elif isinstance(node, nodes.Tag):
            parts.append(_text_of_tag(node))
        elif isinstance(node, nodes.Template):
            place = FIRST_WORDS.get(str(node.name).strip().lower())
            if place and node.has(place):
                parts.append(_text(node.get(place).value))
        elif isinstance(node, nodes.ExternalLink):
            parts.append(_text(node.title))
        elif isinstance(node, nodes.Heading):
            parts.append("\n")
    return "".join(parts)


def _text_of_tag(node: Any) -> str:
    name = str(node.tag).strip().lower()
    if node.wiki_markup in LISTS:
        return str(node.wiki_markup)
    if name == "br":
        return " "
    return _text(node.contents) if name in WITH_TEXT else ""
