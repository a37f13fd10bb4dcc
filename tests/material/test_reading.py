"""Reading files: every way in which a file can be wrong is one sentence."""

from pcf_core.core.errors import InputError
from pcf_core.material.safety.reading import MAX_BYTES, read_table, read_text, read_toml, title_of
from tests.material.refusing import refused


def test_what_cannot_be_printed_in_a_file_name_is_not_repeated(tmp_path, refusal):
    path = tmp_path / "a\nb.toml"
    path.write_bytes(b"\xff")
    assert "a?b.toml" in refused(refusal, InputError, read_text, path, InputError)
    assert title_of(path) == "a?b"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfnurse")
    assert read_text(path, InputError) == "nurse"


def test_latin_1_is_refused_with_the_place(tmp_path, refusal):
    path = tmp_path / "a.txt"
    path.write_bytes("Krankenpfleger\nKöchin".encode("latin-1"))
    assert "byte 17" in refused(refusal, InputError, read_text, path, InputError)


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
