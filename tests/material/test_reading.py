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
from pcf_core.material.factors import load_own_factor
from pcf_core.material.safety.reading import MAX_BYTES, heard, read_text, read_toml, title_of
from pcf_core.material.safety.tables import read_table
from pcf_core.material.safety.understood import Reading, read_with
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.texts.criteria.names import NAMES
from tests.material.refusing import refused

load_names = NAMES.load


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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp1252"])
def test_another_encoding_is_read_and_said(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes("Krankenpfleger\nKöchin – früher".encode(encoding))
    text, (sentence,) = listened(read_text, path, InputError)
    assert text == "Krankenpfleger\nKöchin – früher"
    assert {"utf-16": "UTF-16", "utf-32": "UTF-32", "cp1252": "Windows-1252"}[encoding] in sentence


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
    assert "at most 33,554,432 are allowed" in refused(refusal, InputError, read_text, path, InputError)


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


WEAT = (
    '{"targ1":\n{"category": "Old", "examples": ["aged"]},\n'
    '"targ2": {"category": "Young", "examples": ["new"]}}'
)


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("a.txt", '{"term": "nurse"}\n{"term": "cook"}\n', ("nurse", "cook")),
        ("a.json", '{"term": "nurse"}\n{"term": "cook"}\n', ("nurse", "cook")),
        ("a.csv", '[{"term": "nurse"},\n{"term": "cook"}]', ("nurse", "cook")),
        ("a.jsonl", '[{"term": "nurse"},\n{"term": "cook"}]', ("nurse", "cook")),
        ("a.jsonl", '{"term": "nurse"}', ("nurse",)),
        ("a.jsonl", '{"terms": ["nurse"]}', ("nurse",)),
        ("a.jsonl", '{"term": "nurse\u2028aide"}\n{"term": "cook\x85"}\n', ("nurse aide", "cook")),
        ("a.json", '{"data": [{"term": "nurse"}]}', ("nurse",)),
        ("a.json", '{"version": 2, "jobs": ["nurse"]}', ("nurse",)),
        ("a.txt", "sep=,\nnurse\ncook\n", ("nurse", "cook")),
        ("a.csv", '"Job\ntitle";"weight"\n"nurse";1\n', ("nurse",)),
        ("a.csv", "term;weight;;\nnurse;1\ncook;2;;\n", ("nurse", "cook")),
        ("a.tsv", "term\tnote, long\nnurse\ta,b\n", ("nurse",)),
    ],
)
def test_a_list_is_what_the_text_holds(tmp_path, name, text, terms):
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    assert load_evidence(path).terms == terms


@pytest.mark.parametrize("text", [WEAT, WEAT.replace("\n", " "), '[["aged"], ["new"]]'])
def test_groups_in_a_file_of_json_lines(tmp_path, text):
    path = tmp_path / "weat.jsonl"
    path.write_text(text)
    assert [group.words for group in load_topic(path).groups] == [("aged",), ("new",)]


@pytest.mark.parametrize(
    ("load", "name", "text", "part"),
    [
        (load_evidence, "a.txt", '{"term": "nurse"}\n{"term": "cook"\n', "line 2 is not valid JSON"),
        (load_evidence, "a.txt", "['nurse', 'cook']", "is written as in Python: write JSON"),
        (
            load_evidence,
            "a.json",
            '{"nurse": 0.9}',
            "; a JSON file may hold the keys of TOML, or",
        ),
        (load_evidence, "a.json", '["nurse", 3]', "holds a list, which cannot be read: a JSON file may hold"),
        (
            load_evidence,
            "a.json",
            '{"a": ["nurse"], "b": ["cook"]}',
            "has the lists 'a' and 'b': keep the one",
        ),
        (load_evidence, "a.csv", "Beruf;Anzahl;;\nArzt;1;;\n", "--column term=Beruf."),
        (load_evidence, "a.txt", "nurse\t12\ncook\t4\n", "such as term and weight, separated by tabs."),
        (load_evidence, "a.tsv", "1\tnurse\n2\tcook\n", "such as other and term, separated by tabs."),
        (
            load_evidence,
            "a.csv",
            "nurse,\ncook,\n",
            "begins with 'nurse', which does not name term: give --as",
        ),
        (load_own_factor, "a.csv", "occupation,value,value\na,1,2\n", "names the column 'value' twice: give"),
        (load_own_factor, "a.json", "[]", "holds nothing: write a list of objects, each with occupation"),
        (load_topic, "a.csv", "men;he\nmen;him\nwomen;she\n", "such as group;word."),
        (load_topic, "a.csv", "a: he, him\nb: she, her\n", "columns if the first line names the groups."),
        (load_topic, "a.txt", "<ul>\n<li>he</li>\n</ul>\n", "has the line '<ul>', which is markup"),
        (
            load_topic,
            "a.tsv",
            "old\taged, grey\nnew\tyoung, fresh\n",
            "has the columns 'old, aged, grey', not",
        ),
        (
            load_templates,
            "a.csv",
            "The [X] a [Y].;[X] b [Y].\n[X] c [Y].;[X] d [Y].\n",
            "such as template;other.",
        ),
        (load_templates, "a.csv", "The [X] a [Y].,3\nThe [X] b [Y].,4\n", "such as template,count."),
        (load_templates, "a.csv", "text [en]\nThe [X] a [Y].\n", "give --as lines if"),
        (
            load_templates,
            "a.csv",
            'text,count\n"A" [X] [Y],1\n',
            "put a cell with quotation marks in quotation",
        ),
        (load_names, "a.csv", "Mary,F,7065\nJohn,M,9655\n", "such as name,gender,other."),
    ],
)
def test_a_refusal_says_what_can_be_done(tmp_path, refusal, load, name, text, part):
    path = tmp_path / name
    path.write_text(text)
    with read_with(Reading()):
        assert part in refused(refusal, InputError, load, path)


@pytest.mark.parametrize(
    "text",
    [
        "The [X] said [Y].\nA [X] saw [Y].\n",
        "The [X], who left, said [Y].\nA [X], too, saw [Y].\n",
        "The <person> said [MASK].\nA <person>, too, saw [MASK].\n",
    ],
)
def test_sentences_are_no_names_of_columns(tmp_path, text):
    """Nobody is asked, and an answer for another file takes no sentence for a heading."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    answers = {("placeholders", "[MASK]"): "[Y]", ("placeholders", "<person>"): "[X]"}
    with read_with(Reading({**answers, ("read_as", ""): "heading"})):
        read = load_templates(path).texts
    lines = text.replace("<person>", "[X]").replace("[MASK]", "[Y]").splitlines()
    assert sorted(read) == sorted(lines)


def test_quotation_marks_of_a_text_with_tabs_belong_to_it(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\tcount\n"Well," said the [X] to [Y].\t3\n')
    with read_with(Reading()) as reading:
        assert load_templates(path).texts == ('"Well," said the [X] to [Y].',)
    assert any("were kept as part of the text" in note for note in reading.notes)


def test_an_answer_for_one_file_leaves_others_alone(tmp_path):
    """A list, a table that names the column itself, and one whose column the answer names."""
    files = {
        "list.txt": "nurse\ncook\n",
        "named.csv": "occupation,weight\nnurse,2\ncook,1\n",
        "other.csv": "Beruf,Anzahl\nnurse,2\ncook,1\n",
    }
    answers = {("columns", "term"): "Beruf", ("columns", "weight"): "Anzahl"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        with read_with(Reading(answers)) as reading:
            assert load_evidence(tmp_path / name).terms == ("nurse", "cook")
    reading.check_used()
    assert any("'Beruf, Anzahl', names the columns and is no entry" in note for note in reading.notes)


def test_a_code_of_json_stays_as_it_is(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"term": "nurse", "code": 32.211, "weight": 1.234}]')
    evidence = load_evidence(path)
    assert (evidence.codes, evidence.weights) == (("32.211",), (1.234,))


def test_births_of_pandas_are_whole_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,gender,births,female_births\nAda,F,1000.0,990.0\nCarl,M,10.0,0.0\n")
    assert load_names(path).names[0].births == 1000
