"""Wikipedia dumps: which pages are articles, and what of them is prose."""

from __future__ import annotations

import bz2
import gc
import re
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.dump import prose, without_pairs
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.documents import open_corpus
from tests.mining.corpora.writing import HEAD, dump, page

PROSE = "She said that the house was hers and that he knew."
PIECES = "{{ }} {{|} {||} {{{| [[ [[a|b]] <b> <ref> <ref>}} [http:// <!-- & ( '' .\" word. a()"
LONG = "with a long sentence that ends as sentences do."
PAGE = f"""{{{{Infobox person|name=Ann
|note=He is in a box {LONG}
}}}}
'''Ann Lee''' ({{{{b|1950}}}}) is a [[A|teacher]] of [[mathematics]] in [[Paris]].<ref>A note {LONG}</ref>

== A heading {LONG} ==
[[File:a.jpg|thumb|A caption {LONG}]]
* An item {LONG}
:# An indented item {LONG}
{{| class="wikitable"
| A cell {LONG}
{{| A table in it |}}
|}}
Too short a line.
A line without an end that is otherwise long enough for one
<gallery>
File:x.jpg|A caption {LONG}
</gallery>
<!-- A comment
that runs on {LONG} -->
He read <math>x</math>, [http://x.org the page] of H<sub>2</sub>O &amp; the <i>small</i> one<br/>too. __TOC__
She said{{{{efn|a}}}} that ''it'' {{{{lang|fr|est}}}} good&nbsp;work, {{{{nowrap|all}}}} "ways."<ref name=a />
[[Category:People {LONG}]] [[de:Anna {LONG}]]
<blockquote>She went to the house and stayed there for a year.</blockquote>
[[Star Trek: Voyager]] is a series that she saw as a child.
"""


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


def test_a_dump_of_before_2012_gives_a_namespace_by_the_title_alone(tmp_path: Path) -> None:
    known = '<namespaces><namespace key="0" /><namespace key="1">Talk</namespace></namespaces>'
    pages = [
        page(number, title, PROSE).replace("<ns>0</ns>", "")
        for number, title in enumerate(("A", "Talk:A", "Talk: an art", "Talk", "2001: A Space Odyssey"))
    ]
    data = dump(pages).replace(b'<namespaces><namespace key="0" /></namespaces>', known.encode())
    assert [article.id for article in read(tmp_path, data)] == ["0", "2", "3", "4"]


def test_other_slots_of_a_revision_are_not_its_text(tmp_path: Path) -> None:
    slot = "<content><role>doc</role><model>x</model><text>He knew.</text></content><sha1>"
    (document,) = read(tmp_path, dump([page(1, "A_b", PROSE).replace("<sha1>", slot)]))
    assert (document.title, document.text) == ("A b", PROSE)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", r"not a MediaWiki dump \(not XML: no element found"),
        (b"She came.", r"not a MediaWiki dump \(not XML: syntax error"),
        (b"<html><p>She came.</p></html>", r"not a MediaWiki dump \(it begins with <html>\): give"),
        (b'{"text": "She came."}', "not a MediaWiki dump"),
        (b"<mediawiki></mediawiki>", "has no documents: give one with texts"),
        (b"<mediawiki><html/></mediawiki>", r"at its beginning \(<html> is not expected in <mediawiki>\)"),
        (
            b'<?xml version="1.0" encoding="utf-7"?><mediawiki/>',
            r"not a MediaWiki dump \(not XML: multi-byte",
        ),
        (b'<?xml version="1.0" encoding="hex"?><mediawiki/>', r"not a MediaWiki dump \(not XML: "),
        (dump([]), "has no documents: give one with texts"),
        (dump([page(1, "Talk:A", PROSE, namespace=1)]), "has no documents"),
        (dump([page(1, "A", PROSE), "<odd/>"]), r"at the page 'A' \(<odd> is not expected in <mediawiki>\)"),
        (
            dump([page(1, "A", PROSE)])[:-20],
            r"not readable MediaWiki XML at the page 'A' \(no element found",
        ),
        (
            dump([page(1, "A", PROSE), "<page><b></page>"]),
            r"at the page 'A' \(<b> is not expected in <page>\)",
        ),
        (dump([page(1, "A", PROSE).replace(PROSE, "<b/>")]), r"\(<b> is not expected in <text>\)"),
        (
            dump([page(1, "A", PROSE).replace("<id>1</id><rev", "<rev")]),
            r"\(an article without a title or an id\)",
        ),
        (dump([page(1, "A", PROSE).replace("<ns>0", "<ns>x")]), r"at the page 'A' \(invalid literal for int"),
        (dump(["<page><ns>x<b/></ns></page>"]), "not readable MediaWiki XML at its beginning"),
        (dump(["<page><title>A</title></page>"]), "has no documents"),
        (dump(["<logitem><id>1</id></logitem>"]), "has no documents"),
        (dump([page(1, "A", "\0")]), r"not readable MediaWiki XML at .+not well-formed"),
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
    with pytest.raises(CorpusError, match=r"is not a MediaWiki dump \(it declares a document type\)"):
        read(tmp_path, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.parametrize("name", ["a", "a" * 10**6], ids=["deep", "long"])
def test_elements_that_nest_without_end(name: str, tmp_path: Path) -> None:
    """Refused where the names of those that are open are longer than any dump's, in time and memory too."""
    begin = f"<page><title>A</title><restrictions>{f'<{name}>' * 20_000 if name == 'a' else f'<{name}><b>'}"
    tracemalloc.start()
    with pytest.raises(CorpusError, match=r"at the page 'A' \(<[ab]> is not expected in <a"):
        read(tmp_path, dump([begin]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.parametrize(
    "data",
    [
        dump([f'<page><title>A</title><redirect title="{"x" * 2**24}"/></page>']),
        dump([f"<!-- {'x' * 2**24} -->"]),
        f"<!-- {'x' * 2**24} -->".encode() + dump([]),
    ],
    ids=["an attribute", "a comment", "a comment before all"],
)
def test_a_tag_without_end(data: bytes, tmp_path: Path) -> None:
    """Refused early: the time for it would grow with the square of its length (60 MB took 4 minutes)."""
    with pytest.raises(CorpusError, match="a tag over 1 MiB"):
        read(tmp_path, data)


@pytest.mark.slow
def test_a_long_text_is_no_tag(tmp_path: Path) -> None:
    texts = ["she " * 2**19, "&lt;" * 2**19, "<![CDATA[" + "she " * 2**19 + "]]>", "she\n" * 2**19]
    pages = [page(1, "A", "@").replace("@", text) for text in texts]
    assert len(read(tmp_path, dump(pages))) == len(texts)


@pytest.mark.slow
def test_a_page_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before it fills the memory, in an article or elsewhere."""
    monkeypatch.setattr("pcf_core.mining.corpora.dump.MAX_PAGE", 2**20)
    for namespace in (0, 1):
        with pytest.raises(CorpusError, match="has a page larger than 1 MiB: give the dump of the articles"):
            read(tmp_path, dump([page(1, "A", "she " * 2**19, namespace=namespace)]))


@pytest.mark.slow
def test_pages_leave_nothing_behind(tmp_path: Path) -> None:
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


def test_what_is_prose() -> None:
    assert prose(PAGE).split("\n") == [
        "Ann Lee is a teacher of mathematics in Paris.",
        "He read, the page of H2O & the small one too.",
        'She said that it est good work, all "ways."',
        "She went to the house and stayed there for a year.",
        "Star Trek: Voyager is a series that she saw as a child.",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a {{b {{c}} d}} e", "a  e"),
        ("a {{b {{c}} d", "a {{b  d"),
        ("a b}} {{c}} d", "a b}}  d"),
        ("a <!-- {{ --> b }} c", "a  b }} c"),
        ("a <REF name=b>{{c</ref> d}} e", "a  d}} e"),
        ("a {| {{b|}} |} c", "a  c"),
        ("a {{lang|fr|bon}} {{ Nowrap | in all }} {{lang|fr}} b", "a bon  in all   b"),
        ("a <ref/> b </ref> c", "a <ref/> b </ref> c"),
    ],
)
def test_marks_with_a_partner_are_cut_out(text: str, left: str) -> None:
    assert without_pairs(text) == left


@given(st.lists(st.sampled_from(["{{", "}}", "a", "|", " "]), max_size=30).map("".join))
def test_templates_are_those_that_a_pattern_finds_from_the_inside(text: str) -> None:
    """Braces in pairs only, where the two ways of reading ``{{{`` cannot differ."""
    expected = text
    while (shorter := re.sub(r"\{\{(?:(?!\{\{|\}\})[^\0])*\}\}", "", expected)) != expected:
        expected = shorter
    if not re.search(r"\{{3}|\}{3}|\{\||\|\}", text):
        assert without_pairs(text) == expected


@pytest.mark.slow
@pytest.mark.parametrize("piece", [*PIECES.split(), " ", "( "])
def test_pages_made_to_take_long(piece: str) -> None:
    """As large as Wikipedia allows; a square of the length would take hours."""
    begun = time.process_time()
    prose(piece * (2 * 2**20 // len(piece)))
    prose("\n".join([piece * (9_999 // len(piece))] * 4))
    assert time.process_time() - begun < 15
