"""Reading files: every way in which a file can be wrong is one sentence."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import EvidenceError, InputError
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.reading import MAX_BYTES, heard, read_text, read_toml, title_of
from pcf_core.material.safety.tables import read_table
from tests.material.refusing import refused


def test_what_cannot_be_printed_in_a_file_name_is_not_repeated(tmp_path, refusal):
    path = tmp_path / "a\nb.toml"
    path.write_bytes(b"\x81")
    assert "a?b.toml" in refused(refusal, InputError, read_text, path, InputError)
    assert title_of(path) == "a?b"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfnurse")
    assert read_text(path, InputError) == "nurse"


def listened(read, *arguments):
    """What a reader returns, and what it says of the file."""
    sentences = []
    with heard(sentences.append):
        return read(*arguments), sentences


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_another_encoding_is_read_and_said(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes("Krankenpfleger\nKöchin – früher".encode(encoding))
    text, (sentence,) = listened(read_text, path, InputError)
    assert text == "Krankenpfleger\nKöchin – früher"
    assert {"utf-16": "UTF-16", "cp1252": "Windows-1252"}[encoding] in sentence


@pytest.mark.parametrize(
    "data",
    [
        "Köchin ".encode() + b"\xfc",  # UTF-8 that was damaged
        b"K\x81chin",  # no letter of Windows-1252
        b"\xffPNG\x00\x01",
    ],
)
def test_what_is_no_text_is_refused_with_the_place(tmp_path, refusal, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert "is not UTF-8 text (byte " in refused(refusal, InputError, read_text, path, InputError)


def test_half_a_letter_of_utf_16_is_refused(tmp_path, refusal):
    path = tmp_path / "a.txt"
    path.write_bytes("nurse".encode("utf-16")[:-1])
    assert "damaged UTF-16" in refused(refusal, InputError, read_text, path, InputError)


def test_a_lost_letter_is_told_with_its_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("nurse\ninfirmi\ufffdre", encoding="utf8")
    assert "a.txt, line 2 has U+FFFD" in listened(read_text, path, InputError)[1][0]


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_is_seen_and_said(tmp_path, separator, name):
    path = tmp_path / "a.csv"
    path.write_text(f'"term"{separator}weight\n"nurse, head"{separator}1\n')
    rows, sentences = listened(read_table, path, ("term",), ("weight",), InputError)
    assert rows == [("a.csv, line 2", {"term": "nurse, head", "weight": "1"})]
    assert sentences == [f"The columns of a.csv are separated by {name}."]


def test_columns_that_nobody_needs_are_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("code,Term,note\n1,nurse,x\n")
    rows, sentences = listened(read_table, path, ("term",), ("weight",), InputError)
    assert rows == [("a.csv, line 2", {"term": "nurse"})]
    assert sentences == ["Of a.csv the column 'Term' was read, and 'code' and 'note' were not."]


def test_a_file_as_the_papers_write_it_says_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("term,weight\nnurse,1\n")
    assert listened(read_table, path, ("term",), ("weight",), InputError)[1] == []


@given(
    st.lists(
        st.tuples(st.text('abc ,;\t"é', min_size=1).filter(str.strip), st.integers(0, 9)),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(",;\t"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    st.booleans(),
)
def test_a_table_is_read_the_same_however_it_is_written(rows, separator, encoding, swapped):
    """In any encoding, with any separator, and the columns in either order."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        with path.open("w", encoding=encoding, newline="") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerows(row[::-1] if swapped else row for row in [("term", "weight"), *rows])
        read = read_table(path, ("term",), ("weight",), InputError)
    assert [(row["term"], row["weight"]) for _, row in read] == [(term, str(n)) for term, n in rows]


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_a_list_of_objects_is_a_table(tmp_path, ending):
    entries = [
        {"occupation": "nurse", "weight": 2, "note": "x"},
        {"occupation": "cook", "weight": 1, "note": ""},
    ]
    path = tmp_path / f"a.{ending}"
    path.write_text(json.dumps(entries) if ending == "json" else "\n".join(map(json.dumps, entries)))
    evidence, (sentence,) = listened(load_evidence, path)
    assert (evidence.terms, evidence.weights) == (("nurse", "cook"), (2, 1))
    assert "'note' was not" in sentence


def test_objects_of_other_keys_are_refused(tmp_path, refusal):
    path = tmp_path / "a.json"
    path.write_text('[{"term": "nurse"}, {"occupation": "cook"}]')
    sentence = refused(refusal, EvidenceError, load_evidence, path)
    assert "a.json, entry 2 has no term: write one" in sentence


def test_a_file_of_another_ending_is_not_called_missing(tmp_path, refusal):
    path = tmp_path / "list.docx"
    path.write_bytes(b"PK")
    sentence = refused(refusal, EvidenceError, load_evidence, path)
    assert sentence.startswith("list.docx is there, but an evidence list is read from a .toml or .json")


def test_a_huge_file_is_not_read(tmp_path, refusal):
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "32" in refused(refusal, InputError, read_text, path, InputError)


def test_a_file_that_went_away(tmp_path, refusal):
    assert "cannot be read" in refused(refusal, InputError, read_text, tmp_path / "gone.txt", InputError)


def test_an_unknown_key_is_named_with_the_known(tmp_path, refusal):
    path = tmp_path / "a.toml"
    path.write_text('titel = "x"')
    sentence = refused(refusal, InputError, read_toml, path, ("name", "title"), InputError)
    assert "'titel'" in sentence
    assert "name and title" in sentence


def test_a_table_takes_columns_in_any_order_and_skips_empty_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('Weight, TERM\n1,nurse\n\n2,"chief, acting"\n')
    assert read_table(path, ("term",), ("weight",), InputError) == [
        ("a.csv, line 2", {"weight": "1", "term": "nurse"}),
        ("a.csv, line 4", {"weight": "2", "term": "chief, acting"}),
    ]


def test_a_column_called_occupation_is_the_term(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("occupation\nnurse\n")
    assert read_table(path, ("term",), (), InputError) == [("a.csv, line 2", {"term": "nurse"})]
