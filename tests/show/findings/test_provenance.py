"""Whose method and numbers: labels stay as results store them, and are said in plain sentences."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from pcf_core.core.generation import INSPECTED
from pcf_core.core.settings import ROOT
from pcf_core.show.findings.provenance import (
    by_label,
    imported_facts,
    imported_note,
    inspected_note,
    journal_finding,
    reason_of,
    source_of,
)
from pcf_core.store.journal import Journaled
from pcf_core.texts.criteria.records import separation
from pcf_core.texts.criteria.records.independence import NOT_WRITTEN, STORIES_LABEL

RESULTS = ROOT / "assets" / "audits" / "results"


def entries(much: int, damage: str = "") -> Journaled:
    return Journaled(entries=("entry",) * much, damage=damage, last="")  # type: ignore[arg-type]


def examples() -> dict[str, object]:
    signed = {"scored_by": "somebody", "signature": "signed by K", "as_it_came": ["the template weights"]}
    packs = [{}, {"imported": signed | {"licence": "CC BY 4.0"}}, {"imported": {"scored_by": "somebody"}}]
    keys = [
        SimpleNamespace(inspected=inspected, model=f"{INSPECTED}m/x@2026-11-03")
        for inspected in (True, False)
    ]
    return {
        "sources": {label: source_of(label) for label in (*by_label(), "our prompts; rates as published")},
        "reasons": [reason_of(why) for why in (NOT_WRITTEN, "no label was scored")],
        "imported": [imported_note("M", provenance) for provenance in packs],
        "facts": [imported_facts(provenance) for provenance in packs],
        "inspected": [inspected_note(key) for key in keys],  # type: ignore[arg-type]
        "journal": [
            journal_finding(one) for one in (entries(2), entries(2, "line 2 was changed"), entries(0))
        ],
    }


def test_answers_have_the_method_of_answers() -> None:
    assert "the reading of answers" in source_of(separation.LABEL)
    assert "reading of gender" in source_of(STORIES_LABEL)


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
    assert shipped("label") <= set(by_label())
    assert shipped("without") <= {"", NOT_WRITTEN}


@pytest.mark.parametrize("label", by_label())
def test_a_label_is_said_in_short_sentences(label: str) -> None:
    sentences = source_of(label).split(". ")
    assert all(len(sentence.split()) <= 20 for sentence in sentences)
    assert source_of(label).endswith(".")


def test_why_there_are_no_words_is_said_in_brief() -> None:
    assert NOT_WRITTEN.startswith("words were scored and no text was written, ")
    assert reason_of(NOT_WRITTEN) == "words were scored, no text was written"
