"""The tables of a topic's check."""

from __future__ import annotations

from pcf_core.app.topics.page import probes_table
from pcf_core.core.probe import TopicCheck


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
