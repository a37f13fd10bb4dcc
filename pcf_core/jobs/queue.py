"""The job queue: tables in the catalogue's database, shared by apps and workers.

    submit → queued → claim → running → finish → done
                 ↑                  ├→ fail → failed      ─┐
                 │                  └→ cancel → cancelled ─┤ retry
                 └── release (shutdown, dead owner) ───────┘

What a person may do is asked here again, whatever the pages showed: see :mod:`pcf_core.jobs.people`.  A job
whose workers die again and again without getting any further fails, so that it does not take down them all.

Clocks.  Wall time is shown (``created``, ``started``, ``updated``) and decides one thing: whether a worker on
*another* host, whose process cannot be looked up, is called alive, so that no further one is started.  Claims
go by priority and number, heartbeats on this host and rates by the monotonic clock; and whoever takes a job
from a silent worker of another host has waited for its next beat by a monotonic clock of its own.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any

from pcf_core.errors import RunError
from pcf_core.jobs.job import Job, WorkerInfo, job_of
from pcf_core.jobs.people import TERMINAL, Person, check_asked, check_may_ask, check_room
from pcf_core.jobs.processes import is_here, is_running
from pcf_core.settings import settings
from pcf_core.store.database import Database, open_database

DEAD_SECONDS = 30.0
MOST_DEATHS = 3  # workers that may die at a job before it fails, unless it gets further meanwhile
DEADLY = (
    f"{MOST_DEATHS} workers died while they were at it, and it got no further: often the memory ran out. "
    "Give the worker more memory or the job less (a smaller model, PCF_BATCH_TOKENS), see worker.log in the "
    "cache folder, then retry."
)

TABLES = (
    """CREATE TABLE IF NOT EXISTS jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL,
        priority INTEGER NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
        stop INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL,
        rate REAL, error TEXT, result TEXT,
        created REAL NOT NULL, started REAL, updated REAL NOT NULL, owner TEXT)""",
    """CREATE UNIQUE INDEX IF NOT EXISTS active_jobs ON jobs (kind, key)
        WHERE state IN ('queued', 'running')""",
    "CREATE INDEX IF NOT EXISTS waiting_jobs ON jobs (priority DESC, id) WHERE state = 'queued'",
    """CREATE TABLE IF NOT EXISTS workers (
        owner TEXT PRIMARY KEY, started REAL NOT NULL, seen REAL NOT NULL, beat REAL NOT NULL)""",
)
# Who asked; how many workers died at it in a row, and how far it was when the first of them did.
PEOPLE_AND_DEATHS = (
    "ALTER TABLE jobs ADD COLUMN submitter TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE jobs ADD COLUMN reached INTEGER NOT NULL DEFAULT -1",
)
# What a job asks of which models, so that who takes it up again is held to the same limits.  What was queued
# before is known by its payload, and by what was missing then.
LIMITED = (
    "ALTER TABLE jobs ADD COLUMN models TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE jobs ADD COLUMN cells INTEGER NOT NULL DEFAULT 0",
    """UPDATE jobs SET cells = total, models = coalesce(json_extract(payload, '$.models'), (
        SELECT json_group_array(name) FROM (SELECT coalesce(json_extract(payload, '$.model'),
            json_extract(payload, '$.scoring.model'), json_extract(payload, '$.key.model')) AS name)
        WHERE name IS NOT NULL)) WHERE kind NOT IN ('mine', 'read', 'embedding')""",
)
VERSIONS = (TABLES, PEOPLE_AND_DEATHS, LIMITED)
HELD = "id = :id AND state = 'running' AND owner = coalesce(:owner, owner)"


class Queue:
    """Every method is one atomic step; all raise StoreError where the cache cannot be used.

    A job is held by the owner that claimed it.  The methods a worker reports with take the ``owner``, and do
    nothing for one that has lost its job (it was silent, and the job was given to another).
    """

    def __init__(self, database: Database, person: Person = TERMINAL) -> None:
        self._database = database
        # Of workers elsewhere: their last beat, and when we first saw it by our own monotonic clock.
        self._heard: dict[str, tuple[tuple[float, float], float]] = {}
        self._person = person
        database.bring_up("jobs", VERSIONS)

    @classmethod
    def open(cls, path: Path) -> Queue:
        """Open the queue in a catalogue file; where that cannot be written, one that takes no jobs."""
        return cls(open_database(path))

    def acting_for(self, person: Person) -> Queue:
        """The same queue, as it is for a person."""
        acting = copy(self)
        acting._person = person
        return acting

    @property
    def current(self) -> bool:
        """Whether it is the queue that others use; if not, it should be opened again."""
        return self._database.current

    def close(self) -> None:
        self._database.close()

    # ------------------------------------------------------------------------- for who asks

    def submit(
        self, kind: str, key: str, payload: Mapping[str, Any], priority: int = 0, total: int = 0, *,
        models: Sequence[str] = (), cells: int = 0,
    ) -> Job:  # fmt: skip
        """Ask for work, or join an active job of the same kind and key; the higher priority counts.

        ``models`` are those that it puts ``cells`` or texts to: the operator may have set limits to both.

        Raises:
            RightsError: the person may not ask for work, or not for so much of it.
            StoreError: the cache folder is read-only or full.
        """
        self._database.must_last()
        with self._database.transaction():
            self.check(kind, key, priority, models=models, cells=cells)
            return self._one(
                "INSERT INTO jobs "
                "(kind, key, priority, payload, total, created, updated, submitter, models, cells) "
                "VALUES (:kind, :key, :priority, :payload, :total, :now, :now, :submitter, :models, :cells) "
                "ON CONFLICT (kind, key) WHERE state IN ('queued', 'running') "
                "DO UPDATE SET priority = max(priority, excluded.priority), stop = 0 RETURNING *",
                kind=kind, key=key, priority=priority, payload=json.dumps(payload), total=total,
                submitter=self._person.name, models=json.dumps(list(models)), cells=cells,
            )  # fmt: skip

    def check(
        self, kind: str, key: str, priority: int = 0, *, models: Sequence[str] = (), cells: int = 0
    ) -> None:
        """Refuse what :meth:`submit` would, before anything of a request is kept.

        Raises:
            RightsError: the person may not ask for work, or not for so much of it.
            ModelError: a model is not on the operator's list.
        """
        check_may_ask(self._person, settings())
        check_asked(models, cells, settings())
        if priority == 0 and not self._active(kind, key):
            self._check_room()

    def get(self, job_id: int) -> Job:
        """The job of a number.

        Raises:
            RunError: there is none.
        """
        return self._one("SELECT * FROM jobs WHERE id = :id", id=job_id)

    def list(self, limit: int = 100, kind: str | None = None) -> tuple[Job, ...]:
        """The newest jobs first, of one kind or of all."""
        rows = self._run(
            "SELECT * FROM jobs WHERE kind = coalesce(:kind, kind) ORDER BY id DESC LIMIT :limit",
            limit=limit,
            kind=kind,
        )
        return tuple(job_of(row) for row in rows)

    def newest(self, kind: str, key: str) -> Job | None:
        """The newest job of a kind and key, whatever became of it."""
        rows = self._run(
            "SELECT * FROM jobs WHERE kind = :kind AND key = :key ORDER BY id DESC LIMIT 1",
            kind=kind, key=key,
        )  # fmt: skip
        return job_of(rows[0]) if rows else None

    def forget(self, kind: str, keep: int) -> None:
        """Drop all but the newest ``keep`` jobs of a kind, whoever asked for them; what is running stays.

        Raises:
            RightsError: the person only reads.
        """
        check_may_ask(self._person, settings())
        self._run(
            "DELETE FROM jobs WHERE kind = :kind AND state != 'running' AND id NOT IN "
            "(SELECT id FROM jobs WHERE kind = :kind ORDER BY id DESC LIMIT :keep)",
            kind=kind, keep=keep,
        )  # fmt: skip

    def cancel(self, job_id: int) -> Job:
        """A waiting job ends now, a running one at its next batch, whoever asked for it; finished shards are
        kept.

        Raises:
            RightsError: the person only reads.
        """
        check_may_ask(self._person, settings())
        self._run(
            "UPDATE jobs SET stop = 1, updated = :now, "
            "state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END "
            "WHERE id = :id AND state IN ('queued', 'running')",
            id=job_id,
        )
        return self.get(job_id)

    def retry(self, job_id: int) -> Job:
        """Queue a failed or cancelled job again, whoever asked for it, or join the job at the same work.

        It is theirs then, and they are held to all that :meth:`submit` would hold them to.

        Raises:
            RightsError: the person may not ask for work, for so much of it, or has too much of it waiting.
            ModelError: a model is not on the operator's list (any more).
        """
        check_may_ask(self._person, settings())
        with self._database.transaction():
            job = self.get(job_id)
            active = self._active(job.kind, job.key)
            if active:
                return job_of(active[0])
            if job.state in ("failed", "cancelled"):
                limits = self._run("SELECT models, cells FROM jobs WHERE id = :id", id=job_id)[0]
                models = json.loads(limits["models"])
                self.check(job.kind, job.key, job.priority, models=models, cells=limits["cells"])
            self._run(
                "UPDATE jobs SET state = 'queued', stop = 0, error = NULL, rate = NULL, deaths = 0, "
                "submitter = :submitter, updated = :now WHERE id = :id AND state IN ('failed', 'cancelled')",
                id=job_id, submitter=self._person.name,
            )  # fmt: skip
            return self.get(job_id)

    def _active(self, kind: str, key: str) -> Sequence[sqlite3.Row]:
        """The job that waits for a piece of work or is at it, if there is one."""
        return self._run(
            "SELECT * FROM jobs WHERE kind = :kind AND key = :key AND state IN ('queued', 'running')",
            kind=kind, key=key,
        )  # fmt: skip

    def _check_room(self) -> None:
        """Refuse a job beyond those a person may have; questions, which go ahead of runs, do not count."""
        rows = self._run(
            "SELECT count(*) AS jobs FROM jobs WHERE submitter = :submitter AND priority = 0 "
            "AND state IN ('queued', 'running')",
            submitter=self._person.name,
        )  # fmt: skip
        check_room(rows[0]["jobs"], settings())

    def waiting(self) -> bool:
        """Whether a job waits for a worker."""
        return bool(self._run("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1"))

    # -------------------------------------------------------------------------- for workers

    def claim(self, owner: str, min_priority: int | None = None) -> Job | None:
        """Take the waiting job of the highest priority, the oldest first; no two owners get the same."""
        waiting = (
            "SELECT id FROM jobs WHERE state = 'queued' AND priority >= coalesce(:least, priority) "
            "ORDER BY priority DESC, id LIMIT 1"
        )
        if not self._run(waiting, least=min_priority):  # look before taking the write lock
            return None
        with self._database.transaction():
            rows = self._run(
                "UPDATE jobs SET state = 'running', owner = :owner, started = coalesce(started, :now), "
                f"updated = :now WHERE id = ({waiting}) RETURNING *",
                owner=owner, least=min_priority,
            )  # fmt: skip
            if rows:
                self.heartbeat(owner)
        return job_of(rows[0]) if rows else None

    def progress(
        self, job_id: int, done: int, total: int | None = None, rate: float | None = None,
        owner: str | None = None,
    ) -> None:  # fmt: skip
        """Say how far a running job is: cells done, of how many, at how many a second."""
        self._run(
            "UPDATE jobs SET done = :done, total = coalesce(:total, total), rate = coalesce(:rate, rate), "
            f"updated = :now WHERE {HELD}",
            id=job_id, done=done, total=total, rate=rate, owner=owner,
        )  # fmt: skip

    def note(self, job_id: int, result: Mapping[str, Any], owner: str | None = None) -> None:
        """What a running job has found so far; its result takes the place of it."""
        self._run(
            f"UPDATE jobs SET result = :result, updated = :now WHERE {HELD}",
            id=job_id, result=json.dumps(result), owner=owner,
        )  # fmt: skip

    def cancelled(self, job_id: int, owner: str | None = None) -> bool:
        """Whether work on it has to stop: it was cancelled, or is no longer this owner's."""
        return not self._run(f"SELECT 1 FROM jobs WHERE stop = 0 AND {HELD}", id=job_id, owner=owner)

    def finish(self, job_id: int, result: Mapping[str, Any], owner: str | None = None) -> None:
        """A running job is done."""
        self._run(
            "UPDATE jobs SET state = 'done', result = :result, error = NULL, owner = NULL, updated = :now "
            f"WHERE {HELD}",
            id=job_id, result=json.dumps(result), owner=owner,
        )  # fmt: skip

    def fail(self, job_id: int, sentence: str, owner: str | None = None) -> None:
        """A running job has failed, and why."""
        self._run(
            f"UPDATE jobs SET state = 'failed', error = :error, owner = NULL, updated = :now WHERE {HELD}",
            id=job_id, error=sentence, owner=owner,
        )  # fmt: skip

    def release(self, owner: str, job_id: int | None = None) -> None:
        """Give up all that an owner holds, or one job: cancelled if that was asked for, else queued."""
        self._run(
            "UPDATE jobs SET state = CASE stop WHEN 1 THEN 'cancelled' ELSE 'queued' END, owner = NULL, "
            "updated = :now WHERE state = 'running' AND owner = :owner AND id = coalesce(:id, id)",
            owner=owner, id=job_id,
        )  # fmt: skip

    def heartbeat(self, owner: str) -> None:
        """Say that a worker is alive; the first time registers it."""
        self._database.must_last()
        self._run(
            "INSERT INTO workers (owner, started, seen, beat) VALUES (:owner, :now, :now, :beat) "
            "ON CONFLICT DO UPDATE SET seen = :now, beat = :beat",
            owner=owner, beat=time.monotonic(),
        )  # fmt: skip

    def leave(self, owner: str) -> None:
        """Release what a worker holds and strike it off."""
        with self._database.transaction():
            self.release(owner)
            self._run("DELETE FROM workers WHERE owner = :owner", owner=owner)

    def workers(self, dead_after: float = DEAD_SECONDS) -> tuple[WorkerInfo, ...]:
        """The workers that are alive, the oldest first."""
        rows = self._run("SELECT * FROM workers ORDER BY started, owner")
        return tuple(
            WorkerInfo(owner=row["owner"], started=row["started"], seen=row["seen"])
            for row in rows
            if _is_alive(row, dead_after)
        )

    def requeue_dead(self, dead_after: float = DEAD_SECONDS) -> None:
        """Queue the jobs of dead workers: their process on this host has ended, or they are silent.

        Silence of another host is what this queue has heard of it, from its first look on.  A job at which
        ``MOST_DEATHS`` workers died in a row, none of which got it any further, fails.
        """
        holders = self._run("SELECT owner FROM workers UNION SELECT owner FROM jobs WHERE state = 'running'")
        # read later: nobody new is among holders
        beats = {row["owner"]: row for row in self._run("SELECT * FROM workers")}
        for owner in self._heard.keys() - beats.keys():
            del self._heard[owner]
        for (owner,) in holders:
            row = beats.get(owner)
            lives = _is_alive if is_here(owner) else self._is_heard
            if row is None or not lives(row, dead_after):
                self._bury(owner)

    def _is_heard(self, row: sqlite3.Row, dead_after: float) -> bool:
        """Whether a worker of another host has beaten since we last looked, or that was not long ago."""
        beat, now = (float(row["seen"]), float(row["beat"])), time.monotonic()
        last, since = self._heard.get(row["owner"], (None, now))
        if beat != last:
            self._heard[row["owner"]] = beat, now
            return True
        return now - since < dead_after

    def _bury(self, owner: str) -> None:
        with self._database.transaction():
            self._run(
                "UPDATE jobs SET deaths = CASE WHEN done > reached THEN 1 ELSE deaths + 1 END, "
                "reached = max(done, reached) WHERE state = 'running' AND owner = :owner",
                owner=owner,
            )
            self._run(
                "UPDATE jobs SET state = 'failed', error = :error, owner = NULL, updated = :now "
                "WHERE state = 'running' AND owner = :owner AND stop = 0 AND deaths >= :most",
                owner=owner, error=DEADLY, most=MOST_DEATHS,
            )  # fmt: skip
            self.leave(owner)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody else changes the queue while this is open.

        Raises:
            StoreError: the cache folder is read-only or full.
        """
        self._database.must_last()
        with self._database.transaction():
            yield

    def _run(self, sql: str, **parameters: Any) -> Sequence[sqlite3.Row]:
        return self._database.execute(sql, {"now": time.time(), **parameters})

    def _one(self, sql: str, **parameters: Any) -> Job:
        rows = self._run(sql, **parameters)
        if not rows:
            raise RunError(f"There is no job {parameters.get('id')!r}: the page Score lists those there are.")
        return job_of(rows[0])


def _is_alive(row: sqlite3.Row, dead_after: float) -> bool:
    """Whether a worker is alive: its process where it can be looked up, and in any case its heartbeat.

    A beat in what is now the future, because a clock was set back, is as old as one of the past.
    """
    if is_here(row["owner"]):
        return is_running(row["owner"]) and time.monotonic() - float(row["beat"]) < dead_after
    return abs(time.time() - float(row["seen"])) < dead_after
