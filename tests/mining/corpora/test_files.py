"""Plain text, JSON lines, Parquet and subtitles: what is read of each form, and each way to be none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora import files
from pcf_core.mining.corpora.source import Document, Source
from pcf_core.mining.documents import open_corpus

GUTENBERG = "The Project Gutenberg eBook of A Book\n\nThis eBook is for the use of anyone.\n\n"
CUES = """1
00:00:01,000 --> 00:00:02,500
- <i>She said that</i>
{\\an8}she would come.

2
00:00:03,000 --> 00:00:04,000
[door slams] JOHN: Then he

3
00:00:04,000 --> 00:00:05,000
left at
7

4
00:00:06,000 --> 00:00:07,000
- Who?
- 12 of them. (laughs)

5
00:00:08,000 --> 00:00:09,000
♪ La la la ♪
"""


def read(path: Path, content: bytes | str | dict[str, Any], **options: Any) -> list[Document]:
    """The documents of a file: of text, or of a table with these columns."""
    if isinstance(content, dict):
        pq.write_table(pa.table(content), path, **options)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(open_corpus(path).documents())


# Plain text.


def test_lines_are_joined_and_paragraphs_are_not(tmp_path: Path) -> None:
    (document,) = read(tmp_path / "b.txt", "\n\n  She came\r\nand he\nwent. \n \t\n\nA new\nparagraph.")
    assert document == Document("b:3", "", "She came and he went.\nA new paragraph.", "b")


def test_documents_hold_whole_paragraphs(tmp_path: Path) -> None:
    paragraphs = [f"{n} " + "she came " * 1000 for n in range(30)]
    documents = read(tmp_path / "b.txt", "\n\n".join(paragraphs))
    assert [line for document in documents for line in document.text.split("\n")] == [
        paragraph.strip() for paragraph in paragraphs
    ]
    assert [len(document.text.split("\n")) for document in documents] == [7, 7, 7, 7, 2]
    assert [document.id for document in documents] == ["b:1", "b:15", "b:29", "b:43", "b:57"]


def test_a_long_paragraph_is_cut_between_lines_and_a_long_line_never(tmp_path: Path) -> None:
    documents = read(tmp_path / "b.txt", "\n".join(["she came " * 1000] * 10))
    assert [len(document.text) for document in documents] == [7 * 9000 - 1, 3 * 9000 - 1]
    (document,) = read(tmp_path / "c.txt", "she " * 100_000)
    assert len(document.text) == 399_999


@given(st.lists(st.sampled_from(["she came", "a", "x" * 30, "", " ", "the end."]), max_size=40))
def test_nothing_is_lost_and_nothing_too_long(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("text") / "b.txt"
    path.write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SIZE", 40)
        documents = [entry() for entry in files.plain_text(Source(path))]
    assert " ".join(document.text for document in documents).split() == " ".join(lines).split()
    for document in documents:
        assert len(document.text) <= 40
        first = lines[int(document.id.split(":")[1]) - 1].split()
        assert document.text.split()[: len(first)] == first


def test_of_project_gutenberg_only_the_book_is_read(tmp_path: Path) -> None:
    book = (
        f"{GUTENBERG}*** START OF THE PROJECT GUTENBERG EBOOK A BOOK ***\n\nShe said that _he_ was\nlate.\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK A BOOK ***\n\nLicence.\n\n"
    )
    (document,) = read(tmp_path / "b.txt", book * 2)
    assert document.text == "She said that he was late.\nShe said that he was late."


def test_a_text_that_only_mentions_it_is_kept_whole(tmp_path: Path) -> None:
    (document,) = read(tmp_path / "b.txt", f"{GUTENBERG}She_said no.")
    assert document.text.split("\n")[-1] == "She_said no."
    (long,) = read(tmp_path / "c.txt", GUTENBERG + "a b\n\n" * 3000)
    assert long.text.count("a b") == 3000
    assert long.text.startswith("The Project Gutenberg")


# JSON lines.


def test_all_keys_and_only_text(tmp_path: Path) -> None:
    lines = [
        '\ufeff{"id": "x:1", "title": "A\\nB", "text": "She\\ncame.", "source": "enwiki", "more": [1]}',
        "",
        '{"text": "He came."}\r',
        '{"id": 7, "title": null, "text": "", "source": ["odd"]}',
    ]
    assert read(tmp_path / "wiki.part.jsonl", "\n".join(lines)) == [
        Document("x:1", "A B", "She\ncame.", "enwiki"),
        Document("wiki.part:3", "", "He came.", "wiki.part"),
        Document("7", "", "", "wiki.part"),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"messages": [{"content": "Who?"}, {"role": "assistant", "content": null}]}', "Who?\n"),
        ('{"conversations": [{"from": "human", "value": "She said no."}]}', "She said no."),
        ('{"dialog": ["She said no."], "id": 3}', "She said no."),
        ('{"messages": [{"content": [{"type": "text", "text": "She."}, {"type": "image"}]}]}', "She."),
        ('{"messages": ["Who?", "She."]}', "Who?\nShe."),
    ],
)  # fmt: skip
def test_the_turns_of_a_chat_are_paragraphs(tmp_path: Path, line: str, text: str) -> None:
    (document,) = read(tmp_path / "chat.jsonl", line)
    assert document.text == text


# Parquet.


def test_columns_of_a_document(tmp_path: Path) -> None:
    columns = {
        "more": [1, 2],
        "title": ["A", None],
        "id": [5, None],
        "text": ["She", "He"],
        "source": pa.array(["x", "y"]).dictionary_encode(),
    }
    assert read(tmp_path / "t.parquet", columns) == [
        Document("5", "A", "She", "x"),
        Document("t:2", "", "He", "y"),
    ]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_kinds_of_strings(kind: pa.DataType, tmp_path: Path) -> None:
    texts = [f"Text {n}" for n in range(100)]
    documents = read(tmp_path / "t.parquet", {"text": pa.array(texts).cast(kind)}, row_group_size=13)
    assert [document.text for document in documents] == texts
    assert documents[-1].id == "t:100"


@pytest.mark.parametrize("where", ["start", "middle", "end", "half", "all"])
def test_a_damaged_table(where: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    texts = [f"Text {n} of many that she read" * 9 for n in range(5000)]
    pq.write_table(pa.table({"text": texts}), path, write_page_checksum=True, use_dictionary=False)
    data = bytearray(path.read_bytes())
    at = {"start": 20, "middle": len(data) // 3, "end": len(data) - 60}.get(where, 0)
    data[at : at + 50] = bytes(50)
    with pytest.raises(CorpusError, match=r"t\.parquet is damaged, or its ending is wrong") as caught:
        read(path, {"half": bytes(data[: len(data) // 2]), "all": b"She came." * 9}.get(where, bytes(data)))
    assert len(str(caught.value).splitlines()) == 1


def test_how_far_a_table_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["She came."] * 320}), path)
    corpus = open_corpus(path)
    size = path.stat().st_size
    seen = [corpus.read for _ in corpus.documents()]
    assert seen[32] == round(size / 10)
    assert seen == sorted(seen)
    assert corpus.read == corpus.size == size


# Subtitles.


def test_cues_are_joined_to_sentences(tmp_path: Path) -> None:
    (document,) = read(tmp_path / "film.srt", CUES)
    assert document.text.split("\n") == [
        "She said that she would come.",
        "Then he left at 7",
        "Who?",
        "12 of them.",
    ]
    assert (document.id, document.source) == ("film:1", "film")


# What is refused.

NOT_UTF8 = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xc4x")]
)
LINES = [  # the second of a file
    ("She came.", r"a\.jsonl, line 2 is not JSON \(.+\): write one object a line, such as"),
    ('{"text": "cut o', "line 2 is not JSON"),
    ('{"text": "\\ud800"}', "line 2 is not JSON"),
    ("[" * 100_000, "line 2 is not JSON"),
    (b'{"text": "\xc4gypten"}', r"line 2 is not UTF-8 text \(byte 11 of the line\): save it"),
    (b'{"text": "a\0b"}', "line 2 has a null byte"),
    ('["She came."]', r"line 2 is not a JSON object \(a list\): write one object"),
    ('"She came."', r"line 2 is not a JSON object \('She came.'\)"),
    ('{"Text": "She", "url": 1}', "line 2 must have the key text, but it has 'Text' and 'url': write"),
    ("{}", "line 2 must have the key text, but it has no key at all"),
    ('{"text": null}', "line 2: the text is null; it must be a string"),
    ('{"text": 5}', "line 2: the text is a int; it must be a string"),
    ('{"text": ["She"]}', "line 2: the text is a list; it must be a string"),
    ('{"messages": [{"content": "a"}, {"role": "user"}]}', "line 2, turn 2 has no text"),
]
TABLES = [
    (
        {"Text": ["a"], "url": ["b"]},
        r"a\.parquet must have the column text, but it has 'Text' and 'url': give the column",
    ),
    ({"text": [1]}, r"a\.parquet has int64 in the column text; it must hold strings"),
    ({"text": [["a"]]}, r"a\.parquet has list<.+> in the column text; it must hold strings"),
    ({"text": ["a", None]}, r"a\.parquet, row 2: the text is null; it must be a string"),
    ({"text": pa.array([], pa.string())}, r"The corpus a\.parquet has no documents"),
    ({"text": ["x" * (16 * 2**20 + 1)]}, r"a\.parquet, row 1: the text has 16,777,217 characters; at most"),
    ({"text": NOT_UTF8}, r"a\.parquet, row 1 is not UTF-8 text"),
]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        *(("a.jsonl", line, sentence) for line, sentence in LINES),
        *(("a.parquet", columns, sentence) for columns, sentence in TABLES),
        ("a.srt", "She said no.", "no line with times"),
        ("a.srt", "", "no line with times"),
    ],
)
def test_what_is_no_corpus_is_refused_in_a_sentence(
    name: str, content: bytes | str | dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    if name == "a.jsonl":
        line = content if isinstance(content, bytes) else str(content).encode()
        content = b'{"text": "Fine."}\n' + line
    with pytest.raises(CorpusError, match=sentence) as caught:
        read(tmp_path / name, content)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300
