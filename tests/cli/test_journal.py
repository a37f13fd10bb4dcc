"""``journal``: what commands did, as JSON, lines and CSV; and what was altered ends with 1."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from pcf_core.core.settings import settings
from pcf_core.store.journal import FILE_NAME, Journal
from pcf_core.store.store import Store
from pcf_core.work.people import Person
from pcf_core.work.queue import Queue
from tests.command_line import SCHEMAS, run_here


def deeds() -> list[tuple[str, str, str]]:
    entries = Journal(settings().cache).read().entries
    return [(entry.who.partition(":")[0], entry.did, entry.what) for entry in entries]


def test_commands_are_recorded(full_store: Store, tmp_path: Path) -> None:
    key = full_store.own_runs()[0].run.key
    assert run_here("export", key, "--out", str(tmp_path / "cells.csv")).returncode == 0
    pack = str(tmp_path / "runs.pcfpack")
    assert run_here("export", key, "--format", "pack", "--out", pack).returncode == 0
    assert run_here("import", pack).returncode == 0
    assert run_here("score", "--model", "mini-t5", "--queue").returncode == 0
    assert deeds() == [
        ("terminal", "exported", "run"),
        ("terminal", "exported", "pack"),
        ("terminal", "imported", "pack"),
        ("terminal", "queued", "score"),
    ]


def test_the_queue_records_who_asked_and_only_what_changed_something(
    own_settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PCF_AUDITORS", "ann@example.org")
    settings.cache_clear()
    queue = Queue.open(settings().catalogue)
    ann = queue.acting_for(Person(address="Ann@example.org"))
    job = ann.submit("score", "a", {}, models=["mini-gpt"])
    ann.submit("score", "a", {})  # joins
    ann.submit("words", "b", {}, priority=1)  # a question
    queue.cancel(job.id)
    queue.cancel(job.id)  # is cancelled already
    ann.retry(job.id)
    assert deeds() == [
        ("ann@example.org", "queued", "score"),
        ("terminal", "cancelled", "score"),
        ("ann@example.org", "queued again", "score"),
    ]
    first = Journal(settings().cache).read().entries[0]
    assert first.name == f"job {job.id}, a mini-gpt"


def test_what_cannot_be_recorded_is_not_queued(own_settings: object) -> None:
    queue = Queue.open(settings().catalogue)
    (settings().cache / FILE_NAME).mkdir()
    with pytest.raises(Exception, match="cannot be"):
        queue.submit("score", "a", {})
    assert queue.list() == ()


def test_the_document_follows_its_schema_and_the_table_is_it(own_settings: object, tmp_path: Path) -> None:
    journal = Journal(settings().cache)
    settings().cache.mkdir(parents=True, exist_ok=True)
    journal.add("ann", "changed", "topic", "pets")
    journal.add("=cmd()", "deleted", "run", "0123456789abcdef")
    done = run_here("journal", "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMAS["journal"])
    assert done.returncode == 0
    assert [entry["did"] for entry in document["entries"]] == ["changed", "deleted"]
    out = tmp_path / "journal.csv"
    assert run_here("journal", "--out", str(out)).returncode == 0
    rows = list(csv.DictReader(out.read_text(encoding="utf8").splitlines()))
    assert [row["number"] for row in rows] == ["2", "1"]
    assert rows[0]["who"] == "'=cmd()", "no cell is a formula"


def test_a_journal_that_was_altered_ends_with_1(own_settings: object) -> None:
    settings().cache.mkdir(parents=True, exist_ok=True)
    journal = Journal(settings().cache)
    for name in ("a", "b"):
        journal.add("ann", "changed", "topic", name)
    journal.path.write_bytes(journal.path.read_bytes().replace(b'"ann"', b'"bob"', 1))
    done = run_here("journal", "--json")
    assert done.returncode == 1
    assert "was changed after it was written. Entry 2" in done.stderr
    assert json.loads(done.stdout)["whole"] is False


def test_an_empty_journal_is_no_error(own_settings: object) -> None:
    done = run_here("journal", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["entries"] == []
