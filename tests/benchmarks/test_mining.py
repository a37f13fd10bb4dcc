"""The benchmark of mining, on a few sentences with the shipped parser."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.mining import first_documents, floor, main

SENTENCES = ("The nurse said that she would stay.", "It rained.", "The judge retired when he was late.")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps({"text": " ".join(SENTENCES)}) + "\n" for _ in range(150))
    return path


def test_the_first_documents_are_those_of_the_corpus(corpus: Path, tmp_path: Path) -> None:
    part = first_documents(corpus, 7, tmp_path)
    assert (
        gzip.decompress(part.read_bytes()).splitlines()
        == gzip.decompress(corpus.read_bytes()).splitlines()[:7]
    )


@pytest.mark.slow
def test_the_floor_and_the_mining_do_the_same_work(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    least = floor(corpus, ["gender"], "en-mini", 256)
    assert (least["words"], least["sentences"]) == (150 * 16, 300)
    assert least["parsing_seconds"] > least["reading_seconds"] > 0
    main(corpus=corpus, documents=[150], topic=["gender"], workers=1, parsed=256)
    row = json.loads(capsys.readouterr().out)
    assert (row["mining"]["words"], row["mining"]["sentences"]) == (least["words"], least["sentences"])
    assert row["mining"]["count"] == 300
    assert row["mining"]["wall_seconds"] > row["mining"]["seconds"] > 0
    assert row["mining"]["peak_megabytes"] > 100
    assert row["ratio"] == pytest.approx(row["mining"]["seconds"] / row["floor"]["seconds"])


def test_nothing_is_measured_without_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(corpus=tmp_path / "gone.jsonl.gz")
    assert capsys.readouterr().err.startswith("Nothing is measured: ")
