"""Web pages and web archives: the text of blocks, whatever else a page or an archive holds."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.documents import open_corpus

PAGE = """<!doctype html><html><head><title>A  page</title><style>p {}</style></head><body>
<nav><ul><li>Home</li></ul></nav><h1>News</h1>
<p>The nurse said that <b>she</b> was&nbsp;late &amp; tired.<script>var he = 1;</script></p>
<table><tr><td>cell</td></tr></table><div>He left.<br>She came.</div><footer>imprint</footer></body></html>"""
LINES = ["News", "The nurse said that she was late & tired.", "He left.", "She came."]


def read(path: Path, data: bytes) -> list[Document]:
    path.write_bytes(data)
    return list(open_corpus(path).documents())


def record(kind: str, body: bytes, form: str = "application/http; msgtype=response", **more: str) -> bytes:
    head = {"WARC-Type": kind, "Content-Type": form, "Content-Length": str(len(body)), **more}
    lines = "".join(f"{key}: {value}\r\n" for key, value in head.items())
    return f"WARC/1.0\r\n{lines}\r\n".encode() + body + b"\r\n\r\n"


def answer(body: bytes, *head: str, status: str = "200 OK") -> bytes:
    lines = "".join(f"{line}\r\n" for line in head)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def test_a_page_gives_the_text_of_its_blocks(tmp_path: Path) -> None:
    (document,) = read(tmp_path / "news.html", PAGE.encode())
    assert document == Document("news:1", "A page", "\n".join(LINES), "news")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "no-such"])
def test_a_page_says_its_encoding(tmp_path: Path, encoding: str) -> None:
    written = f'<meta charset="{encoding}"><p>Señora'.encode("utf8" if encoding == "no-such" else encoding)
    assert read(tmp_path / "a.htm", written)[0].text == "Señora"


def test_an_archive_gives_its_pages(tmp_path: Path) -> None:
    page = PAGE.encode()
    html = "Content-Type: text/html; charset=utf-8"
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(page), page)
    parts = [
        record("warcinfo", b"software: x", "application/warc-fields"),
        record("request", b"GET / HTTP/1.1\r\n\r\n", "application/http; msgtype=request"),
        record("response", answer(page, html), **{"WARC-Target-URI": "<http://a.example/>"}),
        record("response", answer(chunked, html, "Transfer-Encoding: chunked")),
        record("response", answer(gzip.compress(page), html, "Content-Encoding: gzip")),
        record("response", answer(zlib.compress(page), html, "Content-Encoding: deflate")),
        record("response", answer(page, html, status="404 Not Found")),
        record("response", answer(b"\x89PNG", "Content-Type: image/png")),
        record("response", b"no answer at all"),
    ]
    packed = b"".join(map(gzip.compress, parts))  # a member a record, as archives are packed
    documents = read(tmp_path / "crawl.warc.gz", packed)
    assert [document.text.split("\n") for document in documents] == [LINES] * 4
    assert documents[0].id == "http://a.example/"
    assert documents[1].id == "crawl:4"


def test_an_archive_of_texts_is_read_as_it_is(tmp_path: Path) -> None:
    body = b"The nurse said\0 that she left.\n"
    data = record("conversion", body, "text/plain", **{"WARC-Target-URI": "http://b.example/"})
    (document,) = read(tmp_path / "texts.warc.wet", data)
    assert document.text == "The nurse said\ufffd that she left.\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"hello\r\n", "record 1 does not begin with WARC/"),
        (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", "does not state its length"),
        (record("response", b"a" * 50)[:-20], "ends in the middle of a record"),
        (b"WARC/1.0\r\n" + b"a: b\r\n" * 20_000, "header without an end"),
        (
            record("response", b"", "application/http").replace(b"Length: 0", b"Length: 99999999"),
            "at most 16,777,216 are allowed",
        ),
    ],
)
def test_a_broken_archive_is_refused_in_a_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        read(tmp_path / "crawl.warc", data)


@given(st.text(max_size=200))
def test_any_text_is_a_page(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    (document,) = read(tmp_path_factory.mktemp("web") / "a.html", f"<p>{text}".encode("utf8", "replace"))
    assert "\0" not in document.text
    assert all(line.strip() for line in document.text.split("\n") if document.text)
