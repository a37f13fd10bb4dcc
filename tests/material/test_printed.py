"""Every figure and table of the papers has an entry, with what is printed of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.material.published import printed_items, published_risks
from pcf_core.material.templates import SHELF
from pcf_core.texts.criteria.published import published_criteria

# As the papers number them.
FIGURES = {"PCF": 7, "PVF": 4, "BVF": 16, "FairPair": 6, "Criteria": 5}
TABLES = {"PCF": 6, "PVF": 0, "BVF": 9, "FairPair": 3, "Criteria": 6}


def test_every_figure_and_table_stands_once_by_its_number() -> None:
    expected = {
        (paper, f"{kind} {number}")
        for kind, several in (("Figure", FIGURES), ("Table", TABLES))
        for paper, most in several.items()
        for number in range(1, most + 1)
    }
    found = Counter((item.paper, item.number) for item in printed_items())
    assert set(found) == expected
    assert set(found.values()) == {1}


def test_every_published_value_stands_beside_ours_somewhere() -> None:
    items = printed_items()
    assert {row for item in items for row in item.rows} == set(published_risks())
    named = {name for item in items for name in item.figures}
    known = {row.id for row in published_criteria()}
    assert named <= known
    # What is no part of a figure or table: a mean without a number, and sizes of samples.
    assert known - named == {"I-1", "I-3", "I-5", "M-2"}


def test_a_table_of_templates_names_a_shipped_set() -> None:
    sets = {item.printed_set for item in printed_items()} - {""}
    assert sets == {"gender-nineteen", "race-relative"} <= set(SHELF.shipped())


@pytest.mark.parametrize(
    ("old", "new"),
    [('number = "Table 1"', 'number = "Box 1"'), ('ours = "', 'our = "'), ("[[item]]", "[[x]]")],
)
def test_a_damaged_file_is_said(old: str, new: str, assets: Path) -> None:
    path = assets / "published_figures.toml"
    path.write_text(path.read_text(encoding="utf8").replace(old, new), encoding="utf8")
    with pytest.raises(SettingsError, match=r"published_figures\.toml is damaged"):
        printed_items()
