"""Notes in the cache folder of what is slow to find out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pcf_core.core.settings import Settings
from pcf_core.models.notes import noted


class Finder:
    """Finds this text, and counts how often it was asked to."""

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, 0

    def __call__(self) -> str:
        self.asked += 1
        return self.text


@pytest.fixture
def notes(own_settings: Settings) -> Path:
    return own_settings.cache / "notes.json"


def test_each_entry_is_found_out_once(notes: Path) -> None:
    one, other = Finder("12"), Finder("34")
    for _ in range(2):
        assert noted(notes.name, "one", r"\d+", one) == "12"
        assert noted(notes.name, "other", r"\d+", other) == "34"
    assert (one.asked, other.asked) == (1, 1)
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
    assert [path.name for path in notes.parent.glob("notes.json*")] == [notes.name]


def test_what_is_found_in_another_form_is_returned_and_not_noted(notes: Path) -> None:
    find = Finder("no")
    assert [noted(notes.name, "one", "yes", find) for _ in range(2)] == ["no"] * 2
    assert find.asked == 2
    assert not notes.exists()


@pytest.mark.parametrize("held", ["twelve", 12, None, ["12"], "12 "])
def test_a_note_of_another_form_is_damaged(notes: Path, held: object) -> None:
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text(json.dumps({"one": held, "other": "34"}))
    find = Finder("12")
    assert [noted(notes.name, "one", r"\d+", find) for _ in range(2)] == ["12"] * 2
    assert find.asked == 1
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
