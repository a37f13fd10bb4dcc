"""A Wikipedia dump, ``…-pages-articles.xml.bz2``: the paragraphs of prose of its articles.

A paragraph is a line with at least eight words that ends like a sentence, as texts of WikiExtractor are
commonly cleaned; boxes, tables, lists and notes are left out.  Paired marks are removed first in one pass,
because the wikitext parser takes quadratic time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any
from xml.parsers import expat

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import BUFFER, Document, Entry, Source

MAX_PAGE = 64 * 2**20  # bytes of XML; an article has at most 2 MiB of text
MAX_TAG = 2**20  # bytes of a tag or comment, which expat parses again with each piece
MAX_PATH = 200  # characters of a path of elements; a dump has 60
WIKITEXT = ("", "wikitext")
PAGE = "/mediawiki/page"
REVISION = f"{PAGE}/revision"
NAMESPACE = "/mediawiki/siteinfo/namespaces/namespace"
KEPT = {  # elements that are read, and their names here
    f"{PAGE}/title": "title",
    f"{PAGE}/ns": "ns",
    f"{PAGE}/id": "id",
    f"{PAGE}/redirect": "redirect",
    f"{REVISION}/model": "model",
    f"{REVISION}/text": "text",
}
CHILDREN = {  # allowed children (mediawiki.org/xml/export-0.3 to 0.11)
    "/mediawiki": "siteinfo page logitem",
    PAGE: "title ns id redirect restrictions revision DiscussionThreading",
    REVISION: "id parentid timestamp contributor minor comment origin model format text content sha1",
    **dict.fromkeys(KEPT, ""),
}
MIN_WORDS = 8
MAX_LINE = 10_000  # characters of markup; paragraphs are shorter
MOST_TAGS = 100  # per line; the parser's time is quadratic in unclosed tags
CUT = (
    "ref|math|chem|gallery|table|pre|source|syntaxhighlight|timeline|score|code|hiero|imagemap|templatestyles"
)
MARK = re.compile(rf"\{{\{{|\}}\}}|\{{\||\|\}}(?!\}})|<!--|-->|<(/?)({CUT})\b[^<>]*(?<!/)>", re.IGNORECASE)
OPENS = {"{{": "}}", "{|": "|}", "<!--": "-->"}
ALONE = re.compile(rf"<({CUT})\b[^<>]*/>|__[A-Z]+__|'{{2,}}", re.IGNORECASE)
TEXT_OF = {"nowrap": 1, "lang": 2, "transl": 2, "transliteration": 2}  # templates around a text: its argument
NO_TEXT = re.compile(r"\s*(file|image|category|media|template|[a-z]{2,3}(-[a-z]+)*)\s*:", re.IGNORECASE)
NO_PARAGRAPH = tuple("*#:;|!{}=<")
EMPTY = re.compile(r" ?\([,;:– ]*\)")
SPACE = re.compile(r" (?=[,.;:)])|(?<=\() ")
END = re.compile(r"[.!?…][\"'”’»)]{0,4}\Z")


def entries(source: Source) -> Iterator[Entry]:
    """Yield the articles: pages of namespace 0 that are no redirects, in their last revision."""
    reader = _Reader(source)
    with source.opened() as file:
        while piece := file.read(BUFFER):
            yield from reader.articles_of(piece)
        yield from reader.articles_of(b"")


class _Reader:
    """Extracts articles from streamed XML, if it is a MediaWiki dump with pages of sane size.

    Document types are refused, as their entities could expand without end.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._document_type
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._path = ""  # of the open element
        self._content: list[str] = []  # its text
        self._page: dict[str, str] = {}
        self._title = ""  # of the last page with one
        self._namespaces: dict[str, str] = {}  # keys by name; dumps up to 2012 have no <ns>
        self._key = ""
        self._taken = 0  # bytes in all
        self._since = 0  # bytes since the last revision or page ended
        self._articles: list[Entry] = []

    def articles_of(self, piece: bytes) -> list[Entry]:
        """Parse a piece of the file and return the articles that end in it; an empty piece ends the file."""
        self._taken += len(piece)
        self._since += len(piece)
        if self._since > MAX_PAGE:
            raise CorpusError(
                f"{self._source.label} has a page larger than {MAX_PAGE // 2**20} MiB: give the dump of the "
                "articles, …-pages-articles.xml.bz2."
            )
        self._articles = []
        try:
            self._parser.Parse(piece, not piece)
        except (expat.ExpatError, ValueError, LookupError) as problem:  # also unknown encodings
            raise self._refused(str(problem)) from problem
        if self._taken - self._parser.CurrentByteIndex > MAX_TAG:
            raise self._refused(f"a tag over {MAX_TAG // 2**20} MiB")
        return self._articles

    def _document_type(self, *_: object) -> None:
        raise self._no_dump("it declares a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and name != "mediawiki":
            raise self._no_dump(f"it begins with <{name[:40]}>")
        expected = CHILDREN.get(self._path)
        if (expected is not None and name not in expected.split()) or len(self._path) > MAX_PATH:
            raise self._refused(f"<{name[:40]}> is not expected in <{self._path[-40:].rpartition('/')[2]}>")
        self._path = f"{self._path}/{name}"
        self._content.clear()
        if self._path == PAGE:
            self._page = {}
        elif self._path == REVISION:
            self._page |= {"model": "", "text": ""}
        elif self._path == NAMESPACE:
            self._key = attributes.get("key", "")

    def _characters(self, data: str) -> None:
        if self._path in KEPT or self._path == NAMESPACE:
            self._content.append(data)

    def _end(self, name: str) -> None:
        path, self._path = self._path, self._path[: -len(name) - 1]
        if path in KEPT:
            self._page[KEPT[path]] = "".join(self._content)
        elif path == NAMESPACE:
            self._namespaces["".join(self._content)] = self._key
        elif path == REVISION:
            self._since = 0
        elif path == PAGE:
            self._since = 0
            self._articles += self._article()
        if path == f"{PAGE}/title":
            self._title = self._page["title"].replace("_", " ")

    def _article(self) -> list[Entry]:
        """Return the page that has just ended, if it is an article."""
        page = self._page
        wikitext = page.get("text", "") if page.get("model", "") in WIKITEXT else ""
        if not wikitext or "redirect" in page or wikitext.lstrip()[:9].upper().startswith("#REDIRECT"):
            return []
        if "title" not in page or "id" not in page:
            raise self._refused("an article without a title or an id")
        before, colon, after = page["title"].partition(":")
        named = self._namespaces.get(before, "0") if colon and not after.startswith(" ") else "0"
        if int(page.get("ns", named)):
            return []
        return [partial(_document, self._source, str(int(page["id"])), self._title, wikitext)]

    def _no_dump(self, reason: str) -> CorpusError:
        return CorpusError(
            f"{self._source.label} is not a MediaWiki dump ({reason}): give …-pages-articles.xml.bz2 of "
            "a wiki."
        )

    def _refused(self, reason: str) -> CorpusError:
        if not self._path and not self._title:
            return self._no_dump(f"not XML: {reason}")
        where = f"the page {self._title[:80]!r}" if self._title else "its beginning"
        return CorpusError(
            f"{self._source.label} is not readable MediaWiki XML at {where} ({reason[:80]}): give the "
            "complete dump of the articles, …-pages-articles.xml.bz2."
        )


def _document(source: Source, number: str, title: str, wikitext: str) -> Document:
    return Document(id=number, title=title, text=prose(wikitext), source=source.stem)


def prose(wikitext: str) -> str:
    """Return the paragraphs of prose of a page, one per line, without lines over 10,000 characters."""
    paragraphs = []
    for line in ALONE.sub("", without_pairs(wikitext)).split("\n"):
        if len(line) <= MAX_LINE and len(line.split()) >= MIN_WORDS:
            text = _text_of_line(line.strip())
            if END.search(text) and not text.startswith(NO_PARAGRAPH) and len(text.split()) >= MIN_WORDS:
                paragraphs.append(text)
    return "\n".join(paragraphs)


def without_pairs(wikitext: str) -> str:
    """Remove templates, tables, comments, notes and formulas; unpaired marks stay."""
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[str, int]] = []  # expected closing marks, and where their pairs began
    how_many: Counter[str] = Counter()  # of each closing mark
    for mark in MARK.finditer(wikitext):
        name = (mark[2] or mark[0]).lower()
        closing = name if mark[2] and not mark[1] else OPENS.get(name)
        if closing:
            waiting.append((closing, mark.start()))
            how_many[closing] += 1
        elif how_many[name]:
            while waiting[-1][0] != name:
                how_many[waiting.pop()[0]] -= 1
            how_many[name] -= 1
            begin = waiting.pop()[1]
            while spans and spans[-1][0] > begin:
                spans.pop()
            spans.append((begin, mark.end()))
    parts, last = [], 0
    for begin, end in spans:
        parts += [wikitext[last:begin], _text_of_template(wikitext[begin:end])]
        last = end
    return "".join([*parts, wikitext[last:]])


def _text_of_template(span: str) -> str:
    """Return the text of ``{{lang|fr|text}}`` and similar templates, "" for others."""
    name, *arguments = span[2:-2].split("|")
    position = TEXT_OF.get(name.strip().lower()) if span.startswith("{{") else None
    text = arguments[position - 1] if position and len(arguments) >= position else ""
    return "" if "{" in text or "<" in text else text


def _text_of_line(line: str) -> str:
    import mwparserfromhell
    from mwparserfromhell.parser import ParserError

    if line.startswith(NO_PARAGRAPH[:-1]) or line.count("<") > MOST_TAGS:
        return ""
    if "[" in line or "<" in line or "&" in line:
        try:
            line = _text(mwparserfromhell.parse(line, skip_style_tags=True))
        except ParserError:  # a bug of the library
            return ""
    line = EMPTY.sub("", " ".join(line.split()))
    return SPACE.sub("", line)


def _text(code: Any) -> str:
    from mwparserfromhell import nodes

    parts: list[str] = []
    for node in code.nodes if code is not None else ():
        if isinstance(node, nodes.Text):
            parts.append(str(node.value))
        elif isinstance(node, nodes.Wikilink):
            if not NO_TEXT.match(str(node.title)):
                parts.append(_text(node.title if node.text is None else node.text))
        elif isinstance(node, nodes.HTMLEntity):
            parts.append(str(node.normalize()))
        elif isinstance(node, nodes.Tag):
            parts.append(" " if str(node.tag).lower() == "br" else _text(node.contents))
        elif isinstance(node, nodes.ExternalLink):
            parts.append(_text(node.title))
    return "".join(parts)
