"""Tables and sentences of the app's views: what a paper prints, files of one's own, a topic's check."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pcf_core.app.criteria.request import made_of
from pcf_core.app.criteria.views import published_rows, published_table
from pcf_core.app.topics.page import probes_table
from pcf_core.core.probe import TopicCheck
from pcf_core.core.settings import Settings, settings
from pcf_core.material.published import CRITERIA_FILE
from pcf_core.texts.criteria.own import read_upload


def test_a_changed_file_shows_its_new_figures(
    own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "assets"
    folder.mkdir()
    shutil.copy(settings().assets / CRITERIA_FILE, folder)
    monkeypatch.setenv("PCF_ASSETS", str(folder))
    settings.cache_clear()
    before = published_rows()
    assert published_rows() is before, "it is read once"
    first = next(row for row in before if row.section == "5.1" and row.value is not None)
    printed = published_table(["anecdotes"], before, {})["printed"]
    path = folder / CRITERIA_FILE
    lines = path.read_text(encoding="utf8").splitlines()
    changed = [
        line.replace(f",{first.value:g},", ",0.12345,") if first.id in line else line for line in lines
    ]
    path.write_text("\n".join(changed) + "\n", encoding="utf8")
    after = published_table(["anecdotes"], published_rows(), {})["printed"]
    assert "0.123" in set(after) - set(printed)


def test_lines_of_a_file_that_are_left_out_are_told() -> None:
    line = {"question": "Which?", "options": {"A": "iron", "B": "gold"}, "answer_idx": "A"}
    odd = {**line, "question": "Other?", "options": {"A": "iron", "B": "Iron"}}
    found = read_upload("questions", [("mine.jsonl", f"{json.dumps(line)}\n{json.dumps(odd)}\n".encode())])
    assert made_of(found) == (
        "“mine” has 1 question; 1 entry is left out, the first because: mine.jsonl, line 2: the option "
        "'iron' appears twice: write it once."
    )


def test_a_column_of_coverage_says_how_many_tokens_its_words_have() -> None:
    check = TopicCheck(
        tokens={"he": 1, "the man": 2},
        refused={},
        same=(),
        texts=("[Y] left", "[Y] came"),
        coverage=({"1": 0.5, "2": 0.1}, {"all": 0.6}),
    )
    columns = ["coverage, words of 1 token", "coverage, words of 2 tokens", "coverage, all words"]
    assert list(probes_table({"one": check}).columns) == ["model", "sentence", *columns]
