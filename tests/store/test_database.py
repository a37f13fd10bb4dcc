"""One SQLite file for several threads and processes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from pcf_core.core.errors import DamagedCatalogueError, StoreError
from pcf_core.store.database import FILE_NAME, SCHEMA_VERSION, Database, open_database


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
    with first.transaction(), pytest.raises(StoreError, match="being used by other processes"):
        open_database(tmp_path / FILE_NAME)


TABLE = ["CREATE TABLE things (name TEXT)", "INSERT INTO things (name) VALUES ('new')"]


def things(database: Database) -> list[str]:
    return [row["name"] for row in database.execute("SELECT name FROM things ORDER BY name")]


def test_tables_are_created_once(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    threads = [
        threading.Thread(target=lambda: open_database(path).create_tables("things", TABLE)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert things(open_database(path)) == ["new"]


def test_a_statement_that_fails_creates_nothing(database: Database) -> None:
    path = database._path.with_name("other.sqlite")
    other = open_database(path)
    with pytest.raises(StoreError):
        other.create_tables("things", [*TABLE, "NO STATEMENT"])
    again = open_database(path)
    again.create_tables("things", TABLE)
    assert things(again) == ["new"]


def test_a_file_of_another_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    database = open_database(path)
    database.create_tables("things", TABLE)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    for table in ("things", "others"):
        with pytest.raises(
            StoreError, match=r"written by another version .* PCF_CACHE .* or delete the file"
        ):
            open_database(path).create_tables(table, TABLE)
    assert things(database) == ["new"]
    assert database.current


def test_what_can_be_read_of_a_damaged_file_is_salvaged(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    database = open_database(path)
    assert list(database.salvaged(["SELECT name FROM things"])) == []
    database.create_tables("things", TABLE)
    with pytest.raises(
        DamagedCatalogueError, match=r"was damaged \(for a test\)\. It was saved as .*\.damaged"
    ):
        database.give_up("for a test")
    assert not database.current
    names = [
        row["name"]
        for row in open_database(path).salvaged(["SELECT * FROM nothing", "SELECT name FROM things"])
    ]
    assert names == ["new"]
