"""Points and commas in columns of numbers: what a column shows, what is refused, and files of each reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import EvidenceError, InputError, TemplateError, TopicError
from pcf_core.core.settings import ROOT
from pcf_core.core.topics import SetCard
from pcf_core.material.evidence import load_evidence, make_evidence, occupation_weights
from pcf_core.material.factors import load_own_factor
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.safety.decimals import NumberColumn
from pcf_core.material.safety.reading import heard
from pcf_core.material.template_files import Row, csv_bytes
from pcf_core.material.templates import load_mined, load_templates, make_mined
from tests.material.refusing import refused

COMMA = "have a decimal comma"


def numbers(cells: Sequence[object]) -> list[float]:
    """The numbers of a column of a file, which begins at its second line."""
    column = NumberColumn.of(cells, "own.csv", "weight", InputError)
    return [column.number(cell, f"own.csv, line {line}") for line, cell in enumerate(cells, start=2)]


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["12", " 3 ", "-1", "+2", "1e3"], [12, 3, -1, 2, 1000]),
        (["12.5", "1.234"], [12.5, 1.234]),
        (["0.125", "0.250", "0.500"], [0.125, 0.25, 0.5]),
        (["-0.125", "1.250"], [-0.125, 1.25]),
        (["1234.567", "1.234"], [1234.567, 1.234]),
        (["1.234e0", "1.234"], [1.234, 1.234]),
        ([".5", "1.234", "5."], [0.5, 1.234, 5]),
        (["0.000", "1.000"], [0, 1]),
        (["12,5", "3", "1,234"], [12.5, 3, 1.234]),
        (["0,125", "1,000"], [0.125, 1]),
        (["-1,5", "2,5e-1", ",75", "1,2345"], [-1.5, 0.25, 0.75, 1.2345]),
        ([1.234, 12, 1.5], [1.234, 12, 1.5]),
        ([], []),
    ],
)
def test_a_column_shows_what_stands_before_decimals(cells: list[object], read: list[float]) -> None:
    assert numbers(cells) == read


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["1.234", "999", "12.500"], "own.csv, line 2: the weight '1.234' may be 1234 or 1.234: write"),
        (
            ["999", "12.500"],
            "line 3: the weight '12.500' may be 12500 or 12.5: write .* as 12500, .* as 12.5",
        ),
        (["1,234"], "may be 1234 or 1.234: .* as 1.2340"),
        (["1,234", "1.234"], "'1,234' may be"),
        (["2.000"], "may be 2000 or 2.0"),
        (["12.5", "1,234"], "'1,234' has a comma, but other .* point: write numbers without thousands"),
        (["12.5", "12,5"], "'12,5' has a comma, but"),
        (["12,5", "1.234"], "'1.234' has a point, but .* comma: write .* decimals with a point"),
        (["1.234.567"], "has thousands separators: write 1234567"),
        (["12,5", "1.234,56"], "has thousands separators: write 1234,56"),
        (["0.5", "1,23,456"], "has thousands separators: write 123456"),
        (["1,234.56"], "has thousands separators: write 1234.56"),
        (["1\xa0234"], "has thousands separators: write 1234"),
        (["1'234.5"], "has thousands separators: write 1234.5"),
        (["62 %"], "'62 %' is not a number, such as 12: remove the per cent sign"),
        (["0,5", "62,5%"], "remove the per cent sign"),
        (["NA"], "'NA' is not a number, such as 12: remove the row"),
        (["–"], "remove the row"),
        (["many"], "'many' is not a number, such as 12[.]$"),
        (["12,"], "is not a number"),
        ([None], "nothing is not a number"),
        ([[1]], "a list is not a number"),
        ([10**400], "a number is not a number"),
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(
    cells: list[object], sentence: str, refusal: Callable[[Exception], str]
) -> None:
    assert re.search(sentence, refused(refusal, InputError, numbers, cells))


@pytest.mark.parametrize("name", ["own.json", "own.jsonl", "own"])
def test_numbers_of_json_have_a_point_for_decimals(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    rows = [{"term": "nurse", "weight": 1.234}, {"term": "cook", "weight": 12.125}]
    by_line = name.endswith("l")
    path.write_text("\n".join(map(json.dumps, rows)) if by_line else json.dumps(rows))
    assert load_evidence(path).weights == (1.234, 12.125)


@given(st.lists(st.floats(min_value=0), max_size=6))
def test_what_python_writes_is_read_as_the_same(written: list[float]) -> None:
    assert numbers(["0.5", *map(str, written)]) == [0.5, *written]


@given(st.lists(st.floats(min_value=0), max_size=6))
def test_a_decimal_comma_is_read_as_the_point_that_it_stands_for(written: list[float]) -> None:
    cells = [str(number).replace(".", ",") for number in written]
    assert numbers(["0,5", *cells]) == [0.5, *written]


@given(st.lists(st.from_regex(r"[+-]?[0-9]{0,4}([.,][0-9]{1,4}){0,2}", fullmatch=True), max_size=4))
def test_no_number_is_a_thousand_times_another_reading(cells: list[str]) -> None:
    """A column is read with one sign for decimals, the same in every cell, or refused."""
    try:
        read = numbers(cells)
    except InputError:
        return
    points, commas = ("".join(cells).count(sign) for sign in ".,")
    assert not (points and commas)
    assert read == [float(cell.replace(",", ".")) for cell in cells]


# Files of each reader.


def file_of(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_german_weights_are_read_or_refused(tmp_path: Path, refusal: Callable[[Exception], str]) -> None:
    rows = "term;weight\nBäcker;{}\nLehrer;999\nArzt;{}\n"
    path = file_of(tmp_path, "own.csv", rows.format("1.234", "12.500"))
    sentence = refused(refusal, EvidenceError, load_evidence, path)
    assert sentence.startswith("own.csv, line 2: the weight '1.234' may be 1234 or 1.234")
    path = file_of(tmp_path, "own.csv", rows.format("1,234", "12,5"))
    notes: list[str] = []
    with heard(notes.append):
        assert load_evidence(path).weights == (1.234, 999, 12.5)
    assert f"The numbers of own.csv {COMMA}." in notes


@pytest.mark.parametrize("path", sorted(ROOT.glob("assets/templates/*.csv")), ids=lambda path: path.stem)
def test_shipped_counts_are_read_as_a_users_are(path: Path) -> None:
    shipped, own = load_templates(path.stem), load_templates(path)
    assert dict(zip(own.texts, own.counts, strict=True)) == dict(
        zip(shipped.texts, shipped.counts, strict=True)
    )


def test_weights_of_unknown_terms_show_how_numbers_are_written(
    tmp_path: Path, refusal: Callable[[Exception], str]
) -> None:
    own = make_evidence("own", ["nurse", "cook"])
    rows = "term,weight\nnurse,1.000\ncook,3.000\n"
    path = file_of(tmp_path, "own.csv", f"{rows}all,158.3\nnote,see below\n")
    assert occupation_weights(own, str(path)).values == (0.25, 0.75)
    path = file_of(tmp_path, "own.csv", rows)
    assert "may be 1000 or 1.0" in refused(refusal, EvidenceError, occupation_weights, own, str(path))
    path = file_of(tmp_path, "own.csv", "term,weight\nnurse,NA\ncook,3\n")
    assert "leave the cell empty" in refused(refusal, EvidenceError, occupation_weights, own, str(path))


def test_figures_have_a_comma_in_one_column_and_none_in_the_other(
    tmp_path: Path, refusal: Callable[[Exception], str]
) -> None:
    path = file_of(tmp_path, "own.csv", "profession;value;weight\nnurse;12,5;1\ncook;;2\nclerk;3;4\n")
    own = load_own_factor(path)
    assert (own.values, own.weights) == ({"nurse": 12.5, "clerk": 3}, {"nurse": 1, "clerk": 4})
    path = file_of(tmp_path, "own.csv", "job title,value\nnurse,NA\n")
    sentence = refused(refusal, EvidenceError, load_own_factor, path)
    assert sentence.endswith(
        "the value 'NA' is not a number, such as 12: leave the cell empty if there is none."
    )


def test_facts_weigh_what_their_column_shows(tmp_path: Path, refusal: Callable[[Exception], str]) -> None:
    rows = "template;subject;right;wrong;weight\n[X] is [Y];;;;\n;Sun;hot;cold;{}\n;Ice;cold;hot;\n"
    path = file_of(tmp_path, "own.csv", rows.format("2,5"))
    assert [fact.weight for fact in load_knowledge(path).facts] == [2.5, 1]
    path = file_of(tmp_path, "own.csv", rows.format("2.500"))
    assert "'2.500' may be 2500 or 2.5" in refused(refusal, TopicError, load_knowledge, path)


def test_counts_of_templates(tmp_path: Path, refusal: Callable[[Exception], str]) -> None:
    rows = "template;count\nThe [X] said [Y];{}\nThe [X] felt [Y];2\n"
    assert load_templates(file_of(tmp_path, "own.csv", rows.format("0,5"))).counts.tolist() == [0.5, 2]
    path = file_of(tmp_path, "own.csv", rows.format("1.234"))
    assert "'1.234' may be 1234" in refused(refusal, TemplateError, load_templates, path)
    path = file_of(tmp_path, "own.csv", rows.format(""))
    sentence = refused(refusal, TemplateError, load_templates, path)
    assert sentence.endswith(
        "the count '' is not a number, such as 12: write 1 for a sentence that counts once."
    )


def test_counts_with_three_decimals_are_read_as_they_were_written(tmp_path: Path) -> None:
    mined = make_mined("own", [Row("", "The [X] said [Y]", 1.234)], SetCard(title="Own"))
    path = tmp_path / "own.csv"
    path.write_bytes(csv_bytes(mined))
    assert [template.count for template in load_mined(path).templates] == [1.234]


def test_numbers_of_parquet_are_what_they_are(tmp_path: Path, refusal: Callable[[Exception], str]) -> None:
    path = tmp_path / "own.parquet"
    texts = ["The [X] said [Y]", "The [X] felt [Y]"]
    pq.write_table(pa.table({"template": texts, "count": [1.234, 2.125]}), path)
    assert sorted(load_templates(path).counts.tolist()) == [1.234, 2.125]
    pq.write_table(pa.table({"template": texts, "count": ["1.234", "2.125"]}), path)
    assert "may be 1234 or 1.234" in refused(refusal, TemplateError, load_templates, path)


# Lists of occupations.


def test_one_empty_weight_is_refused_with_its_line(
    tmp_path: Path, refusal: Callable[[Exception], str]
) -> None:
    path = file_of(tmp_path, "own.csv", "profession,weight\nnurse,12\ndoctor,\nteacher,5\n")
    sentence = refused(refusal, EvidenceError, load_evidence, path)
    assert sentence.startswith("own.csv, line 3: the weight of 'doctor' is empty, but other rows have one")
    path = file_of(tmp_path, "own.csv", "profession,weight\nnurse,\ndoctor, \n")
    assert load_evidence(path).weights == ()


def test_a_repeated_title_has_one_weight(tmp_path: Path, refusal: Callable[[Exception], str]) -> None:
    rows = "code,title,weight\n1,Managers,{}\n11,Nurses,3\n111,Managers,2\n"
    notes: list[str] = []
    with heard(notes.append):
        own = load_evidence(file_of(tmp_path, "own.csv", rows.format("2.0")))
    assert (own.terms, own.weights, own.codes) == (("Managers", "Nurses"), (2, 3), ("1", "11"))
    assert any("a row above has the same title: 1." in note for note in notes)
    path = file_of(tmp_path, "own.csv", rows.format("5"))
    assert refused(refusal, EvidenceError, load_evidence, path) == (
        "own.csv, line 4: 'Managers' has the weight 2, but 5 in line 2: keep one of the rows."
    )
