from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.texts.criteria.names import load_names

SOURCE = Path(__file__).resolve().parents[4] / "shared" / "data" / "names" / "us_given_names.csv"


def test_the_shipped_list_is_even_and_clear() -> None:
    names = load_names()
    assert len(names.of("female")) == len(names.of("male")) == 107
    assert all(one.share is not None and one.share >= names.least_share for one in names.names)
    assert not {one.name for one in names.names} & {one.name for one in names.left_out}
    assert names.years == (1940, 2020)
    assert names.source
    assert names.notes


@pytest.mark.skipif(not SOURCE.is_file(), reason="the source of the names is not here")
def test_the_shipped_list_is_the_commonest_of_its_source() -> None:
    with SOURCE.open(encoding="utf8", newline="") as file:
        births = {
            row["name"]: (int(row["female_count"]), int(row["male_count"])) for row in csv.DictReader(file)
        }
    names = load_names()
    for one in names.names:
        assert (one.female_births, one.births) == (births[one.name][0], sum(births[one.name]))
    left = {one.name for one in names.left_out}
    for place, gender in enumerate(("female", "male")):
        least = min(one.births for one in names.names if one.gender == gender)
        as_common = {
            name
            for name, counts in births.items()
            if sum(counts) >= least and counts[place] > sum(counts) / 2
        }
        assert as_common == set(names.of(gender)) | (left & as_common)  # type: ignore[arg-type]


def test_an_own_list_of_either_kind(tmp_path: Path) -> None:
    (tmp_path / "Mine.csv").write_text("name,gender\nAda, Female\nAlan,male\n", encoding="utf8")
    (tmp_path / "mine.toml").write_text(
        'names = [["Ada", "female"], ["Alan", "male", 100, 1]]', encoding="utf8"
    )
    of_csv, of_toml = load_names(tmp_path / "Mine.csv"), load_names(tmp_path / "mine.toml")
    assert of_csv.genders == of_toml.genders == {"Ada": "female", "Alan": "male"}
    assert [one.share for one in of_toml.names] == [None, 0.99]
    assert of_csv.name == "mine"
    assert of_csv.years is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('names = "Ada"', "write a list"),
        ('names = [["Ada"]]', "list of name and gender"),
        ('names = [["Ada", "female"]]', "no male name"),
        ('names = [["Ada", "woman"], ["Alan", "male"]]', "write female or male"),
        ('names = [["Mary Ann", "female"], ["Alan", "male"]]', "one word"),
        ('names = [["", "female"], ["Alan", "male"]]', "empty"),
        ('names = [["Ada", "female"], ["ada", "male"]]', "stands twice"),
        ('names = [["Ada", "female", 10, 11], ["Alan", "male"]]', "correct the counts"),
        ('names = [["Ada", "female", "many", 1], ["Alan", "male"]]', "whole numbers"),
        ('least_share = 0.9\nnames = [["Ada", "female", 10, 8], ["Alan", "male"]]', "80.0 %"),
        ('least_share = 2\nnames = [["Ada", "female"], ["Alan", "male"]]', "least_share"),
        ('years = 1940\nnames = [["Ada", "female"], ["Alan", "male"]]', "first and the last"),
        ('least_share = true\nnames = [["Ada", "female"], ["Alan", "male"]]', "least_share is true or false"),
        ('least_share = 90\nnames = [["Ada", "female"], ["Alan", "male"]]', "least_share is 90"),
        ('years = [true, false]\nnames = [["Ada", "female"], ["Alan", "male"]]', "first and the last"),
        ('years = [2020, 1940]\nnames = [["Ada", "female"], ["Alan", "male"]]', "first and the last"),
        ("name = 1", "small letters"),
    ],
)
def test_a_list_is_refused_whole(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "own.toml").write_text(text, encoding="utf8")
    with pytest.raises(CriteriaError, match=reason):
        load_names(tmp_path / "own.toml")


def test_the_shipped_list_has_a_name_and_says_its_rule() -> None:
    assert load_names("names-1") == load_names()
    assert "everyday words" in load_names().notes
    with pytest.raises(CriteriaError, match="use names-1"):
        load_names("names-2")


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("Ada", encoding="utf8")
    with pytest.raises(CriteriaError, match=r"toml or \.csv"):
        load_names(tmp_path / "own.txt")
