"""Mappings of regulations: they claim no more than evidence, cite what was read, and name known sections."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError
from pcf_core.material.mappings import MAPPINGS, SHELF, load_mapping
from pcf_core.report.records import TITLES, WITH_ANSWER

EVERY = ("eu-ai-act", "nist-ai-600-1", "nyc-ll-144", "standards")
ROW = """
name = "own"
source = "A text"
notes = "A note."
[[rows]]
id = "one"
reference = "Art. 1"
asks = "{asks}"
strength = "{strength}"
missing = "More."
limit = "Little."
"""


def test_the_shipped_ones_are_the_four_that_commands_name() -> None:
    assert tuple(SHELF.shipped()) == EVERY


@pytest.mark.parametrize("name", EVERY)
def test_each_row_claims_no_more_than_it_has(name: str) -> None:
    mapping = load_mapping(name)
    assert mapping.source
    assert mapping.notes
    for row in mapping.rows:
        assert (row.strength == "none") == (not row.evidence)
        assert set(row.evidence) <= {*TITLES, *WITH_ANSWER}
        assert row.missing.endswith(".")
        assert row.limit.endswith(".")
    text = (Path("assets/mappings") / f"{name}.toml").read_text(encoding="utf8")
    assert not re.search("complian|conform|%", text, re.IGNORECASE)


def test_an_audit_under_local_law_144_is_refused_before_anything_else() -> None:
    mapping = load_mapping("nyc-ll-144")
    assert mapping.notes.startswith("A report made here is not a bias audit under Local Law 144")
    assert {row.strength for row in mapping.rows} == {"none"}


def test_a_mapping_says_when_its_references_were_read() -> None:
    read, unread = load_mapping("eu-ai-act"), load_mapping("standards")
    assert read.checked == "The references were read in a public copy on 30 November 2026."
    assert read.cited(read.rows[0]) == "Art. 9(6) to (8)"
    assert unread.checked == "No reference was read in a public copy."
    assert unread.cited(unread.rows[0]) == unread.rows[0].reference


def test_each_reference_says_its_day_if_not_all_were_read_on_one() -> None:
    first, second, *_ = load_mapping("eu-ai-act").rows
    mixed = load_mapping("eu-ai-act").model_copy(
        update={"rows": (first, second.model_copy(update={"read": ""}))}
    )
    assert mixed.checked == ""
    assert mixed.cited(mixed.rows[0]) == "Art. 9(6) to (8) (read in a public copy on 30 November 2026)"
    assert mixed.cited(mixed.rows[1]).endswith("(not read in a public copy)")


@pytest.mark.parametrize(
    ("asks", "strength", "said"),
    [
        ("word " * 26, "none", "in 26 words what is asked for; at most 25"),
        ("Test.", "complete", "strength"),
    ],
)
def test_a_row_that_says_too_much_is_refused(tmp_path: Path, asks: str, strength: str, said: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(ROW.format(asks=asks.strip(), strength=strength), encoding="utf8")
    with pytest.raises(InputError, match=said):
        MAPPINGS.load(path)


def test_no_file_is_opened_because_a_report_names_it(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(ROW.format(asks="Test.", strength="none"), encoding="utf8")
    with pytest.raises(InputError, match="There is no mapping named"):
        load_mapping(str(path))
