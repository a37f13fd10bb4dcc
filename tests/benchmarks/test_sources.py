"""What small sources give, on a treebank of four documents and the shipped parser."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.sources import SOURCES, documents, genre_of, main, measured

SAID = "The nurse said that she would stay."
BANK = {
    "gum-train": {"GUM_vlog_radiology": [SAID, "It rained."], "GUM_news_fire": [SAID]},
    "gum-dev": {"GUM_podcast_wrestling": ["Thanks.", SAID]},
    "gum-test": {},
    "ewt-train": {"weblog-blogspot.com_x_ENG_1": ["It rained."]},
    "ewt-dev": {},
    "ewt-test": {"reviews-1-0001": ["Good food."]},
}


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    folder = tmp_path / "treebank"
    folder.mkdir()
    for part, held in BANK.items():
        with gzip.open(folder / f"{part}.conllu.gz", "wt") as file:
            for name, sentences in held.items():
                file.write(f"# newdoc id = {name}\n")
                file.writelines(f"# text = {text}\n1\tword\tword\n\n" for text in sentences)
    return folder


def test_documents_are_those_of_the_genres(treebank: Path) -> None:
    found = list(documents(treebank, "gum", ("vlog", "podcast")))
    assert found == [
        {"id": "GUM_vlog_radiology", "text": f"{SAID} It rained."},
        {"id": "GUM_podcast_wrestling", "text": f"Thanks. {SAID}"},
    ]
    assert [genre_of(name) for part in BANK.values() for name in part] == [
        "vlog", "news", "podcast", "weblog", "reviews",
    ]  # fmt: skip


@pytest.mark.slow
def test_what_may_not_ship_is_counted_apart(treebank: Path) -> None:
    """Both documents say it; a podcast's licence is not known to permit commercial use."""
    found = measured(treebank, "conversation", ["gender"])
    assert (found["documents"], found["words"]) == (2, 17)
    assert (found["matches"], found["templates"], found["twice"]) == (2, 1, 1)
    assert (found["free matches"], found["free templates"], found["free twice"]) == (1, 1, 0)


@pytest.mark.slow
def test_a_source_that_gives_nothing_is_no_error(treebank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(treebank.parent)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["source"] for row in rows[::2]] == list(SOURCES)
    assert {row["matches"] for row in rows[2:]} == {0}
    assert not any(row["ships"] for row in rows)


def test_nothing_is_measured_without_the_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path)
    assert capsys.readouterr().err.startswith("Nothing is measured: ")
