"""Wikipedia dumps: which pages are articles, what is no dump, and dumps made to do harm."""

from __future__ import annotations

import bz2
import gc
import tracemalloc
from pathlib import Path

import pytest

from pcf_core.errors import CorpusError
from pcf_core.mining.documents import Document, open_corpus
from tests.mining.corpora.writing import HEAD, dump, page

PROSE = "She said that the house was hers and that he knew."


def read(tmp_path: Path, data: bytes) -> list[Document]:
    path = tmp_path / "enwiki-pages-articles.xml.bz2"
    path.write_bytes(bz2.compress(data))
    return list(open_corpus(path).documents())


def test_articles_are_pages_of_namespace_0_that_are_no_redirects(tmp_path: Path) -> None:
    pages = [
        page(1, "One & only", f"'''One''' is <u>here</u>. {PROSE}\n\n== Life ==\n* {PROSE}"),
        page(2, "Talk:One", PROSE, namespace=1),
        page(3, "Uno", f"#REDIRECT [[One]]\n{PROSE}", more='<redirect title="One" />'),
        page(4, "Una", f" #redirect [[One]]\n{PROSE}"),
        page(5, "Data", f'{{"a": "{PROSE}"}}').replace("<model>wikitext<", "<model>json<"),
        page(6, "Deleted", PROSE).replace("<text bytes", '<text deleted="deleted" bytes').replace(PROSE, ""),
        page(7, "List", "* no prose"),
        page(8, "Last", PROSE, more="<restrictions>edit=sysop</restrictions>"),
    ]
    source = "enwiki-pages-articles"
    assert read(tmp_path, dump(pages)) == [
        Document("1", "One & only", f"One is here. {PROSE}", source),
        Document("7", "List", "", source),
        Document("8", "Last", PROSE, source),
    ]


def test_the_newest_of_several_revisions(tmp_path: Path) -> None:
    one = page(1, "A", PROSE)
    begin, end = one.index("<revision>"), one.index("</page>")
    several = one[:begin] + one[begin:end].replace("She", "He") + one[begin:]
    (document,) = read(tmp_path, dump([several]))
    assert document.text == PROSE


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", r"no MediaWiki dump \(no XML: no element found"),
        (b"She came.", r"no MediaWiki dump \(no XML: syntax error"),
        (b"<html><p>She came.</p></html>", r"no MediaWiki dump \(it begins with <html>\): give"),
        (b'{"text": "She came."}', "no MediaWiki dump"),
        (
            b"<mediawiki></mediawiki>",
            r"no MediaWiki XML that can be read at its beginning \(<siteinfo> tag not",
        ),
        (dump([]), "has no document: give one with texts"),
        (dump([page(1, "Talk:A", PROSE, namespace=1)]), "has no document"),
        (dump([page(1, "A", PROSE), "<odd/>"]), r"can be read at the page 'A' \(Expected to see <page> or"),
        (
            dump([page(1, "A", PROSE)])[:-20],
            r"no MediaWiki XML that can be read at the page 'A' \(no element found",
        ),
        (dump([page(1, "A", PROSE), "<page><b></page>"]), r"at the page 'A' \(Unexpected tag found"),
        (dump(["<page><ns>x</ns></page>"]), "no MediaWiki XML that can be read at its beginning"),
        (dump(["<page><title>A</title></page>"]), "has no document"),
        (dump([page(1, "A", "\0")]), r"no MediaWiki XML that can be read at .+not well-formed"),
        (dump([page(1, "A", "Ä")]).replace("Ä".encode(), b"\xc4"), "not well-formed"),
    ],
)
def test_no_dump(data: bytes, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=sentence) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(
        ("enwiki-pages-articles.xml.bz2 ", "The corpus enwiki-pages-articles")
    )
    assert len(str(caught.value).splitlines()) == 1


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE mediawiki [<!ENTITY l0 "lol">{entities}]>{HEAD}'.encode() + b"&l11;</mediawiki>"


@pytest.mark.parametrize(
    "data",
    [
        laughs(),
        b'<?xml version="1.0"?>' + b"<!-- -->" * 10_000 + laughs(),
        b'<!DOCTYPE mediawiki [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
        + HEAD.encode()
        + b"&a;</mediawiki>",
        b'<!DOCTYPE mediawiki SYSTEM "http://127.0.0.1:9/a.dtd">' + dump([page(1, "A", PROSE)]),
    ],
    ids=["a billion laughs", "behind comments", "a file", "a document type elsewhere"],
)
def test_a_document_type_is_refused_before_anything_expands(data: bytes, tmp_path: Path) -> None:
    tracemalloc.start()
    with pytest.raises(CorpusError, match=r"is no MediaWiki dump \(it declares a document type\)"):
        read(tmp_path, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_a_page_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before it fills the memory, in an article or elsewhere."""
    monkeypatch.setattr("pcf_core.mining.corpora.dump.MAX_PAGE", 2**20)
    for namespace in (0, 1):
        with pytest.raises(CorpusError, match="has a page over 1 MiB: give the dump of the articles"):
            read(tmp_path, dump([page(1, "A", "she " * 2**19, namespace=namespace)]))


def test_pages_leave_nothing_behind(tmp_path: Path) -> None:
    """The library itself keeps an empty element of every page to the end: 50 bytes."""
    path = tmp_path / "a.xml"
    path.write_bytes(dump(page(n, "A", "She") for n in range(2600)))
    tracemalloc.start()
    held = []
    for number, _ in enumerate(open_corpus(path).documents()):
        if number in (500, 2500):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert held[1] < held[0] + 20_000
