"""The job queue: tables in the catalogue's database, shared by apps and workers.

    submit → queued → claim → running → finish → done
                 ↑                  ├→ fail → failed      ─┐
                 │                  └→ cancel → cancelled ─┤ retry
                 └── release (shutdown, dead owner) ───────┘

A job whose workers die repeatedly without progress fails, so that it does not end all workers; deaths while
loading a model are counted separately.

Wall time is shown (``created``, ``started``, ``updated``), and decides only whether a worker on *another*
host counts as alive, so that no second one is started.  Heartbeats on this host and rates use the monotonic
clock; a job of a silent worker on another host is taken only after waiting for its next beat by our own
monotonic clock.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from pcf_core.core.errors import RunError
from pcf_core.core.records import Record
from pcf_core.core.run import Progress, Stage
from pcf_core.core.settings import settings
from pcf_core.store.database import Database, opened
from pcf_core.store.files import sha256
from pcf_core.store.journal import Did, Journal
from pcf_core.work.people import TERMINAL, Person, check_allowed, check_may_ask, check_room
from pcf_core.work.processes import is_here, is_running

# The records of the queue.


State = Literal["queued", "running", "done", "failed", "cancelled"]


class Job(Record):
    """One request.  ``done`` and ``total`` count cells, ``rate`` is cells per second; times are wall time.

    ``done`` counts stored cells of a run; ``at`` has the unsaved ones too.  ``submitter``: the person's
    address, empty without log-ins.  ``fingerprint``: of the settings at submission, see
    :attr:`pcf_core.core.settings.Settings.fingerprint`.  ``stop``: cancelled, which a running job learns at
    its next batch.
    """

    id: int
    kind: str
    key: str
    priority: int
    payload: dict[str, Any]
    state: State
    stop: bool = False
    done: int
    total: int
    rate: float | None
    error: str | None
    result: dict[str, Any] | None
    created: datetime
    started: datetime | None
    updated: datetime
    owner: str | None
    submitter: str
    fingerprint: str

    @property
    def at(self) -> Progress | None:
        """The progress of a run or a knowledge set that is being scored, as its worker reported it."""
        result = self.result or {}
        if self.state != "running" or result.get("stage") not in get_args(Stage):
            return None
        if "unsaved" not in result:  # of a job that writes texts
            return None
        fields = {name: result[name] for name in Progress.model_fields if name in result}
        return Progress.model_validate(fields)

    @property
    def is_cancelling(self) -> bool:
        """Whether the job was cancelled and its worker has not stopped yet."""
        return self.stop and self.state == "running"

    @property
    def seconds_left(self) -> float | None:
        """The seconds left at the present rate; ``None`` unless it is running and has one."""
        return (self.total - self.done) / self.rate if self.state == "running" and self.rate else None


class WorkerInfo(Record):
    """A live worker; ``fingerprint``: of the settings of the app that started it, if one did."""

    owner: str
    started: datetime
    seen: datetime
    fingerprint: str


class Tally(Record):
    """Numbers of jobs by state, cells per second of the running ones, and deaths of workers."""

    jobs: dict[State, int]
    rate: float
    deaths: int


DEAD_SECONDS = 30.0
MOST_DEATHS = 3  # at work or while loading, without progress, before a job fails
DEADLY = (
    f"{MOST_DEATHS} workers ended while they worked on this job, without progress. Often the memory is too "
    "small, or a library crashed; worker.log in the cache folder has details. Give the worker more memory, "
    "or choose a smaller model or PCF_BATCH_TOKENS, then retry."
)
DEADLY_TO_LOAD = (
    f"{MOST_DEATHS} workers ended while they loaded the model of this job. Often the memory is too small for "
    "it, or a library crashed; worker.log in the cache folder has details. Give the worker more memory, or "
    "choose a smaller model or precision, then retry."
)

# ``deaths``: workers that died at it in a row, ``loading_deaths``: before they had ``begun``, that is
# reported progress; ``reached``: ``done`` when it was last claimed.  ``models``, ``cells``: for checking
# limits again at a retry.
# ``fingerprint``: settings of the submitter, or of the app that started a worker (empty: a person did).
# ``newest``: the newest job when a worker registered.  ``checksum``: of fields that never change;
# ``result`` begins with one of its own, since its numbers are shown.
TABLES = (
    """CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL,
        priority INTEGER NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
        stop INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL,
        rate REAL, error TEXT, result TEXT,
        created REAL NOT NULL, started REAL, updated REAL NOT NULL, owner TEXT,
        submitter TEXT NOT NULL, deaths INTEGER NOT NULL DEFAULT 0, reached INTEGER NOT NULL DEFAULT -1,
        models TEXT NOT NULL, cells INTEGER NOT NULL, begun INTEGER NOT NULL DEFAULT 0,
        loading_deaths INTEGER NOT NULL DEFAULT 0, fingerprint TEXT NOT NULL,
        checksum TEXT NOT NULL DEFAULT '')""",
    """CREATE UNIQUE INDEX active_jobs ON jobs (kind, key)
        WHERE state IN ('queued', 'running')""",
    "CREATE INDEX waiting_jobs ON jobs (priority DESC, id) WHERE state = 'queued'",
    """CREATE TABLE workers (
        owner TEXT PRIMARY KEY, started REAL NOT NULL, seen REAL NOT NULL, beat REAL NOT NULL,
        fingerprint TEXT NOT NULL, newest INTEGER NOT NULL)""",
)
ALL_JOBS = ("SELECT * FROM jobs ORDER BY id", "SELECT * FROM jobs ORDER BY id DESC")
CHECKSUM = 16  # hexadecimal digits
GIVEN_UP = "state = CASE stop WHEN 1 THEN 'cancelled' ELSE 'queued' END, owner = NULL, updated = :now"
# Waiting jobs that a worker takes.  One started by an app leaves jobs of an app with other settings to that
# app's worker, except jobs older than itself, which were left behind or whose worker ended.
TAKEN = """state = 'queued' AND NOT EXISTS (SELECT 1 FROM workers WHERE workers.owner = :owner
    AND workers.fingerprint NOT IN ('', jobs.fingerprint) AND jobs.fingerprint != ''
    AND jobs.id > workers.newest)"""
# Those of them left to a later worker with other settings, which waits for this one to end: jobs older
# than that worker, and jobs whose run another process is scoring.
# A result may contain NaN or Infinity, which Python writes and SQLite calls malformed.
LEFT_TO_SUCCESSOR = """EXISTS (SELECT 1 FROM workers AS own JOIN workers AS other ON other.rowid > own.rowid
    AND other.fingerprint NOT IN ('', own.fingerprint)
    AND (jobs.id <= other.newest
        OR CASE WHEN json_valid(substr(jobs.result, 18)) THEN
            json_extract(substr(jobs.result, 18), '$.stage') = 'waiting' END)
    WHERE own.owner = :owner AND own.fingerprint != '')"""
HELD = "id = :id AND state = 'running' AND owner = coalesce(:owner, owner)"


class Queue:
    """The job queue of a cache.

    Every method is one atomic step and raises StoreError if the cache cannot be used.  A damaged row is never
    returned: DamagedCatalogueError is raised once, and the reopened queue has the intact jobs.  Methods for
    people act on jobs of any submitter, and raise RightsError if the person may not change them.  Methods for
    workers take the ``owner`` that claimed a job, and do nothing if it now has another one.
    """

    def __init__(self, database: Database, person: Person = TERMINAL, journal: Journal | None = None) -> None:
        self._database = database
        self._journal = journal
        # Of workers on other hosts: their last beat, and when we first saw it by our own monotonic clock.
        self._heard: dict[str, tuple[tuple[float, float], float]] = {}
        self._person = person
        database.create_tables("jobs", TABLES, self._take_over)

    @classmethod
    def open(cls, path: Path) -> Queue:
        """Open the queue in a catalogue file; one that takes no jobs if the file cannot be written."""
        return opened(path, lambda database: cls(database, journal=Journal(path.parent)))

    def acting_for(self, person: Person) -> Queue:
        """Return the same queue with the rights of a person."""
        acting = copy(self)
        acting._person = person
        return acting

    @property
    def current(self) -> bool:
        """Whether other processes use the same file; if not, open the queue again."""
        return self._database.current

    def close(self) -> None:
        """Close the connection to the database."""
        self._database.close()

    # ------------------------------------------------------------------------- for submitters

    def submit(
        self, kind: str, key: str, payload: Mapping[str, Any], priority: int = 0, total: int = 0, *,
        models: Sequence[str] = (), cells: int = 0, remark: str = "",
    ) -> Job:  # fmt: skip
        """Submit a job, or join an active one of the same kind and key; the higher priority counts.

        ``models`` and ``cells`` (or texts) are checked against the operator's limits, and RightsError raised.
        ``remark`` is added to the journal.
        """
        self._database.must_last()
        with self._database.transaction():
            self.check(kind, key, priority, models=models, cells=cells)
            existing = self._active(kind, key)
            (row,) = self._run(
                "INSERT INTO jobs "
                "(kind, key, priority, payload, total, created, updated, submitter, models, cells, "
                "fingerprint) VALUES (:kind, :key, :priority, :payload, :total, :now, :now, :submitter, "
                ":models, :cells, :fingerprint) ON CONFLICT (kind, key) WHERE state IN ('queued', 'running') "
                "DO UPDATE SET priority = max(priority, excluded.priority), stop = 0, "
                "fingerprint = excluded.fingerprint RETURNING *",
                kind=kind, key=key, priority=priority, payload=json.dumps(payload), total=total,
                submitter=self._person.name, models=json.dumps(list(models)), cells=cells,
                fingerprint=settings().fingerprint,
            )  # fmt: skip
            if not existing:
                (row,) = self._run(
                    "UPDATE jobs SET checksum = :checksum WHERE id = :id RETURNING *",
                    id=row["id"], checksum=_checksum_of(row),
                )  # fmt: skip
                if priority == 0:  # questions, which precede runs, change nothing
                    self._record("queued", row, remark)
            return self._job(row)

    def check(
        self, kind: str, key: str, priority: int = 0, *, models: Sequence[str] = (), cells: int = 0
    ) -> None:
        """Raise RightsError or ModelError as :meth:`submit` would, before anything is stored."""
        check_may_ask(self._person, settings())
        check_allowed(models, cells, settings())
        if priority == 0 and not self._active(kind, key):
            self._check_room()

    def get(self, job_id: int) -> Job:
        """Return a job; raises RunError if there is none of this number."""
        rows = self._rows("id = :id", id=job_id)
        if not rows:
            raise RunError(f"There is no job {job_id!r}: the page 'Run an audit' lists all jobs.")
        return self._job(rows[0])

    def list(self, limit: int = 100, kind: str | None = None) -> tuple[Job, ...]:
        """Return the newest jobs first, of one kind or of all."""
        rows = self._rows(
            "kind = coalesce(:kind, kind) ORDER BY id DESC LIMIT :limit", limit=limit, kind=kind
        )
        return tuple(self._job(row) for row in rows)

    def newest(self, kind: str, key: str) -> Job | None:
        """Return the newest job of a kind and key, in any state."""
        rows = self._rows("kind = :kind AND key = :key ORDER BY id DESC LIMIT 1", kind=kind, key=key)
        return self._job(rows[0]) if rows else None

    def forget(self, kind: str, keep: int) -> None:
        """Delete all but the newest ``keep`` jobs of a kind; running ones stay."""
        check_may_ask(self._person, settings())
        self._run(
            "DELETE FROM jobs WHERE kind = :kind AND state != 'running' AND id NOT IN "
            "(SELECT id FROM jobs WHERE kind = :kind ORDER BY id DESC LIMIT :keep)",
            kind=kind, keep=keep,
        )  # fmt: skip

    def forget_result(self, key: str) -> None:
        """Delete all ended jobs that made or read the result with this key."""
        check_may_ask(self._person, settings())
        self._run(
            "DELETE FROM jobs WHERE state NOT IN ('queued', 'running') AND (key = :key "
            "OR CASE WHEN json_valid(payload) THEN json_extract(payload, '$.run') = :key END)",
            key=key,
        )

    def cancel(self, job_id: int) -> Job:
        """Cancel a waiting job now, or a running one at its next batch; finished shards are kept."""
        check_may_ask(self._person, settings())
        with self._database.transaction():
            rows = self._run(
                "UPDATE jobs SET stop = 1, updated = :now, "
                "state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END "
                "WHERE id = :id AND stop = 0 AND state IN ('queued', 'running') RETURNING *",
                id=job_id,
            )
            if rows:
                self._record("cancelled", rows[0])
            return self.get(job_id)

    def retry(self, job_id: int) -> Job:
        """Queue a failed or cancelled job again for this person, or join an active one for the same work."""
        check_may_ask(self._person, settings())
        with self._database.transaction():
            job = self.get(job_id)
            active = self._active(job.kind, job.key)
            if active:
                return self._job(active[0])
            if job.state in ("failed", "cancelled"):
                limits = self._rows("id = :id", id=job_id)[0]
                models = json.loads(limits["models"])
                self.check(job.kind, job.key, job.priority, models=models, cells=limits["cells"])
            rows = self._run(
                "UPDATE jobs SET state = 'queued', stop = 0, error = NULL, rate = NULL, deaths = 0, "
                "loading_deaths = 0, submitter = :submitter, fingerprint = :fingerprint, updated = :now "
                "WHERE id = :id AND state IN ('failed', 'cancelled') RETURNING *",
                id=job_id, submitter=self._person.name, fingerprint=settings().fingerprint,
            )  # fmt: skip
            if rows:
                self._record("queued again", rows[0])
            return self.get(job_id)

    def _record(self, did: Did, row: sqlite3.Row, remark: str = "") -> None:
        """Add to the journal inside the transaction, so that nothing happens unrecorded."""
        if self._journal is not None:
            models = " ".join(str(name) for name in json.loads(row["models"]))
            name = f"job {row['id']}, {row['key']} {models}".strip()
            name = f"{name}, {remark}" if remark else name
            self._journal.add(self._person.signature, did, row["kind"], name)

    def _active(self, kind: str, key: str) -> Sequence[sqlite3.Row]:
        return self._rows(
            "kind = :kind AND key = :key AND state IN ('queued', 'running')", kind=kind, key=key
        )

    def _check_room(self) -> None:
        """Raise if a person has as many jobs as allowed; questions do not count."""
        rows = self._run(
            "SELECT count(*) AS jobs FROM jobs WHERE submitter = :submitter AND priority = 0 "
            "AND state IN ('queued', 'running')",
            submitter=self._person.name,
        )  # fmt: skip
        check_room(rows[0]["jobs"], settings())

    def tally(self) -> Tally:
        """Count jobs by state, cells per second of running ones, and deaths at unfinished ones."""
        rows = self._run(
            "SELECT state, count(*) AS jobs, coalesce(sum(rate), 0) AS rate, "
            "sum(deaths + loading_deaths) AS deaths FROM jobs GROUP BY state"
        )
        by_state = {row["state"]: row for row in rows}
        running = by_state.get("running")
        return Tally(
            jobs={state: by_state[state]["jobs"] if state in by_state else 0 for state in get_args(State)},
            rate=running["rate"] if running else 0.0,
            deaths=sum(row["deaths"] for state, row in by_state.items() if state != "done"),
        )

    def waiting(self, owner: str = "") -> bool:
        """Return whether a job waits, for any worker or for one that this owner may take."""
        return bool(self._run(f"SELECT 1 FROM jobs WHERE {TAKEN} LIMIT 1", owner=owner))

    # -------------------------------------------------------------------------- for workers

    def claim(
        self, owner: str, min_priority: int | None = None, passed_over: Collection[int] = ()
    ) -> Job | None:
        """Claim the waiting job of the highest priority, oldest first, except those in ``passed_over``."""
        waiting = (
            f"SELECT id FROM jobs WHERE {TAKEN} AND priority >= coalesce(:least, priority) "
            "AND id NOT IN (SELECT value FROM json_each(:passed_over)) ORDER BY priority DESC, id LIMIT 1"
        )
        parameters = {"owner": owner, "least": min_priority, "passed_over": json.dumps(list(passed_over))}
        if not self._run(waiting, **parameters):  # look before taking the write lock
            return None
        with self._database.transaction():
            rows = self._run(
                "UPDATE jobs SET state = 'running', owner = :owner, started = coalesce(started, :now), "
                "begun = 0, reached = max(reached, done), updated = :now "
                f"WHERE id = ({waiting}) AND state = 'queued' RETURNING *",
                **parameters,
            )  # fmt: skip
            if rows:
                self.heartbeat(owner)
        return self._job(rows[0]) if rows else None

    def progress(
        self, job_id: int, done: int, total: int | None = None, rate: float | None = None,
        owner: str | None = None, note: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Store the progress of a running job: cells done, their total, cells per second, and a note."""
        self._run(
            "UPDATE jobs SET done = :done, total = coalesce(:total, total), rate = coalesce(:rate, rate), "
            f"result = coalesce(:note, result), begun = 1, updated = :now WHERE {HELD}",
            id=job_id, done=done, total=total, rate=rate, owner=owner,
            note=None if note is None else _written_result(job_id, note),
        )  # fmt: skip

    def note(self, job_id: int, result: Mapping[str, Any], owner: str | None = None) -> None:
        """Store an intermediate result of a running job, until its final result replaces it."""
        self._run(
            f"UPDATE jobs SET result = :result, updated = :now WHERE {HELD}",
            id=job_id, result=_written_result(job_id, result), owner=owner,
        )  # fmt: skip

    def begin(self, job_id: int, owner: str | None = None) -> None:
        """Record that a running job has loaded its model: a later death counts as one at work."""
        self._run(
            f"UPDATE jobs SET begun = 1, updated = :now WHERE {HELD} AND begun = 0", id=job_id, owner=owner
        )

    def cancelled(self, job_id: int, owner: str | None = None) -> bool:
        """Return whether work on a job has to stop: it was cancelled, or another owner has it."""
        return not self._run(f"SELECT 1 FROM jobs WHERE stop = 0 AND {HELD}", id=job_id, owner=owner)

    def finish(self, job_id: int, result: Mapping[str, Any], owner: str | None = None) -> None:
        """Mark a running job as done."""
        self._run(
            "UPDATE jobs SET state = 'done', result = :result, error = NULL, owner = NULL, updated = :now "
            f"WHERE {HELD}",
            id=job_id, result=_written_result(job_id, result), owner=owner,
        )  # fmt: skip

    def fail(self, job_id: int, sentence: str, owner: str | None = None) -> None:
        """Mark a running job as failed, with the reason."""
        self._run(
            f"UPDATE jobs SET state = 'failed', error = :error, owner = NULL, updated = :now WHERE {HELD}",
            id=job_id, error=sentence, owner=owner,
        )  # fmt: skip

    def release(self, owner: str, job_id: int | None = None) -> None:
        """Give back all jobs of an owner, or one: cancelled if that was requested, else queued."""
        self._run(
            f"UPDATE jobs SET {GIVEN_UP} "
            "WHERE state = 'running' AND owner = :owner AND id = coalesce(:id, id)",
            owner=owner, id=job_id,
        )  # fmt: skip

    def heartbeat(self, owner: str, fingerprint: str = "") -> None:
        """Record that a worker is alive; the first time, register it with the settings of its app."""
        self._database.must_last()
        self._run(
            "INSERT INTO workers (owner, started, seen, beat, fingerprint, newest) VALUES (:owner, :now, "
            ":now, :beat, :fingerprint, (SELECT coalesce(max(id), 0) FROM jobs)) ON CONFLICT DO UPDATE "
            "SET seen = :now, beat = :beat, fingerprint = coalesce(nullif(:fingerprint, ''), fingerprint)",
            owner=owner, beat=time.monotonic(), fingerprint=fingerprint,
        )  # fmt: skip

    def fingerprint_of(self, owner: str) -> str:
        """Return the fingerprint of the app that started a worker; empty if none did."""
        rows = self._run("SELECT fingerprint FROM workers WHERE owner = :owner", owner=owner)
        return str(rows[0]["fingerprint"]) if rows else ""

    def predecessor(self, owner: str) -> bool:
        """Return whether an earlier worker, started by an app with other settings, is still alive."""
        return self._rival(owner, before=True)

    def successor(self, owner: str) -> bool:
        """Return whether a worker, started by an app with other settings, waits for this one to end."""
        return self._rival(owner, before=False)

    def _rival(self, owner: str, *, before: bool) -> bool:
        rows = self._run(
            "SELECT other.* FROM workers AS other JOIN workers AS own ON own.owner = :owner WHERE "
            "own.fingerprint != '' AND other.fingerprint NOT IN ('', own.fingerprint) "
            "AND (other.rowid < own.rowid) = :before",
            owner=owner, before=before,
        )  # fmt: skip
        return any(_is_alive(row, DEAD_SECONDS) for row in rows)

    def leave(self, owner: str) -> None:
        """Release the jobs of a worker and unregister it."""
        with self._database.transaction():
            self.release(owner)
            self._run("DELETE FROM workers WHERE owner = :owner", owner=owner)

    def sign_off(self, owner: str) -> bool:
        """Unregister a worker like :meth:`leave`, unless it would take a waiting job; return whether it left.

        Submitters look for a worker after submitting, so no job is missed.
        """
        with self._database.transaction():
            self.release(owner)
            if self._run(
                f"SELECT 1 FROM jobs WHERE {TAKEN} AND NOT {LEFT_TO_SUCCESSOR} LIMIT 1", owner=owner
            ):
                return False
            self._run(
                "UPDATE workers SET newest = max(newest, (SELECT coalesce(max(id), 0) FROM jobs)) "
                f"WHERE EXISTS (SELECT 1 FROM jobs WHERE {TAKEN} AND {LEFT_TO_SUCCESSOR})",
                owner=owner,
            )
            self.leave(owner)
            return True

    def workers(self, dead_after: float = DEAD_SECONDS) -> tuple[WorkerInfo, ...]:
        """Return live workers, the oldest first."""
        rows = self._worker_rows()
        return tuple(_worker_of(row) for row in rows if _is_alive(row, dead_after))

    def requeue_dead(self) -> None:
        """Queue the jobs of dead workers again: their process on this host has ended, or they are silent.

        The silence of another host is counted from this queue's first look at it.
        """
        rows = (*self._worker_rows(), *self._rows("state = 'running'"))
        # loaded later, so that every holder is included
        beats = {row["owner"]: row for row in self._worker_rows()}
        for owner in self._heard.keys() - beats.keys():
            del self._heard[owner]
        for owner in {row["owner"] for row in rows}:
            row = beats.get(owner)
            lives = _is_alive if is_here(owner) else self._is_heard
            if row is None or not lives(row, DEAD_SECONDS):
                self._bury(owner)

    def _is_heard(self, row: sqlite3.Row, dead_after: float) -> bool:
        """Return whether a worker of another host has sent a heartbeat recently, by our own clock."""
        beat, now = (float(row["seen"]), float(row["beat"])), time.monotonic()
        last, since = self._heard.get(row["owner"], (None, now))
        if beat != last:
            self._heard[row["owner"]] = beat, now
            return True
        return now - since < dead_after

    def _bury(self, owner: str) -> None:
        with self._database.transaction():
            self.died(owner)
            self.leave(owner)

    def died(self, owner: str) -> None:
        """Record a worker's death and release its jobs; fail those with ``MOST_DEATHS`` since progress."""
        with self._database.transaction():
            self._run(
                "UPDATE jobs SET deaths = CASE WHEN done > reached THEN 0 ELSE deaths + begun END, "
                "loading_deaths = CASE WHEN done > reached THEN 0 ELSE loading_deaths + 1 - begun END "
                "WHERE state = 'running' AND owner = :owner",
                owner=owner,
            )
            self._run(
                "UPDATE jobs SET state = 'failed', owner = NULL, updated = :now, "
                "error = CASE WHEN deaths >= :most THEN :at_work ELSE :loading END "
                "WHERE state = 'running' AND owner = :owner AND stop = 0 "
                "AND max(deaths, loading_deaths) >= :most",
                owner=owner, at_work=DEADLY, loading=DEADLY_TO_LOAD, most=MOST_DEATHS,
            )  # fmt: skip
            self.release(owner)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Lock the queue against changes by others inside the block."""
        self._database.must_last()
        with self._database.transaction():
            yield

    def _run(self, sql: str, **parameters: Any) -> Sequence[sqlite3.Row]:
        return self._database.execute(sql, {"now": time.time(), **parameters})

    def _rows(self, which: str, **parameters: Any) -> Sequence[sqlite3.Row]:
        """Load jobs, and check the checksum of each."""
        rows = self._run(f"SELECT * FROM jobs WHERE {which}", **parameters)
        if not all(row["checksum"] == _checksum_of(row) for row in rows):
            self._database.give_up("a row of jobs is not as it was written")
        return rows

    def _job(self, row: sqlite3.Row) -> Job:
        job = _job_of(row)
        if job is None:
            self._database.give_up("a row of jobs is not as it was written")
        return job

    def _worker_rows(self) -> Sequence[sqlite3.Row]:
        """Load workers, the oldest first, and check that their fields have the right types."""
        rows = self._run("SELECT * FROM workers ORDER BY started, owner")
        try:
            for row in rows:
                _worker_of(row), float(row["beat"])
        except (ValueError, TypeError):
            self._database.give_up("a row of workers is not as it was written")
        return rows

    def _take_over(self) -> None:
        for row in self._database.salvaged(ALL_JOBS):
            if _job_of(row) is not None:
                marks = ", ".join("?" * len(row))
                self._database.execute(f"INSERT OR IGNORE INTO jobs VALUES ({marks})", tuple(row))
        self._run(f"UPDATE jobs SET {GIVEN_UP} WHERE state = 'running'")


def _checksum(*parts: object) -> str:
    return sha256(json.dumps(parts, default=repr).encode())[:CHECKSUM]


def _checksum_of(row: sqlite3.Row) -> str:
    return _checksum(*(row[name] for name in ("id", "kind", "key", "payload", "models", "cells")))


def _written_result(job_id: int, result: Mapping[str, Any]) -> str:
    """Return the result of a job as JSON, after its checksum."""
    text = json.dumps(result)
    return f"{_checksum(job_id, text)} {text}"


def _job_of(row: sqlite3.Row) -> Job | None:
    """Make a job from a row of the table ``jobs``; ``None`` if the row is damaged."""
    try:
        fields = {name: row[name] for name in Job.model_fields}
        fields["payload"] = json.loads(row["payload"])
        if row["result"] is not None:
            checksum, _, text = row["result"].partition(" ")
            fields["result"] = json.loads(text)
            if checksum != _checksum(row["id"], text):
                return None
        return Job(**fields) if row["checksum"] == _checksum_of(row) else None
    except (ValueError, TypeError, IndexError, AttributeError):
        return None


def _worker_of(row: sqlite3.Row) -> WorkerInfo:
    return WorkerInfo(**{name: row[name] for name in WorkerInfo.model_fields})


def _is_alive(row: sqlite3.Row, dead_after: float) -> bool:
    """Return whether a worker is alive, by its process if on this host, and by its heartbeat.

    A heartbeat in the future, after a clock was set back, counts like one as far in the past.
    """
    if is_here(row["owner"]):
        return is_running(row["owner"]) and time.monotonic() - float(row["beat"]) < dead_after
    return abs(time.time() - float(row["seen"])) < dead_after
