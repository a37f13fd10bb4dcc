"""Subtitles: what is said, by sentences, without times and marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import CorpusError
from pcf_core.mining.documents import open_corpus

FILE = """1
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


def test_cues_are_joined_to_sentences(tmp_path: Path) -> None:
    path = tmp_path / "film.srt"
    path.write_text(FILE, encoding="utf8")
    (document,) = open_corpus(path).documents()
    assert document.text.split("\n") == [
        "She said that she would come.",
        "Then he left at 7",
        "Who?",
        "12 of them.",
    ]
    assert (document.id, document.source) == ("film:1", "film")


def test_a_text_without_times_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "film.srt"
    path.write_text("She said no.")
    with pytest.raises(CorpusError, match="no line with times"):
        list(open_corpus(path).documents())


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "film.srt").write_text("")
    with pytest.raises(CorpusError, match="no line with times"):
        list(open_corpus(tmp_path / "film.srt").documents())
