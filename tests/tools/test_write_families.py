"""The families of the shipped sets, as the rule on texts finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT
from pcf_core.material.template_files import csv_bytes
from pcf_core.material.templates import load_mined
from tools.write_families import families, main, sets_with_a_rule, with_families

SHIPPED = ROOT / "assets" / "templates"


def test_a_text_has_one_family_in_all_sets_of_a_form() -> None:
    whole, heaviest = load_mined("gender-wide-wikipedia-100"), load_mined("gender-wide-wikipedia-20")
    many, few = families([whole, heaviest])
    assert few == many[:20]
    (alone,) = families([heaviest])
    assert alone == few


def test_the_rest_of_a_file_stays_as_it_is() -> None:
    mined = load_mined("gender-nineteen")
    table = (SHIPPED / "gender-nineteen.csv").read_bytes()
    written = with_families(table, [f"{number}, a" for number in range(19)])
    again = with_families(written, ["b"] * 19)
    assert written.decode().splitlines()[1].endswith(',"0, a"')
    assert [line.rpartition(",")[2] for line in again.decode().splitlines()] == ["family", *["b"] * 19]
    assert with_families(csv_bytes(mined), ["b"] * 19).startswith(b"template,count,documents,")


def test_sets_of_other_languages_and_those_written_with_families_are_left_out() -> None:
    names = {mined.name for mined in sets_with_a_rule()}
    assert {"gender-wikipedia", "gender-wikipedia-stop", "race-relative"} <= names
    assert not names & {"gender-zh-reporting", "religion-choices", "calibration"}
    assert not names & {"hiring", "decisions", "gender-wikipedia-20-reworded"}


@pytest.mark.slow
def test_shipped_families_are_what_the_tool_writes(tmp_path: Path) -> None:
    main(tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (SHIPPED / file.name).read_bytes(), file.name
