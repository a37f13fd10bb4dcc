"""The worker: a process that takes jobs from the queue until there are none for a while."""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, TypeVar, cast

import pcf_core.work.benchmarking
import pcf_core.work.fetching
import pcf_core.work.knowledge
import pcf_core.work.mining
import pcf_core.work.pairing
import pcf_core.work.probing
import pcf_core.work.questioning
import pcf_core.work.scoring  # noqa: F401  each registers the handlers of its jobs
from pcf_core.core.errors import AuditError, InputError, StoreError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.generation.base import Generator
from pcf_core.models.generation.base import open_generator as open_real_generator
from pcf_core.models.scoring.base import Scorer
from pcf_core.models.scoring.base import open_scorer as open_real_scorer
from pcf_core.store.store import Store
from pcf_core.work.jobs import HANDLERS, Held, JobContext, OpenGenerator, OpenScorer, Stopped
from pcf_core.work.launch import attend, logging_to
from pcf_core.work.people import check_may_ask, submitter_of
from pcf_core.work.processes import name_of, signals_to
from pcf_core.work.queue import Job, Queue
from pcf_core.work.requests import SMALL

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
AGAIN_SECONDS = 5.0  # until a job whose run another process is scoring is tried again
Opened = TypeVar("Opened")
Tell = Callable[[int | None], bool]
LIGHT = 64_000_000  # total parameters of open models up to which none is closed


def load_libraries() -> None:
    """Import slow libraries before the first job; errors are left to the job that needs them."""
    for name in ("pcf_core.models.loading", "pandas"):  # pyarrow loads pandas at first use
        with suppress(ImportError, OSError):
            import_module(name)


class Worker:
    """Serves one cache.  A job that fails ends with its sentence; the worker goes on.

    ``owner``: its name in the queue, that of its supervisor if any.  ``tell`` is called between batches with
    the id of the current job, or ``None``, and returns whether to stop.  ``prepare`` is called once while no
    job waits.
    """

    def __init__(
        self,
        store: Store,
        queue: Queue,
        settings: Settings,
        open_scorer: OpenScorer = open_real_scorer,
        open_generator: OpenGenerator = open_real_generator,
        owner: str = "",
        tell: Tell = lambda job_id: False,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.queue = queue
        self.settings = settings
        self.owner = owner or name_of(os.getpid())
        self._tell = tell
        self._prepare = prepare
        self._at: list[int] = []  # ids of current jobs, each within the one before
        self._open_scorer = open_scorer
        self._open_generator = open_generator
        self._models: OrderedDict[str, tuple[Any, int]] = OrderedDict()  # opened, with their parameters
        self._stopping = False
        self._passed_over: dict[int, float] = {}  # jobs that another process works on, until when (monotonic)

    @classmethod
    def open(cls, settings: Settings, owner: str = "", tell: Tell = lambda job_id: False) -> Worker:
        """Open a worker of the cache that the settings name."""
        store = Store.open(settings.cache, settings.results, settings.scores)
        queue = Queue.open(settings.catalogue)
        return cls(store, queue, settings, owner=owner, tell=tell, prepare=load_libraries)

    def stop(self) -> None:
        """End after the present batch; the job goes back to the queue."""
        self._stopping = True

    def run(self, until_idle: bool = False) -> None:
        """Serve the queue, registered as alive; SIGTERM and SIGINT stop it, a second one at once."""

        def serve() -> bool:
            self.serve(until_idle)
            return not self._stopping

        with signals_to(self.stop):
            attend(self.queue, self.owner, serve)

    def serve(self, until_idle: bool = False) -> None:
        """Serve the queue until it was empty for ``worker_idle_seconds``, or, ``until_idle``, is empty."""
        with logging_to(self.settings):
            self._serve(until_idle)

    def _serve(self, until_idle: bool) -> None:
        idle_seconds = 0.0 if until_idle else self.settings.worker_idle_seconds
        last_work, prepared = time.monotonic(), until_idle
        while not self._stopping:
            if not self.queue.current:
                log.warning(
                    "The catalogue was deleted or set aside, so this worker ends; the next worker starts "
                    "with a new catalogue."
                )
                self.stop()
                return
            if self._say(None):
                return
            try:
                self.queue.release(self.owner)  # a job whose end could not be recorded on a full disk
                self.queue.requeue_dead()
                job = self._claim()
                if job is not None:
                    self._answer(job)
                    last_work = time.monotonic()
                    continue
                if self.queue.successor(self.owner):
                    return
            except StoreError as error:
                if until_idle:
                    raise
                log.warning("%s", error)
            if self._passed_over:  # not idle: these are tried again
                last_work = time.monotonic()
            elif time.monotonic() - last_work >= idle_seconds:
                return
            if prepared:
                time.sleep(POLL_SECONDS)
            else:
                self._prepare()
                prepared = True

    def _say(self, job_id: int | None) -> bool:
        if self._tell(job_id):
            self.stop()
        return self._stopping

    def _claim(self, min_priority: int | None = None) -> Job | None:
        """Claim the next job, except those that another process worked on just now, in their order."""
        now = time.monotonic()
        self._passed_over = {job_id: until for job_id, until in self._passed_over.items() if until > now}
        return self.queue.claim(self.owner, min_priority, self._passed_over)

    def _answer(self, job: Job) -> None:
        """Work on a job until it ends, or until this process does.

        An exception that is no ``Exception`` (a Rust panic, ``sys.exit``) ends the process and counts as a
        death at the job; the supervisor is not told of an end, which it would take for an ordinary one.
        """
        self._at.append(job.id)
        self._say(job.id)
        try:
            self._carry_out(job)
        except KeyboardInterrupt:  # a second Ctrl-C without a supervisor
            raise
        except Exception:  # the cache cannot be used
            self._left()
            raise
        except BaseException:
            log.exception("job %s (%s %s) ends this process", job.id, job.kind, job.key)
            with suppress(StoreError):
                self.queue.died(self.owner)
            raise
        else:
            self._left()

    def _left(self) -> None:
        self._at.pop()
        self._say(self._at[-1] if self._at else None)

    def _carry_out(self, job: Job) -> None:
        try:
            if job.kind not in HANDLERS:
                raise AuditError(
                    f"This worker is of another version and cannot do jobs of the kind {job.kind!r}: "
                    "start a worker of the app's version."
                )
            if self.settings.auditors or self.settings.read_only:  # otherwise only the app knows
                check_may_ask(submitter_of(job.submitter), self.settings)
            result = HANDLERS[job.kind](self._context(job))
        except Stopped:
            self.queue.release(self.owner, job.id)
        except Held as held:
            self.queue.note(job.id, {"stage": "waiting", "holder": held.holder}, self.owner)
            self.queue.release(self.owner, job.id)
            self._passed_over[job.id] = time.monotonic() + AGAIN_SECONDS
        except InputError as error:
            self.queue.fail(job.id, f"{error}{self._unlike(job)}", self.owner)
        except AuditError as error:
            self.queue.fail(job.id, str(error), self.owner)
        except Exception as error:
            log.exception("job %s (%s %s)", job.id, job.kind, job.key)
            self.queue.fail(job.id, f"unexpected: {type(error).__name__}: {error}", self.owner)
        else:
            self.queue.finish(job.id, result, self.owner)

    def _unlike(self, job: Job) -> str:
        """Return a sentence if the job was submitted with other settings; the device may differ."""
        theirs, own = (one.partition("@")[0] for one in (job.fingerprint, self.settings.fingerprint))
        if theirs in ("", own):
            return ""
        return (
            f" The worker that did it ({self.owner}) was started with other settings than the app or command "
            "that requested the job: start the worker with the same settings (PCF_MODELS, PCF_ENDPOINT_URL "
            "and so on), or stop it, then retry."
        )

    def _context(self, job: Job) -> JobContext:
        return JobContext(
            job=job,
            owner=self.owner,
            queue=self.queue,
            store=self.store,
            settings=self.settings,
            open_scorer=self._scorer,
            open_generator=self._generator,
            pause=partial(self._pause, job),
        )

    def _pause(self, job: Job) -> None:
        """Between two batches of a job, answer small jobs, and raise ``Stopped`` if it has to stop."""
        self._answer_small(job)
        if self._say(job.id) or not self.queue.current or self.queue.cancelled(job.id, self.owner):
            raise Stopped

    def _answer_small(self, within: Job) -> None:
        least = max(SMALL, within.priority + 1)
        # A stopping worker gives jobs back, so claiming them again would never end.
        while not self._stopping and self.queue.current and (job := self._claim(least)) is not None:
            self._answer(job)

    def _scorer(self, spec: ModelSpec, protocol: str) -> Scorer:
        key = ScoringKey.of(spec, protocol).hash
        return self._opened(key, spec, lambda: self._open_scorer(spec, protocol))

    def _generator(self, spec: ModelSpec, decoding: Decoding) -> Generator:
        key = GenerationKey.of(spec, decoding).hash
        return self._opened(key, spec, lambda: self._open_generator(spec, decoding))

    def _opened(self, key: str, spec: ModelSpec, open_model: Callable[[], Opened]) -> Opened:
        """Return the open model of a key, or open it; close the least recently used, unless all are small."""
        if key not in self._models:
            while len(self._models) >= self.settings.worker_models and not self._light_with(spec):
                self._models.popitem(last=False)
            self._models[key] = (open_model(), spec.parameters)
        self._models.move_to_end(key)
        if self._at:
            self.queue.begin(self._at[-1], self.owner)
        return cast(Opened, self._models[key][0])

    def _light_with(self, spec: ModelSpec) -> bool:
        """Return whether this model and the open ones are small together; 0 parameters means unknown."""
        sizes = [spec.parameters, *(parameters for _, parameters in self._models.values())]
        return all(sizes) and sum(sizes) <= LIGHT
