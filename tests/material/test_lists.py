"""Lists and word lists as people write them by hand or copy them from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError
from pcf_core.material import evidence, templates, topics
from pcf_core.material.safety.understood import Reading, read_with
from tests.material.formats import groups_of, occupations_of
from tests.material.refusing import refused

Refusal = Callable[[Exception], str]
ONLY_NAMED = "but no line names the columns"


def answers(*ways: str) -> Reading:
    return Reading({("read_as", ""): " ".join(ways)} if ways else {})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("- baker\n- tinker\n", "line 1 begins with '-': remove it"),
        ("baker\n• tinker\n", "line 2 begins with '•': remove it"),
        ("(1) baker\n(2) tinker\n", "line 1 begins with '(1)': remove it"),
        ("a) baker\nb) tinker\n", "line 1 begins with 'a)': remove it"),
        ("baker,\ntinker,\n", "'baker,' ends with ',': remove it"),
        ("baker;\ntinker;\n", "'baker;' ends with ';': remove it"),
        ("baker, tinker, tailor\n", "has 3 entries in one line"),
        ("baker;12\ntinker;3\n", f"separated by semicolons, {ONLY_NAMED}"),
        ("baker,12\ntinker,3\n", f"separated by commas, {ONLY_NAMED}"),
        ("| baker |\n| tinker |\n", "which is markup"),
        ("<ul>\n<li>baker</li>\n</ul>\n", "which is markup"),
        ("{\\rtf1 baker}\n", "is RTF: save it as plain text"),
        ("%PDF-1.7\nbaker\n", "is PDF: save it as plain text"),
        ("PK\x03\x04baker\n", "is of Word, Excel"),
        ("b\0a\0k\0e\0r\0\n\0", "is UTF-16 or UTF-32 text that does not say so"),
    ],
)
def test_a_list_of_another_shape_is_refused(text: str, part: str, tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "trades.txt"
    path.write_bytes(text.encode())
    with read_with(Reading()):
        assert part in refused(refusal, InputError, evidence.OWN.load, path)


@pytest.mark.parametrize(
    "text",
    [
        "Bakers, pastry cooks\nTinkers, travelling\n",  # as in classifications
        "baker (night shift)\ntinker/tailor\n",
        "A&R manager\nC# programmer\n",
        "2nd mate\n3rd mate\n",
    ],
)
def test_a_plain_list_is_read_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text(text)
    reading = Reading()
    with read_with(reading):
        assert evidence.OWN.load(path).terms == tuple(text.splitlines())
    assert not reading.notes


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", '["baker", "tinker"]', [("baker",), ("tinker",)]),
        ("a.txt", 'terms = ["baker", "tinker"]', [("baker",), ("tinker",)]),
        ("a.csv", "term;weight\nbaker;2;\ntinker;3\n;;\n;;\n", [("baker", 2), ("tinker", 3)]),
        ("a.csv", "sep=;\nterm;weight\nbaker;2\ntinker;3\n", [("baker", 2), ("tinker", 3)]),
        (
            "a.csv",
            'term,weight\nbaker, 2\n"tinker, old", 3\n',
            [("baker", 2), ("tinker, old", 3)],
        ),
        ("a.csv", 'weight,term\n2, "baker, pastry"\n', [("baker, pastry", 2)]),
        ("a.json", '[{"term": "baker"}, {"term": "tinker", "note": null}]', [("baker",), ("tinker",)]),
    ],
)
def test_tables_as_spreadsheets_and_programs_write_them(
    name: str, text: str, expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with read_with(Reading()):
        assert occupations_of(evidence.OWN.load(path)) == expected


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.csv", "baker,12\ntinker,3\n", "which names no columns: write their names above it, such as term"),
        ("a.csv", "# of 2024\nterm\nbaker\n", "begins with the comment '# of 2024': remove this line"),
        ("a.json", '[{"term": "baker"}, {"note": "tinker"}]', "entry 2 has no term"),
    ],
)
def test_tables_without_what_they_need(
    name: str, text: str, part: str, tmp_path: Path, refusal: Refusal
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with read_with(Reading()):
        assert part in refused(refusal, InputError, evidence.OWN.load, path)


def test_advice_names_a_column_that_could_be_meant(tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,job,occupation\n1,baker,bakes\n")
    with read_with(Reading()):
        sentence = refused(refusal, InputError, evidence.OWN.load, path)
    assert "--column term=job" in sentence
    path.write_text(f"{'A question of a survey ' * 5},other\nbaker,1\n")
    with read_with(Reading()):
        assert "--column term=NAME" in refused(refusal, InputError, evidence.OWN.load, path)


KIN = [("women", ("niece", "aunt")), ("men", ("nephew", "uncle"))]


@pytest.mark.parametrize(
    ("name", "text", "ways"),
    [
        ("kin.txt", "women: niece, aunt\nmen: nephew, uncle\n", ()),
        ("kin.txt", "women = niece, aunt\nmen = nephew, uncle\n", ()),
        ("kin.txt", "women\tniece, aunt\nmen\tnephew, uncle\n", ()),
        ("kin.csv", "women,men\nniece,nephew\naunt,uncle\n", ("columns",)),
        ("kin.txt", "women,men\nniece,nephew\naunt,uncle\n", ("columns",)),
    ],
)
def test_groups_with_their_names(name: str, text: str, ways: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with read_with(answers(*ways)):
        topic = topics.load_topic(path)
    assert groups_of(topic) == KIN
    assert topic.aligned == bool(ways)


def test_a_group_may_have_several_lines_after_its_name(tmp_path: Path) -> None:
    path = tmp_path / "kin.txt"
    path.write_text("women: niece; aunt\nmen: nephew\nwomen: mother\n")
    with read_with(Reading()):
        assert groups_of(topics.load_topic(path)) == [
            ("women", ("niece", "aunt", "mother")),
            ("men", ("nephew",)),
        ]


def test_a_colon_between_two_words_names_no_group(tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "kin.txt"
    path.write_text("niece:nephew\naunt:uncle\n")
    with read_with(Reading()):
        assert "has no line with a comma" in refused(refusal, InputError, topics.load_topic, path)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("kin,kin\nniece,nephew\naunt,uncle\n", "names two columns 'kin'"),
        ("women,men\nniece,nephew,son\n", "names 2 groups in its first line, but another line has 3 words"),
    ],
)
def test_columns_without_a_name_of_their_own(text: str, part: str, tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "kin.txt"
    path.write_text(text)
    with read_with(answers("columns")):
        assert part in refused(refusal, InputError, topics.load_topic, path)


def test_lists_of_json_can_be_columns(tmp_path: Path) -> None:
    path = tmp_path / "kin.json"
    path.write_text('[["women", "men"], ["niece", "nephew"], ["aunt", "uncle"]]')
    with read_with(answers("columns")):
        assert groups_of(topics.load_topic(path)) == KIN


@pytest.mark.parametrize("text", ["\nBeruf;Anteil\nBaecker;12\n", "sep=;\nBeruf;Anteil\nBaecker;12\n"])
def test_a_header_below_an_empty_line_is_a_header(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with read_with(Reading({("columns", "term"): "Beruf"})):
        assert evidence.OWN.load(path).terms == ("Baecker",)
    reading = Reading()
    with read_with(reading), suppress(InputError):
        evidence.OWN.load(path)
    assert [question.name for question in reading.choices] == ["term"]


def test_columns_may_have_fewer_words_than_others(tmp_path: Path) -> None:
    path = tmp_path / "kin.csv"
    path.write_text("women,men\nniece,nephew\naunt,\n")
    with read_with(answers("columns")):
        topic = topics.load_topic(path)
    assert groups_of(topic) == [("women", ("niece", "aunt")), ("men", ("nephew",))]
    assert not topic.aligned


def test_quotation_marks_hold_a_word_with_a_comma_together(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text('"Doe, Ann","Roe, Eve"\n"Doe, Bob","Roe, Tom"\n')
    with read_with(answers("groups")) as reading:
        topic = topics.load_topic(path)
    assert [words for _, words in groups_of(topic)] == [("Doe, Ann", "Roe, Eve"), ("Doe, Bob", "Roe, Tom")]
    assert any("'Doe, Ann' counts as one phrase" in note for note in reading.notes)


def test_several_words_in_one_cell_are_told(tmp_path: Path) -> None:
    path = tmp_path / "kin.csv"
    path.write_text('group,word\nwomen,"niece, aunt"\nmen,nephew\n')
    reading = Reading()
    with read_with(reading):
        assert topics.load_topic(path).groups[0].words == ("niece, aunt",)
    assert any("'niece, aunt' counts as one phrase" in note for note in reading.notes)


def test_a_table_of_words_without_a_header_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "kin.csv"
    path.write_text("women,niece\nwomen,aunt\nmen,uncle\n")
    with read_with(Reading()):
        sentence = refused(refusal, InputError, topics.load_topic, path)
    assert "which names no columns: write their names above it, such as group,word" in sentence


def test_each_of_two_files_takes_the_answer_that_fits_it(tmp_path: Path, refusal: Refusal) -> None:
    kin, trades = tmp_path / "kin.txt", tmp_path / "trades.txt"
    kin.write_text("niece,nephew\naunt,uncle\n")
    trades.write_text("Trades:\nbaker\ntinker\n")
    reading = answers("pairs", "heading")
    with read_with(reading):
        assert topics.load_topic(kin).group_names == ("niece", "nephew")
        assert evidence.OWN.load(trades).terms == ("baker", "tinker")
    reading.check_used()
    reading = answers("pairs")
    with read_with(reading):
        topics.load_topic(kin)
        assert "give --as heading" in refused(refusal, InputError, evidence.OWN.load, trades)
    reading = answers("pairs", "table")
    with read_with(reading):
        topics.load_topic(kin)
    assert "--as table fits none of the files" in refused(refusal, InputError, reading.check_used)


def test_words_below_a_heading_lose_their_quotation_marks_too(tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text('Trades:\n"baker"\n"tinker"\n')
    with read_with(answers("heading")) as reading:
        assert evidence.OWN.load(path).terms == ("baker", "tinker")
    assert any("Quotation marks" in note for note in reading.notes)
    table = tmp_path / "trades.csv"
    table.write_text("My trades\nbaker\ntinker\n")
    with read_with(answers("heading")):
        assert evidence.OWN.load(table).terms == ("baker", "tinker")


def test_a_heading_in_a_groups_own_file_is_asked_for(refusal: Refusal) -> None:
    files = [("women.txt", b"Women:\nniece\naunt\n"), ("men.txt", b"Men:\nnephew\nuncle\n")]
    with read_with(Reading()):
        assert "may be a heading" in refused(refusal, InputError, topics.load_topic_upload, files)
    with read_with(answers("heading")):
        assert groups_of(topics.load_topic_upload(files)) == KIN
    several = [("women.txt", b"niece, aunt, mother\n"), ("men.txt", b"uncle\n")]
    with read_with(Reading()):
        assert "3 entries in one line" in refused(refusal, InputError, topics.load_topic_upload, several)


def test_groups_that_are_named_in_another_script_have_numbers() -> None:
    files = [("女.txt", "她\n".encode()), ("男.txt", "他\n".encode())]
    assert topics.load_topic_upload(files).group_names == ("group-1", "group-2")


def test_of_several_lists_in_an_object_nobody_knows_which_has_the_sentences(
    tmp_path: Path, refusal: Refusal
) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"train": ["The [X] hoped that [Y]"], "test": ["The [X] knew that [Y]"]}')
    with read_with(Reading()):
        sentence = refused(refusal, InputError, templates.OWN.load, path)
    assert "has the lists 'train' and 'test': keep the one with the entries" in sentence
    path.write_text('{"by": "us", "sentences": ["The [X] hoped that [Y]"]}')
    reading = Reading()
    with read_with(reading):
        assert len(templates.load_mined(path).templates) == 1
    assert reading.notes == [
        "The entries of a.json are those under 'sentences', and nothing else of it was read."
    ]


def test_no_name_is_no_folder(refusal: Refusal) -> None:
    assert "neither a shipped topic" in refused(refusal, InputError, topics.load_topic, "")
