"""The worker: a process that takes jobs from the queue until there are none for a while."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar, cast

from pcf_core.audit import load_result
from pcf_core.errors import AuditError, StoreError
from pcf_core.generation.base import Generator
from pcf_core.generation.opening import open_generator as open_real_generator
from pcf_core.jobs.criteria import CRITERIA, CriteriaRequest, load_criteria_asked
from pcf_core.jobs.embedding import EMBEDDING, EmbeddingRequest, load_embedding_asked, run_embedding
from pcf_core.jobs.engines import scorers_of
from pcf_core.jobs.fairpair import FAIRPAIR, FairPairRequest, load_asked
from pcf_core.jobs.generating import (
    GenerateRequest,
    OpenGenerator,
    count_ends,
    generate_missing,
    texts_asked,
)
from pcf_core.jobs.job import Job
from pcf_core.jobs.knowledge import KnowledgeRequest, asked_for, score_knowledge
from pcf_core.jobs.launch import LOG_NAME
from pcf_core.jobs.mining import MineRequest, counters_of, document_of, mine_asked, progress_document
from pcf_core.jobs.pairing import run_fairpair
from pcf_core.jobs.people import check_may_ask, submitter_of
from pcf_core.jobs.probing import CHECK, PROBE, CheckRequest, ProbeRequest, probe_asked
from pcf_core.jobs.processes import name_of, signals_to
from pcf_core.jobs.questioning import run_criteria
from pcf_core.jobs.queue import Queue
from pcf_core.jobs.reading import ReadRequest, read_asked
from pcf_core.jobs.requests import SMALL, ScoreRequest, WordsRequest
from pcf_core.jobs.sampling import look_document, score_asked
from pcf_core.jobs.scoring import OpenScorer, Stopped
from pcf_core.jobs.topic_check import check_asked
from pcf_core.jobs.words import word_check
from pcf_core.mining.miner import Progress
from pcf_core.records import Look, ModelSpec, Protocol, ScoringKey
from pcf_core.records.generation import Decoding, GenerationKey
from pcf_core.scoring.base import Scorer
from pcf_core.scoring.opening import open_scorer as open_real_scorer
from pcf_core.settings import Settings
from pcf_core.store import Store
from pcf_core.topics import save_set

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
BEAT_SECONDS = 2.0
REPORT_SECONDS = 0.2
WAITING = {"stage": "waiting"}  # what a job says while another process scores its run
Opened = TypeVar("Opened")
LIGHT = 64_000_000  # parameters of the open models together, up to which none of them makes room


class Worker:
    """Serves one cache.  A job that fails ends with its sentence; the worker goes on."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        settings: Settings,
        open_scorer: OpenScorer = open_real_scorer,
        open_generator: OpenGenerator = open_real_generator,
    ) -> None:
        self.store = store
        self.queue = queue
        self.settings = settings
        self.owner = name_of(os.getpid())
        self._open_scorer = open_scorer
        self._open_generator = open_generator
        self._models: OrderedDict[str, tuple[Any, int]] = OrderedDict()  # opened, with their parameters
        self._stopping = False
        self._answers: dict[str, Callable[[Job], dict[str, Any]]] = {
            "score": self._score,
            "words": self._words,
            PROBE: self._probe,
            CHECK: self._check,
            "mine": self._mine,
            "read": self._read,
            "knowledge": self._knowledge,
            "generate": self._generate,
            FAIRPAIR: self._fairpair,
            CRITERIA: self._criteria,
            EMBEDDING: self._embedding,
        }

    @classmethod
    def open(cls, settings: Settings) -> Worker:
        """A worker of the cache that the settings name.

        Raises:
            StoreError: the cache cannot be used.
        """
        store = Store.open(settings.cache, settings.results, settings.scores)
        return cls(store, Queue.open(settings.catalogue), settings)

    def stop(self) -> None:
        """End after the present batch; the job goes back to the queue."""
        self._stopping = True

    def run(self, until_idle: bool = False) -> None:
        """Serve the queue until it was empty for ``worker_idle_seconds``, or, ``until_idle``, is empty.

        SIGTERM and SIGINT stop it as :meth:`stop` does, a second one at once.

        Raises:
            StoreError: the cache cannot be used (``until_idle``; else the worker waits until it can).
        """
        with _logging_to(self.settings), signals_to(self.stop):
            while True:
                with self._registered():
                    self._serve(until_idle)
                if self._stopping or not self.queue.waiting():  # submitted while we signed off?
                    return

    def _serve(self, until_idle: bool) -> None:
        idle_seconds = 0.0 if until_idle else self.settings.worker_idle_seconds
        last_work = time.monotonic()
        while not self._stopping:
            if not self.queue.current:
                log.warning(
                    "The catalogue was deleted: this worker ends, the next one begins with the new one."
                )
                self.stop()
                return
            try:
                self.queue.release(self.owner)  # a job whose end could not be recorded, on a full disk
                self.queue.requeue_dead()
                job = self.queue.claim(self.owner)
                if job is not None:
                    self._answer(job)
                    last_work = time.monotonic()
                    continue
            except StoreError as error:
                if until_idle:
                    raise
                log.warning("%s", error)
            if time.monotonic() - last_work >= idle_seconds:
                return
            time.sleep(POLL_SECONDS)

    def _answer(self, job: Job) -> None:
        """Work on a job to its end, whatever that is."""
        try:
            if job.kind not in self._answers:
                raise AuditError(
                    f"This worker knows no jobs of the kind {job.kind!r}: start one of this version."
                )
            if self.settings.auditors or self.settings.read_only:  # else the app alone knows who may ask
                check_may_ask(submitter_of(job.submitter), self.settings)
            result = self._answers[job.kind](job)
        except Stopped:
            self.queue.release(self.owner, job.id)
        except AuditError as error:
            self.queue.fail(job.id, str(error), self.owner)
        except Exception as error:
            log.exception("job %s (%s %s)", job.id, job.kind, job.key)
            self.queue.fail(job.id, f"unexpected: {type(error).__name__}: {error}", self.owner)
        else:
            self.queue.finish(job.id, result, self.owner)

    def _score(self, job: Job) -> dict[str, Any]:
        run = self.store.load_run(ScoreRequest.model_validate(job.payload).run)
        reported = -REPORT_SECONDS
        before: int | None = None  # cells of the job that were scored before this start
        waiting = job.result == WAITING  # as the worker left it that had the job before

        def on_wait() -> None:
            nonlocal waiting
            if not waiting:
                waiting = True
                self.queue.note(job.id, WAITING, self.owner)

        def report(done: int, total: int, rate: float) -> None:
            """Also after a resume, ``done`` counts from the job's first cell; a plan's ``total`` grows."""
            nonlocal reported, before, waiting
            if waiting:
                waiting = False
                self.queue.note(job.id, {}, self.owner)
            if before is None:
                ended = job.done == job.total  # between two looks of a plan, or nothing was done
                before = job.total if ended else max(0, job.total - total)
            if done == total or time.monotonic() - reported >= REPORT_SECONDS:
                reported = time.monotonic()
                self.queue.progress(job.id, before + done, before + total, rate, self.owner)

        def on_look(look: Look) -> None:
            self.queue.note(job.id, look_document(look), self.owner)

        with scorers_of(self.settings.engine, self.settings, self._scorer) as scorer:
            done = score_asked(
                run,
                self.store,
                scorer,
                report,
                partial(self._should_stop, job),
                partial(self._answer_small, job),
                on_look,
                on_wait,
            )
        # Kept, so that pages open it at once.
        load_result(self.store, done.run, cast(Protocol, run.scoring.protocol))
        return done.document

    def _words(self, job: Job) -> dict[str, Any]:
        asked = WordsRequest.model_validate(job.payload)
        return word_check(asked.model, asked.topic, asked.text, asked.protocol, asked.dtype, self._scorer)

    def _probe(self, job: Job) -> dict[str, Any]:
        return probe_asked(ProbeRequest.model_validate(job.payload), self._scorer)

    def _check(self, job: Job) -> dict[str, Any]:
        return check_asked(CheckRequest.model_validate(job.payload), self._scorer)

    def _read(self, job: Job) -> dict[str, Any]:
        return read_asked(
            ReadRequest.model_validate(job.payload),
            self.store,
            lambda done, total, rate: self.queue.progress(job.id, done, total, rate, self.owner),
            partial(self._should_stop, job),
            partial(self._answer_small, job),
        )

    def _knowledge(self, job: Job) -> dict[str, Any]:
        asked = KnowledgeRequest.model_validate(job.payload)
        scored = score_knowledge(
            asked_for(asked, job.key),
            asked.scoring,
            self.store,
            self._scorer,
            lambda done, total, rate: self.queue.progress(job.id, done, total, rate, self.owner),
            partial(self._should_stop, job),
            partial(self._answer_small, job),
        )
        return {"set": asked.name, "scored": scored}

    def _generate(self, job: Job) -> dict[str, Any]:
        asked = texts_asked(self.store, GenerateRequest.model_validate(job.payload))
        written = generate_missing(
            asked,
            self.store,
            self._generator,
            lambda done, total, rate: self.queue.progress(job.id, done, total, rate, self.owner),
            partial(self._should_stop, job),
            partial(self._answer_small, job),
        )
        return {"written": written, "ends": count_ends(asked, self.store)}

    def _fairpair(self, job: Job) -> dict[str, Any]:
        asked = load_asked(self.store, FairPairRequest.model_validate(job.payload).asked)
        result, written = run_fairpair(
            asked,
            self.store,
            self._generator,
            lambda done, total, rate: self.queue.progress(job.id, done, total, rate, self.owner),
            lambda stage, done, total: self.queue.note(
                job.id, {"stage": stage, "done": done, "total": total}, self.owner
            ),
            partial(self._should_stop, job),
            partial(self._answer_small, job),
        )
        return {"asked": asked.hash, "written": written, "ends": result.ends}

    def _criteria(self, job: Job) -> dict[str, Any]:
        request = CriteriaRequest.model_validate(job.payload)
        result, made = run_criteria(
            load_criteria_asked(self.store, request.asked),
            self.store,
            self._generator,
            self._scorer,
            lambda done, total, rate: self.queue.progress(job.id, done, total, rate, self.owner),
            lambda stage: self.queue.note(job.id, {"stage": stage}, self.owner),
            partial(self._should_stop, job),
            partial(self._answer_small, job),
        )
        return {"asked": request.asked, "made": made, "ends": result.ends}

    def _embedding(self, job: Job) -> dict[str, Any]:
        asked = load_embedding_asked(self.store, EmbeddingRequest.model_validate(job.payload).asked)

        def report(done: int, total: int) -> None:
            self._answer_small(job)
            if self._should_stop(job):
                raise Stopped
            self.queue.progress(job.id, done, total, None, self.owner)

        run_embedding(asked, self.store, report)
        self.queue.progress(job.id, job.total, job.total, None, self.owner)
        return {"asked": asked.hash}

    def _mine(self, job: Job) -> dict[str, Any]:
        asked = MineRequest.model_validate(job.payload)
        reported = -REPORT_SECONDS

        def report(progress: Progress, rate: float) -> None:
            """Of a corpus of unknown size, only what was counted is told."""
            nonlocal reported
            if time.monotonic() - reported >= REPORT_SECONDS:
                reported = time.monotonic()
                if progress.size:
                    self.queue.progress(job.id, progress.read, progress.size, rate, self.owner)
                self.queue.note(job.id, progress_document(progress), self.owner)

        with counters_of(self.settings.engine, self.settings, asked.topics, asked.pipeline) as counters:
            mined = mine_asked(
                asked,
                self.settings,
                counters,
                report,
                partial(self._should_stop, job),
                partial(self._answer_small, job),
                log.warning,
            )
        save_set(mined.templates)
        return document_of(mined)

    def _should_stop(self, job: Job) -> bool:
        return self._stopping or not self.queue.current or self.queue.cancelled(job.id, self.owner)

    def _answer_small(self, within: Job) -> None:
        """Answer what is small and waits, if it is smaller than the job that would wait for it."""
        least = max(SMALL, within.priority + 1)
        while (job := self.queue.claim(self.owner, min_priority=least)) is not None:
            self._answer(job)

    def _scorer(self, spec: ModelSpec, protocol: str) -> Scorer:
        """The open scorer of a model."""
        key = ScoringKey.of(spec, protocol).hash
        return self._opened(key, spec, lambda: self._open_scorer(spec, protocol))

    def _generator(self, spec: ModelSpec, decoding: Decoding) -> Generator:
        """The open generator of a model."""
        key = GenerationKey.of(spec, decoding).hash
        return self._opened(key, spec, lambda: self._open_generator(spec, decoding))

    def _opened(self, key: str, spec: ModelSpec, open_model: Callable[[], Opened]) -> Opened:
        """What is open under a key; that which was not used for longest is closed for a new one.

        Small models stay open beyond the setting, so that a sentence can be put to several of them at once.
        """
        if key not in self._models:
            while len(self._models) >= self.settings.worker_models and not self._light_with(spec):
                self._models.popitem(last=False)
            self._models[key] = (open_model(), spec.parameters)
        self._models.move_to_end(key)
        return cast(Opened, self._models[key][0])

    def _light_with(self, spec: ModelSpec) -> bool:
        """Whether this model and the open ones are small together; 0 parameters are an unknown number."""
        sizes = [spec.parameters, *(parameters for _, parameters in self._models.values())]
        return all(sizes) and sum(sizes) <= LIGHT

    @contextmanager
    def _registered(self) -> Iterator[None]:
        """Be known as alive, in long batches too; then give back what is held and sign off."""
        self.queue.heartbeat(self.owner)
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(BEAT_SECONDS):
                try:
                    self.queue.heartbeat(self.owner)
                except StoreError as error:
                    log.warning("%s", error)

        thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.queue.leave(self.owner)


class _LogFile(logging.FileHandler):
    """A log whose lines are lost where the disk takes none: work must not end for want of a log."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # of opening the file, which the class it extends does outside its own care
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: Python would print a traceback, mostly into the same file."""

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def _logging_to(settings: Settings) -> Iterator[None]:
    """Write the core's warnings and tracebacks to ``worker.log`` in the cache folder."""
    handler = _LogFile(settings.cache / LOG_NAME, encoding="utf8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    core = logging.getLogger("pcf_core")
    core.addHandler(handler)
    try:
        yield
    finally:
        core.removeHandler(handler)
        handler.close()
