"""The records of the queue."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from typing import Any, Literal

from pcf_core.records import Record

State = Literal["queued", "running", "done", "failed", "cancelled"]


class Job(Record):
    """One request.  ``done`` and ``total`` count cells, ``rate`` is cells a second; times are wall time.

    ``submitter`` is the address of who asked, empty where nobody has to log in.
    """

    id: int
    kind: str
    key: str
    priority: int
    payload: dict[str, Any]
    state: State
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

    @property
    def seconds_left(self) -> float | None:
        """At the present rate; ``None`` unless it is running and has one."""
        return (self.total - self.done) / self.rate if self.state == "running" and self.rate else None


class WorkerInfo(Record):
    """A worker that is alive."""

    owner: str
    started: datetime
    seen: datetime


def job_of(row: sqlite3.Row) -> Job:
    """A row of the table ``jobs``."""
    fields = {name: row[name] for name in Job.model_fields}
    fields["payload"] = json.loads(row["payload"])
    fields["result"] = json.loads(row["result"]) if row["result"] else None
    return Job(**fields)
