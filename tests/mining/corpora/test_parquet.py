"""Parquet: the columns that are read, tables that are none, and files that are damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pcf_core.core.errors import CorpusError
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.documents import open_corpus


def read(tmp_path: Path, columns: dict[str, Any], **options: Any) -> list[Document]:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path, **options)
    return list(open_corpus(path).documents())


def test_columns_of_a_document(tmp_path: Path) -> None:
    columns = {
        "more": [1, 2],
        "title": ["A", None],
        "id": [5, None],
        "text": ["She", "He"],
        "source": pa.array(["x", "y"]).dictionary_encode(),
    }
    assert read(tmp_path, columns) == [Document("5", "A", "She", "x"), Document("t:2", "", "He", "y")]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_kinds_of_strings(kind: pa.DataType, tmp_path: Path) -> None:
    texts = [f"Text {n}" for n in range(100)]
    documents = read(tmp_path, {"text": pa.array(texts).cast(kind)}, row_group_size=13)
    assert [document.text for document in documents] == texts
    assert documents[-1].id == "t:100"


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"Text": ["a"], "url": ["b"]},
            r"t\.parquet has no column text but 'Text' and 'url': name the column",
        ),
        ({"text": [1]}, r"t\.parquet has int64 in the column text; it must hold strings"),
        ({"text": [["a"]]}, r"t\.parquet has list<.+> in the column text; it must hold strings"),
        ({"text": ["a", None]}, r"t\.parquet, row 2: the text is null; it must be a string"),
        ({"text": pa.array([], pa.string())}, r"The corpus t\.parquet has no document"),
        (
            {"text": ["x" * (16 * 2**20 + 1)]},
            r"t\.parquet, row 1: the text has 16,777,217 characters; at most",
        ),
    ],
)
def test_tables_without_texts(columns: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=sentence):
        read(tmp_path, columns)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    texts = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xc4x")]
    )
    with pytest.raises(CorpusError, match=r"t\.parquet, row 1 is not UTF-8 text"):
        read(tmp_path, {"text": texts})


@pytest.mark.parametrize("where", ["start", "middle", "end", "half", "all"])
def test_damaged(where: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    texts = [f"Text {n} of many that she read" * 9 for n in range(5000)]
    pq.write_table(pa.table({"text": texts}), path, write_page_checksum=True, use_dictionary=False)
    data = bytearray(path.read_bytes())
    place = {"start": 20, "middle": len(data) // 3, "end": len(data) - 60}.get(where, 0)
    data[place : place + 50] = bytes(50)
    path.write_bytes({"half": data[: len(data) // 2], "all": b"She came." * 9}.get(where, data))
    with pytest.raises(CorpusError, match=r"t\.parquet is damaged, or not what its ending says") as caught:
        list(open_corpus(path).documents())
    assert len(str(caught.value).splitlines()) == 1


def test_how_far_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": ["She came."] * 320}), path)
    corpus = open_corpus(path)
    size = path.stat().st_size
    seen = [corpus.read for _ in corpus.documents()]
    assert seen[32] == round(size / 10)
    assert seen == sorted(seen)
    assert corpus.read == corpus.size == size
