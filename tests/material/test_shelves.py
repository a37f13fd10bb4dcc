"""Finding files: shipped ones, the user's own, and names that no file has."""

import os
from pathlib import Path

import pytest

from pcf_core.core.errors import TopicError
from pcf_core.core.settings import settings
from pcf_core.material.shelves import MOST_NAMED, Shelf, name_of
from pcf_core.material.topics import load_topic
from tests.material.refusing import refused

SHELF = Shelf("topic", "topics", (".toml",), (".toml",), TopicError)


def test_a_shipped_name_goes_before_a_file(assets, monkeypatch):
    monkeypatch.chdir(assets)
    Path("gender").write_text("not a topic")
    assert SHELF.find("gender") == assets / "topics" / "gender.toml"
    assert SHELF.is_shipped(SHELF.find("gender"))


def test_a_path_is_taken_as_it_is(tmp_path):
    own = tmp_path / "Own.TOML"
    own.touch()
    assert SHELF.find(own) == SHELF.find(str(own)) == own
    assert not SHELF.is_shipped(own)


def test_the_users_own_come_after_the_shipped_and_never_before_them(assets, monkeypatch, tmp_path):
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    settings.cache_clear()
    own = tmp_path / "cache" / "topics"
    own.mkdir(parents=True)
    for name in ("gender.toml", "a.toml", "Unsafe name.toml", "b.toml.tmp"):
        (own / name).touch()
    shelf = Shelf("topic", "topics", (".toml",), (".toml",), TopicError, keeps_own=True)
    assert shelf.names() == (*SHELF.names(), "a")
    assert shelf.find("a") == own / "a.toml"
    assert shelf.find("gender") == assets / "topics" / "gender.toml"
    assert not shelf.is_shipped(shelf.find("a"))
    assert "a" not in SHELF.names()


def test_a_sentence_does_not_list_a_hundred_names(assets, refusal):
    shipped = len(SHELF.names())
    for number in range(100):
        (assets / "topics" / f"topic-{number}.toml").touch()
    assert f"and {shipped + 100 - MOST_NAMED} more" in refused(refusal, TopicError, SHELF.find, "gendre")


@pytest.mark.parametrize(
    "name", ["gendre", "", ".", "../topics", "a\x00.toml", "a" * 5000 + ".toml", "\ud800.toml"]
)
def test_an_unknown_name_lists_what_exists(name, refusal):
    sentence = refused(refusal, TopicError, SHELF.find, name)
    assert "use age, disability, disability-papers, gender" in sentence
    assert ".toml" in sentence


def test_a_folder_or_another_ending_is_refused(tmp_path, refusal):
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "topic.yaml").touch()
    refused(refusal, TopicError, SHELF.find, tmp_path / "folder.toml")
    refused(refusal, TopicError, SHELF.find, tmp_path / "topic.yaml")


@pytest.mark.parametrize(
    ("file", "name"),
    [("Meine Liste.csv", "meine-liste"), ("été.csv", "ete"), ("--.csv", "own"), ("职业.csv", "own")],
)
def test_names_made_from_file_names_are_safe(file, name):
    assert name_of(Path(file)) == name


def test_what_a_shipped_name_hides_is_named_with_the_way_out(assets, monkeypatch, tmp_path):
    monkeypatch.setenv("PCF_CACHE", str(tmp_path / "cache"))
    settings.cache_clear()
    own = tmp_path / "cache" / "topics"
    own.mkdir(parents=True)
    (own / "mine.toml").touch()
    shelf = Shelf("topic", "topics", (".toml",), (".toml",), TopicError, keeps_own=True)
    assert shelf.hidden() == ()
    (assets / "topics" / "mine.toml").touch()  # a later version
    (hidden,) = shelf.hidden()
    assert hidden.name == "mine"
    assert f"rename its file {own / 'mine.toml'}" in hidden.reason
    assert SHELF.hidden() == ()


def test_a_shipped_list_is_read_once_and_anew_when_its_file_changes(assets):
    file, first = assets / "topics" / "gender.toml", load_topic("gender")
    assert load_topic("gender") is first
    file.write_text(file.read_text().replace('"brother"', '"chap"'))
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    assert "chap" in load_topic("gender").groups[0].words
