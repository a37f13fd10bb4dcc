"""JSON lines: what may be missing, and each way in which a line can be none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.documents import open_corpus


def read(tmp_path: Path, data: bytes | str) -> list[Document]:
    path = tmp_path / "wiki.part.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(open_corpus(path).documents())


def test_all_keys_and_only_text(tmp_path: Path) -> None:
    lines = [
        '\ufeff{"id": "x:1", "title": "A\\nB", "text": "She\\ncame.", "source": "enwiki", "more": [1]}',
        "",
        '{"text": "He came."}\r',
        '{"id": 7, "title": null, "text": "", "source": ["odd"]}',
    ]
    assert read(tmp_path, "\n".join(lines)) == [
        Document("x:1", "A B", "She\ncame.", "enwiki"),
        Document("wiki.part:3", "", "He came.", "wiki.part"),
        Document("7", "", "", "wiki.part"),
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("She came.", r"wiki\.part\.jsonl, line 2 is not JSON \(.+\): write one object a line, such as"),
        ('{"text": "cut o', "line 2 is not JSON"),
        ('{"text": "\\ud800"}', "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        (b'{"text": "\xc4gypten"}', r"line 2 is not UTF-8 text \(byte 11 of the line\): save it"),
        (b'{"text": "a\0b"}', "line 2 holds a null byte"),
        ('["She came."]', r"line 2 is no JSON object \(a list\): write one object"),
        ('"She came."', r"line 2 is no JSON object \('She came.'\)"),
        ('{"Text": "She", "url": 1}', "line 2 has no key text but 'Text' and 'url': write"),
        ("{}", "line 2 has no key text but no key at all"),
        ('{"text": null}', "line 2: the text is null; it must be a string"),
        ('{"text": 5}', "line 2: the text is a int; it must be a string"),
        ('{"text": ["She"]}', "line 2: the text is a list; it must be a string"),
    ],
)
def test_a_line_that_is_no_document(line: bytes | str, sentence: str, tmp_path: Path) -> None:
    data = line if isinstance(line, bytes) else line.encode()
    with pytest.raises(CorpusError, match=sentence) as caught:
        read(tmp_path, b'{"text": "Fine."}\n' + data)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


CHATS = [
    '{"messages": [{"role": "user", "content": "She said no."}, {"role": "assistant", "content": null}]}',
    '{"conversations": [{"from": "human", "value": "She said no."}]}',
    '{"dialog": ["She said no."], "id": 3}',
    '{"messages": [{"content": [{"type": "text", "text": "She said no."}, {"type": "image"}]}]}',
]


@pytest.mark.parametrize("line", CHATS)
def test_the_turns_of_a_chat_are_paragraphs(tmp_path: Path, line: str) -> None:
    (document,) = read(tmp_path, line)
    assert document.text.strip() == "She said no."


def test_a_turn_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="line 1, turn 2 has no text"):
        read(tmp_path, '{"messages": [{"content": "a"}, {"role": "user"}]}')
    (document,) = read(tmp_path, '{"messages": ["Who?", "She."]}')
    assert document.text == "Who?\nShe."
