"""Plain text: paragraphs between empty lines, documents of whole paragraphs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.corpora import text
from pcf_core.mining.corpora.source import Document, Source
from pcf_core.mining.documents import open_corpus


def read(path: Path, data: str) -> list[Document]:
    path.write_bytes(data.encode())
    return list(open_corpus(path).documents())


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
    lines = ["she came " * 1000] * 10
    documents = read(tmp_path / "b.txt", "\n".join(lines))
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
        patch.setattr(text, "SIZE", 40)
        documents = [entry() for entry in text.entries(Source(path))]
    assert " ".join(document.text for document in documents).split() == " ".join(lines).split()
    for document in documents:
        assert len(document.text) <= 40
        assert (
            lines[int(document.id.split(":")[1]) - 1].split()
            == document.text.split()[: len(lines[int(document.id.split(":")[1]) - 1].split())]
        )


HEADER = "The Project Gutenberg eBook of A Book\n\nThis eBook is for the use of anyone.\n\n"


def test_of_project_gutenberg_only_the_book_is_read(tmp_path: Path) -> None:
    book = (
        f"{HEADER}*** START OF THE PROJECT GUTENBERG EBOOK A BOOK ***\n\nShe said that _he_ was\nlate.\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK A BOOK ***\n\nLicence.\n\n"
    )
    (document,) = read(tmp_path / "b.txt", book * 2)
    assert document.text == "She said that he was late.\nShe said that he was late."


def test_a_text_that_only_mentions_it_is_kept_whole(tmp_path: Path) -> None:
    (document,) = read(tmp_path / "b.txt", f"{HEADER}She_said no.")
    assert document.text.split("\n")[-1] == "She_said no."
    (long,) = read(tmp_path / "c.txt", HEADER + "a b\n\n" * 3000)
    assert long.text.count("a b") == 3000
    assert long.text.startswith("The Project Gutenberg")
