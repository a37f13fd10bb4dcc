"""Bytes on disk: whole or not at all, sealed, told in a sentence."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.results import recomputed_result
from pcf_core.core.errors import AuditError, StoreError
from pcf_core.core.files import read_file
from pcf_core.core.settings import Settings
from pcf_core.store.files import as_store_error, seal, sentence, set_aside, unseal, write_whole
from pcf_core.store.journal import Journal
from pcf_core.store.store import Store
from pcf_core.work.launch import logging_to

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
BODY = st.dictionaries(st.text(max_size=8).filter(lambda name: name != "checksum"), JSON, max_size=4)


@given(BODY)
def test_what_is_sealed_comes_back(body: dict[str, object]) -> None:
    assert unseal(seal(body)) == body


def test_the_seal_is_the_checksum_of_the_rest() -> None:
    """Second opinion: the standard library alone."""
    sealed = json.loads(seal({"b": [1, 2.5], "a": "ä"}))
    checksum = sealed.pop("checksum")
    assert checksum == hashlib.sha256(json.dumps(sealed, ensure_ascii=False).encode()).hexdigest()
    assert list(sealed) == ["b", "a"]


@given(BODY, st.data())
def test_one_changed_byte_breaks_the_seal(body: dict[str, object], data: st.DataObject) -> None:
    sealed = bytearray(seal(body))
    place = data.draw(st.integers(0, len(sealed) - 1))
    sealed[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError):  # noqa: PT011  (JSON and UTF-8 errors are ValueErrors as well)
        unseal(bytes(sealed))


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b'{"checksum": ""}', b"\xff"])
def test_what_was_never_sealed_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        unseal(data)


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_whole(path, b"first")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == ["file"]  # noqa: PTH208


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os if step == "fsync" else Path, step, full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_draft_that_a_killed_process_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file.tmp").write_bytes(b"half a dr")
    write_whole(tmp_path / "file", b"whole")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"whole")]


def test_set_aside_keeps_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"broken")
    set_aside(tmp_path / "a.json")
    assert (tmp_path / "a.json.damaged").read_bytes() == b"broken"
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "is full: free some space"),
        (errno.EDQUOT, "is full: free some space"),
        (errno.EROFS, "cannot be written: make it writable"),
        (errno.EACCES, "cannot be written: make it writable"),
        (errno.EIO, "cannot be used"),
    ],
)
def test_an_operating_system_error_is_one_sentence(number: int, says: str) -> None:
    with pytest.raises(StoreError, match=says) as caught, as_store_error(Path("/data/cache")):
        raise OSError(number, os.strerror(number))
    assert "/data/cache" in str(caught.value)
    assert str(caught.value).endswith(".")


def test_sqlite_errors_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, " * 100)
    with pytest.raises(StoreError, match="is damaged: delete it"), as_store_error(tmp_path):
        sqlite3.connect(tmp_path / "text").execute("SELECT * FROM sqlite_master")
    full = sqlite3.connect(":memory:")
    full.execute("PRAGMA max_page_count = 2")
    with pytest.raises(StoreError, match="is full"), as_store_error(tmp_path):
        full.execute("CREATE TABLE a AS SELECT zeroblob(100000)")
    assert "cannot be used" in sentence(sqlite3.ProgrammingError("odd"), tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_an_endless_device_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "there"
    lay(path, kind)
    with pytest.raises(OSError, match="it is a pipe or a device, not a file"):
        read_file(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_nothing_waits_for_a_pipe_in_the_cache_or_reads_a_device_to_its_end(
    full_store: Store, own_settings: Settings, kind: str
) -> None:
    """Each file of the cache in turn: what reads it gives its answer without it, or one sentence."""
    cache, run = own_settings.cache, full_store.runs()[0].run
    Journal(cache).add("", "changed", "topic", "x")
    for extra in ("endpoints.json", "worker.log", "conversions.json"):
        (cache / extra).touch()
    found = sorted(path for path in cache.rglob("*") if path.is_file())
    assert {"runs", "results", "scores"} <= {path.relative_to(cache).parts[0] for path in found}
    for path in found:
        if path.name.startswith("catalogue.sqlite"):  # SQLite's own
            continue
        kept = path.read_bytes()
        path.unlink()
        lay(path, kind)
        store = Store.open(cache)
        for read in (
            store.runs,
            lambda store=store: store.gather(run.scoring, run.prompts[:3], ("he",)),
            lambda store=store: [store.load_result(run.key, file.stem) for file in found],
            lambda: Journal(cache).read(),
            lambda: Journal(cache).add("", "changed", "topic", "y"),
            lambda store=store: recomputed_result(store, run),
        ):
            with suppress(AuditError):
                read()
        with logging_to(own_settings):
            logging.getLogger("pcf_core").warning("not waited for")
        path.unlink(missing_ok=True)
        path.write_bytes(kept)


def lay(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
