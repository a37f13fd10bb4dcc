"""Jobs: the queue, the worker process that serves it, progress, cancel, resume: joins scoring to store.

An app or a command submits a job; a worker claims it, scores what the store lacks and records how far it is.
All of them are processes that share nothing but the cache folder.

Layer: may import every core room except ``charts``, ``findings``, ``report`` and ``ui``.  No torch at import:
the app submits jobs and follows them, only a process that scores loads a model.
"""

from pcf_core.jobs.estimate import Estimate, estimate
from pcf_core.jobs.job import Job, WorkerInfo
from pcf_core.jobs.launch import ensure_worker, worker_alive, worker_here
from pcf_core.jobs.mining import MineRequest, submit_mining
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.reading import ReadRequest, submit_read
from pcf_core.jobs.requests import submit_run, submit_words

__all__ = [
    "Estimate",
    "Job",
    "MineRequest",
    "Queue",
    "ReadRequest",
    "WorkerInfo",
    "ensure_worker",
    "estimate",
    "submit_mining",
    "submit_read",
    "submit_run",
    "submit_words",
    "worker_alive",
    "worker_here",
]
