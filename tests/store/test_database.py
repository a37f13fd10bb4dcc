"""One SQLite file for several threads and processes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from pcf_core.core.errors import DamagedCatalogueError, StoreError
from pcf_core.store.database import FILE_NAME, Database, KeptTwice, open_database


def count(database: Database) -> int:
    return int(database.execute("SELECT count(*) FROM numbers")[0][0])


@pytest.fixture
def database(tmp_path: Path) -> Database:
    opened = open_database(tmp_path / FILE_NAME)
    opened.execute("CREATE TABLE numbers (value INTEGER)")
    return opened


def add_and_fail(database: Database) -> None:
    with database.transaction():
        with database.transaction():
            database.execute("INSERT INTO numbers VALUES (1)")
        raise KeyError


def test_a_transaction_is_all_or_nothing_and_holds_those_inside_it(database: Database) -> None:
    with pytest.raises(KeyError):
        add_and_fail(database)
    assert count(database) == 0
    with database.transaction():
        database.execute_many("INSERT INTO numbers VALUES (?)", [(1,), (2,)])
    assert count(database) == 2


def test_a_snapshot_neither_waits_for_a_writer_nor_sees_it(tmp_path: Path, database: Database) -> None:
    other = open_database(tmp_path / FILE_NAME)
    with database.snapshot():
        assert count(database) == 0
        other.execute("INSERT INTO numbers VALUES (1)")
        assert count(database) == 0
    assert count(database) == 1
    with other.transaction():
        other.execute("INSERT INTO numbers VALUES (2)")
        with database.snapshot():
            assert count(database) == 1


def test_threads_take_turns(database: Database) -> None:
    def add() -> None:
        for _ in range(50):
            with database.transaction():
                value = count(database)
                database.execute("INSERT INTO numbers VALUES (?)", (value,))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = [row["value"] for row in database.execute("SELECT value FROM numbers ORDER BY value")]
    assert values == list(range(200))


def open_and_add(path: Path, ready: threading.Barrier) -> None:
    ready.wait()
    database = open_database(path)
    database.execute("CREATE TABLE IF NOT EXISTS numbers (value INTEGER)")
    for value in range(20):
        with database.transaction():
            database.execute("INSERT INTO numbers VALUES (?)", (value,))


def test_processes_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    """Changing to WAL needs the file for oneself: the late ones wait, none fails."""
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(4)
    path = tmp_path / "new" / FILE_NAME
    processes = [context.Process(target=open_and_add, args=(path, ready)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert count(open_database(path)) == 80


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"once a database, now something else " * 200)
    database = open_database(path)
    database.must_last()
    database.execute("CREATE TABLE numbers (value INTEGER)")
    assert (tmp_path / f"{FILE_NAME}.damaged").exists()


def test_in_a_read_only_folder_it_lives_in_memory(as_reader: Path) -> None:
    as_reader.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
    database = open_database(as_reader / FILE_NAME)
    database.execute("CREATE TABLE numbers (value INTEGER)")
    assert count(database) == 0
    with pytest.raises(StoreError, match="cannot be written"):
        database.must_last()
    assert list(as_reader.iterdir()) == []


def test_a_held_file_is_busy_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = open_database(tmp_path / FILE_NAME)
    monkeypatch.setattr("pcf_core.store.database.BUSY_SECONDS", 0.05)
    with first.transaction(), pytest.raises(StoreError, match="busy with other processes"):
        open_database(tmp_path / FILE_NAME)


STEPS = (
    ["CREATE TABLE IF NOT EXISTS things (name TEXT)"],
    [
        "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 1",
        "INSERT INTO things (name) VALUES ('new')",
    ],
)


def things(database: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for row in database.execute("SELECT * FROM things ORDER BY name")]


def test_tables_are_brought_up_step_by_step_and_once(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    old = open_database(path)
    old.bring_up("things", STEPS[:1])
    old.execute("INSERT INTO things VALUES ('kept')")
    for _ in range(2):
        open_database(path).bring_up("things", STEPS)
        assert things(open_database(path)) == [("kept", 1), ("new", 1)]


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / FILE_NAME)
    database.bring_up("things", STEPS[:1])
    with pytest.raises(StoreError):
        database.bring_up("things", [*STEPS, ["NO STATEMENT"]])
    assert things(database) == []
    database.bring_up("things", STEPS)
    assert things(database) == [("new", 1)]


def test_several_apps_that_open_an_old_file_at_once_bring_it_up_once(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    open_database(path).bring_up("things", STEPS[:1])
    threads = [
        threading.Thread(target=lambda: open_database(path).bring_up("things", STEPS)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert things(open_database(path)) == [("new", 1)]


@pytest.mark.parametrize(
    "change",
    ["UPDATE versions SET version = 'two'", "DELETE FROM versions"],
    ids=["no number", "columns without their version"],
)
def test_a_file_whose_tables_are_not_of_the_version_that_it_says_is_set_aside(
    tmp_path: Path, change: str
) -> None:
    database = open_database(tmp_path / FILE_NAME)
    database.bring_up("things", STEPS)
    database.execute(change)
    with pytest.raises(DamagedCatalogueError, match=r"was damaged \(.*\): it is kept as .*\.damaged"):
        database.bring_up("things", STEPS)
    assert not database.current
    assert (tmp_path / f"{FILE_NAME}.damaged").exists()
    again = open_database(tmp_path / FILE_NAME)
    again.bring_up("things", STEPS)
    assert things(again) == [("new", 1)]


def test_a_copy_holds_no_digits_that_another_version_of_sqlite_writes_otherwise(tmp_path: Path) -> None:
    kept = KeptTwice("beats", ("owner", "seen"))
    database = open_database(tmp_path / "beats.sqlite")
    database.execute("CREATE TABLE beats (owner TEXT, seen REAL)")
    for step in kept.steps:
        database.execute(step)
    database.execute("INSERT INTO beats (owner, seen) VALUES ('a', ?)", (1764000000.1234567,))
    assert database.execute("SELECT copy FROM beats")[0]["copy"] == '["a",1764000000123457]'
    assert database.checked(f"SELECT {kept.whole} AS whole FROM beats")[0]["whole"] == 1
