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
        ("PK\x03\x04baker\n", "is a file of Word, Excel"),
        ("baker\n+ tinker\n", "line 2 begins with '+': remove it"),
        ("baker\n% of 2024\n", "line 2 begins with '%': remove it"),
        ("baker\n; of 2024\n", "line 2 begins with ';': remove it"),
        ("baker\n-----\ntinker\n", "line 2 begins with '-----': remove it"),
        ("１．看護師\n２．医師\n", "line 1 begins with '１．': remove it"),
        ("1、护士\n2、医生\n", "line 1 begins with '1、': remove it"),
        ("① baker\n② tinker\n", "line 1 begins with '①': remove it"),
        ("1 baker\n2 tinker\n", "has a number before every entry: remove the numbers"),
        ("      9 baker\n     12 tinker\n", "has a number before every entry: remove the numbers"),
        ("baker\ttinker\ntailor\tweaver\tcook\n", f"separated by tabs, {ONLY_NAMED}"),
        ("baker\ttinker\ntailor\n", f"separated by tabs, {ONLY_NAMED}"),
        ("baker; tinker\ntailor; weaver; cook\n", f"separated by semicolons, {ONLY_NAMED}"),
        ("baker,12\ntinkers, tailors and cooks,3\n", f"separated by commas, {ONLY_NAMED}"),
        ("baker: 0.9\ntinker: 3\n", f"separated by colons, {ONLY_NAMED}"),
        ("trade|n\nbaker|3\n", f"separated by vertical bars, {ONLY_NAMED}"),
        ("看護師、医師、教師\n", "has 3 entries in one line"),
        ("ممرضة، طبيب، معلم\n", "has 3 entries in one line"),
        ("看護師、\n医師、\n", "'看護師、' ends with '、': remove it"),
        ("baker\nLaw:\njudge\n", "'Law:', which looks like a heading between the entries"),
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
        "3 D artist\n5 axis miller\n",
        "cook's mate\n'bus driver\nlawyer's clerk\n",
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
        ("kin.txt", "women：niece, aunt\nmen：nephew, uncle\n", ()),
        ("kin.txt", "women:niece、aunt\nmen:nephew、uncle\n", ()),
        ("kin.txt", "women;niece, aunt\nmen;nephew, uncle\n", ()),
        ("kin.txt", "women: niece, 'aunt',\nmen: nephew, uncle,\n", ()),
        ("kin.csv", "women;men;\nniece;nephew;\n;;\naunt;uncle;\n", ("columns",)),
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
        (",women,men\n0,niece,nephew\n1,aunt,uncle\n", "Column 1 of kin.txt has no name in the first line"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("niece;nephew;\naunt;uncle;\n;;\n", [("niece", "aunt"), ("nephew", "uncle")]),
        (";niece;nephew\n;aunt;uncle\n", [("niece", "aunt"), ("nephew", "uncle")]),
    ],
)
def test_empty_cells_of_spreadsheets_are_no_words(
    text: str, expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    path = tmp_path / "kin.csv"
    path.write_text(text)
    with read_with(answers("pairs")):
        assert [words for _, words in groups_of(topics.load_topic(path))] == expected


def test_a_short_row_of_a_spreadsheet_is_a_short_group(tmp_path: Path) -> None:
    path = tmp_path / "kin.csv"
    path.write_text("niece,aunt,mother\nnephew,uncle,\n")
    with read_with(answers("groups")):
        assert [words for _, words in groups_of(topics.load_topic(path))] == [
            ("niece", "aunt", "mother"),
            ("nephew", "uncle"),
        ]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("women:\nniece, aunt\nmen:\nnephew, uncle\n", "has no words after 'women:': write the name"),
        ("1\tniece\tnephew\n2\taunt\tuncle\n", "has a number before every entry"),
        ("niece,aunt\tnephew,uncle\nmother,sister\tson,brother\n", "has a tab within 'aunt\\tnephew'"),
    ],
)
def test_groups_that_are_written_otherwise(text: str, part: str, tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "kin.txt"
    path.write_text(text)
    with read_with(answers("pairs")):
        assert part in refused(refusal, InputError, topics.load_topic, path)


def test_signs_within_the_name_of_a_group_and_between_its_words(tmp_path: Path) -> None:
    path = tmp_path / "kin.txt"
    path.write_text("Women (n=2): niece, aunt\nMen (n=2): nephew, uncle\n")
    with read_with(Reading()):
        assert topics.load_topic(path).group_names == ("women-n-2", "men-n-2")
    path.write_text("niece:nephew, aunt:uncle\nmother:father, sister:brother\n")
    with read_with(answers("groups")):
        assert topics.load_topic(path).groups[0].words == ("niece:nephew", "aunt:uncle")


@pytest.mark.parametrize(
    "marks", ['""', "''", "‘’", "‚‘", "’’", "“”", "„“", "„”", "””", "«»", "»«", "‹›", "「」", "『』", "``"]
)
@pytest.mark.parametrize("word", ["baker", "l’homme", "l'homme"])
def test_quotation_marks_of_every_language(marks: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text(f"{marks[0]}{word}{marks[1]}\ncook's mate\n", encoding="utf8")
    with read_with(Reading()) as reading:
        assert evidence.OWN.load(path).terms == (word, "cook's mate")
    assert reading.notes == ["Quotation marks around words of trades.txt were removed."]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ('"baker\ntinker"\n', "'\"baker' begins or ends with a quotation mark"),
        ("baker\nNA\n", "'NA' counts as a word. If it marks a missing value"),
        ("infirmiÃ¨re\nbaker\n", "'infirmiÃ¨re' seems to have been saved in the wrong encoding"),
        ("\u0441ook\ncook\n", "'\\u0441ook' and 'cook' look the same, and count as two words"),
        ("bakers; cooks\ntinker\n", "'bakers; cooks' counts as one phrase"),
        ("Health\nnurse\n\nLaw\njudge\n", "such as 'Health' and 'Law', was read like the others"),
    ],
)
def test_words_that_may_not_be_meant_are_told(words: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text(words, encoding="utf8")
    with read_with(Reading()) as reading:
        assert evidence.OWN.load(path).terms == tuple(filter(None, words.splitlines()))
    (note,) = reading.notes
    assert part in note


HOPED, KNEW = "The [X], who hoped, left [Y].", "A [X] knew [Y]."


@pytest.mark.parametrize(
    ("name", "text", "ways", "expected"),
    [
        ("a.csv", f'"{HOPED}"\n"{KNEW}"\n', ("lines",), (HOPED, KNEW)),
        ("a.csv", f'"{HOPED}"\n{KNEW}\n', ("lines",), (HOPED, KNEW)),
        ("a.txt", f'"{HOPED}"\n"{KNEW}"\n', (), (HOPED, KNEW)),
        ("a.txt", f"“{HOPED}”\n{KNEW}\n", (), (f"“{HOPED}”", KNEW)),  # direct speech
        ("a.txt", f'sentence\n"A [X] said ""[Y]""."\n{KNEW}\n', (), ('A [X] said "[Y]".', KNEW)),
    ],
)
def test_quotation_marks_around_sentences(
    name: str, text: str, ways: tuple[str, ...], expected: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    with read_with(answers(*ways)) as reading:
        assert templates.load_templates(path).texts == expected
    assert any("Quotation marks" in note for note in reading.notes) == (expected[0][0] != "“")


def test_any_first_line_is_a_heading_if_somebody_says_so(tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text("trades of my study\nbaker\ntinker\n")
    reading = answers("heading")
    with read_with(reading):
        assert evidence.OWN.load(path).terms == ("baker", "tinker")
    reading.check_used()
    assert "The first line of trades.txt, 'trades of my study', is a heading and no entry." in reading.notes
    files = [("women.txt", b"Women:\nniece\naunt\n"), ("men.txt", b"nephew\nuncle\n")]
    with read_with(answers("heading")):
        assert groups_of(topics.load_topic_upload(files)) == KIN


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("{{job}} met {{word}}", {"{{job}}": "[X]", "{{word}}": "[Y]"}, "[X] met [Y]"),
        ("${job} met %(word)s", {"${job}": "[X]", "%(word)s": "[Y]"}, "[X] met [Y]"),
        ("<<X>> met <Y>", {"<<X>>": "[X]", "<Y>": "[Y]"}, "[X] met [Y]"),
        ("[[X]] met [[Y]]", {"[[X]]": "[X]", "[[Y]]": "[Y]"}, "[X] met [Y]"),
        ("[[X]] met [[Y]]", {}, "has the placeholders '[[X]]' and '[[Y]]'"),
        ("{} is a {}.", {}, "has '{}' twice: replace one by [X] and the other by [Y]"),
        ("{} is a {}.", {"{}": "[X]"}, "has '{}' twice: replace one by [X] and the other by [Y]"),
        ("[X] of {} met [Y] of {}, {v}", {"{}": "Rome", "{v}": "ok"}, "[X] of {} met [Y] of {}, {v}"),
    ],
)
def test_placeholders_in_pairs_of_brackets_and_twice(
    text: str, given: dict[str, str], expected: str, tmp_path: Path, refusal: Refusal
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    with read_with(Reading({("placeholders", name): answer for name, answer in given.items()})):
        if expected.startswith("has"):
            assert expected in refused(refusal, InputError, templates.load_templates, path)
        else:
            assert templates.load_templates(path).texts == (expected,)
