"""The user's own topics: copies, versions, and topics of word lists that are uploaded together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, TopicError
from pcf_core.core.settings import Settings
from pcf_core.material.safety.reading import heard
from pcf_core.material.topics import copied, list_topics, load_topic, load_topic_upload, save_topic
from tests.material.kinds import KINDS, TOPIC
from tests.material.refusing import refused
from tests.quick import scaled

OTHER = KINDS["topics"].other


@pytest.fixture
def folder(own_settings: Settings) -> Path:
    return own_settings.cache / "topics"


def test_a_changed_topic_is_another_hash_and_a_changed_note_is_not(folder: Path) -> None:
    save_topic(TOPIC)
    save_topic(TOPIC.model_copy(update={"notes": "Other notes."}), replace=True)
    assert load_topic("left-right").hash == TOPIC.hash
    save_topic(OTHER, replace=True)
    assert load_topic("left-right").hash == OTHER.hash != TOPIC.hash


def test_a_file_put_there_by_hand_has_the_name_of_its_file(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "by-hand.toml").write_text('name = "Other name"\nproduct = ["race", "gender-pronouns"]\n')
    topic = load_topic("by-hand")
    assert (topic.name, len(topic.groups)) == ("by-hand", 10)
    assert [topic.name for topic in list_topics()][-1] == "by-hand"


def test_a_copy_says_of_what(folder: Path) -> None:
    copy = copied(TOPIC)
    assert (copy.name, copy.title, copy.source, copy.hash) == (
        "left-right-own",
        f"{TOPIC.title} (own copy)",
        "Made from the topic left-right.",
        TOPIC.hash,
    )
    assert copied(load_topic("gender")).source.startswith("Made from the topic gender. Liu et al.")
    assert save_topic(copy) == copy


def test_lists_of_words_make_a_topic_named_after_them(folder: Path) -> None:
    files = {"Male Words.txt": "\ufeffhe\r\n\r\n his \n".encode(), "female_words.TXT": b"she\nher\nhers"}
    topic = load_topic_upload(list(files.items()))
    assert [(group.name, group.words) for group in topic.groups] == [
        ("male-words", ("he", "his")),
        ("female-words", ("she", "her", "hers")),
    ]
    assert (topic.name, topic.title) == ("male-words-female-words", "Male Words and female_words")
    assert not folder.exists()


def test_lists_of_words_need_no_ending_and_two_spellings_are_told() -> None:
    sentences: list[str] = []
    with heard(sentences.append):
        topic = load_topic_upload([("Aunts", b"aunt\nAunt\n"), ("uncles.txt", b"uncle\n")])
    assert [(group.name, group.words) for group in topic.groups] == [
        ("aunts", ("aunt", "Aunt")),
        ("uncles", ("uncle",)),
    ]
    assert sentences == [
        "The group 'Aunts' is called aunts here.",
        "Aunts and uncles.txt, group aunts, has one word in several spellings, which count as several words: "
        "'aunt' and 'Aunt'.",
    ]


def test_json_and_csv_are_read_as_the_command_line_reads_them() -> None:
    groups = {"groups": [{"name": "a", "words": ["x"]}, {"name": "b", "words": ["y"]}]}
    assert load_topic_upload([("Meine Liste.json", json.dumps(groups).encode())]).name == "meine-liste"
    assert load_topic_upload([("own.csv", b"group,word\na,x\nb,y\n")]).group_names == ("a", "b")


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({}, "The upload has 0 files"),
        ({"a.xlsx": b"PK", "b.txt": b"x"}, "save the topic as one"),
        ({"a.txt": b"x"}, "a text file for each of two or more groups"),
        ({"a.txt": b"x", "b.csv": b"y"}, "The upload has 2 files (a.txt and b.csv)"),
        ({"a.txt": b"x", "b.txt": b" \n"}, "the group b has no words"),
        ({"a.txt": b"x", "b.txt": b"X"}, "is in the groups a and b"),
        ({"a.txt": b"x", "A .txt": b"y"}, "two groups have the name 'a'"),
        ({"a.txt": b"\x81", "b.txt": b"y"}, "a.txt is not UTF-8"),
        ({"own.toml": b"groups = 1"}, "own.toml: groups must be a list"),
        ({"own.csv": b"a,b\n1,2\n"}, "own.csv has the columns"),
    ],
)
def test_an_upload_that_cannot_be_used_is_one_sentence(
    files: dict[str, bytes], part: str, refusal: Callable[[Exception], str], folder: Path
) -> None:
    assert part in refused(refusal, TopicError, lambda: load_topic_upload(list(files.items())))
    assert not folder.exists()


@settings(max_examples=scaled(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=st.binary(max_size=40) | st.text(max_size=20).map(str.encode), second=st.binary(max_size=40))
def test_any_lists_give_a_topic_or_one_sentence(
    first: bytes, second: bytes, refusal: Callable[[Exception], str]
) -> None:
    try:
        topic = load_topic_upload([("one.txt", first), ("two.txt", second)])
    except InputError as error:
        refusal(error)
    else:
        assert topic.group_names == ("one", "two")
        assert all(word == word.strip() for word in topic.words)


FORMS = {
    "lists": ({"women": ["she"], "men": ["he"]}, ["women", "men"], []),
    "capitals": (
        {"African American": ["black"], "white": ["white"]},
        ["african-american", "white"],
        ["The group 'African American' is called african-american here."],
    ),
    "another script": (
        {"女": ["她"], "男": ["他"]},
        ["group-1", "group-2"],
        ["The group '女' is called group-1 here.", "The group '男' is called group-2 here."],
    ),
    "weat": (
        {
            f"{kind}{number}": {"category": f"list-{kind}-{number}", "examples": [f"{kind} {number}"]}
            for kind in ("targ", "attr")
            for number in (1, 2)
        },
        ["list-targ-1", "list-targ-2", "list-attr-1", "list-attr-2"],
        ["Each of the 4 lists is a group: remove those that do not describe people."],
    ),
    "nested": ({"ability": {"hearing": ["deaf"], "sight": ["blind"]}}, ["hearing", "sight"], []),
    "nested twice": (
        {"ability": {"hearing": ["deaf"], "sight": ["blind"]}, "age": {"young": ["young"]}},
        ["ability", "age"],
        ["Each of 'ability' and 'age' is a group, with all the words below it."],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_groups_by_name_in_json(tmp_path: Path, form: str) -> None:
    written, names, said = FORMS[form]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written))
    sentences: list[str] = []
    with heard(sentences.append):
        topic = load_topic(path)
    assert [group.name for group in topic.groups] == names
    assert sentences == said


@pytest.mark.parametrize("written", ['{"a": "she", "b": "he"}', '{"a": ["he"], "b": [1]}', '{"a": 1}'])
def test_other_objects_are_refused_by_their_key(
    tmp_path: Path, written: str, refusal: Callable[[Exception], str]
) -> None:
    path = tmp_path / "a.json"
    path.write_text(written)
    assert "has the unknown key 'a'" in refused(refusal, TopicError, load_topic, path)


def test_quotation_marks_around_words_are_taken_off_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\"he\", 'him', his\n“she”, o'clock, her\n")
    sentences: list[str] = []
    with heard(sentences.append):
        topic = load_topic(path)
    assert [group.words for group in topic.groups] == [("he", "him", "his"), ("she", "o'clock", "her")]
    assert sentences == ["Quotation marks around words of a.txt were removed."]


@pytest.mark.parametrize("line", ["# pronouns", "1. she", "2) she", "// she"])
def test_comments_and_numbers_are_refused_with_their_line(
    tmp_path: Path, line: str, refusal: Callable[[Exception], str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"he,him\n{line}, her\n")
    assert "a.txt, line 2 begins with" in refused(refusal, TopicError, load_topic, path)
