"""A Wikipedia dump, ``…-pages-articles.xml.bz2``: its articles, and of them the paragraphs of prose."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from xml.parsers import expat

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import BUFFER, Document, Entry, Source
from pcf_core.mining.corpora.wikitext import prose

MAX_PAGE = 64 * 2**20  # bytes of XML; an article has at most 2 MiB of text
MAX_TAG = 2**20  # bytes of a tag or a comment; expat begins anew at each piece until it has the whole
MAX_PATH = 200  # characters of the names of elements inside one another; a dump has 60
WIKITEXT = ("", "wikitext")
PAGE = "/mediawiki/page"
REVISION = f"{PAGE}/revision"
NAMESPACE = "/mediawiki/siteinfo/namespaces/namespace"
KEPT = {  # elements that are read, and what each is called here
    f"{PAGE}/title": "title",
    f"{PAGE}/ns": "ns",
    f"{PAGE}/id": "id",
    f"{PAGE}/redirect": "redirect",
    f"{REVISION}/model": "model",
    f"{REVISION}/text": "text",
}
CHILDREN = {  # what may stand in these (mediawiki.org/xml/export-0.3 to 0.11); in others nothing is read
    "/mediawiki": "siteinfo page logitem",
    PAGE: "title ns id redirect restrictions revision DiscussionThreading",
    REVISION: "id parentid timestamp contributor minor comment origin model format text content sha1",
    **dict.fromkeys(KEPT, ""),
}


def entries(source: Source) -> Iterator[Entry]:
    """Yield the articles: pages of namespace 0 that are no redirects, each in its last revision."""
    reader = _Reader(source)
    with source.opened() as file:
        while piece := file.read(BUFFER):
            yield from reader.articles_of(piece)
        yield from reader.articles_of(b"")


class _Reader:
    """Takes articles out of XML as it comes, if it is a MediaWiki dump with pages of sane size.

    A dump has no document type; a file that declares one could have entities that expand without end.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._document_type
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._path = ""  # of the element that is open
        self._said: list[str] = []  # the text of that element
        self._page: dict[str, str] = {}
        self._title = ""  # of the last page that gave one
        self._namespaces: dict[str, str] = {}  # keys by name, for dumps up to 2012, whose pages have no <ns>
        self._key = ""
        self._taken = 0  # bytes in all
        self._since = 0  # bytes since the last revision or page ended
        self._articles: list[Entry] = []

    def articles_of(self, piece: bytes) -> list[Entry]:
        """Parse a piece of the file; return the articles that end in it.  An empty piece ends the file.

        Raises
        ------
        CorpusError
            The file is no dump, or no dump up to here.
        """
        self._taken += len(piece)
        self._since += len(piece)
        if self._since > MAX_PAGE:
            raise CorpusError(
                f"{self._source.label} has a page over {MAX_PAGE // 2**20} MiB: give the dump of the "
                "articles, …-pages-articles.xml.bz2."
            )
        self._articles = []
        try:
            self._parser.Parse(piece, not piece)
        except (expat.ExpatError, ValueError, LookupError) as problem:  # also an encoding that there is not
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
        self._said.clear()
        if self._path == PAGE:
            self._page = {}
        elif self._path == REVISION:
            self._page |= {"model": "", "text": ""}
        elif self._path == NAMESPACE:
            self._key = attributes.get("key", "")

    def _characters(self, data: str) -> None:
        if self._path in KEPT or self._path == NAMESPACE:
            self._said.append(data)

    def _end(self, name: str) -> None:
        path, self._path = self._path, self._path[: -len(name) - 1]
        if path in KEPT:
            self._page[KEPT[path]] = "".join(self._said)
        elif path == NAMESPACE:
            self._namespaces["".join(self._said)] = self._key
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
            f"{self._source.label} is no MediaWiki dump ({reason}): give …-pages-articles.xml.bz2 of a wiki."
        )

    def _refused(self, reason: str) -> CorpusError:
        if not self._path and not self._title:
            return self._no_dump(f"no XML: {reason}")
        place = f"the page {self._title[:80]!r}" if self._title else "its beginning"
        return CorpusError(
            f"{self._source.label} is no MediaWiki XML that can be read at {place} ({reason[:80]}): give the "
            "dump of the articles, …-pages-articles.xml.bz2, whole."
        )


def _document(source: Source, number: str, title: str, wikitext: str) -> Document:
    """Make a document of a page; ``id`` is the page's."""
    return Document(id=number, title=title, text=prose(wikitext), source=source.stem)
