"""What a model is fine-tuned on: documents, those held out, and their tokens."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tools.finetuning.corpus import read_corpus, read_documents, sequences_of
from tools.finetuning.recipe import Recipe


def write(path: Path, text: str) -> Path:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.txt", "one\ntwo\n\n"),
        ("lines.txt.gz", "one \r\ntwo"),
        ("records.jsonl", '{"text": "one"}\n\n{"id": 2, "text": " two "}\n{"text": ""}\n'),
        ("records.jsonl.gz", '{"text": "one"}\n{"text": "two"}'),
        ("paragraphs.txt", "one\n \ntwo\n"),
    ],
)
def test_documents_are_lines_paragraphs_or_records(tmp_path: Path, name: str, text: str) -> None:
    assert read_documents(write(tmp_path / name, text)) == ["one", "two"]


def test_a_paragraph_may_hold_several_lines(tmp_path: Path) -> None:
    assert read_documents(write(tmp_path / "a.txt", "one\ngoes on\n\ntwo")) == ["one\ngoes on", "two"]


def test_equal_documents_are_held_out_together_and_the_seed_decides_which(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\n".join(f"document {i % 20}" for i in range(100)))
    splits = [read_corpus([path], Recipe(held_out=0.1, seed=seed)) for seed in (0, 0, 1)]
    for split in splits:
        assert len(split.held_out) == 2
        assert len(split.train) == 90
        assert not set(split.train) & set(split.held_out)
    assert splits[0] == splits[1] != splits[2]
    assert splits[0].hash == splits[2].hash


class Letters:
    """A tokenizer of one letter a token, closed by 0."""

    eos_token_id = 0

    def __call__(self, text: str, verbose: bool) -> dict[str, list[int]]:
        return {"input_ids": [ord(letter) for letter in text]}


def test_long_documents_go_on_in_a_further_sequence() -> None:
    found = sequences_of(["abcd", "ef"], Letters(), 3)
    assert found == [[97, 98, 99], [100, 0], [101, 102, 0]]
    assert sequences_of(["abc"], Letters(), 3) == [[97, 98, 99]], "a last token alone has no target"
