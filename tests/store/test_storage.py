"""Where shards lie: a folder and object storage answer alike, and say what is wrong in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import fsspec
import pytest

from pcf_core.core.errors import SettingsError, StoreError
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import ROOT
from pcf_core.store.storage import Folder, ObjectStorage, Storage, UnreachableError, storage_of
from pcf_core.store.store import Store


def test_files_come_back_and_the_first_one_stays(place: Storage) -> None:
    folder = place / "key"
    assert (folder.name, place.folders(), folder.stems(".json")) == ("key", [], [])
    assert (folder.read("a.json"), folder.stamp("a.json")) == (None, None)
    assert folder.create("a.json", b"first")
    assert not folder.create("a.json", b"second")
    assert folder.read("a.json") == b"first"
    before = folder.stamp("a.json")
    assert before == folder.stamp("a.json")
    folder.replace("a.json", b"third")
    assert folder.read("a.json") == b"third"
    assert folder.stamp("a.json") != before
    folder.create("b.json", b"")
    folder.create("b.parquet", b"")
    assert (place.folders(), folder.stems(".json")) == (["key"], ["a", "b"])
    folder.set_aside("a.json")
    assert (folder.stems(".json"), folder.read("a.json")) == (["b"], None)
    assert folder.read("a.json.damaged") == b"third"


def test_a_second_look_sees_what_another_machine_wrote(root: Path, scores: str) -> None:
    ours, theirs = storage_of(root, scores) / "key", storage_of(root, scores) / "key"
    assert ours.stems(".json") == []
    theirs.create("a.json", b"data")
    assert ours.stems(".json") == ["a"]
    assert ours.read("a.json") == b"data"


def test_the_setting_says_where(tmp_path: Path) -> None:
    kept = storage_of(tmp_path)
    assert isinstance(kept, Folder)
    assert (kept.path, kept.shared) == (tmp_path / "scores", False)
    for given in (f"{tmp_path}/shared", f"file://{tmp_path}/shared", f"local://{tmp_path}/shared"):
        shared = storage_of(tmp_path, given)
        assert isinstance(shared, Folder)
        assert (shared.path, shared.shared) == (tmp_path / "shared", True)
    assert isinstance(storage_of(tmp_path, "memory://bucket/prefix"), ObjectStorage)


@pytest.mark.parametrize("url", ["nonsense://bucket/prefix", "s3://bucket/prefix"])
def test_a_url_of_an_unknown_kind_is_refused(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(SettingsError, match=r"PCF_SCORES is a URL of .* here .*: install"):
        Store.open(tmp_path, (), url)


def test_drafts_in_a_shared_folder_are_each_machines_own(tmp_path: Path) -> None:
    """Two writers of one file never write into the same draft; in the cache a fixed name is cleared up."""
    assert storage_of(tmp_path)._draft() == ".tmp"
    assert str(os.getpid()) in storage_of(tmp_path, str(tmp_path))._draft()


def test_many_processes_create_one_file_and_one_of_them_wins(tmp_path: Path) -> None:
    """Each writes its own bytes a hundred times: every name belongs to one of them, whole."""
    code = (
        "import sys; from pathlib import Path; from pcf_core.store.storage import storage_of\n"
        f"place = storage_of(Path({str(tmp_path)!r}), {str(tmp_path / 'shared')!r})\n"
        "won = [n for n in range(100) if place.create(str(n), sys.argv[1].encode() * 5000)]\n"
        "print(len(won))"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    writers = [
        subprocess.Popen([*command, letter], cwd=ROOT, stdout=subprocess.PIPE, text=True) for letter in "abc"
    ]
    won = [int(writer.communicate(timeout=100)[0]) for writer in writers]
    assert sum(won) == 100
    found = [path.read_text() for path in (tmp_path / "shared").iterdir()]
    assert len(found) == 100
    assert [sum(text == letter * 5000 for text in found) for letter in "abc"] == won


def test_without_hard_links_files_are_still_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    place = storage_of(tmp_path, str(tmp_path / "shared"))
    assert place.create("a", b"data")
    assert not place.create("a", b"other")
    assert place.read("a") == b"data"


class Away(Exception):
    """What a library behind fsspec may raise."""


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Object storage that does not answer."""

    def refuse(*_: Any, **__: Any) -> None:
        raise Away("no route to\nftp://user:secret@host/prefix")

    system = fsspec.filesystem("memory")
    for name in ("ls", "ukey", "cat_file", "pipe_file", "mv"):
        monkeypatch.setattr(type(system), name, refuse)
    return monkeypatch


def test_storage_that_does_not_answer_is_one_sentence_without_the_password(away: pytest.MonkeyPatch) -> None:
    place = ObjectStorage(fsspec.filesystem("memory"), "/prefix", "ftp://user:secret@host/prefix")
    for ask in (
        place.folders,
        lambda: place.stems(".json"),
        lambda: place.stamp("a"),
        lambda: place.read("a"),
        lambda: place.create("a", b""),
        lambda: place.replace("a", b""),
        lambda: place.set_aside("a"),
    ):
        with pytest.raises(
            UnreachableError, match=r"The scores at ftp://host/prefix cannot be used \(Away"
        ) as e:
            ask()
        assert "secret" not in str(e.value)
        assert "\n" not in str(e.value)


def test_nothing_is_called_missing_because_the_storage_is_away(
    tmp_path: Path, key: ScoringKey, away: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path / "cache", (), f"memory:/{tmp_path}")
    with pytest.raises(StoreError, match="check PCF_SCORES, its credentials and the network"):
        store.missing(key, ["They are [Y]"], ["he"])
    assert store.warnings() == ()


def test_a_full_shared_folder_names_its_own_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"The cache at .*shared is full: free some space or set PCF_SCORES"):
        (storage_of(tmp_path, str(tmp_path / "shared")) / "key").create("a", b"data")
