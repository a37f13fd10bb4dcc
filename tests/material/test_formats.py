"""Files as people have them: the right reading, what is said of it, and never a guess."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import InputError
from pcf_core.material import evidence, topics
from pcf_core.material.evidence import make_evidence
from pcf_core.material.safety.reading import uploaded
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.understood import Reading, ReadingOptions, answers_of, read_with
from pcf_core.material.templates import load_mined
from pcf_core.material.topics import load_topic
from pcf_core.texts.criteria.tasks import TASKS
from pcf_core.texts.fairpair.tables import load_table
from tests.material.formats import FOLDER, FORMATS, READERS, Format, groups_of
from tests.material.refusing import refused
from tools.readers_table import PLACE, with_table
from tools.readers_table import READERS as DOCUMENTED

Refusal = Callable[[Exception], str]
EVERY_FORMAT = pytest.mark.parametrize("one", FORMATS, ids=lambda one: f"{one.file} {one.options}".strip())
DAMAGES = 200  # of each reader


@EVERY_FORMAT
def test_the_right_reading(one: Format) -> None:
    reading = one.reading()
    assert one.reader.value(one.read(reading)) == one.expected
    reading.check_used()
    assert len(reading.notes) == len(one.says), reading.notes
    assert all(any(part in note for note in reading.notes) for part in one.says), reading.notes
    (file,) = reading.files
    assert file.name == one.file
    assert file.first


@pytest.mark.parametrize("one", [one for one in FORMATS if one.options], ids=lambda one: one.file)
def test_without_an_answer_it_is_refused_with_the_option_that_gives_one(
    one: Format, refusal: Refusal
) -> None:
    reading = Reading()
    sentence = refused(refusal, InputError, one.read, reading)
    assert sentence.startswith((one.file, "Each of the"))
    assert reading.is_open
    assert reading.choices
    flag = one.options.split()[0]
    assert flag in sentence


@EVERY_FORMAT
def test_a_guess_is_an_answer_that_was_offered(one: Format) -> None:
    reading = Reading()
    try:
        one.read(reading)
    except InputError:
        assert reading.choices
    assert all(question.guess in ("", *question.offered) for question in reading.choices)


def test_every_reader_has_an_example_and_every_example_an_entry() -> None:
    assert {one.file for one in FORMATS} == {path.name for path in FOLDER.iterdir()}
    tested = [reader.accepted for reader in READERS.values()]
    assert all(one in tested for one in DOCUMENTED if one.columns)


def test_the_table_in_the_docs_is_what_readers_accept() -> None:
    text = PLACE.read_text(encoding="utf8")
    assert with_table(text) == text, "run python -m tools.readers_table"


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"columns": ["text"]}, "--column must have two parts, such as text=description; got 'text'"),
        ({"columns": ["a=b", "a=c"]}, "--column is given twice for a"),
        ({"placeholders": ["[MASK]="]}, "--placeholder must have two parts, such as '[MASK]=[Y]'"),
    ],
)
def test_answers_that_are_none(options: dict[str, Any], part: str, refusal: Refusal) -> None:
    given = ReadingOptions.model_validate(options)
    assert part in refused(refusal, InputError, answers_of, given)


@pytest.mark.parametrize(
    ("file", "answers", "part"),
    [
        (
            "occupations-other-columns.csv",
            {("columns", "term"): "job"},
            "has no column 'job': use one of 'nr'",
        ),
        (
            "topic-lines.txt",
            {("read_as", ""): "pairs"},
            "cannot be read as pairs, because its lines have 2 to 3",
        ),
        ("templates-masks.txt", {("placeholders", "[MASK]"): "[Y]"}, "--placeholder '<person subject>=[X]'"),
    ],
)
def test_an_answer_that_does_not_fit(file: str, answers: Any, part: str, refusal: Refusal) -> None:
    one = next(one for one in FORMATS if one.file == file)
    assert part in refused(refusal, InputError, one.read, Reading(answers))


def test_an_answer_to_a_question_that_nobody_asks_is_refused(refusal: Refusal) -> None:
    reading = Reading({("columns", "text"): "description"})
    next(one for one in FORMATS if one.file == "topic-table.csv").read(reading)
    assert "--column text=description fits none of the files" in refused(
        refusal, InputError, reading.check_used
    )


def test_shipped_lists_are_read_whatever_was_answered() -> None:
    with read_with(Reading({("columns", "template"): "sentence", ("read_as", ""): "pairs"})) as reading:
        assert load_topic("gender").words
        assert load_mined("gender-nineteen").templates
    assert not reading.files
    assert not reading.notes


def test_more_words_in_a_line_than_lines_are_groups_unless_somebody_says_pairs(tmp_path: Path) -> None:
    """As in the lists of the papers, which nobody has to explain."""
    path = tmp_path / "papers.txt"
    path.write_text("aunt,niece,daughter\nuncle,nephew,son\n")
    reading = Reading()
    with read_with(reading):
        assert load_topic(path).group_names == ("aunt", "uncle")
    (question,) = reading.choices
    assert question.guess == "groups"
    with read_with(Reading({("read_as", ""): "pairs"})):
        topic = load_topic(path)
    assert topic.aligned
    assert topic.group_names == ("aunt", "niece", "daughter")


def test_text_without_an_ending_for_a_kind_that_is_toml_or_json(refusal: Refusal) -> None:
    with uploaded("trades", b"baker\ntinker\n") as path:
        for load in (TASKS.load, load_table):
            assert "trades is not valid TOML" in refused(refusal, InputError, load, path)


@pytest.mark.parametrize("one", DOCUMENTED, ids=lambda one: one.what)
def test_pages_say_all_that_a_reader_accepts(one: Accepted) -> None:
    assert ("**Text**" in one.forms, "**JSON**" in one.forms) == (bool(one.line), bool(one.json))
    assert all(f"*{column.name}*" in one.forms for column in one.columns)
    assert ("**TOML**" in one.forms, "**Parquet**" in one.forms) == (one.toml, one.parquet)


def test_the_form_of_a_reader_is_written_out() -> None:
    assert evidence.ACCEPTED.forms == (
        "**Text**: a line is an occupation. **Table** (CSV, TSV, text or a JSON list of objects): *term* "
        "(an occupation); optionally *weight* and *code*. **TOML**. **JSON**: the keys of TOML, or a list of "
        "texts."
    )


@EVERY_FORMAT
def test_what_changes_no_entry_changes_no_reading(one: Format) -> None:
    """Line ends, a byte order mark, UTF-16, and empty lines at the end."""
    text = decoded(one.data)
    same = {
        "Windows": text.replace("\n", "\r\n").encode(),
        "a mark": b"\xef\xbb\xbf" + text.encode(),
        "UTF-16": text.encode("utf-16"),
        "no end": text.rstrip("\n").encode(),
        "empty lines": f"{text}\n\n".encode(),
    }
    read = {name: one.reader.value(one.read(one.reading(), data)) for name, data in same.items()}
    assert read == dict.fromkeys(same, one.expected)


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
def test_a_damaged_example_is_read_or_refused_in_one_sentence(kind: str, refusal: Refusal) -> None:
    """Cut, doubled, exchanged or overwritten stretches; the same damages each time.

    What is read stands in the file: an entry is neither invented, nor put together of two.
    """
    chance = random.Random(kind)
    several = [one for one in FORMATS if one.reader is READERS[kind]]
    for number in range(DAMAGES):
        one = several[number % len(several)]
        data = _damaged(one.data, chance)
        try:
            item = one.read(one.reading(), data)
        except InputError as error:
            sentence = refusal(error)
        else:
            sentence = ""
            value = one.reader.value(item)
            assert value
            new = texts_in(value) - texts_in(one.expected)
            lines = [folded(line) for line in decoded(data).splitlines()]
            whole = one.file.endswith((".json", ".jsonl"))  # a text there may have line ends
            for text in new:
                parts = [folded(part) for part in PUT_IN.split(text)]
                within = ["".join(lines)] if whole else lines
                assert any(all(part in line for part in parts) for line in within), (text, data)
        assert not sentence or one.file in sentence


PUT_IN = re.compile(r"\[[XY]\]|\{name\}|guest|John|group-\d+")  # what readers put in place of other words


def decoded(data: bytes) -> str:
    """Return the text of an example, or of a damaged one, whatever bytes are left in it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def folded(text: str) -> str:
    """Return the letters and digits of a text, which quotes, spaces and safe names leave as they are."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def texts_in(value: Any) -> set[str]:
    """Return every text within a value."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, Mapping):
        value = [*value.items()]
    return set().union(*map(texts_in, value)) if isinstance(value, list | tuple) else set()


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Trades:\nbaker\ntinker\n", True),
        ("trades\n\nbaker\ntinker\n", True),
        ("Baker\nTinker\ntailor\n", False),
        ("baker\n\ntinker\n\ntailor\n", False),
        ("baker\ntinker\ntailor\n", False),
        ("CEO\nbaker\n", False),  # of two lines nobody can say which is unlike the others
        ("面包师\n锅匠\n裁缝\n", False),
    ],
)
def test_what_looks_like_a_heading_is_asked_for(
    text: str, is_asked: bool, tmp_path: Path, refusal: Refusal
) -> None:
    path = tmp_path / "trades.txt"
    path.write_text(text, encoding="utf8")
    entries = tuple(filter(None, text.splitlines()))
    reading = Reading()
    if is_asked:
        with read_with(reading):
            sentence = refused(refusal, InputError, evidence.OWN.load, path)
        assert "which may be a heading: give --as heading if it is one, or --as lines" in sentence
        with read_with(Reading({("read_as", ""): "heading"})):
            assert evidence.OWN.load(path).terms == entries[1:]
        with read_with(Reading({("read_as", ""): "lines"})):
            assert evidence.OWN.load(path).terms == entries
    else:
        with read_with(reading):
            assert evidence.OWN.load(path).terms == entries
        assert not reading.choices


def test_a_capital_letter_of_the_first_line_alone_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trades.txt"
    path.write_text("CEO\nnurse\nengineer\n")
    reading = Reading()
    with read_with(reading):
        assert evidence.OWN.load(path).terms == ("CEO", "nurse", "engineer")
    (note,) = reading.notes
    assert note.endswith("may be a heading, and is read as an entry: give --as heading if it is one.")
    with read_with(Reading({("read_as", ""): "heading"})):
        assert evidence.OWN.load(path).terms == ("nurse", "engineer")


def test_a_folder_with_a_text_file_for_each_group_is_a_topic(tmp_path: Path, refusal: Refusal) -> None:
    """The same as the files chosen together on the page."""
    folder = tmp_path / "kin"
    folder.mkdir()
    files = [("men.txt", b"nephew\nuncle\n"), ("women", b"niece\n'aunt'\n")]
    for name, data in files:
        (folder / name).write_bytes(data)
    (folder / ".hidden").write_text("of the file system")
    reading = Reading()
    with read_with(reading):
        topic = load_topic(str(folder))
    assert groups_of(topic) == [("men", ("nephew", "uncle")), ("women", ("niece", "aunt"))]
    assert topic == topics.OWN.read_upload(files)
    assert [one.entries for one in reading.files] == [2]
    assert any("Quotation marks" in note for note in reading.notes)
    (folder / "all.csv").write_text("group,word\n")
    assert "The folder kin holds all.csv: a topic is a folder of two or more text files" in refused(
        refusal, InputError, load_topic, folder
    )
    for path in folder.iterdir():
        path.unlink()
    (folder / "men.txt").write_text("nephew\n")
    assert "The folder kin has one text file only" in refused(refusal, InputError, load_topic, folder)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.randint(0, 12))
        piece = data[start:end]
        new = chance.choice(
            [
                b"",
                piece * 2,
                piece[::-1],
                chance.randbytes(3),
                b'"',
                b",",
                b";",
                b"\t",
                b"\n",
                b"[",
                b"{}",
                b"\0",
            ]
        )
        data = data[:start] + new + data[end:]
    return data


def test_a_list_without_codes_is_stored_as_before_there_were_any() -> None:
    plain = make_evidence("mine", ["baker", "tinker"])
    coded = make_evidence("mine", ["baker", "tinker"], codes=["9", "8"])
    assert "codes" not in plain.model_dump_json()
    assert "codes" not in evidence.OWN.text(plain)
    assert evidence.OWN.read_upload([("mine.toml", evidence.OWN.data(coded))]) == coded
    assert coded.hash == plain.hash


def test_codes_are_as_many_as_terms(refusal: Refusal) -> None:
    assert "1 codes for 2 occupations" in refused(
        refusal, InputError, make_evidence, "mine", ["baker", "tinker"], codes=["9"]
    )
