"""Labels stay as results store them, and are said in plain sentences."""

from __future__ import annotations

import json

import pytest

from pcf_core.core.settings import ROOT
from pcf_core.show.findings.sources import SAID, reason_of, source_of
from pcf_core.texts.criteria.records.independence import NOT_WRITTEN

RESULTS = ROOT / "assets" / "audits" / "results"


def shipped(key: str) -> set[str]:
    """Return what the shipped results of audits of written text hold under a key, at any depth."""
    found: set[str] = set()

    def read(value: dict[str, object]) -> None:
        found.update(str(each) for name, each in value.items() if name == key)

    for name in ("criteria.json", "fairpair.json"):
        for place in RESULTS.glob(f"*/{name}"):
            json.loads(place.read_text(encoding="utf8"), object_hook=read)
    return found


def test_the_labels_of_shipped_results_are_those_of_this_release() -> None:
    assert len(shipped("label")) >= 4
    assert shipped("label") <= set(SAID)
    assert shipped("without") <= {"", NOT_WRITTEN}


@pytest.mark.parametrize("label", SAID)
def test_a_label_is_said_in_short_sentences(label: str) -> None:
    sentences = source_of(label).split(". ")
    assert all(len(sentence.split()) <= 20 for sentence in sentences)
    assert source_of(label).endswith(".")


def test_a_label_of_another_release_is_said_as_it_was_stored() -> None:
    assert source_of("our prompts; rates as published") == "Our prompts; rates as published."


def test_why_there_are_no_words_is_said_in_brief() -> None:
    assert NOT_WRITTEN.startswith(reason_of(NOT_WRITTEN))
    assert reason_of("no label was scored") == "no label was scored"
