"""A cache of the version before files said their version: `previous/` was written by that program.

Its database is kept as SQL; `catalogue.sql` holds a job that is done, one cancelled, two that wait, and one
whose worker is gone.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest

from pcf_core.audit.preferences import missing_blocks
from pcf_core.audit.results import load_result
from pcf_core.core.errors import ModelError, StoreError
from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from pcf_core.work.queue import VERSIONS, Queue

PREVIOUS = Path(__file__).with_name("previous")
RUN = "c661c0622af57bbe"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The previous cache, as it lay on the disk."""
    folder = shutil.copytree(PREVIOUS, tmp_path / "cache")
    database = sqlite3.connect(folder / "catalogue.sqlite")
    database.executescript((folder / "catalogue.sql").read_text(encoding="utf8"))
    database.close()
    (folder / "catalogue.sql").unlink()
    return folder


def test_its_queue_goes_on(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue.open(cache / "catalogue.sqlite")
    states = {job.id: (job.kind, job.state, job.submitter) for job in queue.list()}
    assert states == {
        1: ("score", "done", ""),
        2: ("words", "cancelled", ""),
        3: ("score", "queued", ""),
        4: ("mine", "running", ""),
        5: ("words", "queued", ""),
    }
    assert queue.get(1).result == {"run": RUN, "cells": 4, "scored": 4}
    queue.requeue_dead()
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 31)  # its worker is not heard of
    queue.requeue_dead()
    assert queue.get(4).state == "queued"
    assert [queue.claim("here:1:1").id for _ in range(3)] == [5, 3, 4]  # type: ignore[union-attr]
    assert queue.submit("score", "another", {}).id == 6
    queue.close()
    assert len(Queue.open(cache / "catalogue.sqlite").list()) == 6, "opened again, it is of this version"


def test_its_jobs_are_taken_up_again_within_the_limits(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they ask of which model was not written down then: it is in what they carry."""
    queue = Queue.open(cache / "catalogue.sqlite")
    queue.cancel(3)
    monkeypatch.setenv("PCF_ALLOWED_MODELS", "another")
    settings.cache_clear()
    with pytest.raises(ModelError, match="mini-gpt may not be asked here"):
        queue.retry(2)
    assert queue.retry(3).state == "queued", "it names no model"
    monkeypatch.undo()
    settings.cache_clear()
    assert queue.retry(2).state == "queued"


def test_its_scores_are_read_and_nothing_is_scored_again(cache: Path) -> None:
    store = Store.open(cache)
    run = store.load_run(RUN)
    assert list(missing_blocks(store, run)) == []
    kept = load_result(store, run)
    shutil.rmtree(cache / "results")
    again = load_result(Store.open(cache), run)
    np.testing.assert_array_equal(kept.preferences.values, again.preferences.values)
    assert kept.preferences.values.shape == (2, 2, 2)
    np.testing.assert_allclose(kept.preferences.values.sum(axis=-1), 1)


def test_the_program_of_before_goes_on_with_the_file(cache: Path) -> None:
    """Its own statements, on a file that this one has opened: an upgrade can be taken back."""
    Queue.open(cache / "catalogue.sqlite").close()
    database = sqlite3.connect(cache / "catalogue.sqlite")
    row = database.execute(
        "INSERT INTO jobs (kind, key, priority, payload, total, created, updated) "
        "VALUES ('score', 'old', 0, '{}', 7, 1.0, 1.0) RETURNING submitter, deaths"
    ).fetchone()
    database.commit()
    database.close()
    assert row == ("", 0)
    assert Queue.open(cache / "catalogue.sqlite").newest("score", "old") is not None


def test_a_file_of_a_later_version_is_left_alone(cache: Path) -> None:
    path = cache / "catalogue.sqlite"
    Queue.open(path).close()
    database = sqlite3.connect(path)
    database.execute("UPDATE versions SET version = 99 WHERE part = 'jobs'")
    database.commit()
    before = list(database.iterdump())
    with pytest.raises(
        StoreError, match=f"later version .* version 99, this program knows {len(VERSIONS)}.*PCF_CACHE"
    ):
        Queue.open(path)
    assert list(database.iterdump()) == before
    database.close()
