"""Hashes of files, and that a large file is read once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import Settings, settings
from pcf_core.models import folder as identity
from pcf_core.models.folder import model_hash, tokenizer_hash, weights_hash
from pcf_core.models.notes import noted


def test_one_file_is_its_sha256(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"abc")
    assert weights_hash([path]) == hashlib.sha256(b"abc").hexdigest()


def test_shards_in_any_order_and_changed_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.write_bytes(path.name.encode())
    before = weights_hash(paths)
    assert weights_hash(paths[::-1]) == before
    paths[0].write_bytes(b"longer")
    assert weights_hash(paths) != before
    assert tokenizer_hash(paths) != tokenizer_hash(paths[:1])


def test_a_model_is_its_weights_and_its_configuration(tmp_path: Path) -> None:
    weights, config = tmp_path / "model.safetensors", tmp_path / "config.json"
    weights.write_bytes(b"abc")
    config.write_bytes(b"{}")
    parts = hashlib.sha256(b"abc").hexdigest().encode() + b"{}"
    assert model_hash([weights], config) == hashlib.sha256(parts).hexdigest()


def test_a_large_file_is_read_once_over_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**26)
    expected = hashlib.sha256(bytes(2**26)).hexdigest()
    assert weights_hash([path]) == expected
    assert list(json.loads((settings().cache / "weights.json").read_text()).values()) == [expected]
    identity._remembered.cache_clear()  # another process

    def never(path: str) -> str:
        raise AssertionError(path)

    monkeypatch.setattr(identity, "_read_hash", never)
    assert weights_hash([path]) == expected


@pytest.mark.parametrize("size", [2**10, 2**26])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_of_the_same_size_and_time_is_another(tmp_path: Path, size: int, replaced: bool) -> None:
    """As unpacking and ``cp --preserve`` leave them, written over or put in its place."""
    path = tmp_path / "weights"
    with path.open("wb") as file:
        file.truncate(size)
    before, state = weights_hash([path]), path.stat()
    other = tmp_path / "other" if replaced else path
    with other.open("r+b" if not replaced else "wb") as file:
        file.truncate(size)
        file.write(b"other")
    os.utime(other, ns=(state.st_atime_ns, state.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (size, state.st_mtime_ns)
    assert weights_hash([path]) != before


@pytest.fixture
def hurried() -> Iterator[None]:
    """A page's process, which does not wait for large files."""
    identity.wait_for_hashes(0.05)
    yield
    identity._patience.clear()
    identity._hashing.clear()


@pytest.mark.usefixtures("hurried")
def test_a_page_does_not_wait_for_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        with path.open("wb") as file:
            file.truncate(2**26)
    go_on, read = threading.Event(), identity._read_hash

    def slowly(path: str, until: float) -> str:
        assert go_on.wait(10)
        return read(path, until)

    monkeypatch.setattr(identity, "_read_hash", slowly)
    for path in paths:
        with pytest.raises(ModelError, match=r"\(0\.1 GB\) is being read for the first time"):
            weights_hash([path])
    go_on.set()
    for waiting in tuple(identity._hashing.values()):
        waiting.result(10)
    expected = hashlib.sha256(bytes(2**26)).hexdigest()
    assert {weights_hash([path]) for path in paths} == {expected}
    assert len(json.loads((settings().cache / "weights.json").read_text())) == 2


@pytest.mark.usefixtures("hurried")
def test_a_file_that_never_ends_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.truncate(2**26)
    monkeypatch.setattr(identity, "LONGEST_READING", -1.0)
    with pytest.raises(ModelError, match=r"is not read to its end within .* minutes: copy it"):
        patiently(path)


@pytest.mark.usefixtures("hurried")
def test_a_file_that_cannot_be_read_now_may_be_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "away"
    with path.open("wb") as file:
        file.truncate(2**26)
    read = identity._read_hash
    monkeypatch.setattr(identity, "_read_hash", raising(OSError("stale file handle")))
    with pytest.raises(OSError, match="stale"):
        patiently(path)
    monkeypatch.setattr(identity, "_read_hash", read)
    assert patiently(path) == hashlib.sha256(bytes(2**26)).hexdigest()


def patiently(path: Path) -> str:
    """Ask for a hash again until it is no longer being read."""
    for _ in range(100):
        try:
            return weights_hash([path])
        except ModelError as error:
            if "first time" not in str(error):
                raise
            time.sleep(0.1)
    raise AssertionError("it is read without end")


def raising(error: Exception) -> Callable[..., str]:
    def fail(*_: object) -> str:
        raise error

    return fail


@pytest.mark.parametrize("text", ["{", "[]"])
def test_damaged_notes_are_written_anew(text: str, tmp_path: Path) -> None:
    settings().cache.mkdir(parents=True)
    (settings().cache / "weights.json").write_text(text)
    path = tmp_path / "other"
    with path.open("wb") as file:
        file.truncate(2**26 + len(text))
    assert len(weights_hash([path])) == 64
    assert len(json.loads((settings().cache / "weights.json").read_text())) == 1


def a_file_in_its_place(cache: Path) -> None:
    cache.write_text("")


def notes_that_are_no_text(cache: Path) -> None:
    cache.mkdir()
    (cache / "weights.json").write_bytes(b"\xff")


def notes_that_are_a_folder(cache: Path) -> None:
    (cache / "weights.json").mkdir(parents=True)


def notes_too_deep_to_read(cache: Path) -> None:
    cache.mkdir()
    (cache / "weights.json").write_text("[" * 100_000)


@pytest.mark.parametrize(
    "spoil", [a_file_in_its_place, notes_that_are_no_text, notes_that_are_a_folder, notes_too_deep_to_read]
)
def test_remembering_is_not_needed(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    spoil(settings().cache)
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**26)
    assert weights_hash([path]) == hashlib.sha256(bytes(2**26)).hexdigest()


# Notes in the cache folder of what is slow to find out.


class Finder:
    """Finds this text, and counts how often it was asked to."""

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, 0

    def __call__(self) -> str:
        self.asked += 1
        return self.text


@pytest.fixture
def notes(own_settings: Settings) -> Path:
    return own_settings.cache / "notes.json"


def test_each_entry_is_found_out_once(notes: Path) -> None:
    one, other = Finder("12"), Finder("34")
    for _ in range(2):
        assert noted(notes.name, "one", r"\d+", one) == "12"
        assert noted(notes.name, "other", r"\d+", other) == "34"
    assert (one.asked, other.asked) == (1, 1)
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
    assert [path.name for path in notes.parent.glob("notes.json*")] == [notes.name]


def test_what_is_found_in_another_form_is_returned_and_not_noted(notes: Path) -> None:
    find = Finder("no")
    assert [noted(notes.name, "one", "yes", find) for _ in range(2)] == ["no"] * 2
    assert find.asked == 2
    assert not notes.exists()


@pytest.mark.parametrize("held", ["twelve", 12, None, ["12"], "12 "])
def test_a_note_of_another_form_is_damaged(notes: Path, held: object) -> None:
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text(json.dumps({"one": held, "other": "34"}))
    find = Finder("12")
    assert [noted(notes.name, "one", r"\d+", find) for _ in range(2)] == ["12"] * 2
    assert find.asked == 1
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
