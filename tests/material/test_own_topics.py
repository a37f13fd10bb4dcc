"""The user's own topics: kept, found after the shipped ones, versioned, deleted, and never lost half-way."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, StoreError, TopicError
from pcf_core.core.records import LeftOut
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group, Topic
from pcf_core.material.own_topics import (
    OWN,
    copied,
    delete_topic,
    free_topic_name,
    load_topic_upload,
    own_topics,
    save_topic,
    topic_toml,
)
from pcf_core.material.topics import left_out_topics, list_topics, load_topic, make_topic
from tests.material.refusing import refused

TOPIC = make_topic(
    "left-right",
    [
        Group(name="left", words=("left", "progressive")),
        Group(name="right", words=("right", "conservative")),
    ],
    title='Left "and" right',
    aligned=True,
    notes="Ours.\nTwo lines \\ and a #",
    left_out=[LeftOut(name="centre", reason="it is neither")],
    evidence="occupations-bvf",
    templates="race-relative",
    position="predicate",
)
OTHER = TOPIC.model_copy(update={"groups": (Group(name="left", words=("left", "green")), TOPIC.groups[1])})


@pytest.fixture
def folder(own_settings: Settings) -> Path:
    return own_settings.cache / "topics"


def test_a_topic_that_was_saved_is_found_by_name_after_the_shipped_ones(folder: Path) -> None:
    shipped = [topic.name for topic in list_topics()]
    assert save_topic(TOPIC) == TOPIC
    assert load_topic("left-right") == TOPIC
    assert [topic.name for topic in list_topics()] == [*shipped, "left-right"]
    assert own_topics() == ("left-right",)
    assert [path.name for path in folder.iterdir()] == ["left-right.toml"]


def test_a_changed_topic_is_another_hash_and_a_changed_note_is_not(folder: Path) -> None:
    save_topic(TOPIC)
    save_topic(TOPIC.model_copy(update={"notes": "Other notes."}), replace=True)
    assert load_topic("left-right").hash == TOPIC.hash
    save_topic(OTHER, replace=True)
    assert load_topic("left-right").hash == OTHER.hash != TOPIC.hash


def test_saving_again_changes_nothing_and_another_topic_needs_replace(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    save_topic(TOPIC)
    save_topic(TOPIC)
    sentence = refused(refusal, TopicError, lambda: save_topic(OTHER))
    assert "There is a topic of yours named left-right" in sentence
    assert load_topic("left-right") == TOPIC
    save_topic(OTHER, replace=True)
    assert load_topic("left-right") == OTHER


def test_of_two_apps_that_save_under_one_name_none_overwrites_the_other(
    folder: Path, refusal: Callable[[Exception], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other app saves after this one has found the name free."""
    link = os.link

    def save_first(draft: Path, path: Path) -> None:
        Path(path).write_text(topic_toml(OTHER))
        link(draft, path)

    monkeypatch.setattr(os, "link", save_first)
    assert "named left-right" in refused(refusal, TopicError, lambda: save_topic(TOPIC))
    assert load_topic("left-right") == OTHER


def test_a_shipped_topic_is_never_hidden(folder: Path, refusal: Callable[[Exception], str]) -> None:
    mine = TOPIC.model_copy(update={"name": "gender"})
    for replace in (False, True):
        sentence = refused(refusal, TopicError, lambda replace=replace: save_topic(mine, replace=replace))
        assert "belongs to a shipped topic" in sentence
    folder.mkdir(parents=True)
    (folder / "gender.toml").write_text(topic_toml(mine))
    assert load_topic("gender").group_names == ("male", "female")
    assert own_topics() == ()


@pytest.mark.parametrize("name", ["", "../own", "a/b", "Own", "a.b", "-a", "a" * 65, "a\x00", "集"])
def test_unsafe_names_are_refused(name: str, folder: Path, refusal: Callable[[Exception], str]) -> None:
    mine = TOPIC.model_copy(update={"name": name})
    assert "small letters" in refused(refusal, TopicError, lambda: save_topic(mine))
    assert not folder.exists()


def test_what_the_rules_refuse_is_not_saved(folder: Path, refusal: Callable[[Exception], str]) -> None:
    alone = TOPIC.model_copy(update={"groups": TOPIC.groups[:1]})
    assert "at least two" in refused(refusal, TopicError, lambda: save_topic(alone))
    both = TOPIC.model_copy(update={"groups": (TOPIC.groups[0], Group(name="right", words=("Left", "x")))})
    assert "is in the groups left and right" in refused(refusal, TopicError, lambda: save_topic(both))
    assert not folder.exists()


def test_what_is_deleted_is_gone(folder: Path, refusal: Callable[[Exception], str]) -> None:
    save_topic(TOPIC)
    delete_topic("left-right")
    assert list(folder.iterdir()) == []
    assert "none of your topics" in refused(refusal, TopicError, lambda: delete_topic("left-right"))
    assert "shipped topic, which stays" in refused(refusal, TopicError, lambda: delete_topic("gender"))
    assert load_topic("gender")


def test_a_file_put_there_by_hand_has_the_name_of_its_file(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "by-hand.toml").write_text('name = "Other name"\nproduct = ["race", "gender-pronouns"]\n')
    topic = load_topic("by-hand")
    assert (topic.name, len(topic.groups)) == ("by-hand", 10)
    assert [topic.name for topic in list_topics()][-1] == "by-hand"


def test_a_damaged_topic_is_named_and_the_others_stay(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    save_topic(TOPIC)
    (folder / "broken.toml").write_bytes(b"groups = [")
    (folder / "endless.toml").symlink_to("/dev/zero")
    assert list_topics()[-1] == TOPIC
    broken, endless = left_out_topics()
    assert "broken.toml is not valid TOML" in broken.reason
    assert "it is not a file" in endless.reason
    mine = TOPIC.model_copy(update={"name": "broken"})
    assert "named broken" in refused(refusal, TopicError, lambda: save_topic(mine))
    delete_topic("broken")
    delete_topic("endless")
    assert left_out_topics() == ()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_leaves_what_was_there(
    code: int, folder: Path, refusal: Callable[[Exception], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_topic(TOPIC)

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    sentence = refused(refusal, StoreError, lambda: save_topic(OTHER, replace=True))
    assert os.strerror(code) in sentence
    assert "PCF_CACHE" in sentence
    assert load_topic("left-right") == TOPIC
    assert [path.name for path in folder.iterdir()] == ["left-right.toml"]


def test_a_folder_that_cannot_be_made_or_a_file_that_cannot_go(
    own_settings: Settings, refusal: Callable[[Exception], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_settings.cache.mkdir(parents=True)
    (own_settings.cache / "topics").write_text("a file where the folder should be")
    assert "cannot be saved" in refused(refusal, StoreError, lambda: save_topic(TOPIC))
    (own_settings.cache / "topics").unlink()
    save_topic(TOPIC)

    def fail(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", fail)
    assert "cannot be deleted" in refused(refusal, StoreError, lambda: delete_topic("left-right"))


def test_a_free_name_is_made_of_the_old_one(folder: Path) -> None:
    assert free_topic_name("gender") == "gender-own"
    save_topic(TOPIC.model_copy(update={"name": "gender-own"}))
    assert free_topic_name("gender") == free_topic_name("gender-own") == "gender-own-2"
    OWN.check_new_name(free_topic_name("a" * 64))


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


# ------------------------------------------------------------------------------------ files in and out


@pytest.mark.parametrize("topic", [TOPIC, OTHER, *list_topics()], ids=lambda topic: topic.name)
def test_what_is_downloaded_can_be_uploaded(topic: Topic) -> None:
    assert load_topic_upload([(f"{topic.name}.toml", topic_toml(topic).encode())]) == topic


TEXTS = st.text(max_size=12)
WORDS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=WORDS, second=WORDS, title=TEXTS, notes=TEXTS, source=TEXTS, reason=TEXTS)
def test_whatever_the_rules_accept_comes_back_from_its_file(
    first: list[str], second: list[str], title: str, notes: str, source: str, reason: str
) -> None:
    groups = [Group(name="one", words=tuple(first)), Group(name="two", words=tuple(second))]
    try:
        topic = make_topic(
            "made",
            groups,
            title=title,
            notes=notes,
            source=source,
            left_out=[LeftOut(name="word", reason=reason)],
        )
    except InputError:
        return
    assert load_topic_upload([("made.toml", topic_toml(topic).encode())]) == topic


def test_lists_of_words_make_a_topic_named_after_them(folder: Path) -> None:
    files = {"Male Words.txt": "\ufeffhe\r\n\r\n his \n".encode(), "female_words.TXT": b"she\nher\nhers"}
    topic = load_topic_upload(list(files.items()))
    assert [(group.name, group.words) for group in topic.groups] == [
        ("male-words", ("he", "his")),
        ("female-words", ("she", "her", "hers")),
    ]
    assert (topic.name, topic.title) == ("male-words-female-words", "Male Words and female_words")
    assert not folder.exists()


def test_json_and_csv_are_read_as_the_command_line_reads_them() -> None:
    groups = {"groups": [{"name": "a", "words": ["x"]}, {"name": "b", "words": ["y"]}]}
    assert load_topic_upload([("Meine Liste.json", json.dumps(groups).encode())]).name == "meine-liste"
    assert load_topic_upload([("own.csv", b"group,word\na,x\nb,y\n")]).group_names == ("a", "b")


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({}, "The upload has 0 files"),
        ({"liste.xlsx": b"PK"}, "save the topic as one"),
        ({"..": b""}, "save the topic as one"),
        ({"a.txt": b"x"}, "a text file for each of two or more groups"),
        ({"a.txt": b"x", "b.csv": b"y"}, "The upload has 2 files (a.txt and b.csv)"),
        ({"a.txt": b"x", "b.txt": b" \n"}, "the group b has no words"),
        ({"a.txt": b"x", "b.txt": b"X"}, "is in the groups a and b"),
        ({"a.txt": b"x", "A .txt": b"y"}, "two groups are called 'a'"),
        ({"a.txt": b"\xff", "b.txt": b"y"}, "a.txt is not UTF-8"),
        ({"own.toml": b"groups = 1"}, "own.toml: groups must be a list"),
        ({"own.csv": b"a,b\n1,2\n"}, "own.csv has the columns"),
    ],
)
def test_an_upload_that_cannot_be_used_is_one_sentence(
    files: dict[str, bytes], part: str, refusal: Callable[[Exception], str], folder: Path
) -> None:
    assert part in refused(refusal, TopicError, lambda: load_topic_upload(list(files.items())))
    assert not folder.exists()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


def test_two_files_of_one_name_are_no_two_groups(refusal: Callable[[Exception], str]) -> None:
    twice = [("a.txt", b"x"), ("a.txt", b"y")]
    assert "two groups are called 'a'" in refused(refusal, TopicError, lambda: load_topic_upload(twice))


def test_an_upload_without_room(monkeypatch: pytest.MonkeyPatch, refusal: Callable[[Exception], str]) -> None:
    def fail(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", fail)
    sentence = refused(refusal, StoreError, lambda: load_topic_upload([("own.toml", b"")]))
    assert "make room there" in sentence
